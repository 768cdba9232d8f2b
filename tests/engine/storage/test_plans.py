"""Plans come back equal; revisions accumulate; deleting loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.plan import Plan, PlanErrors, apply_patch
from engine.storage import Database, PlanRepository, StorageError, open_database

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@pytest.fixture
def repository(database: Database) -> PlanRepository:
    return PlanRepository(database)


def test_a_plan_comes_back_equal(repository: PlanRepository, plan: Plan) -> None:
    assert repository.load(repository.create(plan)) == plan


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=TEXT, owner=TEXT, tokens=st.floats(1e3, 1e16), share=st.floats(0, 1))
def test_any_accepted_text_and_number_comes_back_equal(
    repository: PlanRepository, plan: Plan, name: str, owner: str, tokens: float, share: float
) -> None:
    patch = {
        "meta.name": name,
        "meta.owner": owner,
        "training.tokens": tokens,
        "governance.tag_coverage": share,
    }
    changed = apply_patch(plan, patch)
    plan_id = repository.create(changed)
    assert repository.load(plan_id) == changed
    assert {summary.id: summary.name for summary in repository.list()}[plan_id] == name


@pytest.mark.parametrize(
    "name", ["大模型预训练（七百亿）", "𠮷野家 🚀", "e\u0301 vs \u00e9", "a\0b", "'; DROP TABLE plans; --"]
)
def test_names_of_every_script(repository: PlanRepository, plan: Plan, name: str) -> None:
    plan_id = repository.create(apply_patch(plan, {"meta.name": name}))
    assert repository.load(plan_id).meta.name == name
    assert repository.list()[0].name == name


def test_half_a_character_never_reaches_the_database(plan: Plan) -> None:
    with pytest.raises(PlanErrors):
        apply_patch(plan, {"meta.name": "\ud83d"})


def test_revisions_count_up_and_never_change(
    repository: PlanRepository, make_plan: Callable[..., Plan]
) -> None:
    plan_id = repository.create(make_plan("one"))
    assert [repository.save_revision(plan_id, make_plan(name)) for name in ("two", "three")] == [2, 3]
    assert [item.revision for item in repository.revisions(plan_id)] == [3, 2, 1]
    assert [repository.load(plan_id, number).meta.name for number in (1, 2, 3)] == ["one", "two", "three"]
    assert repository.load(plan_id).meta.name == "three"
    assert repository.newest(plan_id) == 3


def test_summaries_follow_the_newest_revision_last_changed_first(
    repository: PlanRepository, make_plan: Callable[..., Plan]
) -> None:
    first = repository.create(make_plan("first"))
    second = repository.create(make_plan("second"))
    assert [summary.id for summary in repository.list()] == [second, first]
    time.sleep(0.002)
    repository.save_revision(first, make_plan("renamed", kind="online_inference"))
    top = repository.list()[0]
    assert (top.id, top.name, top.kind, top.revision) == (first, "renamed", "online_inference", 2)
    assert (top.total, top.currency, top.deleted) == (None, None, None)
    assert top.updated.tzinfo is not None


def test_a_deleted_plan_is_out_of_the_list_and_can_be_restored(
    repository: PlanRepository, plan: Plan
) -> None:
    kept, gone = repository.create(plan), repository.create(plan)
    repository.delete(gone)
    assert [summary.id for summary in repository.list()] == [kept]
    (deleted,) = repository.list(deleted=True)
    assert deleted.id == gone
    assert deleted.deleted is not None
    assert repository.load(gone) == plan
    repository.restore(gone)
    assert {summary.id for summary in repository.list()} == {kept, gone}
    assert repository.list(deleted=True) == ()


def test_a_copy_is_a_plan_of_its_own(repository: PlanRepository, make_plan: Callable[..., Plan]) -> None:
    source = repository.create(make_plan("one"))
    repository.save_revision(source, make_plan("two", tokens=5e9))
    copy = repository.duplicate(source, "copy")
    repository.save_revision(copy, make_plan("copy", tokens=7e9))
    assert repository.load(copy, 1) == make_plan("copy", tokens=5e9)
    assert repository.load(source) == make_plan("two", tokens=5e9)


def test_what_does_not_exist_is_named(repository: PlanRepository, plan: Plan) -> None:
    plan_id = repository.create(plan)
    with pytest.raises(StorageError, match="no revision 7"):
        repository.load(plan_id, 7)
    for call in (
        repository.load,
        repository.newest,
        repository.revisions,
        repository.delete,
        repository.restore,
    ):
        with pytest.raises(StorageError, match="no plan nowhere"):
            call("nowhere")
    with pytest.raises(StorageError, match="no plan nowhere"):
        repository.save_revision("nowhere", plan)
    assert len(repository.list()) == 1


def test_a_thousand_revisions_stay_quick(path: Path, make_plan: Callable[..., Plan]) -> None:
    """Bounds some ten times what was measured on two cores: they catch a scan, not a slow machine."""
    database = open_database(path)
    repository = PlanRepository(database)
    plan_id = repository.create(make_plan())
    with database.write():  # one transaction: the disk's own speed is left out
        started = time.perf_counter()
        for count in range(1000):
            repository.save_revision(plan_id, make_plan(tokens=1e9 + count))
        saving = time.perf_counter() - started
    database.close()

    started = time.perf_counter()
    database = open_database(path)
    repository = PlanRepository(database)
    opening = time.perf_counter() - started
    started = time.perf_counter()
    assert repository.list()[0].revision == 1001
    assert len(repository.revisions(plan_id)) == 1001
    assert repository.load(plan_id).training == make_plan(tokens=1e9 + 999).training
    reading = time.perf_counter() - started
    database.close()
    assert (saving < 3, opening < 0.5, reading < 0.25) == (True, True, True), (saving, opening, reading)
