"""What project files say is read without running them, and in linear time."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.model import NOT_LITERAL, Found
from sitemapper.syntax.settings_files import find_setting, lines_of, parse, read_toml

Said = tuple[str | None, int | None]  # the value, None if it is not literal, and the line


def read(text: str, file: str) -> dict[str, Said]:
    return {
        key: (None if found.value is NOT_LITERAL else found.value, found.line)
        for key, found in parse(text, file).items()
    }


def fault(text: str, file: str) -> tuple[str, int | None] | None:
    """Why a file cannot be read, with the line; None if it can."""
    found = parse(text, file).get("*")
    return (found.problem, found.line) if found and found.problem else None


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
    "Python": ("x.py", "import os; os.abort()\nA = 'c'\nD = os.getcwd()\nE = 1\n", {"A": "c"}),
    "Doxyfile": ("Doxyfile", "# A = x\nHTML_OUTPUT            = html\nNAME = \"My project\"\nNONE =\n", {"HTML_OUTPUT": "html", "NAME": "My", "NONE": ""}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), FILES.values(), ids=FILES)
def test_the_texts_of_keys(name: str, text: str, expected: dict[str, str]) -> None:
    texts = {key: value for key, (value, _) in read(text, name).items()}
    assert {key: value for key, value in texts.items() if value or key in expected} == expected


URL = "https://a.example"
IN_CODE: dict[str, tuple[str, Said | None]] = {
    "a key of a table": (f"export default {{\n  more: {{ url: '{URL}' }} }}", (URL, 2)),
    "a key in quotes": (f'{{ "url": "{URL}", b }}', (URL, 1)),
    "a name": (f"const url = `{URL}`;", (URL, 1)),
    "a name in Python": (f"url = '{URL}'  # mine", (URL, 1)),
    "a value on the next line": (f"{{\n  url:\n    '{URL}',\n}}", (URL, 2)),
    "beside comments": (f"/* url: 'b'\n*/\n// url: 'c',\n# url = 'd'\nurl = '{URL}'", (URL, 5)),
    "beside a longer name": (f"{{ editUrl: 'b', baseurl: 'c', url_: 'd', url: '{URL}' }}", (URL, 1)),
    "a comparison": (f"if url == 'b': x(url => 'c')\nurl = '{URL}'", (URL, 2)),
    "a call": (f"{{ url: find('{URL}') }}", (None, 1)),
    "a template": (f"{{ url: `{URL}/${{path}}` }}", (None, 1)),
    "an f-string": (f"url = f'{URL}'", (None, 1)),
    "a sum": (f"{{ url: '{URL}' + path }}", (None, 1)),
    "a sum on two lines": (f"{{ url: '{URL}'\n + path }}", (None, 1)),
    "a call on the text": (f"{{ url: '{URL}'.trim() }}", (None, 1)),
    "the environment": (f"{{ url: process.env.URL || '{URL}' }}", (None, 1)),
    "a condition": (f"url = '{URL}' if live else ''", (None, 1)),
    "an escape": (r"{ url: 'https:\u002f/a.example' }", (None, 1)),
    "two keys": (f"{{ url: '{URL}', more: {{ url: '{URL}' }} }}", (None, None)),
    "a key and a change": (f"url = '{URL}'\nurl += '/b'", (None, None)),
    "no key": ("export default {{ url, ...more }}", None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), IN_CODE.values(), ids=IN_CODE)
def test_a_plain_literal_in_code(text: str, expected: Said | None) -> None:
    for ending in ("js", "mts", "py"):
        assert read(text, f"x.{ending}").get("url") == expected


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
    "an open file": ({"*": CODE}, CODE),
    "other keys": ({"base": CODE, "site.url": CODE, "sit": CODE}, None),
    "the key before an open table": ({"*": CODE, "site.*": CODE, "site.base": HERE}, HERE),
}


@pytest.mark.parametrize(("settings", "expected"), ABOVE.values(), ids=ABOVE)
def test_a_key_is_not_literal_where_a_table_above_it_is_not(
    settings: dict[str, Found], expected: Found | None
) -> None:
    assert find_setting(settings, "site.base") == expected


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
