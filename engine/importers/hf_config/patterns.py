"""Which kind each layer of a network is, read from the many ways files say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.errors import InputError
from engine.importers.hf_config.fields import Fields
from engine.text import N_, Message

Kinds = list[str]

_LETTERS: Mapping[str, str] = {
    "M": "mamba",
    "*": "attention",
    "-": "mlp",
    "E": "moe",
    "L": "sliding_attention",
    "G": "full_attention",
    "D": "mamba",
    "m": "mamba",
}


def mixer_kinds(fields: Fields, reader: str | None) -> Kinds:
    """The kind of every layer, first to last. A list in the file wins over any rule.

    Errors: InputError for a list or word that does not fit the number of layers.
    """
    for listed in (_layer_types, _pattern_word):
        found = listed(fields)
        if found is not None:
            return found
    layers = fields.count("num_hidden_layers")
    return MIXER_READERS[reader or "sliding"](fields, layers)


def mlp_kinds(fields: Fields, reader: str | None, layers: int) -> Kinds:
    """dense or moe for every layer, first to last."""
    if reader == "blocks":
        return _block_mlps(fields, layers)
    if not fields.count("num_experts") or not layers:
        return ["dense"] * layers
    listed = fields.get("mlp_layer_types")
    if listed is not None:
        words = _words("mlp_layer_types", fields, listed, layers)
        return ["dense" if word == "dense" else "moe" for word in words]
    return MLP_READERS[reader or "first_dense"](fields, layers)


def listed_layers(fields: Fields) -> int | None:
    """Number of layers a list or a word of layers gives, for files without a number."""
    for name in ("layers_block_type", "layer_types", "block_configs"):
        found = fields.get(name)
        if found:
            return len(found)
    word = fields.get("hybrid_override_pattern")
    return len(_letters(word)) if word else None


def _layer_types(fields: Fields) -> Kinds | None:
    for name in ("layer_types", "layers_block_type"):
        listed = fields.get(name)
        if listed is not None and fields.gives(name):
            return list(_words(name, fields, listed, fields.count("num_hidden_layers")))
    return None


def _pattern_word(fields: Fields) -> Kinds | None:
    word = fields.get("hybrid_override_pattern")
    if word is None:
        return None
    layers = fields.count("num_hidden_layers")
    found = [_LETTERS.get(letter, "") for letter in _letters(word)]
    if "" in found or len(found) != layers:
        accepted = Message(N_("one of M - * E for each of the {layers} layers"), {"layers": layers})
        raise InputError(fields.key("hybrid_override_pattern"), word, accepted)
    return found


def _letters(word: str) -> str:
    return word.replace("|", "")


def _words(name: str, fields: Fields, listed: Sequence[Any], layers: int) -> Sequence[str]:
    """A list of words, one a layer; of a longer list the beginning counts, as in networks cut short."""
    if not all(isinstance(word, str) for word in listed) or len(listed) < layers:
        accepted = Message(N_("a list with one word for each of the {layers} layers"), {"layers": layers})
        raise InputError(fields.key(name), list(listed), accepted)
    return list(listed)[:layers]


def _indexes(name: str, fields: Fields) -> frozenset[int]:
    """A list of layer numbers."""
    listed = fields.get(name) or ()
    if not all(isinstance(item, int) and not isinstance(item, bool) for item in listed):
        raise InputError(fields.key(name), list(listed), Message(N_("a list of whole numbers")))
    return frozenset(listed)


def _uniform(fields: Fields, layers: int) -> Kinds:
    return ["full_attention"] * layers


def _sliding(fields: Fields, layers: int) -> Kinds:
    """All layers alike, windowed when the file sets a window and does not switch it off."""
    windowed = fields.count("sliding_window") and fields.get("use_sliding_window") is not False
    return ["sliding_attention" if windowed else "full_attention"] * layers


def _above_max_window(fields: Fields, layers: int) -> Kinds:
    """Qwen2: with use_sliding_window the layers from max_window_layers on are windowed."""
    if not fields.get("use_sliding_window") or not fields.count("sliding_window"):
        return _uniform(fields, layers)
    first = fields.count("max_window_layers")
    return ["full_attention" if i < first else "sliding_attention" for i in range(layers)]


def _every_nth_full(fields: Fields, layers: int) -> Kinds:
    """Windowed but for every n-th layer; a word such as LLLG repeats, its last layer always full."""
    pattern = fields.get("sliding_window_pattern")
    if not fields.count("sliding_window"):
        return _uniform(fields, layers)
    if isinstance(pattern, str) and pattern:
        kinds = [_LETTERS.get(pattern[i % len(pattern)], "") for i in range(layers)]
        if "" in kinds:
            accepted = Message(N_("a whole number, or a word of L and G"))
            raise InputError(fields.key("sliding_window_pattern"), pattern, accepted)
        return [*kinds[:-1], "full_attention"]
    return _nth(pattern, layers, "full_attention", "sliding_attention")


def _every_nth_attends(fields: Fields, layers: int) -> Kinds:
    return _nth(fields.get("full_attention_interval"), layers, "full_attention", "linear_attention")


def _every_nth_global(fields: Fields, layers: int) -> Kinds:
    """Counted from the first layer: 0, n, 2n ... see everything."""
    n = fields.count("global_attn_every_n_layers") or 1
    return ["sliding_attention" if i % n else "full_attention" for i in range(layers)]


def _nth(step: Any, layers: int, nth: str, others: str) -> Kinds:
    n = step if isinstance(step, int) and not isinstance(step, bool) and step > 0 else 1
    return [others if (i + 1) % n else nth for i in range(layers)]


def _alternating(fields: Fields, layers: int) -> Kinds:
    """Windowed, full, windowed ..."""
    if not fields.count("sliding_window"):
        return _uniform(fields, layers)
    return ["full_attention" if i % 2 else "sliding_attention" for i in range(layers)]


def _period_offset(fields: Fields, layers: int) -> Kinds:
    period, offset = fields.count("attn_layer_period") or 1, fields.count("attn_layer_offset")
    return ["attention" if i % period == offset else "mamba" for i in range(layers)]


def _listed_attention(fields: Fields, layers: int) -> Kinds:
    attends = _indexes("attn_layer_indices", fields)
    return ["attention" if i in attends else "mamba" for i in range(layers)]


def _listed_full(fields: Fields, layers: int) -> Kinds:
    listed = fields.get("full_attn_idxs")
    attends = _indexes("full_attn_idxs", fields)
    return ["full_attention" if listed is None or i in attends else "conv" for i in range(layers)]


def _kimi(fields: Fields, layers: int) -> Kinds:
    """Layers counted from 1 in the file; without lists every fourth attends."""
    listed, attends = fields.get("full_attn_layers"), _indexes("full_attn_layers", fields)
    if listed is None:
        return ["full_attention" if i and i % 4 == 0 else "linear_attention" for i in range(layers)]
    return ["full_attention" if i + 1 in attends else "linear_attention" for i in range(layers)]


def _ring_groups(fields: Fields, layers: int) -> Kinds:
    """The last layer of every group, and what is left at the end, attends."""
    size = fields.count("layer_group_size") or 1
    whole = layers // size * size
    return [
        "full_attention" if i >= whole or (i + 1) % size == 0 else "linear_attention" for i in range(layers)
    ]


def _type_numbers(fields: Fields, layers: int) -> Kinds:
    """1 = softmax attention, 0 = lightning attention."""
    listed = fields.get("attn_type_list")
    if listed is None:
        return ["linear_attention" if i % 2 else "full_attention" for i in range(layers)]
    if len(listed) < layers:
        accepted = Message(N_("a list with 0 or 1 for each of the {layers} layers"), {"layers": layers})
        raise InputError(fields.key("attn_type_list"), list(listed), accepted)
    return ["full_attention" if item else "linear_attention" for item in listed[:layers]]


def _cyclic_blocks(fields: Fields, layers: int) -> Kinds:
    blocks = fields.get("block_types") or ["attention"]
    words = _words("block_types", fields, blocks, len(blocks))
    return [words[i % len(words)] for i in range(layers)]


def _chunked(fields: Fields, layers: int) -> Kinds:
    """Llama 4: chunked attention where positions are rotated, every fourth layer without either."""
    listed = fields.get("no_rope_layers")
    step = fields.count("no_rope_layer_interval") or 4
    if not fields.count("attention_chunk_size"):
        return _uniform(fields, layers)
    if listed:
        return [
            "chunked_attention" if i >= len(listed) or listed[i] else "full_attention" for i in range(layers)
        ]
    return _nth(step, layers, "full_attention", "chunked_attention")


def _crossing(fields: Fields, layers: int) -> Kinds:
    crosses = _indexes("cross_attention_layers", fields)
    return ["cross_attention" if i in crosses else "full_attention" for i in range(layers)]


def _local_global(fields: Fields, layers: int) -> Kinds:
    """GPT-Neo: [[["global", "local"], 12]], or a plain list of words."""
    listed: list[str] = []
    for entry in fields.get("attention_types") or [[["global", "local"], layers]]:
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], list):
            accepted = Message(N_("a list of pairs: a list of words, and how often it repeats"))
            raise InputError(fields.key("attention_types"), fields.get("attention_types"), accepted)
        times = entry[1] if isinstance(entry[1], int) else 0
        listed += entry[0] * min(times, layers)
    words = fields.get("attention_layers") or listed[:layers]
    return list(_words("attention_layers", fields, words, layers))


def _hybrid_numbers(fields: Fields, layers: int) -> Kinds:
    """MiMo: 1 = windowed, 0 = full; else every fifth of six is full."""
    listed = fields.get("hybrid_layer_pattern")
    if not listed:
        return [
            "full_attention" if i == 0 or (i + 1) % 6 == 0 else "sliding_attention" for i in range(layers)
        ]
    return ["sliding_attention" if item else "full_attention" for item in listed[:layers]]


def _hybrid_ids(fields: Fields, layers: int) -> Kinds:
    listed = _indexes("hybrid_layer_ids", fields)
    return ["hybrid" if i in listed else "mamba" for i in range(layers)]


def _block(fields: Fields, layers: int, part: str) -> list[Mapping[str, Any]]:
    """One part ("attention", "ffn") of every block of a file that describes each layer."""
    blocks = fields.get("block_configs") or []
    parts = [block.get(part) for block in blocks if isinstance(block, Mapping)]
    found = [item for item in parts if isinstance(item, Mapping)]
    if len(found) < layers or len(found) < len(parts):
        wanted = N_("an object with attention and ffn for each of the {layers} layers")
        accepted = Message(wanted, {"layers": layers})
        raise InputError(fields.key("block_configs"), blocks, accepted)
    return found[:layers]


def _block_mixers(fields: Fields, layers: int) -> Kinds:
    return [
        "no_mixer" if item.get("no_op") else "linear_mixer" if item.get("replace_with_linear") else "block"
        for item in _block(fields, layers, "attention")
    ]


def _block_mlps(fields: Fields, layers: int) -> Kinds:
    return [
        "none" if item.get("no_op") else "linear" if item.get("replace_with_linear") else "dense"
        for item in _block(fields, layers, "ffn")
    ]


def _compressed(fields: Fields, layers: int) -> Kinds:
    """DeepSeek-V4: tokens an entry of the compressed cache stands for; 0 = the window alone."""
    listed = fields.get("compress_ratios")
    if listed is None:
        return ["heavy" if i < 2 or i % 2 == 0 else "sparse" for i in range(layers)]
    words = {0: "sliding_attention", 4: "sparse", 128: "heavy"}
    found = [words.get(item, "") if isinstance(item, int) else "" for item in listed[:layers]]
    if len(found) < layers or "" in found:
        accepted = Message(N_("0, 4 or 128 for each of the {layers} layers"), {"layers": layers})
        raise InputError(fields.key("compress_ratios"), list(listed), accepted)
    return found


def _early_hybrid(fields: Fields, layers: int) -> Kinds:
    """Zamba: the third layer, then by period and offset from the fourth on."""
    period, offset = fields.count("attn_layer_period") or 1, fields.count("attn_layer_offset")
    later = ["hybrid" if i % period == offset else "mamba" for i in range(max(layers - 3, 0))]
    return ["mamba", "mamba", "hybrid", *later][:layers]


def _shared_layer(fields: Fields, layers: int) -> Kinds:
    return ["first", *["again"] * (layers - 1)]


def _all_state(fields: Fields, layers: int) -> Kinds:
    return ["mamba"] * layers


def _generations(fields: Fields, layers: int) -> Kinds:
    return ["mamba2" if fields.get("second") else "mamba"] * layers


def _every_hybrid(fields: Fields, layers: int) -> Kinds:
    return ["hybrid"] * layers


MIXER_READERS: Mapping[str, Callable[[Fields, int], Kinds]] = {
    "uniform": _uniform,
    "sliding": _sliding,
    "above_max_window": _above_max_window,
    "every_nth_full": _every_nth_full,
    "every_nth_attends": _every_nth_attends,
    "every_nth_global": _every_nth_global,
    "alternating": _alternating,
    "period_offset": _period_offset,
    "listed_attention": _listed_attention,
    "listed_full": _listed_full,
    "kimi": _kimi,
    "ring_groups": _ring_groups,
    "type_numbers": _type_numbers,
    "cyclic_blocks": _cyclic_blocks,
    "chunked": _chunked,
    "crossing": _crossing,
    "local_global": _local_global,
    "hybrid_numbers": _hybrid_numbers,
    "hybrid_ids": _hybrid_ids,
    "all_state": _all_state,
    "every_hybrid": _every_hybrid,
    "generations": _generations,
    "blocks": _block_mixers,
    "compressed": _compressed,
    "early_hybrid": _early_hybrid,
    "shared_layer": _shared_layer,
}


def _first_dense(fields: Fields, layers: int) -> Kinds:
    """Leading dense layers, then experts every moe_layer_freq layers, or where its list says 1."""
    dense, frequency = fields.count("first_k_dense_replace"), fields.get("moe_layer_freq")
    if isinstance(frequency, list):
        return ["moe" if i < len(frequency) and frequency[i] else "dense" for i in range(layers)]
    step = frequency if isinstance(frequency, int) and frequency > 0 else 1
    return ["moe" if i >= dense and i % step == 0 else "dense" for i in range(layers)]


def _sparse_step(fields: Fields, layers: int) -> Kinds:
    step, dense = fields.count("decoder_sparse_step") or 1, _indexes("mlp_only_layers", fields)
    return ["dense" if i in dense or (i + 1) % step else "moe" for i in range(layers)]


def _expert_period(fields: Fields, layers: int) -> Kinds:
    period, offset = fields.count("expert_layer_period") or 1, fields.count("expert_layer_offset")
    return ["moe" if i % period == offset else "dense" for i in range(layers)]


def _interleaved(fields: Fields, layers: int) -> Kinds:
    """Llama 4: moe_layers lists them, else every n-th."""
    if fields.get("moe_layers"):
        listed = _indexes("moe_layers", fields)
        return ["moe" if i in listed else "dense" for i in range(layers)]
    return _nth(fields.count("interleave_moe_layer_step"), layers, "moe", "dense")


def _start_end(fields: Fields, layers: int) -> Kinds:
    """ERNIE: experts from a first layer to a last one, every n-th."""
    first, last = fields.count("moe_layer_start_index"), fields.get("moe_layer_end_index")
    last = layers - 1 if not isinstance(last, int) or last < 0 else last
    step = fields.count("moe_layer_interval") or 1
    return ["moe" if first <= i <= last and (i + 1) % step == 0 else "dense" for i in range(layers)]


def _enumerated(fields: Fields, layers: int) -> Kinds:
    """Step-3: a word of layer numbers with commas; else all but the first."""
    word = fields.get("moe_layers_enum")
    if not word:
        return ["moe" if i else "dense" for i in range(layers)]
    numbers = {part.strip() for part in word.split(",")}
    return ["moe" if str(i) in numbers else "dense" for i in range(layers)]


def _all_sparse(fields: Fields, layers: int) -> Kinds:
    return ["moe"] * layers


MLP_READERS: Mapping[str, Callable[[Fields, int], Kinds]] = {
    "first_dense": _first_dense,
    "sparse_step": _sparse_step,
    "expert_period": _expert_period,
    "interleaved": _interleaved,
    "start_end": _start_end,
    "enumerated": _enumerated,
    "all_sparse": _all_sparse,
}
