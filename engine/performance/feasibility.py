"""Whether a training layout can run, by reason code; element-wise on arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.memory import count_micro_batches, data_parallel_size
from engine.text import N_

FREE_STAGE_SLOTS = 3.0
"""Layer slots an uneven pipeline may leave to the embedding, the loss and a prediction head."""

FEASIBLE, CLUSTER, HEADS, LAYERS, SCHEDULE, BATCH, SEQUENCE, EXPERTS, MEMORY = range(9)
REASONS = (
    N_("can run"),
    N_("tensor x pipeline x context parallel does not divide the accelerators"),
    N_("tensor parallel does not divide the heads, key-value heads or MLP size"),
    N_("the layers cannot be split over the pipeline"),
    N_("the interleaved pipeline needs a pipeline and a multiple of its stages as micro-batches"),
    N_("the global batch is not a whole number of micro-batches on every replica"),
    N_("the sequence cannot be split over context and tensor parallel"),
    N_("expert parallel does not divide the experts or the data-parallel ranks"),
    N_("does not fit in memory"),
)
"""Why a layout cannot run, by code; the first that applies, in this order."""
HOPELESS = MEMORY + 1
"""The layout can run, but failures come faster than it saves its work. Not a matter of the layout alone."""


def layout_feasibility(
    model: ModelShape,
    hardware: Hardware,
    layout: LayoutInputs,
    run: TrainingRun,
    memory_total_bytes: Array,
    memory_share: Array,
) -> NDArray[np.int64]:
    """Reason code of every row: FEASIBLE (0) or the first rule of REASONS it breaks.

    Valid for Megatron-style parallelism; tensor parallelism beyond the scale-up domain is allowed (it is
    slow, not impossible). An uneven pipeline may leave FREE_STAGE_SLOTS layers free. Rows with unknown
    (NaN) sizes are infeasible. Parameters: memory_total_bytes [byte], memory_share [share of the
    accelerator's memory a layout may fill]. Returns integer codes.
    """
    tensor, pipeline, virtual = layout.tensor_parallel, layout.pipeline_parallel, layout.virtual_pipeline
    context, expert = layout.context_parallel, layout.expert_parallel
    data_parallel = data_parallel_size(layout, run)
    microbatches = count_micro_batches(layout, run, data_parallel)
    chunks = pipeline * virtual
    layers = model.num_hidden_layers
    free_slots = np.ceil(layers / chunks) * chunks - layers
    key_values = model.num_key_value_heads
    # Context parallelism pairs an early with a late piece of the sequence to balance causal attention.
    pieces = np.where(np.greater(context, 1.0), 2.0 * context, context)
    heads_split = _divides(tensor, model.num_attention_heads) & _divides(tensor, model.intermediate_size)
    key_values_split = _divides(tensor, key_values) | _divides(key_values, tensor)
    interleaved = np.greater(pipeline, 1.0) & _divides(pipeline, microbatches)
    holds = (
        (MEMORY, np.less_equal(memory_total_bytes, hardware.memory_bytes * memory_share)),
        (EXPERTS, _experts_split(model, expert, data_parallel * context)),
        (SEQUENCE, _divides(pieces, run.sequence_length) & _divides(tensor, run.sequence_length / context)),
        (BATCH, _divides(1.0, microbatches) & np.greater_equal(microbatches, 1.0)),
        (SCHEDULE, np.equal(virtual, 1.0) | interleaved),
        (LAYERS, np.less_equal(free_slots, FREE_STAGE_SLOTS) & np.less_equal(chunks, layers)),
        (HEADS, heads_split & key_values_split),
        (CLUSTER, _divides(1.0, data_parallel) & np.greater_equal(data_parallel, 1.0)),
    )
    codes: NDArray[np.int64] = np.zeros((), dtype=np.int64)
    for code, held in holds:
        codes = np.where(held, codes, code)
    return codes


def _divides(divisor: Array, number: Array) -> NDArray[np.bool_]:
    return np.equal(np.mod(number, divisor), 0.0)


def _experts_split(model: ModelShape, expert: Array, ranks: Array) -> NDArray[np.bool_]:
    """Whether experts and ranks split over expert parallelism; a dense network takes 1 only."""
    routed = np.greater(model.num_experts, 0)
    splits = _divides(expert, model.num_experts) & _divides(expert, ranks)
    return np.where(routed, splits, np.equal(expert, 1.0))
