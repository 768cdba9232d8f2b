"""INF-QUANT-8BIT: 16-bit weights are served where 8-bit ones would do."""

from __future__ import annotations

from engine.lowering import resolve_accelerator
from engine.text import N_, Message, Quantity
from engine.values import PlanValues
from rules.base import SERVING, Context, Fired, Outcome, Passed, Rule, no_risk

_FIELD = "serving.weight_precision"


def check(context: Context) -> Outcome:
    """Fire for 16-bit weights on accelerators with an 8-bit rate, when weights or fleet are large."""
    precision = context.value(_FIELD)
    if precision not in ("bf16", "fp16"):
        return Passed(Message(N_("weights are served in {precision}"), {"precision": precision}))
    accelerator = resolve_accelerator(PlanValues(context.base.plan, context.catalog))
    target = next((name for name in ("fp8", "int8") if accelerator.peak(name) is not None), None)
    if target is None:
        return Passed(Message(N_("{accelerator} has no 8-bit rate"), {"accelerator": accelerator.name}))
    weights, peak = _weights_and_instances(context)
    share = weights / accelerator.memory_bytes
    limits = context.thresholds
    seen = {
        "precision": precision,
        "target": target,
        "share": Quantity(share, "share"),
        "peak": Quantity(peak, "instances"),
    }
    if share <= limits["weights_share"] and peak < limits["instances"]:
        return Passed(Message(N_("one small instance: nothing to gain")))
    return Fired(
        Message(N_("Weights in {precision} fill {share} of memory; {peak} run at the peak."), seen),
        (
            Message(
                N_("Weights in {target} halve what each step reads and leave room for larger batches."), seen
            ),
        ),
        {_FIELD: target},
    )


def _weights_and_instances(context: Context) -> tuple[float, float]:
    """Weights on one GPU [byte], and instances of the fleet at its peak or of the batch job."""
    service, batch = context.base.outcome.service, context.base.outcome.batch
    if batch is not None:
        return float(batch.weight_bytes_per_gpu), float(batch.instances)
    assert service is not None
    return float(service.instance.weight_bytes_per_gpu), float(service.fleet.instances_peak)


RULE = Rule(
    id="INF-QUANT-8BIT",
    title=N_("Serve 8-bit weights"),
    family="inference",
    kind="lever",
    stage=2,
    applies_to=SERVING,
    check=check,
    risk=no_risk(effect=1, effect_reason=N_("FP8 is close to lossless; INT8 loses 1 to 3 %.")),
    effort="S",
    confidence="A",
    reversibility="high",
    verify=N_("Full evaluation set against bf16, then 1 to 5 % of the traffic for three days."),
    rollback=N_("Route back to the bf16 pool; minutes while it is kept warm."),
    do_before=("INF-GPU-CHOICE",),
    evidence=(("BF16", N_("500,000 evaluations of Llama-3.1: FP8 lossless, INT8 1 to 3 % lower")),),
)
