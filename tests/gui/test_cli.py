"""The command line under clumsy and hostile use: exit codes, messages, and what stands on standard output."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.plan import apply_patch, plan_to_json
from gui.services.templates import template_plan
from tests.gui.answers import Answer, Run

TRAINING, SERVICE = "pretraining-8b-h100", "online-8b-chat"
FEW = ("--draws", "20")
CSV_HEAD = "table,key,field,value,low,high,unit,currency,source,date,conditions"


def plan_text(name: str, **patch: Any) -> str:
    """A template's plan file with values changed; `__` stands for the dot of a path."""
    changes = {path.replace("__", "."): value for path, value in patch.items()}
    return plan_to_json(apply_patch(template_plan(name), changes))


def raw_plan(name: str, path: str, value: Any) -> str:
    """As `plan_text`, without asking whether the value is accepted."""
    data = json.loads(plan_text(name))
    section, _, leaf = path.rpartition(".")
    (data[section] if section else data)[leaf] = value
    return json.dumps(data)


def refused(answer: Answer, *words: str) -> None:
    """Exit 2, nothing on standard output, and a message that says these words."""
    assert answer.code == 2 and answer.out == ""
    assert "Traceback" not in answer.err and answer.err.startswith("flopwise: ")
    for word in words:
        assert word in answer.err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "3",
        '{"a"',
        "[" * 100_000,
        '{"schema_version":' + "9" * 5000 + "}",
        b"\xff\xfe\x00{}",
    ],
    ids=["empty", "null", "list", "number", "cut off", "deep", "huge number", "binary"],
)
def test_what_is_no_plan_is_refused(run: Run, text: str | bytes) -> None:
    refused(run("estimate", "-", stdin=text), "accepted")


def test_a_byte_order_mark_does_no_harm(run: Run) -> None:
    plain = run("estimate", "-", "--json", *FEW, stdin=plan_text(TRAINING))
    marked = run("estimate", "-", "--json", *FEW, stdin="\ufeff" + plan_text(TRAINING))
    assert plain.code == marked.code == 0 and plain.out == marked.out


def test_a_name_that_stands_twice_is_refused_with_both_values(run: Run) -> None:
    text = plan_text(TRAINING).replace('"tokens":', '"tokens": 7e11, "tokens":')
    refused(run("estimate", "-", stdin=text), "tokens", "700000000000.0", "twice")


@pytest.mark.parametrize(
    ("path", "value", "field", "words"),
    [
        ("training", None, "training: None", ("section training", "pretraining")),
        ("architecture.num_key_value_heads", 3, "architecture.num_key_value_heads: 3", ("32",)),
        ("architecture.num_experts_per_tok", 2, "architecture.num_experts_per_tok: 2", ("without experts",)),
        ("schedule.start_date", "2027-02-31", "schedule.start_date: '2027-02-31'", ("calendar",)),
        ("schedule.start_date", "20270201", "schedule.start_date: '20270201'", ("YYYY-MM-DD",)),
        ("meta.currency", "usd", "meta.currency: 'usd'", ("ISO 4217",)),
        ("meta.name", "x" * 201, "meta.name", ("200",)),
        ("finance.fx_rates", {"x": {"rate": 7, "date": "2026-01-01"}}, "finance.fx_rates.x", ("'x'",)),
        ("cluster.busy_share", 1e-300, "cluster.busy_share", ("above 0",)),
        ("reliability", {"checkpoint_interval_s": 1e-320}, "reliability.checkpoint_interval_s", ("above 0",)),
        ("ranges", {"training.tokens": {"low": 2, "high": 1}}, "ranges.training.tokens.low: 2", ("at most",)),
    ],
)
def test_a_wrong_field_is_named_with_its_own_value(
    run: Run, path: str, value: Any, field: str, words: tuple[str, ...]
) -> None:
    refused(run("estimate", "-", stdin=raw_plan(TRAINING, path, value)), field, *words)


def test_long_names_and_many_mistakes_stay_readable(run: Run) -> None:
    wrong = json.loads(plan_text(TRAINING)) | {f"{number}" + "k" * 10_000: 1 for number in range(300)}
    answer = run("estimate", "-", stdin=json.dumps(wrong))
    refused(answer)
    lines = answer.err.splitlines()
    assert len(lines) <= 100 and max(map(len, lines)) < 1000


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("training.tokens", ("PATH=VALUE",)),
        ("=3", ("PATH=VALUE",)),
        ("cluster.nope=1", ("cluster.nope: 1", "no such field")),
        ("provenance=3", ("provenance: 3",)),
        ("people.roles.0.fte=1", ("people.roles.0.fte: 1",)),
        ("cluster.price_mode=auto", ("cluster.price_mode: 'auto'", "on_demand")),
        ("meta.owner=" + "[" * 50_000, ("meta.owner", "200")),
    ],
)
def test_a_wrong_override_is_named(run: Run, override: str, words: tuple[str, ...]) -> None:
    refused(run("estimate", "-", "--set", override, stdin=plan_text(TRAINING)), *words)


def test_bad_names_of_files_are_refused(run: Run, tmp_path: Path) -> None:
    for name in (str(tmp_path), str(tmp_path / "nope.json"), "x" * 5000):
        refused(run("estimate", name), "PLAN")


@pytest.mark.parametrize("command", ["estimate", "recommend", "optimize"])
@pytest.mark.parametrize(
    "patch",
    [
        {"scope__categories": []},
        {"cluster__price_per_gpu_hour": 0, "people__roles": [], "scope__categories": ["compute"]},
        {"meta__currency": "CNY"},
        {"cluster__accelerator": "a800-sxm-80"},
    ],
    ids=["nothing in scope", "everything free", "no exchange rate", "no offer"],
)
@pytest.mark.parametrize("name", [TRAINING, SERVICE])
def test_plans_without_a_known_price_still_get_an_answer(
    run: Run, name: str, patch: dict[str, Any], command: str
) -> None:
    answer = run(command, "-", "--json", *FEW, stdin=plan_text(name, **patch))
    assert answer.code == 0 and answer.err == ""
    data = answer.data
    if command == "estimate":
        missing = {line["item"] for line in data["lines"] if line["amount"] is None}
        assert missing <= set(data["unknown"]) and data["complete"] is (not data["unknown"])
        assert math.isfinite(data["total"])
    elif command == "recommend":
        worth = [item["risk_adjusted"] for item in data["recommendations"]]
        assert worth == sorted(worth, reverse=True)


def test_another_accelerator_is_not_compared_with_an_unknown_price(run: Run) -> None:
    answer = run("recommend", "-", "--json", *FEW, stdin=plan_text(SERVICE, meta__currency="CNY"))
    needs = {item["id"]: item["needs"] for item in answer.data["not_evaluated"]}
    assert needs["INF-GPU-CHOICE"] == ["cluster.price_per_gpu_hour"]


@pytest.mark.parametrize("command", ["estimate", "optimize", "recommend"])
def test_a_service_that_nothing_can_serve_is_refused_with_what_it_needs(run: Run, command: str) -> None:
    text = plan_text(SERVICE, architecture__num_hidden_layers=10_000)
    answer = run(command, "-", "--json", *FEW, stdin=text)
    assert (answer.code, answer.out) == (2, "")
    assert "cluster.accelerator" in answer.err and "GiB" in answer.err


def test_a_fixed_fleet_below_the_load_is_said_to_be_too_small(run: Run) -> None:
    few, many = (
        run(
            "estimate",
            "-",
            "--json",
            *FEW,
            stdin=plan_text(SERVICE, serving__instances=count, serving__requests_per_second=200),
        ).data
        for count in (1, 100)
    )
    assert many["feasible"] is True and many["metrics"]["utilisation_mean"] < 1
    assert few["feasible"] is False and "busiest hour" in " ".join(few["notes"])


def test_a_run_that_failures_never_let_end_is_called_hopeless(run: Run) -> None:
    text = plan_text(TRAINING, reliability__failures_per_node_day=1000, reliability__restart_s=1e7)
    found = run("estimate", "-", "--json", *FEW, stdin=text).data
    assert found["feasible"] is False and "would not end" in " ".join(found["notes"])
    assert math.isfinite(found["total"])


def test_a_share_counts_only_what_is_in_scope(run: Run) -> None:
    text = plan_text(TRAINING, data__acquisition_cost=1e9, scope__categories=["compute"])
    assert run("estimate", "-", "--json", *FEW, stdin=text).data["metrics"]["data_share"] == 0.0


def test_a_batch_of_billions_of_sequences_is_searched_in_time(run: Run) -> None:
    text = plan_text(TRAINING, training__global_batch_tokens=1e12, training__sequence_length=16)
    assert run("optimize", "-", "--json", stdin=text).code in (0, 2)


def test_extreme_growth_gives_finite_figures_without_warnings(
    run: Run, recwarn: pytest.WarningsRecorder
) -> None:
    text = plan_text(SERVICE, serving__growth_per_month=2, schedule__horizon_months=240)
    found = run("estimate", "-", "--json", *FEW, stdin=text)
    assert found.code == 0 and math.isfinite(found.data["total"])
    assert [str(item.message) for item in recwarn if item.category is RuntimeWarning] == []


@pytest.mark.parametrize(
    ("command", "draws", "code"),
    [
        ("estimate", "0", 0),
        ("recommend", "0", 2),
        ("recommend", "1", 0),
        ("estimate", "-1", 2),
        ("estimate", "1e9", 2),
    ],
)
def test_the_number_of_draws(run: Run, command: str, draws: str, code: int) -> None:
    answer = run(command, "-", "--json", "--draws", draws, stdin=plan_text(TRAINING))
    assert answer.code == code and ("--draws" in answer.err) is (code == 2)


@pytest.mark.parametrize("value", ["1e-300", "1e-320", "1e300"])
@pytest.mark.parametrize("option", ["--mttf-s", "--write-s", "--restart-s", "--interval-s", "--downtime-s"])
def test_absurd_checkpoints_have_null_where_no_number_fits(run: Run, option: str, value: str) -> None:
    given = {"--mttf-s": "1e5", "--write-s": "60", "--restart-s": "60", option: value}
    answer = run("checkpoint", "--json", *(part for pair in given.items() for part in pair))
    assert answer.code == 0 and 0.0 <= answer.data["goodput"] <= 1.0


@pytest.mark.parametrize("value", ["inf", "nan", "-1", "text", "1e301"])
def test_impossible_checkpoints_are_refused(run: Run, value: str) -> None:
    refused(run("checkpoint", "--mttf-s", "1e5", f"--write-s={value}", "--restart-s", "60"), "--write-s")


def test_a_report_goes_only_where_a_file_may_stand(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (tmp_path, pipe, tmp_path / "none" / "x.pdf", Path("/proc/x.pdf")):
        refused(run("report", "-", *FEW, "--output", str(place), stdin=plan_text(TRAINING)), "--output")
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("prices,h100-sxm,on_demand,2,1,1e308,USD/GPU-hour,USD,s,2026-01-15,", ("high", "1e308")),
        ("training,time_factor,value,0,,,ratio,,s,2026-01-15,", ("value", "'0'")),
        ("failures,checkpoint_write_bytes_per_s_total,value,0,,,byte/s,,s,2026-01-15,", ("value", "'0'")),
        ("serving,utilisation_ceiling,value,2,,,share,,s,2026-01-15,", ("value", "'2'")),
    ],
)
def test_own_rows_that_break_the_models_are_refused(
    run: Run, tmp_path: Path, row: str, words: tuple[str, ...]
) -> None:
    own = tmp_path / "own.csv"
    own.write_text(f"{CSV_HEAD}\n{row}\n", encoding="utf-8")
    refused(run("estimate", "-", "--prices", str(own), stdin=plan_text(TRAINING)), *words)


def test_own_rows_come_from_a_file_not_from_a_device(run: Run) -> None:
    refused(run("estimate", "-", "--prices", "/dev/zero", stdin=plan_text(TRAINING)), "/dev/zero")


def _process(arguments: str, **settings: Any) -> subprocess.CompletedProcess[bytes]:
    command = f'"{sys.executable}" -m gui.cli {arguments}'
    return subprocess.run(["bash", "-c", command], capture_output=True, timeout=120, check=False, **settings)


@pytest.mark.parametrize("closing", ["| head -c 10", ">&-"], ids=["reader gone", "closed"])
def test_a_closed_output_is_no_error(closing: str) -> None:
    found = _process(f"catalog --json {closing}; exit ${{PIPESTATUS[0]}}")
    assert found.returncode == 0 and found.stderr == b""


def test_a_full_disk_is_named() -> None:
    found = _process("catalog >/dev/full")
    assert found.returncode == 2 and b"standard output" in found.stderr and b"Traceback" not in found.stderr


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "utf-8"])
def test_any_output_encoding_gets_valid_json(encoding: str) -> None:
    found = _process("rules --lang zh_CN --json", env={**os.environ, "PYTHONIOENCODING": encoding})
    assert found.returncode == 0 and found.stderr == b""
    assert len(json.loads(found.stdout.decode(encoding))) > 10


def test_the_service_report_joins_the_search(run: Run) -> None:
    text = plan_text(SERVICE)
    found = run("optimize", "-", "--json", "--service", *FEW, stdin=text).data["service"]
    metrics = run("estimate", "-", "--json", *FEW, stdin=text).data["metrics"]
    assert found["feasible"] and found["problem"] is None
    assert found["curve"]["operating"]["ttft_ms"] == pytest.approx(metrics["ttft_ms_p95"], rel=1e-9)
    assert sum(part["per_request"] for part in found["costs"]["parts"]) == pytest.approx(
        metrics["cost_per_request"], rel=1e-9
    )
    assert len(found["week"]["planned"]) == 168 and max(found["week"]["planned"]) == metrics["instances_peak"]
    best = found["fleets"]["cheapest"][0]
    assert best["reaches_target"] and len(best["why"]) == 3
    assert all(isinstance(sentence, str) for sentence in best["why"])


def test_the_service_report_is_for_services(run: Run) -> None:
    answer = run("optimize", "-", "--json", "--service", *FEW, stdin=plan_text(TRAINING))
    assert answer.code == 2 and "online_inference" in answer.err


@pytest.mark.parametrize(
    "patch",
    [
        {"scope__categories": []},
        {"cluster__price_per_gpu_hour": 0, "people__roles": [], "scope__categories": ["compute"]},
        {"cluster__accelerator": "a800-sxm-80"},
        {"serving__growth_per_month": 2, "schedule__horizon_months": 60},
        {"serving__requests_per_second": 1e-9},
    ],
    ids=["nothing in scope", "everything free", "no offer", "extreme growth", "no load"],
)
def test_odd_services_still_get_a_report(
    run: Run, patch: dict[str, Any], recwarn: pytest.WarningsRecorder
) -> None:
    answer = run("optimize", "-", "--json", "--service", *FEW, stdin=plan_text(SERVICE, **patch))
    assert answer.code == 0 and answer.err == ""
    assert answer.data["service"]["curve"] is not None
    assert [str(item.message) for item in recwarn if item.category is RuntimeWarning] == []
