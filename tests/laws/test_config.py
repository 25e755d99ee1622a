"""Any configuration loads, or says where it is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE
from support.laws import own_folder

import sitemapper
from sitemapper.config.model import Settings
from sitemapper.messages import SitemapperError

KEYS = [
    *Settings.model_fields,
    *(
        k
        for f in Settings.model_fields.values()
        for k in getattr(type(f.default), "model_fields", ())
    ),
]


WORDS = st.sampled_from(
    [
        "a", "", "auto", "mtime", "ledger", "git", "page", "https://example.com/", "https://[", "http://example.com:99999", "https://é..com", "//",
        "sitemap.xml", "../x", "\\", "a\\", "[", "{x}", "{", "UTC", "Europe/Berlin", "../UTC", "2026-01-01", "never", "also", "stable", "a-2",
        "robots.txt", "*", "!", "**/a", "p >", "\n", "\x00", "é", "https://xn--a.example/", "x" * 300, "omit", "{x}/{x}",
    ]
) | st.text(max_size=8)  # fmt: skip


SCALARS = (
    WORDS | st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | st.datetimes() | st.times() | st.binary(max_size=2)
    | st.sampled_from([10**400, -1, 0, 0.5, 50_000])
)  # fmt: skip


NAMES = st.sampled_from(KEYS) | WORDS.filter(str.isprintable)


VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=6,
)


TYPED: dict[str, Any] = {
    **dict.fromkeys(("include", "ignore", "lastmod"), st.lists(WORDS, max_size=3)),
    "rules": st.lists(
        st.fixed_dictionaries({"match": st.lists(WORDS, max_size=2)}, optional={"lastmod": SCALARS, "priority": st.floats(0, 1), "list": st.booleans()}), max_size=2
    ),
    "sitemaps": st.lists(st.fixed_dictionaries({"name": WORDS, "match": st.lists(WORDS, max_size=2)}), max_size=3),
    "urls": st.lists(st.fixed_dictionaries({"loc": WORDS}, optional={"lastmod": SCALARS}), max_size=2),
    "ledger": st.fixed_dictionaries({}, optional={"path": WORDS, "drop": st.lists(WORDS, max_size=2)}),
    "git": st.fixed_dictionaries({"map": st.lists(st.fixed_dictionaries({"page": WORDS, "source": st.lists(WORDS, max_size=2)}), max_size=2)}),
    "sitemap": st.fixed_dictionaries({}, optional={"name": WORDS, "max_urls": st.integers(0, 9)}),
    **dict.fromkeys(("base_url", "site", "output", "host", "url_style"), WORDS),
}  # fmt: skip


LAYERS = st.fixed_dictionaries({}, optional=TYPED) | st.dictionaries(NAMES, VALUES, max_size=4)


TOML = st.lists(
    st.sampled_from(
        [
            'base_url = "https://example.com/"', 'site = "a"', "[sitemap]", "[[sitemaps]]", "[[rules]]", 'match = ["a"]', "priority = 2", "[ledger]",
            "path = 'robots.txt'", '"" = 1', '"a b" = 1', '"a[" = 1', '"a\\nb" = 1', "a.b.c = 1", "ignore = ['a', 'b\\\\']", "ignore = {}", "[tool.x]",
            "lastmod = 2026-01-01T00:00:00+23:59", "lastmod = 07:00:00", "lastmod = ['mtime']", "[[urls]]", "loc = '/x'", "[git]", "[[git.map]]",
            "page = '{a}'", "source = ['{b}']", "[dates]", "timezone = 'UTC'", "max_urls = 0x" + "f" * 4000, "max_drop = nan", "site = [[[[]]]]",
            "sitemap.name = 'a.xml'", "'sitemap'.\"name\" = 1", "[[ rules ]]", "[ \"sitemap\" ]", 'x = """', '"""', "# c", "= 1", "é = 1", "\ufeff", "[[rules.match]]",
        ]
    )
    | st.builds("{} = {!r}".format, NAMES, SCALARS),
    max_size=9,
).map("\n".join)  # fmt: skip


VARIABLES = st.dictionaries(
    st.sampled_from(["BASE_URL", "SITE", "IGNORE", "LASTMOD", "SITEMAP_MAX_URLS", "MAX_DROP", "LEDGER_PATH", "HREFLANG", "RULES", "X"]).map("SITEMAPPER_{}".format)
    | st.just("SOURCE_DATE_EPOCH"),
    WORDS | st.sampled_from(["1", "true", "0.5", "9" * 20, "a,,b", "-1", "1e9"]),
    max_size=3,
)  # fmt: skip


# `place: key: what is wrong`; what concerns the whole file has no key, and a variable names it.
SENTENCE = re.compile(
    r"[^:\s][^:]*(:\d+)?: .*: .+|SITEMAPPER_\w+: .+|[^:]+(:\d+)?: (is not UTF-8|is nested too deep|cannot be read).*|no base URL.*",
    re.DOTALL,
)


def loaded(
    folder: Path, text: str | bytes | None = None, values: Any = None, **more: Any
) -> Sequence[str]:
    """What is wrong with a configuration."""
    file = folder / "sitemapper.toml"
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    try:
        sitemapper.load(values, cwd=str(folder), **more)
    except SitemapperError as error:
        assert str(error)
        return re.split(r"\n(?!help: )", str(error))
    return ()


@given(TOML | st.binary(max_size=60), LAYERS, VARIABLES)
def test_every_configuration_loads_or_says_where_it_is_wrong(
    tmp_path_factory: pytest.TempPathFactory,
    text: str | bytes,
    values: dict[str, Any],
    env: dict[str, str],
) -> None:
    folder = own_folder(tmp_path_factory, "configurations")
    for problems in (
        loaded(folder, text, values, environment=env),
        loaded(folder, text),
        loaded(folder, None, {"base_url": BASE, **values}),
    ):
        assert [p for p in problems if not SENTENCE.fullmatch(p.partition("\nhelp: ")[0])] == []
