"""What is paid for and when: categories, periods, and roundings whose printed parts add up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.results import CostLine
from gui.formatting import decimals
from gui.report.words import Writer

DAYS_PER_MONTH = 365.0 / 12.0
MOST_PERIODS = 8
MOST_WIDE_LABELS = 4


@dataclass(frozen=True, slots=True)
class Scale:
    """The unit of a money column: how much one unit is, its decimals, and its name in the head."""

    size: float
    places: int
    label: str

    def steps(self, amount: float) -> int:
        """The amount in smallest printed steps, rounded."""
        return round(amount / self.size * 10**self.places)

    def text(self, steps: int, lang: str) -> str:
        """Printed form of a number of steps."""
        return decimals(steps / 10**self.places, self.places, lang)

    def amount(self, steps: int) -> float:
        """The money that a printed number stands for."""
        return steps * self.size / 10**self.places


def money_scale(largest: float, writer: Writer) -> Scale:
    """Unit of a column whose largest figure is `largest`: thousands or 万 for most plans."""
    word = writer.currency_word()
    if writer.lang == "zh_CN":
        if largest < 1e5:
            return Scale(1.0, 0, word)
        return Scale(1e4, 1, f"万{word}") if largest < 1e9 else Scale(1e8, 2, f"亿{word}")
    if largest < 2e5:
        return Scale(1.0, 0, word)
    if largest < 1e9:
        return Scale(1e3, 0, writer.tr("thousand {currency}", currency=word))
    return Scale(1e6, 1, writer.tr("million {currency}", currency=word))


def apportion(amounts: Sequence[float], scale: Scale, total: int) -> list[int]:
    """Printed steps of `amounts` that add up to `total` steps: largest remainders take what rounding lost."""
    exact = [amount / scale.size * 10**scale.places for amount in amounts]
    steps = [math.floor(value) for value in exact]
    missing = total - sum(steps)
    order = sorted(range(len(exact)), key=lambda i: (steps[i] - exact[i], i))
    if not order:
        return steps
    # More than one step each is missing only when the parts are not the whole; spread that evenly too.
    for turn in range(abs(missing)):
        steps[order[turn % len(order)]] += 1 if missing > 0 else -1
    return steps


def category_totals(lines: Sequence[CostLine]) -> dict[str, float]:
    """Known amounts in scope by category, largest first."""
    totals: dict[str, float] = {}
    for line in lines:
        if line.in_scope and line.amount is not None:
            totals[line.category] = totals.get(line.category, 0.0) + line.amount
    return dict(sorted(totals.items(), key=lambda item: -item[1]))


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of the calendar with its label; days count from the plan's start."""

    label: str
    start_day: float
    end_day: float


def spending_periods(lines: Sequence[CostLine], start: str | None, writer: Writer) -> list[Period]:
    """Quarters when the start is known, else months counted from it; coarser when they are too many."""
    last = max((line.end_day for line in lines if line.in_scope), default=0.0)
    if start is not None:
        first = date.fromisoformat(start)
        for months in (3, 12, 36, 120):
            periods = _calendar(first, last, months, writer)
            if len(periods) <= MOST_PERIODS:
                break
        return periods
    for months in (1, 3, 12, 36, 120):
        count = max(1, math.ceil(last / (months * DAYS_PER_MONTH) - 1e-9))
        if count <= MOST_PERIODS:
            break
    return [_from_start(index, months) for index in range(count)]


def _from_start(index: int, months: int) -> Period:
    first, last = index * months + 1, (index + 1) * months
    label = str(first) if months == 1 else f"{first}–{last}"
    return Period(label, (first - 1) * DAYS_PER_MONTH, last * DAYS_PER_MONTH)


def _calendar(first: date, last_day: float, months: int, writer: Writer) -> list[Period]:
    """Quarters or years (12 months and more) from the one that holds `first` to the one of the last day."""
    month = (first.month - 1) // months * months + 1 if months < 12 else 1
    starts = [date(first.year, month, 1)]
    while len(starts) < 2 or (starts[-1] - first).days < last_day:
        starts.append(_later(starts[-1], months))
    pairs = list(zip(starts, starts[1:], strict=False))
    crowded = len(pairs) > MOST_WIDE_LABELS
    return [
        Period(
            _years(begin, months) if months >= 12 else _quarter(begin, crowded, begin == starts[0], writer),
            float((begin - first).days),
            float((end - first).days),
        )
        for begin, end in pairs
    ]


def _years(begin: date, months: int) -> str:
    return str(begin.year) if months == 12 else f"{begin.year}–{begin.year + months // 12 - 1}"


def _later(day: date, months: int) -> date:
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def _quarter(begin: date, crowded: bool, is_first: bool, writer: Writer) -> str:
    """A quarter's label; where many stand side by side the year is written once, in a second line."""
    quarter, year = str((begin.month + 2) // 3), str(begin.year)
    if not crowded:
        return writer.tr("Q{quarter} {year}", quarter=quarter, year=year)
    short = writer.tr("Q{quarter}", quarter=quarter)
    return f"{short}\n{year}" if is_first or quarter == "1" else short


def spread(lines: Sequence[CostLine], periods: Sequence[Period]) -> dict[str, list[float]]:
    """Money by category and period; a line's amount is spread evenly over its days."""
    table: dict[str, list[float]] = {}
    for line in lines:
        if not line.in_scope or line.amount is None:
            continue
        row = table.setdefault(line.category, [0.0] * len(periods))
        for index, period in enumerate(periods):
            row[index] += line.amount * _overlap(line, period, index == len(periods) - 1)
    return table


def _overlap(line: CostLine, period: Period, is_last: bool) -> float:
    """Share of a line's days that lie in a period; a line without length belongs to the day it starts."""
    length = line.end_day - line.start_day
    if length <= 0:
        inside = max(period.start_day, 0.0) <= line.start_day < period.end_day
        return 1.0 if inside or (is_last and line.start_day >= period.end_day) else 0.0
    days = min(line.end_day, period.end_day) - max(line.start_day, period.start_day)
    return max(0.0, days) / length
