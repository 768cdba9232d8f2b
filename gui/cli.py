"""Headless commands: one JSON object on standard output with --json, else a short text; no Qt here."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.errors import FlopwiseError, InputError
from engine.text import N_, Message
from gui.commands import COMMANDS, CommandResult
from gui.i18n import LANGUAGES, render, set_language

EXIT_DONE, EXIT_BUG, EXIT_INPUT = 0, 1, 2
_LOG = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, or open the window when there is none. Returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        return _open_window()
    parser = build_parser()
    options = parser.parse_args(arguments)
    set_language(getattr(options, "lang", None) or "en")
    return _run(options.run, options)


def _open_window() -> int:
    from gui.shell.application import run

    return run(sys.argv)


def _run(command: Callable[[argparse.Namespace], CommandResult], options: argparse.Namespace) -> int:
    try:
        text = _text(command(options), as_json=options.json)
    except FlopwiseError as error:
        for message in _messages(error):
            print(f"flopwise: {message}", file=sys.stderr)
        return EXIT_INPUT
    except Exception:
        _LOG.exception("command failed")
        print("flopwise: this is a bug; please report it with the lines above", file=sys.stderr)
        return EXIT_BUG
    return _print(text)


def _messages(error: FlopwiseError) -> list[str]:
    errors = getattr(error, "errors", None) or getattr(error, "problems", None) or [error]
    return [render(item.message) for item in errors]


def _text(result: CommandResult, *, as_json: bool) -> str:
    if result.text is not None and not as_json:
        return result.text
    # A terminal that cannot show a character gets it escaped, which JSON allows.
    is_ascii = not _encoding().lower().startswith("utf")
    return json.dumps(result.data, ensure_ascii=is_ascii, indent=2, allow_nan=False)


def _print(text: str) -> int:
    """Write a result to standard output, whatever its encoding; a reader that has gone is no error."""
    try:
        print(text.encode(_encoding(), "backslashreplace").decode(_encoding()), flush=True)
    except BrokenPipeError:
        # What is still buffered has no reader: without this the interpreter complains when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"flopwise: {_unwritable(error)}", file=sys.stderr)
        return EXIT_INPUT
    return EXIT_DONE


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _unwritable(error: OSError) -> str:
    accepted = Message(N_("a place that can be written to"))
    return render(InputError("standard output", error.strerror or type(error).__name__, accepted).message)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors exit with 2 in one line."""

    def error(self, message: str) -> Any:
        self.exit(EXIT_INPUT, f"flopwise: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """The command line: one subcommand a use case, each described by gui.commands."""
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON object")
    plan = _Parser(add_help=False)
    plan.add_argument("plan", help="plan file; - reads standard input")
    plan.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="override a field")
    plan.add_argument("--seed", type=int, default=0, help="seed of the draws")
    plan.add_argument("--draws", type=int, default=2000, help="number of draws")
    plan.add_argument("--prices", type=Path, help="own price and accelerator rows (CSV)")
    parser = _Parser(prog="flopwise", description="Plan the cost of training and serving large models.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        parents = [common, plan] if command.takes_plan else [common]
        sub = commands.add_parser(command.name, help=command.help, parents=parents)
        sub.set_defaults(run=command.run)
        for flags, settings in command.arguments:
            sub.add_argument(*flags, **settings)
        if not any("--lang" in flags for flags, _ in command.arguments):
            sub.add_argument("--lang", choices=tuple(LANGUAGES), default="en", help="language of texts")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
