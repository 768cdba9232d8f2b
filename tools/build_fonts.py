"""Cut the shipped Simplified Chinese faces out of Debian's fonts-noto-cjk collection.

Usage: .venv/bin/python tools/build_fonts.py [FOLDER_WITH_TTC]. Needs fonttools only, which matplotlib brings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont

SOURCE = Path("/usr/share/fonts/opentype/noto")
TARGET = Path(__file__).resolve().parent.parent / "assets" / "fonts"
FAMILY = "Noto Sans SC"
SOURCE_FAMILY = "Noto Sans CJK SC"

# Inclusive code point ranges beyond GBK; code points that the source lacks are left out by the subsetter.
EXTRA_RANGES = (
    (0x20, 0x7E),  # ASCII
    (0xA0, 0x17F),  # Latin-1, Latin Extended-A
    (0x1CD, 0x1DC),  # pinyin
    (0x2B0, 0x2FF),  # modifier letters
    (0x300, 0x36F),  # combining marks
    (0x370, 0x3FF),  # Greek
    (0x1E00, 0x1EFF),  # Latin Extended Additional
    (0x2000, 0x206F),  # punctuation and spaces
    (0x2070, 0x209F),  # superscripts and subscripts
    (0x20A0, 0x20CF),  # currency
    (0x2100, 0x214F),  # letter-like
    (0x2150, 0x218F),  # number forms
    (0x2190, 0x21FF),  # arrows
    (0x2200, 0x22FF),  # mathematics
    (0x2300, 0x23FF),  # technical
    (0x2460, 0x24FF),  # enclosed numbers
    (0x2500, 0x25FF),  # boxes, blocks, shapes
    (0x2600, 0x27BF),  # symbols, dingbats
    (0x3000, 0x303F),  # CJK punctuation
    (0x9FA6, 0x9FFF),  # ideographs added to the first block after GBK
    (0xFF00, 0xFFEF),  # full-width forms
)
# Spaces in the numbers that Babel and QLocale format, as shares of an em; the source lacks some of them.
SPACES = {0x2002: 0.5, 0x2003: 1.0, 0x2007: None, 0x2009: 0.2, 0x200A: 0.1, 0x202F: 0.2, 0x205F: 0.222}
ZERO_WIDTH = (0x200B, 0x2060)


def gbk_code_points() -> Iterator[int]:
    """Every code point of GBK, and what GB 18030 added to its two-byte area, without the private-use rows."""
    for lead in range(0x81, 0xFF):
        for trail in range(0x40, 0xFF):
            try:
                point = ord(bytes((lead, trail)).decode("gb18030"))
            except UnicodeDecodeError:
                continue
            if not 0xE000 <= point <= 0xF8FF:
                yield point


def wanted_code_points() -> set[int]:
    """GBK and the extra ranges together."""
    points = set(gbk_code_points())
    for first, last in EXTRA_RANGES:
        points.update(range(first, last + 1))
    return points


def add_spaces(font: TTFont) -> None:
    """Give every space of SPACES and ZERO_WIDTH a glyph of the right width, by mapping or by making one."""
    em = font["head"].unitsPerEm
    cmap = font.getBestCmap()
    figure_width = font["hmtx"][cmap[ord("0")]][0]
    wanted = {point: figure_width if share is None else round(em * share) for point, share in SPACES.items()}
    wanted |= dict.fromkeys(ZERO_WIDTH, 0)
    for point, width in wanted.items():
        if point in cmap:
            continue
        like = next((name for name in map(cmap.get, SPACES) if name and font["hmtx"][name][0] == width), None)
        name = like or add_blank_glyph(font, width)
        for table in font["cmap"].tables:
            if table.isUnicode() and table.format != 14:
                table.cmap[point] = name


def add_blank_glyph(font: TTFont, width: int) -> str:
    """Append an empty glyph under a free CID and return the name under which fonttools knows it."""
    top = font["CFF "].cff.topDictIndex[0]
    name = next(
        name for name in (f"cid{cid:05d}" for cid in range(65534, 0, -1)) if name not in top.CharStrings
    )
    dictionary = top.FDSelect[font.getGlyphID(font.getBestCmap()[0x20])]
    pen = T2CharStringPen(width, None)
    index = top.CharStrings.charStringsIndex
    top.CharStrings.charStrings[name] = len(index)
    index.append(pen.getCharString(top.FDArray[dictionary].Private, top.GlobalSubrs))
    top.FDSelect.gidArray.append(dictionary)
    top.charset.append(name)
    font.setGlyphOrder(top.charset)
    font["hmtx"][name] = (width, 0)
    return name


def rename(font: TTFont, style: str, weight: int) -> None:
    """Call the face FAMILY + style in every place that Qt, FreeType or typst may read."""
    postscript = f"{FAMILY.replace(' ', '')}-{style}"
    full = FAMILY if style == "Regular" else f"{FAMILY} {style}"
    names = font["name"]
    version = names.getDebugName(5)
    kept = {
        record.nameID: str(record) for record in names.names if record.nameID in (0, 8, 9, 11, 12, 13, 14)
    }
    names.names = []
    texts = kept | {1: FAMILY, 2: style, 3: f"{version};{postscript}", 4: full, 5: version, 6: postscript}
    for name_id, text in sorted(texts.items()):
        names.setName(text, name_id, 3, 1, 0x409)
    os2 = font["OS/2"]
    os2.usWeightClass = weight
    os2.fsSelection = os2.fsSelection & ~0b1100001 | (0b100000 if style == "Bold" else 0b1000000)
    font["head"].macStyle = 1 if style == "Bold" else 0
    cff = font["CFF "].cff
    cff.fontNames = [postscript]
    top = cff.topDictIndex[0]
    top.FullName, top.FamilyName, top.Weight = full, FAMILY, style


def build(source: Path, style: str, weight: int) -> Path:
    """Subset, rename and save one face."""
    collection = TTCollection(str(source / f"NotoSansCJK-{style}.ttc"))
    font = next(f for f in collection.fonts if f["name"].getDebugName(1) == SOURCE_FAMILY)
    options = Options()
    # Not "locl": its closure doubles the file with other regions' glyphs. Figures are tabular without "tnum".
    options.layout_features = ["kern", "mark", "ccmp", "liga", "calt", "palt", "halt"]
    options.drop_tables += ["vhea", "vmtx", "VORG", "GlyphOrder"]
    options.name_IDs = ["*"]
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted_code_points())
    subsetter.subset(font)
    add_spaces(font)
    rename(font, style, weight)
    font["head"].modified = font["head"].created  # two builds give the same bytes
    font.recalcTimestamp = False
    path = TARGET / f"NotoSansSC-{style}.otf"
    font.save(path)
    return path


def main() -> None:
    """Build both faces."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    for style, weight in (("Regular", 400), ("Bold", 700)):
        path = build(source, style, weight)
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
