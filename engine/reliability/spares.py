"""Nodes in reserve and slow nodes: how often a job stands still for repairs, and what the slowest costs."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from engine.arrays import Array, FloatArray


def erlang_b(*, server_count: Array, load: Array) -> Array:
    """Share of time in which all servers are busy (Erlang's loss formula).

    Valid for any law of the service time. `server_count` [whole count], `load` [mean busy servers if
    unlimited]. Returns [share] by B_0 = 1, B_i = a B_(i-1) / (i + a B_(i-1)), stable at any size.
    Source: Erlang 1917.
    """
    servers, offered = np.broadcast_arrays(
        np.asarray(server_count, dtype=np.float64), np.asarray(load, dtype=np.float64)
    )
    blocked = np.ones(servers.shape)
    count = 0.0
    # Rows drop out when their servers are counted; a share that underflowed to 0 stays 0.
    while np.any((count < servers) & (blocked > 0.0)):
        count += 1.0
        blocked = np.where(count <= servers, _next_blocked(count, offered, blocked), blocked)
    return blocked


def _next_blocked(count: float, load: FloatArray, blocked: FloatArray) -> FloatArray:
    # Written so that a load of 0 gives 0 and an infinite one gives 1.
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return np.asarray(1.0 / (1.0 + count / (load * blocked)))


def stalled_share(*, spare_nodes: Array, repair_load: Array) -> Array:
    """Share of time in which the job waits because more nodes are in repair than there are spares.

    Valid for cold spares and failures only while running; exact for any law of the repair time.
    `spare_nodes` [whole count], `repair_load` a = n r_f T_repair [mean nodes in repair]. Returns [share]:
    ErlangB(s + 1, a); wall time grows by 1 / (1 - share). Do not also count this wait as downtime.
    """
    return erlang_b(server_count=np.asarray(spare_nodes, dtype=np.float64) + 1.0, load=repair_load)


def find_spare_count(*, node_count: Array, repair_load: Array, limit: int = 100_000) -> Array:
    """Spare nodes that finish the work with the fewest node-hours.

    Valid as `stalled_share`, spares paid like nodes in use. `node_count` [count], `repair_load` [mean nodes
    in repair], `limit` the largest count tried. Returns [count]: the first minimum of
    (n + s) / (1 - ErlangB(s + 1, a)). Exact: the search ends when n + s alone exceeds the best found.
    """
    nodes, load = np.broadcast_arrays(
        np.asarray(node_count, dtype=np.float64), np.asarray(repair_load, dtype=np.float64)
    )
    blocked = _next_blocked(1.0, load, np.ones(nodes.shape))
    chosen = np.zeros(nodes.shape)
    spares = 1
    with np.errstate(divide="ignore"):
        best = nodes / (1.0 - blocked)
        while spares <= limit and np.any(nodes + spares < best):
            blocked = _next_blocked(spares + 1.0, load, blocked)
            cost = (nodes + spares) / (1.0 - blocked)
            chosen = np.where(cost < best, float(spares), chosen)
            best = np.minimum(cost, best)
            spares += 1
    return chosen


def expected_normal_maximum(*, count: Array) -> Array:
    """Mean of the largest of `count` independent standard normal values.

    Valid from 1 to about 1e12. `count` [count]. Returns [standard deviations]: the integral of
    x d(Phi(x)^n), by the trapezoid rule, which is exact to rounding for this integrand.
    """
    distinct, place = np.unique(np.asarray(count, dtype=np.float64), return_inverse=True)
    step = 1.0 / 16.0
    total = np.zeros(distinct.shape)
    with np.errstate(under="ignore"):
        for point in np.arange(-12.0, 14.0 + step, step):
            density = np.exp((distinct - 1.0) * log_ndtr(point) - point * point / 2.0)
            total += point * density
    maximum = distinct * total * step / np.sqrt(2.0 * np.pi)
    return np.asarray(maximum[place].reshape(np.shape(count)))


def straggler_factor(*, rank_count: Array, step_variation: Array) -> Array:
    """How much longer a step takes because it waits for the slowest of many varying ranks.

    Valid for independent normal step times. `rank_count` [count], `step_variation` [standard deviation /
    mean]. Returns [ratio, at least 1]: 1 + c m_n, m_n the mean largest of n normal values.
    """
    return 1.0 + np.asarray(step_variation) * expected_normal_maximum(count=rank_count)


def slow_node_factor(*, node_count: Array, slow_probability: Array, slowdown: Array) -> Array:
    """How much longer a step takes because some node may be persistently slow.

    Valid for independent nodes. `node_count` [count], `slow_probability` of one node [share], `slowdown` of
    a slow node [ratio, at least 1]. Returns [ratio]: 1 + (x - 1) (1 - (1 - p)^n).
    """
    with np.errstate(divide="ignore", under="ignore"):
        any_slow = -np.expm1(np.asarray(node_count) * np.log1p(-np.asarray(slow_probability)))
    return np.asarray(1.0 + (np.asarray(slowdown) - 1.0) * any_slow)
