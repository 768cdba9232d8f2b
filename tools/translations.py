"""Translation catalogues: extract | compile | check. Keywords N_, tr, trn; sorted, without locations.

extract  update every .po from the sources (new entries are empty, vanished ones are removed)
compile  write the .mo beside each .po
check    say what is out of date, untranslated, fuzzy or has other placeholders; exit 1 when anything is
"""

from __future__ import annotations

import io
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "rules", "gui")
DOMAIN = "flopwise"
LOCALES = ("zh_CN",)
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
KEYWORDS: dict[str, tuple[int, ...] | None] = {"N_": None, "tr": None, "trn": (1, 2)}
_PLACEHOLDER = re.compile(r"\{(\w*)[^}]*\}")


def template_catalog() -> Catalog:
    """All marked texts of the sources."""
    catalog = Catalog(project=DOMAIN, charset="utf-8")
    for package in PACKAGES:
        found = extract_from_dir(str(ROOT / package), [("**.py", "python")], keywords=KEYWORDS)
        for _file, _line, text, _comments, context in found:
            if text:
                catalog.add(text, context=context)
    return catalog


def po_path(locale: str) -> Path:
    """Where a language's catalogue lies."""
    return ROOT / "assets" / "i18n" / locale / "LC_MESSAGES" / f"{DOMAIN}.po"


def read_catalog(locale: str) -> Catalog:
    """A language's catalogue; an empty one when it does not exist yet."""
    path = po_path(locale)
    if not path.exists():
        return Catalog(locale=locale, project=DOMAIN, charset="utf-8")
    with path.open("rb") as stream:
        return read_po(stream, locale=locale, domain=DOMAIN)


def extract() -> list[str]:
    """Update every .po; guesses for changed texts are not made, since they would be wrong quietly."""
    template = template_catalog()
    for locale in LOCALES:
        catalog = read_catalog(locale)
        catalog.update(template, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        path = po_path(locale)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_po_bytes(catalog))
    return []


def compile_catalogs() -> list[str]:
    """Write the .mo files."""
    for locale in LOCALES:
        po_path(locale).with_suffix(".mo").write_bytes(_mo_bytes(read_catalog(locale)))
    return []


def check() -> list[str]:
    """Everything that is wrong with the catalogues, one line each."""
    wanted = {_key(message) for message in template_catalog() if message.id}
    problems: list[str] = []
    for locale in LOCALES:
        catalog = read_catalog(locale)
        messages = [message for message in catalog if message.id]
        present = {_key(message) for message in messages}
        problems += [f"{locale}: missing, run extract: {key}" for key in sorted(wanted - present)]
        problems += [f"{locale}: no longer used, run extract: {key}" for key in sorted(present - wanted)]
        for message in messages:
            problems += [f"{locale}: {problem}: {_key(message)}" for problem in _faults(message)]
        compiled = po_path(locale).with_suffix(".mo")
        if not compiled.exists() or _texts(_read_compiled(compiled)) != _texts(catalog):
            problems.append(f"{locale}: compiled catalogue is stale, run compile")
    return problems


def _faults(message: Message) -> list[str]:
    faults = ["fuzzy"] if message.fuzzy else []
    translations = _forms(message)
    if not all(translations):
        return [*faults, "untranslated"]
    sources = message.id if isinstance(message.id, (list, tuple)) else (message.id,)
    names = {name for source in sources for name in _PLACEHOLDER.findall(source)}
    for text in translations:
        if set(_PLACEHOLDER.findall(str(text))) != names:
            faults.append("placeholders differ")
    return faults


def _read_compiled(path: Path) -> Catalog:
    with path.open("rb") as stream:
        return read_mo(stream)


def _texts(catalog: Catalog) -> dict[str, object]:
    """Translated texts by source; the compiled header names the tool's version and is left out."""
    messages = (message for message in catalog if message.id and all(_forms(message)))
    return {_key(message): _forms(message) for message in messages}


def _forms(message: Message) -> tuple[str, ...]:
    """Translations of a message: one, or one a plural form."""
    forms = message.string if isinstance(message.string, (list, tuple)) else (message.string,)
    return tuple(form or "" for form in forms)


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _po_bytes(catalog: Catalog) -> bytes:
    stream = io.BytesIO()
    write_po(stream, _settled(catalog), width=110, no_location=True, sort_output=True)
    dated = re.compile(
        r'^("(POT-Creation|PO-Revision|Generated-By|Last-Translator|Report-Msgid|Language-Team)|#( |$))'
    )
    lines = stream.getvalue().decode().splitlines()
    return ("\n".join(line for line in lines if not dated.match(line)).strip() + "\n").encode()


def _mo_bytes(catalog: Catalog) -> bytes:
    # Babel would write the English singular for a counted text without translation: leave such texts out.
    complete = Catalog(locale=catalog.locale, project=DOMAIN, charset="utf-8")
    for message in catalog:
        if message.id and not message.fuzzy and all(_forms(message)):
            complete.add(message.id, message.string, context=message.context)
    stream = io.BytesIO()
    write_mo(stream, _settled(complete))
    return stream.getvalue()


def _settled(catalog: Catalog) -> Catalog:
    """The catalogue with its stamps fixed: equal texts give equal bytes on any day."""
    catalog.creation_date = catalog.revision_date = EPOCH
    catalog.version = "1"
    catalog.fuzzy = False
    for message in catalog:
        # "%" is an ordinary sign in these texts: placeholders are {named}.
        message.flags.discard("python-format")
    return catalog


def main(arguments: list[str]) -> int:
    """Run one command; exit 1 when it reports problems, 2 for a wrong command."""
    commands = {"extract": extract, "compile": compile_catalogs, "check": check}
    if len(arguments) != 1 or arguments[0] not in commands:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    problems = commands[arguments[0]]()
    sys.stdout.write("".join(f"{line}\n" for line in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
