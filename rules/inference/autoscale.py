"""INF-AUTOSCALE: a fleet sized for the peak runs all week."""

from __future__ import annotations

from engine.text import N_, Message, Quantity
from rules.base import Context, Fired, Outcome, Passed, Rule, no_risk

_FIELD = "serving.autoscale"


def check(context: Context) -> Outcome:
    """Fire when the fleet is fixed and the load swings by more than the threshold."""
    if context.value(_FIELD):
        return Passed(Message(N_("the fleet follows the load")))
    service, inputs = context.base.outcome.service, context.base.inputs.service
    assert service is not None and inputs is not None
    own = context.value("serving.peak_to_mean")
    ratio = float(inputs.profile.max()) if own is None else float(own)
    seen = {
        "ratio": Quantity(ratio, "x"),
        "busy": Quantity(float(service.fleet.utilisation_mean), "share"),
        "peak": Quantity(float(service.fleet.instances_peak), "instances"),
        "start": Quantity(float(context.value("serving.cold_start_s")), "s"),
    }
    if ratio <= context.thresholds["peak_to_mean"]:
        return Passed(Message(N_("the peak hour is {ratio} the mean: flat enough"), seen))
    return Fired(
        Message(N_("The peak hour is {ratio} the mean; {peak} run all week at {busy} use."), seen),
        (Message(N_("Capacity ordered a cold start of {start} ahead follows the load."), seen),),
        {_FIELD: True},
    )


RULE = Rule(
    id="INF-AUTOSCALE",
    title=N_("Let the fleet follow the load"),
    family="inference",
    kind="lever",
    stage=3,
    applies_to=frozenset({"online_inference"}),
    check=check,
    risk=no_risk(stability=2, stability_reason=N_("Throttling and time-outs while instances start.")),
    effort="M",
    confidence="A",
    reversibility="high",
    verify=N_("Load test: twice the load within a minute, latency targets hold."),
    rollback=N_("Return to a fixed fleet; one setting, after one cold start."),
    evidence=(("SAGE", N_("up to 25 % of GPU-hours saved; scaling waste 80 % lower")),),
)
