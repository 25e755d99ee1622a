"""Configuration: where it is looked for, and faults reported all at once with their places."""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel
from support import BASE, Run, Site, write_site
from support.cost import assert_linear
from support.faults import faults

from sitemapper import SitemapperError, load
from sitemapper.config.choices import Signal
from sitemapper.config.layers import table_of
from sitemapper.config.settings import Respect, Settings


def test_pyproject_is_read_where_it_has_the_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.sitemapper]\nbase_url = "https://a.example"\nurl_stile = "clean"\n',
    )
    assert faults(tmp_path) == [
        "pyproject.toml:3: url_stile: unknown key",
        "help: did you mean 'url_style'?",
    ]
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert faults(tmp_path)[0].startswith("no base URL")


def test_a_pyproject_that_is_named_must_have_the_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert faults(tmp_path, config="pyproject.toml") == [
        "pyproject.toml: has no [tool.sitemapper] table",
        "help: add the table",
    ]


def test_all_faults_at_once_each_with_its_line(tmp_path: Path, run: Run) -> None:
    (tmp_path / "sitemapper.toml").write_text(
        """\
base_url = "example.com"
lastmod = ["mtimes"]

[sitemap]
max_urls = 60000
nam = "x"

[[rules]]
match = ["a/"]

[[rules]]
match = 5
priority = 1.5
changefreq = "sometimes"
lastmod = "03/04/2024"

[dates]
timezone = "Mars/Base"
""",
    )
    said = faults(tmp_path)
    assert said == [
        "sitemapper.toml:1: base_url: 'example.com' is not an absolute http or https URL",
        "help: write it in full, such as https://example.com/",
        "sitemapper.toml:2: lastmod: must be one of auto, page, published, front_matter, git, ledger, mtime, not 'mtimes'",
        "help: did you mean 'mtime'?",
        "sitemapper.toml:5: sitemap.max_urls: must be less than or equal to 50000, not 60000",
        "sitemapper.toml:6: sitemap.nam: unknown key",
        "help: did you mean 'name'?",
        "sitemapper.toml:12: match of the second [[rules]]: must be a list",
        "help: write [] for an empty one",
        "sitemapper.toml:13: priority of the second [[rules]]: must be less than or equal to 1, not 1.5",
        "sitemapper.toml:14: changefreq of the second [[rules]]: must be one of always, hourly, daily, weekly, monthly, yearly, "
        "never, not 'sometimes'",
        "sitemapper.toml:15: lastmod of the second [[rules]]: '03/04/2024' can be read as more than one date",
        "help: write it as 2026-03-01",
        "sitemapper.toml:18: dates.timezone: 'Mars/Base' is not a time zone",
        "help: write a name such as UTC or Europe/Berlin",
    ]
    assert (run("build"), run.out) == (2, "")
    assert run.err.replace("error: ", "").replace("  help: ", "help: ").splitlines() == said


KEYS = {field.alias or name: field for name, field in Settings.model_fields.items()}
BASE_URL = 'base_url = "https://a.example"\n'


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("base_url = \n", "1: is not valid TOML: Invalid value", None),
        (BASE_URL + 'ignore = [\n"a",\n"b\\\\"]\n', "4: ignore: 'b\\\\' is not a gitignore pattern", "remove the backslash at its end, which escapes nothing"),
        (BASE_URL + '[[rules]]\nmatch = [\n"a\\\\"]\n', "4: match of the first [[rules]]: 'a\\\\' is not a gitignore pattern", "remove the backslash at its end, which escapes nothing"),
        (BASE_URL + '[[sitemaps]]\nname = "a"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a-2"\nmatch = ["b/"]\n',
         "6: name of the second [[sitemaps]]: another sitemap would also be named 'a-2'", "choose another name"),
        (BASE_URL + '[[sitemaps]]\nname = "a"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a"\nmatch = ["b/"]\n',
         "6: name of the second [[sitemaps]]: another sitemap would also be named 'a'", "choose another name"),
        (BASE_URL + '[[sitemaps]]\nname = "a-2"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a"\nmatch = ["b/"]\n',
         "3: name of the first [[sitemaps]]: another sitemap would also be named 'a-2'", "choose another name"),
        (BASE_URL + "sitemap = 3\n", "2: sitemap: must be a table", "write [sitemap] and its keys on the lines below it"),
        ('base-url = "https://a.example"\n', "1: base-url: unknown key", "did you mean 'base_url'?"),
        (BASE_URL + "frequency = 1\n", "2: frequency: unknown key", f"valid keys are {', '.join(KEYS)}"),
        (BASE_URL + '[[sitemap]]\nname = "a"\n', "2: sitemap: must be a table",
         "write [sitemap] and its keys on the lines below it; for several sitemaps write [[sitemaps]]"),
        (BASE_URL + '[rules]\nmatch = ["a"]\n', "2: rules: must be a list of tables", "write [[rules]]"),
        (BASE_URL + "lastmod = false\n", "2: lastmod: must be a list", "write [] for an empty one"),
        (BASE_URL + 'gzip = "also"\n', "2: gzip: unknown key", "it belongs under [sitemap]"),
        (BASE_URL + '[sitemap]\nname = "map"\n', "3: sitemap.name: must be a file name that ends in .xml, not 'map'", "for example: sitemap.xml"),
        (BASE_URL + 'lastmod = ["mtime", "mtime"]\n', "2: lastmod: lists the same value twice", None),
        (BASE_URL + "[[rules]]\nmatch = []\n", "3: match of the first [[rules]]: must have at least one entry", None),
        (BASE_URL + '[ledger]\ndrop = [\n"p",\n"a["]\n', "5: ledger.drop: 'a[' is not a CSS selector", None),
        (BASE_URL + '[ledger]\npath = "robots.txt"\n', "3: ledger.path: robots.txt is also the name of another file that is written there",
         "choose another name"),
        (BASE_URL + '[submit]\nkey = "0123456789"\n[ledger]\npath = "0123456789.txt"\n',
         "5: ledger.path: 0123456789.txt is also the name of another file that is written there", "choose another name"),
        (BASE_URL + '[[sitemaps]]\nname = "blog"\nmatch = ["blog/"]\n[ledger]\npath = "sitemap-blog.xml"\n',
         "6: ledger.path: sitemap-blog.xml is also the name of another file that is written there", "choose another name"),
        (BASE_URL + '[[git.map]]\npage = "{path}"\nsource = ["{paht}"]\n', "2: the first [[git.map]]: '{paht}' uses {paht}, which '{path}' does not have", None),
        ('site = "C:\\site"\n', "1: is not valid TOML: Unescaped '\\' in a string", r"write Windows paths in single quotes: 'C:\site'"),
        ('site = "C:\\users\\tea"\n', "1: is not valid TOML: Invalid hex value", r"write Windows paths in single quotes: 'C:\site'"),
        (BASE_URL + 'site = "public\nstrict = true\n', "2: is not valid TOML: Illegal character '\\n'", "close the string on its line"),
        (BASE_URL + 'site = "public', "2: is not valid TOML: Unterminated string", "close the string on its line"),
        (BASE_URL + 'rules = [{match = "a"}]\n[[rules]]\nmatch = "b"', "3: is not valid TOML: Cannot mutate immutable namespace",
         "write all entries as [[tables]], or all of them in one list"),
        (BASE_URL + "site = 'public", '2: is not valid TOML: Expected "\'"', "close the string on its line"),
        ("[sitemap]\n" + BASE_URL, "2: sitemap.base_url: unknown key", "it belongs at the top, above [sitemap]"),
        (BASE_URL + '[[rules]]\nmatch = ["a"]\nignore = ["b"]\n', "4: ignore of the first [[rules]]: unknown key", "it belongs at the top, above [[rules]]"),
        ("\n[tool.sitemapper]\n" + BASE_URL, "2: tool: unknown key", "remove tool.sitemapper from the names of tables; it is for pyproject.toml only"),
        (BASE_URL + 'strict = "yes"\n', "2: strict: must be true or false, not 'yes'", None),
        (BASE_URL + '[git.map]\npage = "x"\nsource = ["y"]\n', "2: git.map: must be a list of tables", "write [[git.map]]"),
        (BASE_URL + 'exclude = ["a"]\n', "2: exclude: unknown key", "did you mean 'ignore'?"),
        ('url = "https://a.example"\n', "1: url: unknown key", "did you mean 'base_url'?"),
        ("base_url: https://a.example\n", "1: is not valid TOML: Expected '=' after a key", 'write each setting as key = "value"'),
        (BASE_URL + BASE_URL, "2: is not valid TOML: Cannot overwrite a value", "the file sets this key twice; remove one of the lines"),
        ("base_url = https://a.example/  # ours\n", "1: is not valid TOML: Invalid value", 'put the text in quotes: base_url = "https://a.example/"'),
        (f'base_url = "{BASE}index.html"\n', f"1: base_url: '{BASE}index.html' is the URL of a file", f"did you mean {BASE}?"),
        ('base_url = "https://user:secret@a.example/"\n', "1: base_url: contains a user name or password", "remove everything between // and @"),
    ],
)  # fmt: skip
def test_faults(tmp_path: Path, text: str, message: str, help: str | None) -> None:
    (tmp_path / "sitemapper.toml").write_text(text)
    said, *more = faults(tmp_path)
    assert said.startswith(f"sitemapper.toml:{message}")
    assert more == ([f"help: {help}"] if help else [])


def test_a_table_among_the_sources_of_dates(tmp_path: Path, run: Run) -> None:
    """All is set that the project's files could give, so these are not read."""
    write_site(tmp_path, {"public/index.html": "<p>Tea."})
    settings = BASE_URL + 'site = "public"\nhost = "none"\nurl_style = "clean"\n'
    (tmp_path / "sitemapper.toml").write_text(settings + "lastmod = [{a = 1}]\n")
    assert run("build") == 2
    assert "sitemapper.toml:5: lastmod" in run.err


def test_names_of_sitemaps_that_do_not_meet_are_fine(tmp_path: Path) -> None:
    sections = [{"name": "a", "match": "a/"}, {"name": "b-2", "match": "b/"}]
    setup = load({"base_url": BASE, "sitemaps": sections}, cwd=str(tmp_path))
    assert setup.site.output.sections == ("a", "b-2")


# A text for each key with a list of texts. No comma splits it.
SINGLE_TEXTS: dict[str, dict[str, Any]] = {
    "": {"ignore": "a,b/", "include": "*.pdf", "lastmod": "mtime"},
    "sitemap": {"others": "docs/map,1.xml"},
    "ledger": {"drop": "p, .date"},
    "check": {"required": "/a,b/"},
    "submit": {"endpoint": "https://example.com/indexnow?a,b"},
    "git": {"map": [{"page": "a.html", "source": "a,b.md"}]},
    "rules": {"match": "a,b/"},
    "sitemaps": {"name": "blog", "match": "a,b/"},
}


def test_one_text_may_stand_for_every_list(tmp_path: Path) -> None:
    tables = dict(SINGLE_TEXTS)
    values = {"base_url": BASE, **tables.pop("")}
    for name, table in tables.items():
        values[name] = [table] if name in ("rules", "sitemaps") else table
    settings = load(values, cwd=str(tmp_path)).settings
    found = set()
    arrays = (*settings.rules, *settings.sitemaps, *settings.git.map)
    models = [value for value in vars(settings).values() if isinstance(value, BaseModel)]
    for model in (settings, *models, *arrays):
        for key, field in type(model).model_fields.items():
            if get_origin(field.annotation) is tuple and not table_of(field.annotation):
                assert len(getattr(model, key)) == 1, key
                found.add(key)
    tried = {key for table in SINGLE_TEXTS.values() for key in table} - {"name", "map"}
    assert found == tried | {"source"}


def test_a_name_in_other_letters_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(
        'baseURL = "https://a.example"\n[sitemap]\nmaxUrls = 3\n'
    )
    found = faults(tmp_path, env={"SITEMAPPER_MAX_URLS": "3", "SITEMAPPER_BASEURL": BASE_URL})
    assert [fault for fault in found if fault.startswith("help: ")] == [
        "help: did you mean 'SITEMAPPER_BASE_URL'?",
        "help: did you mean 'SITEMAPPER_SITEMAP_MAX_URLS'?",
        "help: did you mean 'base_url'?",
        "help: did you mean 'max_urls'?",
    ]


def test_digits_in_a_variable_are_text_where_text_is_wanted(tmp_path: Path) -> None:
    env = {
        "SITEMAPPER_BASE_URL": BASE,
        "SITEMAPPER_SUBMIT_KEY": "1234567890123456",
        "SITEMAPPER_OUTPUT": "2026",
    }
    loaded = load(env=env, cwd=str(tmp_path))
    assert (loaded.settings.submit.key, loaded.settings.output) == (
        "1234567890123456",
        str(tmp_path / "2026"),
    )


def test_faults_of_flags_and_environment_name_them(tmp_path: Path) -> None:
    env = {"SITEMAPPER_BASE_ULR": "x", "SITEMAPPER_SEVERITIES": "x", "SOURCE_DATE_EPOCH": "soon"}
    assert faults(tmp_path, values={"base_url": "ftp://x"}, env=env, label="command line") == [
        "environment: SITEMAPPER_BASE_ULR: unknown setting",
        "help: did you mean 'SITEMAPPER_BASE_URL'?",
        "environment: SITEMAPPER_SEVERITIES: unknown setting",
        "help: did you mean 'SITEMAPPER_SITE'?",
        "environment: SOURCE_DATE_EPOCH: 'soon' is not a whole number",
        "help: set it to seconds since 1970, or unset it",
        "command line: base_url: 'ftp://x' is not an absolute http or https URL",
        "help: write it in full, such as https://example.com/",
    ]


EXAMPLE = (Path(__file__).parents[2] / "sitemapper.toml.example").read_text()
COMMON, REST = EXAMPLE.split(
    "\n# --- Most sites need nothing below this line. It shows every other key. ---\n"
)


def uncommented(text: str) -> str:
    """The example with all keys and tables set."""
    return re.sub(r"(?m)^#(?=[\[\w])", "", text)


def test_the_example_shows_every_key_and_loads(tmp_path: Path) -> None:
    # Rules stand either in one line or in tables.
    (tmp_path / "sitemapper.toml").write_text(uncommented(REST))
    load({"base_url": BASE}, cwd=str(tmp_path))
    common = tomllib.loads(uncommented(COMMON))
    rest = tomllib.loads(uncommented(REST))
    for key, field in KEYS.items():
        assert key in common or key in rest, f"{key} is not in sitemapper.toml.example"
        table = table_of(field.annotation)
        if table:
            [entry] = rest[key] if isinstance(rest[key], list) else [rest[key]]
            assert set(table.model_fields) == set(entry)


def test_the_example_begins_with_what_most_people_set(tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(uncommented(COMMON))
    settings = load(cwd=str(tmp_path)).settings
    [rule] = settings.rules
    assert (settings.base_url, settings.ignore) == ("https://example.com/", ("drafts/",))
    assert settings.site == str(tmp_path / "public")
    assert (rule.match, rule.changefreq, rule.priority) == (("blog/**",), "weekly", 0.8)


def test_the_example_sets_nothing_and_shows_the_defaults(tmp_path: Path) -> None:
    assert not any(tomllib.loads(EXAMPLE).values())
    lines = [line for line in REST.splitlines() if not line.endswith("  # example")]
    texts = re.sub(r"(?m)^#(?=\w)", "", "\n".join(lines))
    (tmp_path / "sitemapper.toml").write_text(texts)
    shown = load({"base_url": BASE}, cwd=str(tmp_path)).settings
    values = {"base_url": BASE, "ledger": {"path": "sitemapper.ledger"}}
    defaults = load(values, cwd=str(tmp_path), config=os.devnull).settings
    assert shown.model_dump() == defaults.model_dump()


@pytest.mark.parametrize(
    "text",
    [
        "tool = 3", "[tool]\nsitemapper = 3", "[[tool.sitemapper]]\nsite = 1", "x = " + "1" * 5000, "x = " + "[" * 5000,
        '[tool.sitemapper]\noutput = "a\\u0000b"', '[tool.sitemapper]\noutput = ""',
        '[tool.sitemapper]\nignore = ["\\t"]\nstrict = "yes"', '[tool.sitemapper]\n"base url" = 1', "[tool.sitemapper]\nstr = 1",
        "[tool.sitemapper]\nrules = {}", '[tool.sitemapper]\n[[tool.sitemapper.rules]]\nmatch = []',
        '[tool.sitemapper]\n[[tool.sitemapper.rules]]\nmatch = ["a"]\nlastmod = "99999999999999999999999999999999999999m"',
        "[tool.sitemapper]\nmax_drop = true",
    ],
)  # fmt: skip
def test_odd_configurations_end_in_a_sentence(
    site: Site, run: Run, tmp_path: Path, text: str
) -> None:
    root = site({"a.html": ""})
    (tmp_path / "pyproject.toml").write_text(text)
    code = run("build", root, "--base-url", BASE)
    assert code == (0 if text == "tool = 3" else 2)
    assert all(
        line.startswith(("error: pyproject.toml", "  help: "))
        for line in run.err.splitlines()
        if code
    )


def test_every_signal_has_its_switch() -> None:
    assert get_args(Signal) == tuple(Respect.model_fields)


ENTRIES = {
    "[[urls]]": lambda n: "".join(f'[[urls]]\nloc = "{BASE}{i}"\n' for i in range(n)),
    "bad [[urls]]": lambda n: "".join(f"[[urls]]\nlok = {i}\n" for i in range(n)),
    "ignore": lambda n: "ignore = [\n" + "".join(f'"a{i}/*.b",\n' for i in range(n)) + "]\n",
    "bad ignore": lambda n: "ignore = [\n" + "".join(f'"a{i}\\\\",\n' for i in range(n)) + "]\n",
    "[[sitemaps]]": lambda n: "".join(
        f'[[sitemaps]]\nname = "a{i}"\nmatch = ["a{i}/"]\n' for i in range(n)
    ),
    "unknown keys": lambda n: "[robots]\n" + "".join(f"agent{i} = 1\n" for i in range(n)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENTRIES)
def test_thousands_of_entries_take_no_time(kind: str, tmp_path: Path) -> None:
    def prepare(n: int) -> Callable[[], object]:
        (tmp_path / "sitemapper.toml").write_text(BASE_URL + ENTRIES[kind](n))
        return attempt

    def attempt() -> None:
        with contextlib.suppress(SitemapperError):
            load(cwd=str(tmp_path))

    assert_linear(prepare, 4_000)
