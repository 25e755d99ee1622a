"""Any file and any variables load, or say where they are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.laws import own_folder

import sitemapper
from sitemapper.messages import SitemapperError

LINES = st.sampled_from(
    [
        'base_url = "https://example.com/"', 'site = "a"', "[sitemap]", "[[sitemaps]]", "[[rules]]", 'match = ["a"]', "priority = 2", "[ledger]",
        "path = 'robots.txt'", '"" = 1', '"a b" = 1', '"a[" = 1', "a.b.c = 1", "ignore = ['a', 'b\\\\']", "ignore = {}", "[tool.x]",
        "lastmod = 2026-01-01T00:00:00+23:59", "lastmod = 07:00:00", "lastmod = ['mtime']", "[[urls]]", "loc = '/x'", "[git]", "[[git.map]]",
        "page = '{a}'", "source = ['{b}']", "[dates]", "timezone = '../UTC'", "max_urls = 0x" + "f" * 4000, "max_drop = nan", "site = [[[[]]]]",
        "sitemap.name = 'a.xml'", "'sitemap'.\"name\" = 1", "[[ rules ]]", "[ \"sitemap\" ]", 'x = """', '"""', "# c", "= 1", "é = 1", "\ufeff",
        "base_url = 'https://['", "base_url = 'http://example.com:99999'", "base_url = 'https://é..com'", "name = ''", "drop = ['p >']", "[[rules.match]]",
    ]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=9).map(lambda lines: "\n".join(lines).encode())
VARIABLES = st.dictionaries(
    st.sampled_from("BASE_URL SITE IGNORE LASTMOD MAX_DROP LEDGER HREFLANG X".split()).map("SITEMAPPER_{}".format)
    | st.just("SOURCE_DATE_EPOCH"),
    st.sampled_from(["", "1", "true", "0.5", "9" * 20, "a,,b", "-1", "https://[", "mtime", "\\", "{x}", "é"]),
    max_size=3,
)  # fmt: skip
# `place: key: what is wrong`; what concerns the whole file has no key, and a variable names it.
SENTENCE = re.compile(
    r"[^:\s][^:]*(:\d+)?: .*: .+|SITEMAPPER_\w+: .+|[^:]+(:\d+)?: (is not UTF-8|is nested too deep|cannot be read).*|no base URL.*",
    re.DOTALL,
)


@given(TEXTS | st.binary(max_size=60), VARIABLES)
def test_every_configuration_loads_or_says_where_it_is_wrong(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, variables: dict[str, str]
) -> None:
    folder: Path = own_folder(tmp_path_factory, "configurations")
    (folder / "sitemapper.toml").write_bytes(text)
    try:
        sitemapper.load(cwd=str(folder), environment=variables)
    except SitemapperError as error:
        problems = re.split(r"\n(?!help: )", str(error))
        said = [problem.partition("\nhelp: ")[0] for problem in problems]
        assert [one for one in said if not SENTENCE.fullmatch(one)] == []
