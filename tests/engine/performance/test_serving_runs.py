"""Runs of benchmarks: limits and what must hold between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.performance.serving_runs import batch_first_token_s, closed_loop, disaggregated, open_loop
from engine.performance.serving_step import decode_step_s, prefill_s_per_request
from tests.engine.performance.test_serving import CASE, DEEPSEEK_V3, LOAD


def test_one_client_is_never_interrupted() -> None:
    run = closed_loop(CASE, 1.0)
    assert float(run.tpot_s) == pytest.approx(float(decode_step_s(CASE, run.batch)))


def test_more_clients_wait_longer_and_get_more_done() -> None:
    run = closed_loop(CASE, np.array([1.0, 4.0, 16.0, 64.0]))
    assert (np.diff(run.ttft_s) > 0).all() and (np.diff(run.output_tokens_per_s) > 0).all()


def test_a_rate_is_served_by_littles_law_or_not_at_all() -> None:
    run = open_loop(CASE, np.array([1.0, 5.0, 1e4]))
    rates = np.asarray(run.batch) / (211.0 * np.asarray(run.tpot_s))
    assert rates[:2] == pytest.approx([1.0, 5.0], rel=1e-4)
    assert np.isfinite(np.asarray(run.ttft_s)[:2]).all() and np.isinf(np.asarray(run.ttft_s)[2])


def test_first_tokens_of_a_batch_follow_each_other() -> None:
    one, ten = batch_first_token_s(CASE, np.array([1.0, 10.0]))
    assert ten - one == pytest.approx(9.0 * float(prefill_s_per_request(CASE)))


def test_decode_apart_is_not_interrupted() -> None:
    long = replace(CASE, load=replace(LOAD, input_tokens=8000.0))
    apart = disaggregated(long, long, 64.0, prefill_workers=1.0, decode_workers=1.0)
    together = closed_loop(long, 64.0)
    assert apart.tpot_s < 0.8 * together.tpot_s
    assert float(apart.tpot_s) == pytest.approx(float(decode_step_s(long, apart.batch)))


def test_a_small_prefill_pool_starves_decode() -> None:
    long = replace(CASE, load=replace(LOAD, input_tokens=8000.0, output_tokens=20.0))
    one, eight = (
        disaggregated(long, long, 64.0, prefill_workers=count, decode_workers=1.0) for count in (1.0, 8.0)
    )
    assert one.output_tokens_per_s < eight.output_tokens_per_s
    assert one.ttft_s > eight.ttft_s
    # Throughput is what one prefill worker takes in.
    limit = 20.0 / float(prefill_s_per_request(long))
    assert float(one.output_tokens_per_s) == pytest.approx(limit, rel=0.1)


def test_a_prompt_on_one_attention_rank_holds_the_others_up() -> None:
    load = replace(LOAD, tensor_parallel=1.0, attention_data_parallel=np.array([1.0, 8.0]))
    one, eight = prefill_s_per_request(replace(CASE, model=DEEPSEEK_V3, load=load))
    assert eight > one / 8.0
