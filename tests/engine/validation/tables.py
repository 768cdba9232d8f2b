"""Published tables for tests: the shipped copies, and small ones written from rows."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data" / "training"


def text_of(name: str) -> str:
    return (DATA / f"{name}.csv").read_text(encoding="utf-8")


def rows_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(name))))


def write(rows: Sequence[Mapping[str, str]]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def blanked(rows: Sequence[dict[str, str]], columns: Sequence[str]) -> list[dict[str, str]]:
    return [row | {column: "" for column in columns if column in row} for row in rows]


def shuffled(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return random.Random(7).sample(list(rows), len(rows))


LLAMA_8B = {
    "id": "a",
    "gpu": "H100-80GB-SXM",
    "n_layers": "32",
    "hidden": "4096",
    "ffn_hidden": "14336",
    "n_heads": "32",
    "n_kv_heads": "8",
    "vocab": "128256",
    "gated_mlp": "1",
    "seq_len": "8192",
    "n_gpus": "64",
    "dtype": "bf16",
    "micro_batch": "1",
    "global_batch_seqs": "512",
    "framework": "NeMo",
}
