"""Which column of a traffic file is what: names as tools write them, without case and punctuation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.text import N_, Message

_WORDS = {
    "timestamp": """timestamp time datetime date ts arrivedat arrivaltime arrivaltimestamp arrival createdat
        created starttime startedat requesttime requesttimestamp receivedat hourstart utctime""",
    "hour": "hour hourofweek hourindex weekhour",
    "requests": """requests requestcount numrequests nrequests count counts calls hits invocations
        totalrequests""",
    "input_tokens": """contexttokens inputtokens prompttokens requesttokens inputlength inputlen promptlength
        promptlen tokensin numprefilltokens prefilltokens numinputtokens numprompttokens intokens""",
    "output_tokens": """generatedtokens outputtokens completiontokens responsetokens outputlength outputlen
        completionlength responselength tokensout numdecodetokens decodetokens numoutputtokens
        numgeneratedtokens outtokens""",
}
NAMES: Mapping[str, frozenset[str]] = {key: frozenset(words.split()) for key, words in _WORDS.items()}
ACCEPTED = Message(
    N_("columns TIMESTAMP, ContextTokens, GeneratedTokens; or requests with hour (0 to 167) or timestamp")
)


@dataclass(frozen=True, slots=True)
class Columns:
    """Positions of the columns that are read, their names in the file, and how many a row has."""

    at: Mapping[str, int]
    names: Mapping[str, str]
    width: int
    hourly: bool


def find_columns(header: Sequence[str]) -> Columns:
    """Read a header. Errors: InputError when the time is missing or a meaning occurs twice."""
    at: dict[str, int] = {}
    for place, cell in enumerate(header):
        plain = re.sub(r"[^a-z]", "", cell.casefold())
        meaning = next((key for key, names in NAMES.items() if plain in names), None)
        if meaning is None:
            continue
        if meaning in at:
            accepted = Message(
                N_("one column for each of time, requests and tokens; two are there: {first}, {second}"),
                {"first": header[at[meaning]].strip(), "second": cell.strip()},
            )
            raise InputError("FILE", cell.strip(), accepted)
        at[meaning] = place
    hourly = "requests" in at
    if ("hour" in at and not hourly) or not {"timestamp", "hour"} & at.keys():
        raise InputError("FILE", ",".join(cell.strip() for cell in header)[:80], ACCEPTED)
    if hourly and "hour" in at and "timestamp" in at:
        del at["hour"]
    if hourly:
        # Tokens beside counts may be sums or means: nothing says which.
        at = {key: place for key, place in at.items() if not key.endswith("_tokens")}
    else:
        at.pop("hour", None)
    return Columns(at, {key: header[place].strip() for key, place in at.items()}, len(header), hourly)
