"""Settings in TOML, YAML and JSON, as people write them and as they break."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.syntax.tables import read_table


@pytest.mark.parametrize(
    ("name", "text", "table"),
    [
        ("hugo.toml", 'a = 1\r\n[b]\r\nc = "x"', {"a": 1, "b": {"c": "x"}}),
        ("wrangler.jsonc", '{"a": "//x", /* y\n */ "b": [1,],} // z', {"a": "//x", "b": [1]}),
        ("vercel.json", "", {}),
        ("vercel.json", "[1]", {}),
        ("mkdocs.yml", "v: 1.10\nd: 2024-01-01\nt: true\nq: 'true'", {"v": "1.10", "d": "2024-01-01", "t": "true", "q": "true"}),
        ("mkdocs.YAML", "a: [x, {b: ~}]\nn: null\ne:", {"a": ["x", {"b": None}], "n": None, "e": None}),
        ("mkdocs.yml", "u: !ENV [URL, 'https://a.example/']\np: !!python/name:a.b", {"u": None, "p": None}),
        ("mkdocs.yml", "a: &x [b]\nc: *x\n? [d]\n: e\n---\nf: g", {"a": ["b"], "c": None}),
        ("mkdocs.yml", "a: &x b\nc: *x\n*x : d\n~: e\n!f g: h", {"a": "b", "c": "b", "b": "d"}),
        ("mkdocs.yml", "a: {{ name }}\nb: c", {"a": {}, "b": "c"}),
        ("mkdocs.yml", "- a", {}),
        ("mkdocs.yml", "# nothing", {}),
    ],
)  # fmt: skip
def test_a_file_is_a_dict(name: str, text: str, table: dict[str, object]) -> None:
    assert read_table(name, text) == table


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("hugo.toml", "\n\na =", "hugo.toml cannot be parsed: Invalid value (at end of document)"),
        ("vercel.json", '{\n// a\n"b" 1}', "Expecting ':' delimiter: line 3 column 5"),
        ("mkdocs.yml", "a: b\nc: [", "did not find expected node"),
        ("mkdocs.yml", "a: &x\n  - *x", "found unconstructable recursive node"),
        ("mkdocs.yml", "a: " + "[" * 600 + "]" * 600, "maximum recursion depth exceeded"),
        ("vercel.json", "[" * 99_999, "maximum recursion depth exceeded"),
        ("netlify.toml", "a = " + "[" * 9_999, ""),
        ("mkdocs.yml", "a: \0", "unacceptable character #x0000"),
    ],
)
def test_a_broken_file_is_one_sentence(name: str, text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=r"^\S+ cannot be parsed: [^\n]+$") as error:
        read_table(name, text)
    assert problem in str(error.value)


@given(
    st.sampled_from(["a.toml", "a.yml", "a.json"]),
    st.text(alphabet="ab: -[]{}&*!#'\"\n=.,|>?~", max_size=30),
)
def test_any_text_is_a_dict_or_a_sentence(name: str, text: str) -> None:
    try:
        assert isinstance(read_table(name, text), dict)
    except ValueError as error:
        assert str(error).startswith(name)
