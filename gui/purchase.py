"""The purchase mix behind the command line: its JSON and its paragraph. Qt-free."""

from __future__ import annotations

from typing import Any

from engine.catalog import Catalog
from engine.plan import Plan
from engine.results import PurchaseMix
from gui.formatting import money_short
from gui.i18n import language, render, tr
from gui.models.purchase import mix_text, proof_text, saving_text


def purchase_answer(plan: Plan, catalog: Catalog) -> tuple[dict[str, Any], str]:
    """Search the mix; its data for --json and a short paragraph. Errors: InputError as search_purchase."""
    from engine.optimize.purchase_mix import search_purchase

    found = search_purchase(plan, catalog)
    return purchase_data(found, plan.meta.currency), purchase_text(found, plan.meta.currency)


def purchase_data(found: PurchaseMix, currency: str) -> dict[str, Any]:
    """A purchase mix as the JSON object scripts rely on."""
    words = {"method": tr(found.method), "left_out": [render(text, currency) for text in found.left_out]}
    return found.model_dump(mode="json", exclude={"left_out"}) | words


def purchase_text(found: PurchaseMix, currency: str) -> str:
    """The mix, its total, saving and proof in one paragraph."""
    lang = language()
    mix = tr("Purchase: {mix}: {total}, {saving}").format(
        mix=mix_text(found, lang),
        total=money_short(found.total, currency, lang),
        saving=saving_text(found, currency, lang),
    )
    parts = [mix, *(render(text, currency) for text in found.left_out)]
    return tr(". ").join(parts) + tr(". ") + proof_text(found, currency, lang)
