"""Integer codes of the plan's choices, so that arrays can carry them. The order is the code: append only."""

from __future__ import annotations

WORKLOAD_KINDS = (
    "pretraining",
    "continued_pretraining",
    "finetuning",
    "multimodal_training",
    "online_inference",
    "batch_inference",
)
TRAINING_PRECISIONS = ("bf16", "fp16", "fp8", "mxfp8", "nvfp4")
SERVING_PRECISIONS = ("bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4")
RECOMPUTE_MODES = ("none", "selective", "full")
SHARDING_STAGES = ("zero0", "zero1", "zero3", "zero2")
PRICE_MODES = ("on_demand", "reserved", "spot", "owned")
CHECKPOINT_MODES = ("sync", "async")
