"""Network shapes of measurement rows, blanks filled by stated assumptions."""

from __future__ import annotations

import math
import re

from engine.performance.inputs import ModelShape
from engine.text import N_, Message
from engine.validation.tables import DataRow, RowProblem

_LATENT = (
    (r"deepseek-?v[23]|deepseek-?r1|kimi-?k2", (1536.0, 512.0, 128.0, 64.0, 128.0)),
    (r"moonlight|deepseek-?v2-?lite", (0.0, 512.0, 128.0, 64.0, 128.0)),
)
"""Networks with latent attention: q_lora_rank, kv_lora_rank, nope, rope and value head sizes."""
ASPECT = 128.0
"""Hidden elements a layer of networks whose shape is not given; Llama's and GPT's are 96 to 128."""
BLANK_HEAD, BLANK_VOCABULARY = 128.0, 50304.0
_BLANK_EXPERTS, _BLANK_TOP_K = 128.0, 8.0
_SPARSE_FROM = 1.5
MOST_BILLIONS = 1e6
_DENSE_WEIGHTS, _ATTENTION_WEIGHTS = 12.0, 4.0
"""Weights of a GPT layer over hidden_size^2, and of its attention alone."""


def read_shape(row: DataRow) -> ModelShape:
    """The row's network.

    Blanks: key-value heads = heads; head size = hidden / heads, heads of 128; MLP of 4 x hidden, or 8/3 when
    gated; vocabulary 50,304. Without layers or hidden size: a GPT of the same parameters (of the active ones,
    with 128 experts or more of which 8 are taken, when the total is over 1.5 times as large), 128 hidden
    elements a layer. Raises RowProblem when the parameters are blank as well.
    """
    layers, hidden = row.positive("n_layers"), row.positive("hidden")
    if layers is None or hidden is None:
        return _from_parameters(row)
    gated = row.amount("gated_mlp")
    heads = row.positive("n_heads") or max(1.0, hidden / BLANK_HEAD)
    ffn = row.positive("ffn_hidden") or hidden * (8.0 / 3.0 if gated else 4.0)
    experts = row.amount("n_experts")
    latent = _latent(row.text("model_name"))
    return ModelShape(
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=row.positive("n_kv_heads") or heads,
        head_dim=row.positive("head_dim") or hidden / heads,
        intermediate_size=ffn,
        vocab_size=row.positive("vocab") or BLANK_VOCABULARY,
        gated_mlp=1.0 if gated else 0.0,
        num_experts=experts,
        num_experts_per_tok=min(row.positive("topk") or 1.0, experts),
        moe_intermediate_size=(row.positive("moe_ffn_hidden") or ffn) if experts else 0.0,
        shared_expert_intermediate_size=row.amount("shared_expert_ffn") if experts else 0.0,
        first_k_dense_replace=min(row.amount("n_dense_layers"), layers) if experts else 0.0,
        q_lora_rank=latent[0],
        kv_lora_rank=latent[1],
        qk_nope_head_dim=latent[2],
        qk_rope_head_dim=latent[3],
        v_head_dim=latent[4],
    )


def _latent(name: str) -> tuple[float, ...]:
    word = name.casefold()
    return next((sizes for pattern, sizes in _LATENT if re.search(pattern, word)), (0.0,) * 5)


def _from_parameters(row: DataRow) -> ModelShape:
    total, active = _named_parameters(row.text("model_name"))
    total = row.positive("params_total_B") or row.positive("params_B") or total
    active = row.positive("params_active_B") or row.positive("active_params_B") or active or total
    if total is None or active is None:
        raise RowProblem(Message(N_("neither the network's shape nor its parameters are given")))
    return shape_of_parameters(max(total, active), min(active, total))


def _named_parameters(name: str) -> tuple[float | None, float | None]:
    """Billions in a name such as Qwen3-30B-A3B."""
    total = re.search(r"(?<![a-z\d.])(\d+(?:\.\d+)?)b(?![a-z])", name.casefold())
    active = re.search(r"a(\d+(?:\.\d+)?)b(?![a-z])", name.casefold())
    return (float(total[1]) if total else None), (float(active[1]) if active else None)


def shape_of_parameters(total_billions: float, active_billions: float) -> ModelShape:
    """A GPT-like network with `total_billions` of parameters of which a token meets some, see read_shape.

    Equation: active = hidden / 128 layers of 12 hidden^2 weights. Raises RowProblem above MOST_BILLIONS.
    """
    if total_billions > MOST_BILLIONS:
        raise RowProblem(
            Message(N_("{value} billion parameters are not modelled"), {"value": total_billions})
        )
    total, active = total_billions * 1e9, active_billions * 1e9
    hidden = 128.0 * max(1, round((active * ASPECT / _DENSE_WEIGHTS) ** (1.0 / 3.0) / 128.0))
    layers = max(1.0, float(round(active / (_DENSE_WEIGHTS * hidden**2))))
    experts, expert = 0.0, 0.0
    if total > _SPARSE_FROM * active:
        # The MLP's share of the active weights bounds an expert; sparser networks have more of them.
        most = (_DENSE_WEIGHTS - _ATTENTION_WEIGHTS) * hidden**2 * layers / _BLANK_TOP_K
        experts = max(_BLANK_EXPERTS, 8.0 * math.ceil((_BLANK_TOP_K + (total - active) / most) / 8.0))
        spare = min((total - active) / (experts - _BLANK_TOP_K), most)
        expert = max(1.0, math.floor(spare / (2.0 * hidden * layers)))
    heads = max(1.0, hidden / BLANK_HEAD)
    return ModelShape(
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        head_dim=min(hidden, BLANK_HEAD),
        intermediate_size=4.0 * hidden,
        vocab_size=BLANK_VOCABULARY,
        gated_mlp=0.0,
        num_experts=experts,
        num_experts_per_tok=_BLANK_TOP_K if expert else 0.0,
        moe_intermediate_size=expert,
    )
