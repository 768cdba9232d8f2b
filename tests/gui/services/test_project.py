"""The library as the window uses it: stories of editing, killing, reopening, two windows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.plan import Plan, apply_patch
from engine.results import Estimate
from engine.storage import RecommendationState, StorageError
from gui.services.project import Project, Recovered, data_folder
from gui.services.templates import template_plan


@pytest.fixture
def plan() -> Plan:
    return template_plan("pretraining-70b-h100")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = Project.open(tmp_path / "library")
    yield opened
    opened.close()


def named(plan: Plan, name: str) -> Plan:
    return apply_patch(plan, {"meta.name": name})


def reopened(project: Project) -> Project:
    """The program after a restart; what a kill leaves behind is what close leaves behind."""
    project.close()
    return Project.open(project.path.parent)


def test_the_data_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOPWISE_DATA_DIR", str(tmp_path / "mine"))
    assert data_folder() == tmp_path / "mine"
    project = Project.open()
    assert project.path == tmp_path / "mine" / "flopwise.sqlite"
    project.close()
    monkeypatch.delenv("FLOPWISE_DATA_DIR")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder().name == "Flopwise"


def test_an_edit_survives_a_restart_and_opens_as_it_was_left(project: Project, plan: Plan) -> None:
    plan_id = project.create(plan)
    assert not project.has_unsaved()
    project.journal(named(plan, "edited"))
    assert project.has_unsaved()
    again = reopened(project)
    assert again.recover() == Recovered(plans=(plan_id,))
    assert again.open_plan(plan_id) == named(plan, "edited")
    assert again.has_unsaved()
    assert again.commit_revision(named(plan, "edited")) == 2
    assert not again.has_unsaved()
    last = reopened(again)
    assert last.recover() == Recovered()
    assert last.open_plan(plan_id).meta.name == "edited"
    last.close()


def test_a_killed_window_keeps_its_edit(project: Project, plan: Plan) -> None:
    plan_id = project.create(plan)
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from engine.plan import apply_patch\n"
        "from gui.services.project import Project\n"
        "project = Project.open(Path(sys.argv[1]))\n"
        "plan = project.open_plan(sys.argv[2])\n"
        "project.journal(apply_patch(plan, {'meta.name': 'typed before the kill'}))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).parents[3]
    child = subprocess.run(
        [sys.executable, "-c", script, str(project.path.parent), plan_id], cwd=root, check=False, timeout=60
    )
    assert child.returncode == -9
    assert project.recover().plans == (plan_id,)
    assert project.open_plan(plan_id).meta.name == "typed before the kill"


def test_changing_plans_keeps_the_unsaved_work_of_each(project: Project, plan: Plan) -> None:
    first = project.create(named(plan, "first"))
    project.journal(named(plan, "first, edited"))
    second = project.create(named(plan, "second"))
    project.journal(named(plan, "second, edited"))
    assert project.open_plan(first).meta.name == "first, edited"
    assert project.plan_id == first
    assert project.open_plan(second).meta.name == "second, edited"
    assert project.load(second, revision=1).meta.name == "second"


def test_an_unchanged_plan_makes_no_revision(project: Project, plan: Plan) -> None:
    project.create(plan)
    project.journal(named(plan, "tried"))
    assert project.commit_revision(plan) == 1
    assert not project.has_unsaved()
    assert [item.revision for item in project.revisions()] == [1]


def test_two_windows_lose_nothing(project: Project, plan: Plan) -> None:
    plan_id = project.create(named(plan, "start"))
    other = Project.open(project.path.parent)
    other.open_plan(plan_id)
    other.journal(named(plan, "theirs"))
    project.journal(named(plan, "mine"))
    project.commit_revision(named(plan, "mine"))
    other.close()
    again = reopened(project)
    found = again.recover("{name} (wiederhergestellt)")
    assert found.plans == ()
    assert again.open_plan(plan_id).meta.name == "mine"
    (copy,) = found.copies
    assert again.load(copy).meta.name == "theirs (wiederhergestellt)"
    assert again.recover() == Recovered()
    assert {item.id for item in again.plans()} == {plan_id, copy}
    again.close()


def test_a_recovered_copy_of_a_plan_with_the_longest_name(project: Project, plan: Plan) -> None:
    plan_id = project.create(plan)
    other = Project.open(project.path.parent)
    other.open_plan(plan_id)
    other.journal(named(plan, "长" * 200))
    project.commit_revision(named(plan, "mine"))
    (copy,) = project.recover().copies
    name = project.load(copy).meta.name
    assert len(name) == 200
    assert name.endswith("长 (recovered)")
    other.close()


def test_copies_and_names_take_the_unsaved_work_along(project: Project, plan: Plan) -> None:
    plan_id = project.create(plan)
    project.journal(apply_patch(plan, {"training.tokens": 3e12}))
    copy = project.duplicate(plan_id, "copy")
    assert project.plan_id == plan_id
    assert get_tokens(project.load(copy)) == ("copy", 3e12)
    assert get_tokens(project.rename(plan_id, "renamed")) == ("renamed", 3e12)
    assert get_tokens(project.load(plan_id, revision=2)) == ("renamed", 3e12)
    assert get_tokens(project.load(plan_id, revision=1)) == (plan.meta.name, 2e12)
    assert not project.has_unsaved()


def get_tokens(plan: Plan) -> tuple[str, float]:
    assert plan.training is not None
    return plan.meta.name, plan.training.tokens


def test_deleting_the_open_plan_closes_it_and_undelete_brings_it_back(project: Project, plan: Plan) -> None:
    plan_id = project.create(plan)
    project.journal(named(plan, "edited"))
    project.delete(plan_id)
    assert project.plan_id is None
    assert project.plans() == ()
    with pytest.raises(StorageError, match="no plan is open"):
        project.journal(plan)
    (deleted,) = project.deleted_plans()
    project.undelete(deleted.id)
    assert project.open_plan(plan_id).meta.name == "edited"


def test_an_unknown_plan_leaves_the_open_one_open(project: Project, plan: Plan) -> None:
    plan_id = project.create(plan)
    with pytest.raises(StorageError, match="no plan nowhere"):
        project.open_plan("nowhere")
    assert project.plan_id == plan_id


def test_decisions_and_reviews_belong_to_the_open_plan(project: Project, plan: Plan) -> None:
    first = project.create(plan)
    project.set_state(RecommendationState("A", "dismissed", reason="not now"))
    project.set_state(RecommendationState("B", "accepted", owner="Li"))
    project.set_chosen({"B"})
    estimate = Estimate(
        currency="USD",
        total=5.0,
        p10=4.0,
        p50=5.0,
        p80=None,
        p90=6.0,
        ask=None,
        complete=True,
        unknown=(),
        scope={},
        lines=(),
        metrics=(),
        resources=(),
    )
    project.save_review(1, "{}", estimate)
    project.create(plan)
    assert (project.states(), project.chosen(), project.latest_review()) == ({}, None, None)
    project.open_plan(first)
    assert project.dismissed() == frozenset({"A"})
    assert project.states()["B"].owner == "Li"
    assert project.chosen() == frozenset({"B"})
    review = project.latest_review()
    assert review is not None
    assert (review.total, review.p90) == (5.0, 6.0)


def test_plan_files(project: Project, plan: Plan, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    project.save_plan_file(path, plan)
    assert project.load_plan_file(path) == plan
    assert project.plans() == ()


def test_no_qt_is_imported() -> None:
    script = (
        "import sys\nimport gui.services.project, gui.services.templates\n"
        "sys.exit(any('PySide6' in name for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[3], check=True, timeout=60)
