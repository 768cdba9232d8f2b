"""A purchase mix in words."""

from __future__ import annotations

from engine.catalog import Catalog
from engine.optimize.purchase_mix import search_purchase
from engine.plan import apply_patch
from gui.models.purchase import mix_text, offer_name, proof_text, saving_text
from gui.services.templates import template_plan

PLAN = apply_patch(
    template_plan("online-70b-chat"), {"serving.autoscale": True, "schedule.interruptible": True}
)


def test_a_mix_reads_as_what_is_bought(catalog: Catalog) -> None:
    mix = search_purchase(PLAN, catalog)
    text = mix_text(mix, "en")
    assert f"{mix.committed_accelerators} GPUs committed for 12" in text
    assert "30" in text and "on spot" in text
    assert saving_text(mix, "USD", "en").startswith("saves ")
    assert "proven best" in proof_text(mix, "USD", "en")
    names = [offer_name(offer, "en") for offer in mix.offers]
    assert names[:2] == ["On demand", "Spot"] and names[2].startswith("Base for 12")


def test_no_base_no_price_and_a_gap_are_said(catalog: Catalog) -> None:
    mix = search_purchase(apply_patch(PLAN, {"cluster.price_per_gpu_hour": 0.0}), catalog)
    assert mix_text(mix, "en") == "no committed base, every hour as it comes"
    assert saving_text(mix, "USD", "en") == "the plan already buys at the lowest total"
    unpriced = mix.model_copy(update={"baseline_total": None, "gap": 0.02})
    assert saving_text(unpriced, "USD", "en") == "the plan as it stands has no price"
    assert "gap 2" in proof_text(unpriced, "USD", "en")
