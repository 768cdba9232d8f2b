"""What an evaluation returns: ledger lines, metrics, the estimate, candidates and recommendations.

Frozen and JSON-able: the window, the PDF, the command line and the database show these same objects.
"""

from engine.results.base import (
    Change,
    Result,
)
from engine.results.break_even import (
    BreakEven,
    BreakEvenCase,
    CostCurve,
)
from engine.results.estimates import (
    Choice,
    CostLine,
    Driver,
    Estimate,
    Metric,
    ResourceUse,
    Trace,
    TraceInput,
)
from engine.results.recommendations import (
    Advice,
    Evidence,
    JointSaving,
    NotEvaluated,
    PassedCheck,
    Portfolio,
    Recommendation,
    RecommendationSet,
    Risk,
    Saving,
)
from engine.results.searches import (
    Candidate,
    Certificate,
    Curve,
    FleetOption,
    FleetReport,
    LayoutOption,
    LayoutReport,
    Optimisation,
    PurchaseMix,
    PurchaseOffer,
    Scaling,
    ScalingPoint,
)
from engine.results.services import (
    CostPart,
    LatencyCurve,
    LatencyPoint,
    ServiceReport,
    ServiceWeek,
    UnitCosts,
)

__all__ = [
    "Advice",
    "BreakEven",
    "BreakEvenCase",
    "Candidate",
    "Certificate",
    "Change",
    "Choice",
    "CostCurve",
    "CostLine",
    "CostPart",
    "Curve",
    "Driver",
    "Estimate",
    "Evidence",
    "FleetOption",
    "FleetReport",
    "JointSaving",
    "LatencyCurve",
    "LatencyPoint",
    "LayoutOption",
    "LayoutReport",
    "Metric",
    "NotEvaluated",
    "Optimisation",
    "PassedCheck",
    "Portfolio",
    "PurchaseMix",
    "PurchaseOffer",
    "Recommendation",
    "RecommendationSet",
    "ResourceUse",
    "Result",
    "Risk",
    "Saving",
    "Scaling",
    "ScalingPoint",
    "ServiceReport",
    "ServiceWeek",
    "Trace",
    "TraceInput",
    "UnitCosts",
]
