"""The rule base as a whole: ids, texts, thresholds and evidence."""

from __future__ import annotations

import inspect
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import rules
from engine.catalog import Catalog
from engine.plan import find_field
from engine.recommend.proposal import evidence_of
from engine.results import Risk
from rules.base import EVERYTHING, Rule
from rules.evaluation import rule_metadata, thresholds
from rules.registry import RULES

# Every id of the rule catalogue, typed again: a renamed or invented rule shows here.
CATALOGUE_IDS = """
    TRN-MFU-GAP TRN-PARALLEL-PLAN TRN-COMM-OVERLAP NET-BANDWIDTH TRN-PIPE-BUBBLE TRN-RECOMPUTE TRN-KERNELS
    TRN-PRECISION TRN-DATALOADER TRN-BATCH-CRIT TRN-SEQ-PACKING TRN-SEQ-CURRICULUM TRN-SCALE-RIGHTSIZE
    WST-OVERSIZE-EXP TRN-OPTIMIZER TRN-OPT-STATE TRN-CHINCHILLA TRN-REUSE-BASE TRN-MOE ARCH-ATTN
    TRN-PRUNE-DISTILL FT-PEFT TRN-HPO-EARLYSTOP FT-RL-ROLLOUT DAT-QUALITY-MIX DAT-DEDUP DAT-REPEAT-LIMIT
    DAT-PREPROC-REUSE DAT-MM-PIPELINE REL-CKPT-INTERVAL REL-CKPT-ASYNC REL-SPARES-HEALTH REL-STRAGGLER
    REL-ROOTCAUSE WST-FAILED-JOB STO-CKPT-LIFECYCLE STO-TIERING STO-MINRET STO-DUP-DATA STO-INTERMEDIATE
    STO-LOG-RETENTION NET-CROSS-REGION NET-CACHE-NEAR NET-SMALL-FILES RES-SPOT RES-COMMIT RES-SCHEDULE-FLEX
    WST-IDLE-GPU WST-OVERPROV WST-EXPERIMENT-SPRAWL RES-ENERGY GOV-TAGS GOV-BUDGET-ALERT GOV-UNIT-SCOPE
    GOV-OPS-TOIL INF-QUANT-8BIT INF-QUANT-INT4 INF-KV-FP8 INF-ENGINE INF-PREFIX-CACHE INF-SPEC INF-CHUNKED
    INF-PD-DISAGG INF-ROUTING INF-CONTEXT-TRIM INF-RESPONSE-CACHE INF-INVALID INF-AUTOSCALE INF-VALLEY-FILL
    INF-REDUNDANCY BAT-DISCOUNT INF-GPU-CHOICE INF-SELFHOST-API INF-TP-DEGREE INF-SHARE INF-SPOT-SERVE
    BAT-MAX-BATCH RSK-SPOT-NOTOL RSK-RETENTION RSK-OBS-OVERCUT RSK-EFFECT-GATE RSK-BATCH-LATENCY
    RSK-PARALLEL-CONV RSK-ELASTIC-QUEUE RSK-SECURITY RSK-NO-VERIFY RSK-UNDERSIZE
"""
KNOWN_IDS = frozenset(CATALOGUE_IDS.split())
FAMILIES = {"training", "inference", "data", "reliability", "storage", "network", "resources", "governance"}
ROOT = Path(rules.__file__).parent

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def raw_thresholds() -> dict[str, dict[str, dict[str, Any]]]:
    return tomllib.loads(files("rules").joinpath("thresholds.toml").read_text(encoding="utf-8"))


def test_ids_are_unique_and_known() -> None:
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))
    assert set(ids) <= KNOWN_IDS


def test_every_rule_file_is_registered() -> None:
    shared = {"purchase.py"}
    modules = {path for path in ROOT.glob("*/*.py") if path.name != "__init__.py" and path.name not in shared}
    registered = {Path(inspect.getfile(rule.check)) for rule in RULES}
    assert registered == modules


def test_every_rule_has_its_test_file() -> None:
    tests = Path(__file__).parent
    for rule in RULES:
        source = Path(inspect.getfile(rule.check)).relative_to(ROOT)
        test = tests / source.parent / f"test_{source.name}"
        assert test.is_file(), rule.id
        assert f'ID = "{rule.id}"' in test.read_text(encoding="utf-8")


@each_rule
def test_a_rule_lies_in_its_family(rule: Rule) -> None:
    assert rule.family in FAMILIES | {"risk"}
    assert Path(inspect.getfile(rule.check)).parent.name == rule.family


@each_rule
def test_texts_are_there(rule: Rule) -> None:
    assert rule.title and rule.verify and rule.rollback
    assert (sys.modules[rule.check.__module__].__doc__ or "").startswith(f"{rule.id}: ")


@each_rule
def test_every_risk_level_has_its_reason(rule: Rule) -> None:
    for name in ("effect", "stability", "governance"):
        level, reason = getattr(rule.risk, name), getattr(rule.risk, f"{name}_reason")
        assert 0 <= level <= 3
        assert bool(reason) == (level > 0), (name, level, reason)


def test_the_worst_dimension_rules() -> None:
    levels = {"effect_reason": "", "stability_reason": "", "governance_reason": ""}
    assert Risk(effect=0, stability=3, governance=1, **levels).worst == 3


@each_rule
def test_workloads_and_required_fields_exist(rule: Rule) -> None:
    assert rule.applies_to and rule.applies_to <= EVERYTHING
    assert all(find_field(path) is not None for path in rule.requires)


@each_rule
def test_kind_and_stage_agree(rule: Rule) -> None:
    stages = {"governance": {0}, "risk": {5}, "waste": {1}, "lever": {1, 2, 3, 4}}
    assert rule.stage in stages[rule.kind]
    assert rule.reversibility in {"high", "medium", "low", "none"}


def test_exclusions_are_mutual() -> None:
    by_id = {rule.id: rule for rule in RULES}
    for rule in RULES:
        for other in rule.excludes & by_id.keys():
            assert rule.id in by_id[other].excludes, (rule.id, other)


def test_order_of_counting_has_no_circle() -> None:
    """Edges `needs` and `do_before`, less those to rules that do not exist here."""
    ids = {rule.id for rule in RULES}
    after: dict[str, set[str]] = {name: set() for name in ids}
    for rule in RULES:
        for later in set(rule.do_before) & ids:
            after[rule.id].add(later)
        for earlier in set(rule.needs) & ids:
            after[earlier].add(rule.id)
    left = set(ids)
    while left:
        free = {name for name in left if not any(name in after[other] for other in left)}
        assert free, f"circle among {sorted(left)}"
        left -= free


def test_references_to_other_rules_are_known() -> None:
    for rule in RULES:
        assert {*rule.excludes, *rule.needs, *rule.do_before} <= KNOWN_IDS


def test_every_threshold_is_used_by_its_rule_and_every_rule_has_those_it_reads() -> None:
    by_id = {rule.id: rule for rule in RULES}
    for rule_id, names in raw_thresholds().items():
        source = inspect.getsource(sys.modules[by_id[rule_id].check.__module__])
        for name in names:
            assert f'["{name}"]' in source, (rule_id, name)
    for rule in RULES:
        source = inspect.getsource(sys.modules[rule.check.__module__])
        reads_thresholds = "thresholds[" in source or "limits[" in source
        assert reads_thresholds == (rule.id in thresholds())


def test_every_threshold_has_value_unit_and_source() -> None:
    for names in raw_thresholds().values():
        for entry in names.values():
            assert set(entry) == {"value", "unit", "source"}
            assert isinstance(entry["value"], int | float) and not isinstance(entry["value"], bool)
            assert entry["unit"] and entry["source"]


@each_rule
def test_evidence_keys_are_sources_of_the_catalogue(rule: Rule, catalog: Catalog) -> None:
    for key, figure in rule.evidence:
        assert key in catalog.sources, key
        assert figure


@each_rule
def test_recalled_evidence_is_never_shown(rule: Rule, catalog: Catalog) -> None:
    class Shown:
        evidence = rule.evidence

    for item in evidence_of(catalog, Shown()):  # type: ignore[arg-type]
        assert item.verified in ("yes", "secondary", "derived")
        assert item.title and item.where


def test_a_recalled_source_is_left_out(catalog: Catalog) -> None:
    recalled = [key for key, source in catalog.sources.items() if source.verified == "memory"]
    assert recalled, "the catalogue marks what was only recalled"
    read = next(key for key, source in catalog.sources.items() if source.verified == "yes")

    class Both:
        evidence = ((recalled[0], "a recalled figure"), (read, "a figure that was read"))

    assert [item.key for item in evidence_of(catalog, Both())] == [read]  # type: ignore[arg-type]


def test_metadata_lists_every_rule_as_plain_data() -> None:
    import json

    listed = rule_metadata()
    assert [entry["id"] for entry in listed] == [rule.id for rule in RULES]
    assert json.loads(json.dumps(listed)) == listed


@each_rule
def test_rule_files_stay_small(rule: Rule) -> None:
    assert len(Path(inspect.getfile(rule.check)).read_text(encoding="utf-8").splitlines()) <= 100
