"""What a person wrote in files, variables and flags: which of it holds, where it stands, what is wrong."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.config import Config, Settings, load
from sitemapper.messages import SitemapperError


def run(root: Path, files: Mapping[str, str] | str = "", cwd: str = "", **given: Any) -> Config:
    """Loads the configuration of a repository; one text is its sitemapper.toml."""
    (root / ".git").mkdir(exist_ok=True)
    for name, text in ({"sitemapper.toml": files} if isinstance(files, str) else files).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    environment = {f"SITEMAPPER_{name}": text for name, text in given.pop("env", {}).items()}
    return load(given.pop("flags", {}), str(root / cwd), environment, **given)


def faults(root: Path, *args: Any, **given: Any) -> list[str]:
    with pytest.raises(SitemapperError) as caught:
        run(root, *args, **given)
    return str(caught.value).splitlines()


FILE = 'site = "public"\nmax_drop = 10\n[sitemap]\ngzip = "also"\n'


@pytest.mark.parametrize(
    ("given", "expected", "origin"),
    [
        ({}, 10, "sitemapper.toml:2"),
        ({"env": {"MAX_DROP": "20"}}, 20, "SITEMAPPER_MAX_DROP"),
        ({"env": {"MAX_DROP": ""}}, 10, "sitemapper.toml:2"),
        ({"env": {"MAX_DROP": "20"}, "values": {"max_drop": 30}, "name": "mkdocs.yml"}, 30, "mkdocs.yml"),
        ({"values": {"max_drop": 30}, "env": {"CONFIG": "\nmax_drop = 40"}}, 40, "SITEMAPPER_CONFIG:2"),
        ({"env": {"CONFIG": "max_drop = 40"}, "config": ["max_drop = 50"]}, 50, "--config:1"),
        ({"config": ["max_drop = 50"], "flags": {"max_drop": 60.0}}, 60, "--max-drop"),
        ({"flags": {"max_drop": None}}, 10, "sitemapper.toml:2"),
    ],
)  # fmt: skip
def test_a_later_layer_wins_key_by_key(
    tmp_path: Path, given: Any, expected: int, origin: str
) -> None:
    config = run(tmp_path, FILE, **given)
    assert (config.settings.max_drop, str(config.origin("max_drop"))) == (expected, origin)
    assert (config.settings.sitemap.gzip, str(config.origin("sitemap.gzip"))) == (
        "also",
        "sitemapper.toml:4",
    )
    assert config.origin("sitemap.index") is None


@pytest.mark.parametrize(
    ("variable", "text", "key", "expected"),
    [
        ("BASE_URL", "https://A.example/docs", "base_url", "https://a.example/docs/"),
        ("STRICT", "yes", "strict", True),
        ("ROBOTS", "0", "robots.write", False),
        ("GZIP", "only", "sitemap.gzip", "only"),
        ("LASTMOD", "git mtime", "lastmod", ("git", "mtime")),
        ("URL_STYLE", "clean", "url_style", "clean"),
        ("SUBMIT_KEY", "1234567890123456", "submit.key", "1234567890123456"),
        ("CONFIG", 'submit.endpoint = "https://a.example/"\nimages = true', "submit.endpoint", "https://a.example/"),
    ],
)  # fmt: skip
def test_a_flag_with_a_key_has_a_variable(
    tmp_path: Path, variable: str, text: str, key: str, expected: Any
) -> None:
    value: Any = run(tmp_path, env={variable: text}).settings
    for name in key.split("."):
        value = getattr(value, name)
    assert value == expected


def test_ignore_and_include_add_up_and_name_their_lines(tmp_path: Path) -> None:
    file = 'include = "*.pdf"\nignore = [  # all\n  "a/", # not "b/"\n\n  \'c"d/\',\n]\n'
    flags = {"ignore": ["f/"], "include": ["!*.html"]}
    config = run(tmp_path, file, env={"IGNORE": "d/  e/"}, flags=flags)
    assert [str(line.origin) for line in config.ignore] == [
        "sitemapper.toml:2: a/", 'sitemapper.toml:2: c"d/', "SITEMAPPER_IGNORE: d/", "SITEMAPPER_IGNORE: e/", "--ignore: f/",
    ]  # fmt: skip
    assert [line.text for line in config.include] == ["*.pdf", "!*.html"]
    assert config.settings.ignore == ("a/", 'c"d/', "d/", "e/", "f/")


def test_entries_of_lists_name_their_lines(tmp_path: Path) -> None:
    file = '[[rules]]\nmatch = "a/"\n\n[[rules]]\nmatch = ["b/"]\n[check]\nrequired = ["/",\n"/b/"]\n[[git.map]]\npage = "{a}"\nsource = []\n'
    config = run(tmp_path, file, values={"urls": [{"loc": "https://a.example/"}]})
    keys = ("rules[0]", "rules[1]", "check.required[1]", "git.map[0]", "urls[0]")
    assert [str(config.origin(key)) for key in keys] == [
        "sitemapper.toml:1", "sitemapper.toml:4", "sitemapper.toml:7", "sitemapper.toml:9", "options"
    ]  # fmt: skip


PYPROJECT = (
    '[project]\nsite = "x"\n[tool.sitemapper]\nbase_url = "https://py.example"\nignore = "a/"\n'
)


@pytest.mark.parametrize(
    ("files", "cwd", "config", "read"),
    [
        ({"sitemapper.toml": ""}, "", [], "sitemapper.toml"),
        ({"sitemapper.toml": "", "a/x": ""}, "a", [], "sitemapper.toml"),
        ({"sitemapper.toml": "", "a/sitemapper.toml": ""}, "a", [], "a/sitemapper.toml"),
        ({"pyproject.toml": PYPROJECT}, "", [], "pyproject.toml"),
        ({"sitemapper.toml": "", "a/pyproject.toml": "[project]"}, "a", [], "sitemapper.toml"),
        ({"website/sitemapper.toml": ""}, "", [], "website/sitemapper.toml"),
        ({"docs/pyproject.toml": PYPROJECT}, "", [], "docs/pyproject.toml"),
        ({"sitemapper.toml": "", "pyproject.toml": PYPROJECT}, "", [], "sitemapper.toml"),
        ({"sitemapper.toml": "", "b.toml": ""}, "", ["b.toml"], "b.toml"),
        ({"sitemapper.toml": "", "b.toml": ""}, "", ["b.toml", "strict = true"], "b.toml"),
        ({"sitemapper.toml": ""}, "", [os.devnull], None),
        ({}, "", [], None),
    ],
)  # fmt: skip
def test_which_file_is_read(
    tmp_path: Path, files: Any, cwd: str, config: list[str], read: str | None
) -> None:
    expected = None if read is None else str(tmp_path / read)
    assert run(tmp_path, files, cwd, config=config).file == expected
    if config and read:
        assert run(tmp_path, files, cwd, env={"CONFIG": config[0]}).file == expected


def test_a_search_ends_at_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text("")
    (tmp_path / "a").mkdir()
    assert run(tmp_path / "a", {}).file is None


def test_a_folder_may_be_called_like_a_word_of_previous(tmp_path: Path) -> None:
    config = run(tmp_path, {"sitemapper.toml": 'site = "output"', "a/x": ""}, "a")
    assert config.settings.site == str(tmp_path / "output")


def test_paths_begin_where_they_are_written(tmp_path: Path) -> None:
    file = 'site = "public"\nprevious = "old.xml"\n[ledger]\npath = "../l"\n[sitemap]\nothers = "blog/sitemap.xml"'
    settings = run(
        tmp_path, {"a/sitemapper.toml": file, "a/b/x": ""}, "a/b", flags={"output": "out"}
    ).settings
    paths = (settings.site, settings.previous, settings.ledger.path, settings.output)
    assert paths == tuple(
        str(tmp_path / path) for path in ("a/public", "a/old.xml", "l", "a/b/out")
    )
    assert settings.sitemap.others == ("blog/sitemap.xml",)
    config = run(tmp_path, {"a/sitemapper.toml": 'previous = "live"'}, "a/b")
    assert (config.settings.previous, config.settings.ledger.path) == (
        "live",
        str(tmp_path / "a/sitemapper.ledger"),
    )
    assert config.origin("ledger.path") is None


@pytest.mark.parametrize(
    ("lastmod", "expected"),
    [
        ('"auto"', ("auto",)),
        ("[]", ()),
        ('["git", "mtime"]', ("ledger", "git", "mtime")),
        ('["ledger", "git"]', ("ledger", "git")),
    ],
)
def test_the_flag_ledger_makes_the_ledger_a_source(
    tmp_path: Path, lastmod: str, expected: tuple[str, ...]
) -> None:
    config = run(tmp_path, f"lastmod = {lastmod}", flags={"ledger.path": "l"})
    assert config.settings.lastmod == expected


def test_all_faults_at_once_each_with_its_place(tmp_path: Path) -> None:
    file = """\
base_url = "tea.example"
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
"""
    given = {
        "env": {"STRICT": "ja", "CONFIG": "\nhots = 1"},
        "values": {"sitemap": {"gzip": True}, "ignore": ["a/", 3]},
        "flags": {"include": ["a\\"]},
    }
    date = "write it as 2026-03-01 or 2026-03-01T12:00:00+00:00"
    assert faults(tmp_path, file, **given) == [
        "--include: include[0]: 'a\\\\' ends with a backslash, which escapes nothing",
        "SITEMAPPER_CONFIG:2: hots: unknown key; did you mean host?",
        'SITEMAPPER_STRICT: strict: must be true or false, not "ja"',
        "options: ignore[1]: must be a text in quotes, not 3",
        "options: sitemap.gzip: must be 'no', 'also' or 'only', not true",
        "sitemapper.toml:1: base_url: 'tea.example' is not an absolute http or https URL; write it in full, such as https://tea.example/",
        "sitemapper.toml:2: lastmod[0]: must be 'auto', 'page', 'published', 'front_matter', 'git', 'ledger' or 'mtime', not \"mtimes\"",
        "sitemapper.toml:5: sitemap.max_urls: must be at most 50000, not 60000",
        "sitemapper.toml:6: sitemap.nam: unknown key; did you mean sitemap.name?",
        "sitemapper.toml:12: rules[1].match: must be a list, not 5",
        "sitemapper.toml:13: rules[1].priority: must be at most 1, not 1.5",
        "sitemapper.toml:14: rules[1].changefreq: must be 'always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly' or 'never', not \"sometimes\"",
        f"sitemapper.toml:15: rules[1].lastmod: '03/04/2024' can be read as more than one date; {date}",
        "sitemapper.toml:18: dates.timezone: 'Mars/Base' is not a time zone; write a name such as UTC or Europe/Berlin",
    ]  # fmt: skip


TOML_HELP = (
    r"""help: put texts in quotes: site = "public"; Windows paths in single ones: 'C:\site'"""
)


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        # keys
        ('base-URL = "x"', "1: base-URL: unknown key; did you mean base_url?"),
        ("frequency = 1", f"1: frequency: unknown key; valid keys are {', '.join(Settings.model_fields)}"),
        ('"a\\nb" = 1', f"1: a\\nb: unknown key; valid keys are {', '.join(Settings.model_fields)}"),
        ('"a[" = 1', f"1: a[: unknown key; valid keys are {', '.join(Settings.model_fields)}"),
        ('gzip = "also"', "1: gzip: unknown key; did you mean sitemap.gzip?"),
        ('[sitemap]\nbase_url = "x"', "2: sitemap.base_url: unknown key; did you mean base_url?"),
        ('[[rules]]\nmatch = "a"\nignore = "b"', "3: rules[0].ignore: unknown key; did you mean ignore?"),
        ('[[rules]]\nmach = "a"', "1: rules[0].match: is missing\nsitemapper.toml:2: rules[0].mach: unknown key; did you mean rules.match?"),
        ("[[rules]]\npriority = 1", "1: rules[0].match: is missing"),
        ('host = "apache"', "1: host: must be 'auto', 'none', 'cloudflare', 'firebase', 'github', 'gitlab', 'netlify' or 'vercel', not \"apache\""),
        # values
        ("sitemap = 3", "1: sitemap: must be a table, not 3"),
        ("[[rules]]\nmatch = []", "2: rules[0].match: must have at least one entry"),
        ('rules = ["a"]', '1: rules[0]: must be a table, not "a"'),
        ('[rules]\nmatch = "a"', "1: rules: must be a list of tables; write [[rules]]"),
        ('[git.map]\npage = "a"', "1: git.map: must be a list of tables; write [[git.map]]"),
        ('site = ["a"]', '1: site: must be a text in quotes, not ["a"]'),
        ('site = ""', "1: site: must not be empty"),
        ("lastmod = false", "1: lastmod: must be a list, not false"),
        ('lastmod = ["auto", "git"]', '1: lastmod: auto cannot be combined with other sources; write lastmod = "auto", or list the sources in order'),
        ("max_drop = 101", "1: max_drop: must be at most 100, not 101"),
        ("max_drop = nan", "1: max_drop: must be at most 100, not NaN"),
        ("[sitemap]\nmax_bytes = 999", "2: sitemap.max_bytes: must be at least 1000, not 999"),
        ("[sitemap]\nmax_bytes = 60000000", "2: sitemap.max_bytes: must be at most 52428800, not 60000000"),
        ('[sitemap]\nname = "../a.xml"', '2: sitemap.name: must be a file name that ends in .xml, such as sitemap.xml, not "../a.xml"'),
        ('ignore = [\n"a",\n"b\\\\"]', "1: ignore[1]: 'b\\\\' ends with a backslash, which escapes nothing"),
        ('[ledger]\ndrop = [\n"p",\n"a["]', "2: ledger.drop[1]: 'a[' is not a CSS selector"),
        ('[[rules]]\nmatch = "a"\nlastmod = 2026', "3: rules[0].lastmod: must be a date, not 2026; write it as 2026-03-01"),
        ('[[sitemaps]]\nname = "a-2"\nmatch = "a"\n[[sitemaps]]\nname = "a"\nmatch = "b"', "1: sitemaps: another sitemap would also be named 'a-2'; choose another name"),
        ('[[sitemaps]]\nname = "Blog"\nmatch = "a"', '2: sitemaps[0].name: must be lower-case letters, digits and hyphens, such as blog, not "Blog"'),
        ('[submit]\nkey = "short"', '2: submit.key: must be 8 to 128 letters, digits and hyphens, not "short"'),
        ('[submit]\nendpoint = ["https://a", "https://b"]', '2: submit.endpoint: must be a text in quotes, not ["https://a", "https://b"]'),
        # TOML
        ("base_url = https://a.example/  # ours", " is not valid TOML: Invalid value (at line 1, column 12)"),
        ("base_url: https://a.example/", " is not valid TOML: Expected '=' after a key in a key/value pair (at line 1, column 9)"),
        ('site = "C:\\site"', " is not valid TOML: Unescaped '\\' in a string (at line 1, column 13)"),
        ('strict = true\nstrict = true', " is not valid TOML: Cannot overwrite a value (at end of document)"),
        ('\nsite = "public', " is not valid TOML: Unterminated string (at end of document)"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_what_to_write(tmp_path: Path, file: str, fault: str) -> None:
    lines = f"sitemapper.toml:{fault}".splitlines()
    assert faults(tmp_path, file) == lines + [TOML_HELP] * ("not valid TOML" in fault)


VARIABLES_HELP = (
    "help: write SITEMAPPER_CONFIG='KEY = VALUE', or SITEMAPPER_ with one of SITE, BASE_URL, "
    "OUTPUT, IGNORE, INCLUDE, URL_STYLE, LASTMOD, LEDGER, GZIP, ROBOTS, PREVIOUS, MAX_DROP, "
    "STRICT, SUBMIT_KEY"
)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"config": ["host = netlify"]}, ["--config: is not valid TOML: Invalid value (at line 1, column 8)", TOML_HELP]),
        ({"config": ["a.toml"]}, ["a.toml: does not exist, or has no table [tool.sitemapper]", "help: check the path after --config"]),
        ({"env": {"SITEMAP_TEXT": "true"}}, ["SITEMAPPER_SITEMAP_TEXT: unknown variable", VARIABLES_HELP]),
        ({"env": {"MAX_DROP": "ten"}}, ['SITEMAPPER_MAX_DROP: max_drop: must be a number, not "ten"']),
        ({"files": {"pyproject.toml": PYPROJECT + 'url_stile = "x"'}}, ["pyproject.toml:6: url_stile: unknown key; did you mean url_style?"]),
    ],
)  # fmt: skip
def test_what_is_wrong_elsewhere(tmp_path: Path, given: Any, fault: list[str]) -> None:
    assert faults(tmp_path, **given) == fault


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_bytes(b'site = "\xff"')
    assert faults(tmp_path, {}) == ["sitemapper.toml: is not UTF-8", "help: save the file as UTF-8"]
    (tmp_path / "sitemapper.toml").unlink()
    os.mkfifo(tmp_path / "sitemapper.toml")
    assert faults(tmp_path, {}) == ["sitemapper.toml: cannot be read: not a regular file"]


KEYS = [
    f"{name}.{key}" if key else name
    for name, field in Settings.model_fields.items()
    for key in getattr(type(field.default), "model_fields", [""])
]
TOML_VALUES = st.recursive(
    st.booleans() | st.integers(-9, 99) | st.floats() | st.text("ab/*.[{!\\\0\"", max_size=4) | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["match", "loc", "lastmod", "x"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


@given(
    st.dictionaries(
        st.sampled_from([*KEYS, "x", "sitemap.x", "sitemap", "rules.match"]),
        TOML_VALUES,
        max_size=3,
    )
)
def test_a_configuration_loads_or_names_its_place(table: dict[str, Any]) -> None:
    values: dict[str, Any] = {}
    for key, value in table.items():
        name, _, inner = key.partition(".")
        if inner and isinstance(values.setdefault(name, {}), dict):
            values[name][inner] = value
        else:
            values[name] = value
    try:
        config = load({}, os.sep, {}, [os.devnull], values)
    except SitemapperError as error:
        assert all(line.startswith("options: ") for line in str(error).splitlines())
    else:
        assert hash(config.settings) is not None  # frozen at all depths


DESIGN = """
base_url = "https://tea.example/"
site = "public"
output = "public"
include = []
ignore = ["drafts/*", "!drafts/open.html"]
url_style = "auto"
host = "auto"
lastmod = "auto"
hreflang = false
images = false
previous = "output"
max_drop = 50
strict = false
respect = { noindex = true, canonical = true, refresh = true, robots = true }
sitemap = { name = "sitemap.xml", text = false, gzip = "no", index = "auto", strategy = "sequential", max_urls = 50000, max_bytes = 52428800, schema_location = false, others = [] }
robots = { write = true }
dates = { timezone = "UTC", date_only = false }
ledger = { path = "sitemapper.ledger", drop = [] }
check = { required = ["/", "/pricing/"] }
submit = { key = "3f0c9a51e7d24b86a1c05d7e92f8b643", endpoint = "https://api.indexnow.org/indexnow" }
[[git.map]]
page = "{path}/index.html"
source = ["content/{path}.md", "content/{path}/index.md"]
[[rules]]
match = ["blog/", "!blog/old/"]
changefreq = "weekly"
priority = 0.8
[[sitemaps]]
name = "blog"
match = ["blog/"]
[[urls]]
loc = "https://tea.example/app/"
lastmod = 2026-03-01T12:00:00Z
"""  # fmt: skip


def test_the_keys_are_those_of_the_contract_with_its_defaults(tmp_path: Path) -> None:
    config = run(tmp_path, DESIGN)
    assert set(tomllib.loads(DESIGN)) == set(Settings.model_fields)
    for name in (
        "respect",
        "sitemap",
        "robots",
        "dates",
        "url_style",
        "host",
        "lastmod",
        "previous",
        "max_drop",
    ):
        assert getattr(config.settings, name) == getattr(Settings(), name)
    for key in KEYS:
        assert config.origin(key), key
