"""What project files say is read without running them, and in linear time."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear
from support.settings_files import fault, read

from sitemapper.model import NOT_LITERAL, Found
from sitemapper.syntax.settings_files import find_setting, lines_of, parse, read_toml

FILES = {
    "YAML": ("x.yml", "url: https://a.example # mine\nsite:\n  url: 'https://b.example'\n  keys:\n    url: c\n", {"url": "https://a.example", "site.url": "https://b.example", "site.keys.url": "c"}),
    "YAML of a generator": ("x.yml", "---\na: !ENV [B, c]\ns: !ENV B\nd: &d e\nf: *d\ng: ~\nh: ! i\nj: true\nk: [l, {m: {n: o}}]\n? [p]\n: q\n---\nr: s\n", {"a": "c", "d": "e", "f": "e", "h": "i", "j": "true", "k[]": "l\nm"}),
    "no YAML": ("x.yml", "a: b\n\tc: {{ d }}\n", {}),
    "no mapping in YAML": ("x.yml", "- a: b\n", {}),
    "YAML with a list": (
        "x.yaml",
        'a:\n- url: x\n- y\nb:\n    c: "d e"\n',
        {"a[]": "url\ny", "b.c": "d e"},
    ),
    "TOML": ("x.toml", "url = 'a'\nn = 1\n[site]\nurl = 'b'\n", {"url": "a", "site.url": "b"}),
    "JSON": ("x.json", '{"url": "a", "site": {"url": "b"}, "n": [1]}', {"url": "a", "site.url": "b"}),
    "Python": ("x.py", "import os; os.abort()\nA = B = 'c'\nD = os.getcwd()\nE = 1\n", {"A": "c", "B": "c"}),
    "Doxyfile": ("Doxyfile", "# A = x\nHTML_OUTPUT            = html\nNAME = \"My project\"\nNONE =\n", {"HTML_OUTPUT": "html", "NAME": "My", "NONE": ""}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), FILES.values(), ids=FILES)
def test_the_texts_of_keys(name: str, text: str, expected: dict[str, str]) -> None:
    texts = {key: value for key, (value, _) in read(text, name).items()}
    assert {key: value for key, value in texts.items() if value or key in expected} == expected


ENDINGS = ("py", "toml", "json", "yml", "js", "")


@given(st.text("aB_:=\"'{}[]()\n\t #/*-.\x00é", max_size=60), st.sampled_from(ENDINGS))
def test_no_text_raises(text: str, ending: str) -> None:
    for found in parse(text, f"x.{ending}").values():
        assert found.value is NOT_LITERAL or isinstance(found.value, str)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.toml", "a = 1\nb = [1,", ("is not valid TOML", 2)),
        ("x.yml", "a: b\n\tc: d", ("is not valid YAML", 2)),
        ("x.yml", f"a: {'[' * 200}", ("nested more than 99 deep", None)),
        ("x.json", '{"a": 1,\n"b": }', ("is not valid JSON", 2)),
        ("x.json", "[" * 100_000, ("is nested too deep", None)),
        ("x.py", "a = 'b'\nc = (", ("is not valid Python", 2)),
        ("x.ts", "export default {\n a: ,\n}", ("is not valid TypeScript", 2)),
    ],
)
def test_why_a_file_cannot_be_read(name: str, text: str, expected: tuple[str, int | None]) -> None:
    """Nothing of such a file is certain, from the line of the fault on."""
    assert fault(text, name) == expected
    assert read(text, name) == {"*": (None, expected[1])}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.toml", "title = 'b'\n[site]\nurl = 'b'\n"),
        ("x.yml", "title: b\nsite:\n  url: 'b'\n"),
        ("x.json", '{"title": "b",\n"site": {\n"url": "b"}}'),
    ],
)
def test_the_line_of_a_key_has_its_name_and_its_value(name: str, text: str) -> None:
    assert read(text, name)["site.url"] == ("b", 3)


CODE = Found(NOT_LITERAL, "x.js", 7)  # only running the file would tell
HERE = Found("/b", "x.js", 2)


ABOVE: dict[str, tuple[dict[str, Found], Found | None]] = {
    "the key": ({"site.base": HERE}, HERE),
    "nothing": ({}, None),
    "a text above": ({"site": HERE}, None),
    "code above": ({"site": CODE}, CODE),
    "an open table": ({"site.*": CODE}, CODE),
    "an open file": ({"*": CODE}, CODE),
    "other keys": ({"base": CODE, "site.url": CODE, "sit": CODE}, None),
    "the key before an open table": ({"*": CODE, "site.*": CODE, "site.base": HERE}, HERE),
    "the nearest table": ({"*": HERE, "site": HERE, "site.*": CODE}, CODE),
}


@pytest.mark.parametrize(("settings", "expected"), ABOVE.values(), ids=ABOVE)
def test_a_key_is_not_literal_where_a_table_above_it_is_not(
    settings: dict[str, Found], expected: Found | None
) -> None:
    assert find_setting(settings, "site.base") == expected


HOSTILE = (
    "/*",
    "//\n",
    "\n",
    "url: '",
    'a="',
    "a ",
    "{[(",
    "a",
    "a:",
    "a:\n",
    " a: b\n",
    "[",
    "- ",
    "? ",
    "'",
    "= ",
)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_long_file_takes_no_long_time(text: str, ending: str) -> None:
    assert_linear(lambda n: partial(parse, text * (n // len(text)), f"x.{ending}"), 400_000)


# --- TOML is read as tomllib reads it, but for keys that would take it minutes

LONG = "a." * 300


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG}a = 1",
        f"[{LONG}a]",
        f"x = 1\ny = {{ {LONG}a = 1 }}",
        '"a".' * 300 + "b = 1",
    ],
)
def test_a_key_of_very_many_parts_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"A key has more than 200 parts \(at line \d"):
        read_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        f'x = "{LONG}"',
        "match = [" + ", ".join(f"'{n}.html'" for n in range(300)) + "]",
        "[a.b]\n[a.c]",
        "x = 1.",
    ],
)
def test_everything_else_is_read_as_ever(text: str) -> None:
    def read(loads: Callable[[str], object]) -> object:
        try:
            return loads(text)
        except ValueError:
            return None

    assert read(read_toml) == read(tomllib.loads)


@pytest.mark.parametrize(
    ("name", "make"),
    [("hugo.toml", lambda n: "a." * n + "a = 1"), ("conf.py", lambda n: f"x = f'{'{a}' * n}'")],
)
def test_a_project_file_takes_no_long_time(name: str, make: Callable[[int], str]) -> None:
    assert_linear(lambda n: partial(parse, make(n), name), 100_000)


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\r\n"))
        | st.sampled_from(["", "\u2028", "\x85", "\f"])
    )
)
def test_only_line_feeds_end_lines(lines: list[str]) -> None:
    assert lines_of("".join(f"{line}\n" for line in lines)) == lines
    assert lines_of("".join(f"{line}\r\n" for line in lines)) == lines
    assert lines_of("\n".join([*lines, "end"])) == [*lines, "end"]
