"""A purchase mix as people read it. Qt-free."""

from __future__ import annotations

from engine.results import PurchaseMix, PurchaseOffer
from gui.formatting import money_short, number, percent, quantity
from gui.forms.tables import CHOICE_WORDS
from gui.i18n import translator

_ROUNDING = 1e-9


def mix_text(mix: PurchaseMix, lang: str) -> str:
    """What the mix buys, in one line: base with its term, the rest, the share of it on spot."""
    words = translator(lang)
    if mix.committed_accelerators and mix.term_months is not None:
        base = words.tr("{count} GPUs committed for {term}").format(
            count=number(mix.committed_accelerators, lang), term=quantity(mix.term_months, "months", lang)
        )
    else:
        base = words.tr("no committed base")
    rest = words.tr("what an hour needs beyond them as it comes")
    if not mix.committed_accelerators:
        rest = words.tr("every hour as it comes")
    parts = [base, rest]
    if mix.spot_share:
        parts.append(words.tr("{share} of that on spot").format(share=percent(mix.spot_share, lang)))
    return words.tr(", ").join(parts)


def saving_text(mix: PurchaseMix, currency: str, lang: str) -> str:
    """What the mix saves against the plan as it stands."""
    words = translator(lang)
    if mix.baseline_total is None:
        return words.tr("the plan as it stands has no price")
    if not mix.changes:
        return words.tr("the plan already buys at the lowest total")
    saving = mix.baseline_total - mix.total
    return words.tr("saves {saving} of {total}").format(
        saving=money_short(saving, currency, lang), total=money_short(mix.baseline_total, currency, lang)
    )


def proof_text(mix: PurchaseMix, currency: str, lang: str) -> str:
    """The proven bound and how far the mix lies above it; what rounding leaves is no gap."""
    words = translator(lang)
    if mix.gap < _ROUNDING:
        text = words.tr("No mix of these offers costs less than {bound}: proven best.")
        return text.format(bound=money_short(mix.bound, currency, lang, 4))
    return words.tr("No mix of these offers costs less than {bound}; gap {gap}.").format(
        bound=money_short(mix.bound, currency, lang, 4), gap=percent(mix.gap, lang, 2)
    )


def offer_name(offer: PurchaseOffer, lang: str) -> str:
    """A way of buying: on demand, spot, reserved for 12 months."""
    words = translator(lang)
    if offer.mode == "reserved" and offer.term_months is not None:
        return words.tr("Base for {term}").format(term=quantity(offer.term_months, "months", lang))
    return words.tr(CHOICE_WORDS[offer.mode])
