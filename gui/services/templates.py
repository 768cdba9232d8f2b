"""Example plans to start from: complete, valid, and small enough to read."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from engine.errors import InputError
from engine.plan import Plan, plan_from_json
from engine.text import N_, Message


@dataclass(frozen=True, slots=True)
class Template:
    """One example plan: its name, its workload kind, and one sentence to translate."""

    name: str
    kind: str
    sentence: str


_TEMPLATES = (
    Template("pretraining-70b-h100", "pretraining", N_("Train a 70B network on 2T tokens with 512 H100.")),
    Template("pretraining-8b-h100", "pretraining", N_("Train an 8B network on 500B tokens with 64 H100.")),
    Template("online-70b-chat", "online_inference", N_("Serve a 70B network to 20 chat requests a second.")),
    Template("online-8b-chat", "online_inference", N_("Serve an 8B network to 20 chat requests a second.")),
    Template("online-8b-rag", "online_inference", N_("Answer from 4,000 tokens of own documents.")),
    Template("online-120b-reasoning", "online_inference", N_("Serve a network that reasons first.")),
    Template("online-32b-agents", "online_inference", N_("Serve coding agents in sessions of 15 steps.")),
    Template("online-8b-embedding", "online_inference", N_("Embed or rank 100 texts a second.")),
    Template("batch-8b-labelling", "batch_inference", N_("Label 10M documents a night with an 8B network.")),
    Template("batch-70b-synthetic", "batch_inference", N_("Have a 70B network write 25M answers in a week.")),
)


def templates() -> tuple[Template, ...]:
    """All templates; the first one is what a new user sees."""
    return _TEMPLATES


def template_plan(name: str) -> Plan:
    """The plan of a template. Errors: InputError for an unknown name, with the known ones."""
    known = [template.name for template in _TEMPLATES]
    if name not in known:
        raise InputError("template", name, Message(N_("one of {choices}"), {"choices": ", ".join(known)}))
    file = files("assets") / "plans" / f"{name}.json"
    return plan_from_json(file.read_text(encoding="utf-8"))
