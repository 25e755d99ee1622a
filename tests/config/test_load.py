"""Configuration: where it is looked for, and faults reported all at once with their places."""

from __future__ import annotations

import contextlib
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from support import BASE, Run, Site, build
from support.cost import assert_linear
from support.faults import faults

from sitemapper import SitemapperError, load
from sitemapper.config.choices import Signal
from sitemapper.config.settings import Respect, Settings


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_faults_of_the_environment_name_the_variable(tmp_path: Path) -> None:
    env = {"SITEMAPPER_BASE_URL": "https://a.example", "SITEMAPPER_SITEMAP_MAX_URLS": "ten"}
    assert faults(tmp_path, env=env)[0].startswith("environment: SITEMAPPER_SITEMAP_MAX_URLS: ")


def test_pyproject_is_read_where_it_has_the_table(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml",
        '[tool.sitemapper]\nbase_url = "https://a.example"\nurl_stile = "clean"\n',
    )
    assert faults(tmp_path) == [
        "pyproject.toml:3: url_stile: unknown key",
        "help: did you mean 'url_style'?",
    ]
    write(tmp_path / "pyproject.toml", '[project]\nname = "x"\n')
    assert faults(tmp_path)[0].startswith("no base URL")


def test_a_pyproject_that_is_named_must_have_the_table(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[project]\nname = "x"\n')
    assert faults(tmp_path, config="pyproject.toml") == [
        "pyproject.toml: has no [tool.sitemapper] table",
        "help: add the table",
    ]


def test_severities_have_no_variable(tmp_path: Path) -> None:
    env = {"SITEMAPPER_BASE_URL": "https://a.example", "SITEMAPPER_SEVERITIES": "SM208"}
    assert faults(tmp_path, env=env)[0] == "environment: SITEMAPPER_SEVERITIES: unknown setting"


def test_all_faults_at_once_each_with_its_line(tmp_path: Path) -> None:
    write(
        tmp_path / "sitemapper.toml",
        """\
base_url = "example.com"
lastmod = ["mtimes"]

[sitemap]
max_urls = 60000
nam = "x"

[[rules]]
match = ["a/"]

[[rules]]
match = "blog/"
priority = 1.5
changefreq = "sometimes"
lastmod = "03/04/2024"

[dates]
timezone = "Mars/Base"
""",
    )
    assert faults(tmp_path) == [
        "sitemapper.toml:1: base_url: 'example.com' is not an absolute http or https URL",
        "help: write it in full, such as https://example.com/",
        "sitemapper.toml:2: lastmod[0]: must be one of auto, page, git, ledger, mtime, not 'mtimes'",
        "help: did you mean 'mtime'?",
        "sitemapper.toml:5: sitemap.max_urls: must be less than or equal to 50000, not 60000",
        "sitemapper.toml:6: sitemap.nam: unknown key",
        "help: did you mean 'name'?",
        "sitemapper.toml:12: rules[1].match: must be a list",
        'help: write ["blog/"]',
        "sitemapper.toml:13: rules[1].priority: must be less than or equal to 1, not 1.5",
        "sitemapper.toml:14: rules[1].changefreq: must be one of always, hourly, daily, weekly, monthly, yearly, "
        "never, not 'sometimes'",
        "sitemapper.toml:15: rules[1].lastmod: '03/04/2024' can be read as more than one date",
        "help: write it as 2026-03-01",
        "sitemapper.toml:18: dates.timezone: 'Mars/Base' is not a time zone",
        "help: write a name such as UTC or Europe/Berlin",
    ]


KEYS = {field.alias or name: field for name, field in Settings.model_fields.items()}
BASE_URL = 'base_url = "https://a.example"\n'


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("base_url = \n", "1: is not valid TOML: Invalid value", None),
        (BASE_URL + 'ignore = [\n"a",\n"b\\\\"]\n', "4: ignore: 'b\\\\' is not a gitignore pattern", "remove the backslash at its end"),
        (BASE_URL + 'include = ["b\\\\"]\n', "2: include: 'b\\\\' is not a gitignore pattern", "remove the backslash at its end"),
        (BASE_URL + '[[rules]]\nmatch = [\n"a\\\\"]\n', "4: rules[0].match[0]: 'a\\\\' is not a gitignore pattern", "remove the backslash at its end"),
        (BASE_URL + '[[sitemaps]]\nname = "a"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a-2"\nmatch = ["b/"]\n',
         "6: sitemaps[1].name: another sitemap would also be named 'a-2'", "choose another name"),
        (BASE_URL + '[[sitemaps]]\nname = "a"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a"\nmatch = ["b/"]\n',
         "6: sitemaps[1].name: another sitemap would also be named 'a'", "choose another name"),
        (BASE_URL + "sitemap = 3\n", "2: sitemap: must be a table", "write [sitemap] and its keys on the lines below it"),
        ('base-url = "https://a.example"\n', "1: base-url: unknown key", "did you mean 'base_url'?"),
        (BASE_URL + "frequency = 1\n[robots]\nx = 1\n", "2: frequency: unknown key", f"valid keys are {', '.join(KEYS)}"),
        (BASE_URL + '[[sitemap]]\nname = "a"\n', "2: sitemap: must be a table",
         "write [sitemap] and its keys on the lines below it; for several sitemaps write [[sitemaps]]"),
        (BASE_URL + '[rules]\nmatch = ["a"]\n', "2: rules: must be a list of tables", "write [[rules]]"),
        (BASE_URL + "lastmod = false\n", "2: lastmod: must be a list", "write [] for an empty one"),
        (BASE_URL + 'gzip = "also"\n', "2: gzip: unknown key", "it belongs under [sitemap]"),
        (BASE_URL + '[sitemap]\nname = "map"\n', "3: sitemap.name: must be a file name that ends in .xml, not 'map'", "write for example sitemap.xml"),
        (BASE_URL + 'lastmod = ["mtime", "mtime"]\n', "2: lastmod: lists the same value twice", None),
        (BASE_URL + "[[rules]]\nmatch = []\n", "3: rules[0].match: must have at least one entry", None),
        (BASE_URL + '[ledger]\ndrop = [\n"p",\n"a["]\n', "5: ledger.drop[1]: 'a[' is not a CSS selector", None),
        (BASE_URL + '[ledger]\npath = "robots.txt"\n', "3: ledger.path: robots.txt is also the name of another file that is written there",
         "choose another name"),
        (BASE_URL + '[submit]\nkey = "sitemap-1"\n', "3: submit.key: sitemap-1.txt is also the name of another file that is written there",
         "choose another name"),
        (BASE_URL + '[submit]\nkey = "sitemap-ledger"\n[ledger]\nlive = true\n',
         "3: submit.key: sitemap-ledger.txt is also the name of another file that is written there", "choose another name"),
        (BASE_URL + '[submit]\nkey = "0123456789"\n[ledger]\npath = "0123456789.txt"\n',
         "5: ledger.path: 0123456789.txt is also the name of another file that is written there", "choose another name"),
        (BASE_URL + '[ledger]\nlive = true\npath = "sitemap-ledger.txt"\n',
         "4: ledger.path: sitemap-ledger.txt is also the name of another file that is written there", "choose another name"),
        (BASE_URL + '[[sitemaps]]\nname = "blog"\nmatch = ["blog/"]\n[ledger]\npath = "sitemap-blog.xml"\n',
         "6: ledger.path: sitemap-blog.xml is also the name of another file that is written there", "choose another name"),
        (BASE_URL + '[[git.map]]\npage = "{path}"\nsource = ["{paht}"]\n', "2: git.map[0]: '{paht}' uses {paht}, which '{path}' does not have", None),
        ('site = "C:\\site"\n', "1: is not valid TOML: Unescaped '\\' in a string", r"write Windows paths in single quotes: 'C:\site'"),
        ('site = "C:\\users\\tea"\n', "1: is not valid TOML: Invalid hex value", r"write Windows paths in single quotes: 'C:\site'"),
        (BASE_URL + 'site = "public\nstrict = true\n', "2: is not valid TOML: Illegal character '\\n'", "close the string on its line"),
        (BASE_URL + 'site = "public', "2: is not valid TOML: Unterminated string", "close the string on its line"),
        (BASE_URL + "site = 'public", '2: is not valid TOML: Expected "\'"', "close the string on its line"),
        ("[sitemap]\n" + BASE_URL, "2: sitemap.base_url: unknown key", "it belongs at the top, above [sitemap]"),
        (BASE_URL + '[[rules]]\nmatch = ["a"]\nignore = ["b"]\n', "4: rules[0].ignore: unknown key", "it belongs at the top, above [[rules]]"),
        ("\n[tool.sitemapper]\n" + BASE_URL, "2: tool: unknown key", "remove tool.sitemapper from the names of tables; it is for pyproject.toml only"),
        (BASE_URL + 'strict = "yes"\n', "2: strict: must be true or false, not 'yes'", None),
    ],
)  # fmt: skip
def test_faults(tmp_path: Path, text: str, message: str, help: str | None) -> None:
    write(tmp_path / "sitemapper.toml", text)
    said, *more = faults(tmp_path)
    assert said.startswith(f"sitemapper.toml:{message}")
    assert more[:1] == ([f"help: {help}"] if help else [])


def test_a_name_in_other_letters_is_recognised(tmp_path: Path) -> None:
    write(tmp_path / "sitemapper.toml", 'baseURL = "https://a.example"\n[sitemap]\nmaxUrls = 3\n')
    found = faults(tmp_path, env={"SITEMAPPER_MAX_URLS": "3", "SITEMAPPER_BASEURL": BASE_URL})
    assert [fault for fault in found if fault.startswith("help: ")] == [
        "help: did you mean 'SITEMAPPER_BASE_URL'?",
        "help: did you mean 'SITEMAPPER_SITEMAP_MAX_URLS'?",
        "help: did you mean 'base_url'?",
        "help: did you mean 'max_urls'?",
    ]


def test_a_broken_configuration_is_reported_at_once(tmp_path: Path, run: Run) -> None:
    (tmp_path / "index.html").write_text("<p>")
    write(
        tmp_path / "sitemapper.toml",
        """\
base_url = "https://user:secret@example.com/"
ignore = [
  "drafts/",
  "old\\\\",
]
url_style = "pretty"

[sitemap]
max-urls = 1000

[[rules]]
match = ["blog/"]
lastmod = "2026-02-30"
""",
    )
    assert run("build") == 2
    assert run.out == ""
    assert run.err == (
        "error: sitemapper.toml:1: base_url: contains a user name or password\n"
        "  help: remove everything between // and @\n"
        "error: sitemapper.toml:4: ignore: 'old\\\\' is not a gitignore pattern\n"
        "  help: remove the backslash at its end\n"
        "error: sitemapper.toml:6: url_style: must be one of auto, directory, clean, slash, bare, file, not 'pretty'\n"
        "error: sitemapper.toml:9: sitemap.max-urls: unknown key\n"
        "  help: did you mean 'max_urls'?\n"
        "error: sitemapper.toml:13: rules[0].lastmod: '2026-02-30' is not a date in the calendar\n"
        "  help: write it as 2026-03-01\n"
    )


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
    env = {"SITEMAPPER_BASE_ULR": "x", "SOURCE_DATE_EPOCH": "soon"}
    assert faults(tmp_path, values={"base_url": "ftp://x"}, env=env, label="command line") == [
        "environment: SITEMAPPER_BASE_ULR: unknown setting",
        "help: did you mean 'SITEMAPPER_BASE_URL'?",
        "environment: SOURCE_DATE_EPOCH: 'soon' is not a whole number",
        "help: set it to seconds since 1970, or unset it",
        "command line: base_url: 'ftp://x' is not an absolute http or https URL",
        "help: write it in full, such as https://example.com/",
    ]


def test_the_example_is_complete_and_loads(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "sitemapper.toml.example").read_text()
    uncommented = "\n".join(line.removeprefix("#: ") for line in text.splitlines())
    write(tmp_path / "sitemapper.toml", uncommented)
    write(tmp_path / "urls.txt", "")
    load(cwd=str(tmp_path))
    named = tomllib.loads(uncommented)
    for key, field in KEYS.items():
        assert key in named, f"{key} is not in sitemapper.toml.example"
        if isinstance(field.default, BaseModel):
            assert set(type(field.default).model_fields) == set(named[key])


def test_the_example_shows_the_defaults() -> None:
    text = (Path(__file__).parents[2] / "sitemapper.toml.example").read_text()
    shown, default = (
        tomllib.loads(text),
        Settings(base_url="https://example.com/").model_dump(mode="json", by_alias=True),
    )
    assert shown.pop("site") == "public"  # where most generators write
    for key, value in shown.items():
        value = ["auto"] if value == "auto" and key == "lastmod" else value
        expected = default[key] | value if isinstance(value, dict) else value
        assert expected == default[key], key


def test_schema_describes_every_key(run: Run) -> None:
    assert run("schema") == 0
    schema = json.loads(run.out)
    assert set(schema["properties"]) == set(KEYS)
    assert schema["required"] == ["base_url"]


@pytest.mark.parametrize("value", [20260301, 2026, 1.5, True])
def test_numbers_are_no_dates(site: Site, value: Any) -> None:
    with pytest.raises(SitemapperError, match=r"rules\[0\]\.lastmod"):
        build(site({"a.html": ""}), rules=[{"match": ["*"], "lastmod": value}])


@pytest.mark.parametrize(
    "text",
    [
        "tool = 3", "[tool]\nsitemapper = 3", "[[tool.sitemapper]]\nsite = 1", "x = " + "1" * 5000, "x = " + "[" * 5000,
        '[tool.sitemapper]\noutput = "a\\u0000b"', '[tool.sitemapper]\nextra = ["a\\u0000b"]', '[tool.sitemapper]\noutput = ""',
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


def test_a_table_where_a_list_of_tables_belongs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>")
    (tmp_path / "sitemapper.toml").write_text(
        'base_url = "https://example.com"\n[git.map]\npage = "x"\nsource = ["y"]\n'
    )
    assert run("build") == 2
    assert (
        run.err
        == "error: sitemapper.toml:2: git.map: must be a list of tables\n  help: write [[git.map]]\n"
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
        write(tmp_path / "sitemapper.toml", BASE_URL + ENTRIES[kind](n))
        return attempt

    def attempt() -> None:
        with contextlib.suppress(SitemapperError):
            load(cwd=str(tmp_path))

    assert_linear(prepare, 4_000)


def test_a_text_without_quotes_gets_help_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(
        "site = 'public'\nbase_url = https://example.com/  # ours\n"
    )
    with pytest.raises(SitemapperError) as caught:
        load({}, cwd=str(tmp_path))
    assert str(caught.value) == (
        "sitemapper.toml:2: is not valid TOML: Invalid value\n"
        'help: put the text in quotes: base_url = "https://example.com/"'
    )
