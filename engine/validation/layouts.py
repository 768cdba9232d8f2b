"""Layouts and runs of measurement rows, blanks filled by stated assumptions."""

from __future__ import annotations

import math

from engine.codes import RECOMPUTE_MODES, SHARDING_STAGES
from engine.performance.inputs import LayoutInputs, ModelShape, TrainingRun
from engine.validation.tables import DataRow

BLANK_SEQUENCE = 2048.0
BLANK_NODE = 8.0
BLANK_VIRTUAL = 5.0
BLANK_ACCUMULATION, BLANK_PER_STAGE = 16.0, 4.0
"""Micro-batches of a step whose global batch is not given: this many, or so many a pipeline stage."""
BATCH_LIMIT = 16.0
_GATHERED_STACKS = ("fsdp", "jax")


def read_layout(row: DataRow, model: ModelShape, stack: str) -> tuple[LayoutInputs, TrainingRun]:
    """The row's layout and run; the columns for data-parallel size and any measured figure are never read.

    `shard_group`, where a file has it, is the ranks of hybrid sharding. Blanks: parallel sizes 1;
    sequence 2,048; accelerators one node; sharding ZeRO-3 for FSDP and JAX, else ZeRO-1; recomputation
    none. Virtual stages with a pipeline: the largest divisor of a stage's layers up
    to 5 (FSDP and JAX: 1). Micro-batch: 1, or the whole share of a rank up to 16 for FSDP and JAX without a
    pipeline. Global batch: 16 micro-batches a rank, or 4 a stage where that is more. A product of sizes above
    the stated accelerators counts as the number of them; a micro-batch larger than a rank's share of the
    batch is cut to it.
    """
    tensor, pipeline, context = (row.count(name, 1.0) for name in ("tp", "pp", "cp"))
    sequence = row.positive("seq_len") or BLANK_SEQUENCE
    ranks = tensor * pipeline * context
    stated = row.positive("n_gpus") or row.positive("gpus_per_node") or BLANK_NODE
    accelerators = max(stated, ranks)
    replicas = accelerators / ranks
    gathered = stack in _GATHERED_STACKS
    batch = row.positive("global_batch_seqs")
    micro = row.positive("micro_batch")
    if micro is None:
        whole = gathered and pipeline == 1.0 and batch is not None
        micro = min(BATCH_LIMIT, max(1.0, (batch or 1.0) / replicas)) if whole else 1.0
    batch = batch or replicas * micro * max(BLANK_ACCUMULATION, BLANK_PER_STAGE * pipeline)
    layout = LayoutInputs(
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        expert_parallel=row.count("ep", 1.0),
        virtual_pipeline=_virtual(row, float(model.num_hidden_layers), pipeline, gathered),
        micro_batch=min(micro, batch / replicas),
        sharding_code=_sharding(row, gathered),
        recompute_code=float(RECOMPUTE_MODES.index(recompute_mode(row.text("recompute")))),
        shard_group=row.amount("shard_group"),
    )
    run = TrainingRun(
        sequence_length=sequence,
        global_batch_tokens=batch * sequence,
        precision_code=0.0,
        accelerator_count=accelerators,
        weights_frozen=1.0 if "lora" in row.text("task").casefold() else 0.0,
    )
    return layout, run


def _virtual(row: DataRow, layers: float, pipeline: float, gathered: bool) -> float:
    given = row.positive("vpp")
    if pipeline == 1.0 or (given is None and gathered):
        return 1.0
    if given is not None:
        return max(1.0, given)
    stage = math.ceil(layers / pipeline)
    return float(max(v for v in range(1, int(BLANK_VIRTUAL) + 1) if stage % v == 0))


def _sharding(row: DataRow, gathered: bool) -> float:
    stage = row.number("zero_stage")
    if stage is None:
        return 2.0 if gathered else 1.0
    return float(SHARDING_STAGES.index(f"zero{min(max(int(stage), 0), 3)}"))


def recompute_mode(text: str) -> str:
    """none, selective or full of a table's words; anything partial is selective."""
    word = text.casefold()
    if not word or word == "-" or word.startswith(("none", "no ")) or word in ("no", "0", "false", "off"):
        return "none"
    return "full" if word.startswith(("full", "yes", "true", "all")) else "selective"
