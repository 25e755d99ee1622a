"""What a person types, reads and gets back: build, check, schema, and wrong usage."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import unmeasured
from support.rooms import BASE, Command, canonical, commit, git, one_of, page, write

from sitemapper.cli import console
from sitemapper.lastmod.resolve import SOURCES

NOINDEX = page('<meta name="robots" content="noindex">')
CONFIG = f'base_url = "{BASE}"\nsite = "public"\nlastmod = []\n'
RULE = '[[rules]]\nmatch = "a.html"\nlastmod = 2026-03-01\n'
PAGES = {
    "public/index.html": page(),
    "public/404.html": page(),
    "public/a.html": page(),
    "public/b.html": NOINDEX,
    "public/drafts/x.html": page(),
}
PYTHON = (sys.executable, "-m", "sitemapper")


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return Command(capsys)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write(tmp_path, {"sitemapper.toml": CONFIG, **PAGES})


def add(site: Path, text: str) -> None:
    with open(site / "sitemapper.toml", "a") as file:
        file.write(text)


# --- What a run says


def test_a_build_says_what_it_wrote_and_found(site: Path, run: Command) -> None:
    add(site, RULE)
    assert run("build", "--ignore", "drafts/") == 0
    assert run.err == ""
    assert (
        run.text
        == """\
https://tea.example/sitemap.xml
  dates: 1 from rule
  2 pages listed
  2 excluded (1 ignored, 1 noindex)
  created  sitemap.xml  2 URLs
  created  robots.txt
  published, 0.0 s
"""
    )
    assert run("build", "--ignore", "drafts/", "-v") == 0
    assert run.err == ""
    assert (
        run.text
        == """\
https://tea.example/sitemap.xml
  site public (sitemapper.toml:2)
  base URL https://tea.example/ (sitemapper.toml:1)
  URL forms a/ and b.html (built-in default)
  host none
  dates: 1 from rule
  2 pages listed
  2 excluded (1 ignored, 1 noindex)
  kept     sitemap.xml  2 URLs
  kept     robots.txt
  nothing to do, 0.0 s
"""
    )


def test_a_build_says_where_it_found_the_base_url(site: Path, run: Command) -> None:
    (site / "sitemapper.toml").write_text("lastmod = []\n")
    write(site, {f"public/{n}.html": canonical(f"{BASE}{n}.html") for n in "abc"})
    assert run("build", "public") == 0
    assert "\n  base URL from the canonicals of 3 pages\n" in run.out


def test_an_ordinary_run_says_nothing_beside_its_result(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the first one in CI, where the checkout is all that there is."""
    (tmp_path / "public").mkdir()
    git(tmp_path, "init", "-q")
    for day, name in enumerate(("index", "a", "b", "c"), 1):
        text = canonical(f"{BASE}{name}.html").replace(">Tea<", f">Tea {name}<")
        write(tmp_path, {f"public/{name}.html": text})
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-03-0{day}T12:00:00Z")
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", f"Write {name}")
    for outcome in ("published", "nothing to do"):
        assert run("build", "--ignore", "drafts/") == 0
        assert run.err == ""
        assert "\n  base URL from the canonicals of 4 pages; dates: 4 from git\n" in run.out
        assert len(run.out.splitlines()) <= 7
        assert run.text.endswith(f"  {outcome}, 0.0 s\n")


def test_check_and_a_dry_run_show_what_would_change(site: Path, run: Command) -> None:
    add(site, RULE)
    assert run("check", "--ignore", "drafts/") == 1
    would = """\
https://tea.example/sitemap.xml
  dates: 1 from rule
  2 pages listed
  2 excluded (1 ignored, 1 noindex)
+ https://tea.example/
+ https://tea.example/a.html  2026-03-01
  would be created sitemap.xml  2 URLs
  would be created robots.txt
"""
    assert run.text == f"{would}  differs from what a build would write, 0.0 s\n"
    assert run("build", "--ignore", "drafts/", "--dry-run") == 0
    assert run.text == f"{would}  nothing was written (--dry-run), 0.0 s\n"
    assert not (site / "public/sitemap.xml").exists()
    assert run("build", "--ignore", "drafts/", "-q") == 0
    assert (run.out, run.err) == ("", "")
    assert run("check", "--ignore", "drafts/", "-q") == 0
    assert run.out == ""
    assert run("check", "--ignore", "drafts/") == 0
    assert run.text.endswith("  is the same as what a build would write, 0.0 s\n")


def test_urls_that_are_gone_are_listed_with_their_fates(site: Path, run: Command) -> None:
    assert run("build") == 0
    (site / "public/a.html").unlink()
    (site / "public/drafts/x.html").write_text(NOINDEX)
    add(site, "max_drop = 90\n")
    assert run("check") == 1
    assert (
        run.text
        == """\
https://tea.example/sitemap.xml
  1 page listed, 2 removed
  2 earlier URLs not listed: 1 lost, 1 excluded
  3 excluded (1 ignored, 2 noindex)
- https://tea.example/a.html
- https://tea.example/drafts/x.html
lost: https://tea.example/a.html
excluded: https://tea.example/drafts/x.html (drafts/x.html: <meta name="robots" content="noindex">)
  would be updated sitemap.xml  1 URL
  kept     robots.txt
  differs from what a build would write, 0.0 s
"""
    )
    assert run("check", "--previous", "none") == 1
    assert "not listed" not in run.out
    (site / "old.xml").write_bytes((site / "public/sitemap.xml").read_bytes())
    assert run("build") == 0
    assert "  2 earlier URLs not listed: 1 lost, 1 excluded\n" in run.out
    assert "lost: " not in run.out
    assert run("check", "--previous", "old.xml") == 1
    assert "  1 page listed, 2 removed since old.xml\n" in run.out
    assert run.text.endswith("  differs from old.xml, 0.0 s\n")


def test_long_lists_are_cut_without_v(site: Path, run: Command) -> None:
    write(site, " ".join(f"public/{n:02}.html" for n in range(30)))
    flags = ("--config", "sitemap.max_urls = 1")
    assert run("build", "--dry-run", *flags) == 0
    assert "\n+ and 13 more\n" in run.out
    assert "\n  would be created and 15 more\n" in run.out
    assert run("build", "--dry-run", "-v", *flags) == 0
    assert "more" not in run.out and run.out.count("\n+ ") == 33


def test_json_has_the_documented_shape(site: Path, run: Command) -> None:
    add(site, RULE)
    assert run("build") == 0
    (site / "public/index.html").write_text(NOINDEX)
    write(site, {"public/c.html": page()})
    assert run("check", "--format", "json", "--max-drop", "100") == 1
    shape = json.loads(run.out)
    assert shape.pop("seconds") >= 0
    assert shape == {
        "version": 2,
        "site": "public",
        "sitemap": f"{BASE}sitemap.xml",
        "base_url": {"value": BASE, "origin": "sitemapper.toml:1"},
        "dry_run": True,
        "listed": 3,
        "previous": 3,
        "dated": {"rule": 1},
        "undated": {},
        "changes": [
            {"kind": "added", "url": f"{BASE}c.html", "before": "", "after": ""},
            {"kind": "removed", "url": BASE, "before": "", "after": ""},
        ],
        "gone": [
            {
                "url": BASE,
                "fate": "excluded",
                "target": "",
                "reason": "noindex",
                "origin": 'index.html: <meta name="robots" content="noindex">',
            }
        ],
        "excluded": {"ignored": 1, "noindex": 2},
        "files": [
            {"name": "sitemap.xml", "change": "updated", "urls": 3},
            {"name": "robots.txt", "change": "kept", "urls": None},
        ],
        "messages": [],
        "required": [],
        "stopped": "",
        "same": False,
    }
    assert run("build", "--format", "json", "-q", "--max-drop", "100") == 0
    assert json.loads(run.out).keys() == shape.keys() - {"same"} | {"seconds"}


def test_github_gets_annotations_a_summary_and_outputs(
    site: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(site, '[check]\nrequired = ["/b.html"]\n')
    monkeypatch.setenv("GITHUB_OUTPUT", str(site / "outputs"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(site / "summary"))
    assert run("check", "--format", "github") == 1
    assert run.out.splitlines() == [
        "::error title=sitemap out of date::differs from what a build would write: 3 pages listed",
        '::error title=required page::/b.html is not listed: noindex (b.html: <meta name="robots" content="noindex">)',
    ]
    assert (site / "outputs").read_text().splitlines() == [
        f"sitemap={BASE}sitemap.xml", "listed=3", "excluded=2", "added=3", "changed=0", "removed=0"
    ]  # fmt: skip
    summary = (site / "summary").read_text()
    assert summary.startswith("### sitemapper check\n\n```text\nhttps://tea.example/sitemap.xml\n")
    assert summary.endswith(" s\n```\n")
    write(
        site, {"sitemapper.toml": CONFIG, "public/robots.txt": "Sitemap: http://localhost/s.xml\n"}
    )
    assert run("build", "--format", "github", "--strict") == 1
    notice, warning = run.out.splitlines()
    assert notice == f"::notice title=sitemap::{BASE}sitemap.xml: 3 pages listed"
    assert re.match(r"::warning title=robots-line::.*localhost.*%0Ahelp: ", warning)
    assert run.err == ""


# --- Exit codes


def test_strict_fails_after_warnings_and_quiet_shows_only_them(site: Path, run: Command) -> None:
    write(site, {"public/robots.txt": "Sitemap: http://localhost/s.xml\n"})
    assert run("build") == 0
    assert run.err.startswith("warning: ")
    assert run("build", "-q") == 0
    assert run.err == ""
    assert run("build", "-q", "--strict") == 1
    assert run.err.startswith("warning: ")


def test_a_build_that_would_lose_too_much_stops(site: Path, run: Command) -> None:
    assert run("build") == 0
    before = (site / "public/sitemap.xml").read_bytes()
    (site / "public/a.html").unlink()
    flags = ("--max-drop", "10")
    assert run("build", *flags, "--changes", "list.tsv") == 2
    assert run.out == "" and run.err.startswith("error: 1 earlier URL would go")
    assert (site / "public/sitemap.xml").read_bytes() == before
    assert not (site / "list.tsv").exists()
    for argv, text in (
        (("build", "--dry-run"), "error: 1 earlier URL would go"),
        (("check",), "error: 1 earlier URL would go"),
    ):
        assert run(*argv, *flags) == 2
        assert "\nlost: https://tea.example/a.html\n" in run.out
        assert run.text.endswith("  a build would publish nothing, 0.0 s\n")
        assert f"\n{text}" in f"\n{run.err}"
    assert run("check", *flags, "--format", "json") == 2
    assert json.loads(run.out)["stopped"].startswith("1 earlier URL would go")


def test_a_required_page_that_is_not_listed(site: Path, run: Command) -> None:
    assert run("build") == 0
    add(site, '[check]\nrequired = ["/", "a.html", "https://tea.example/a.html", "/pricing/"]\n')
    assert run("check") == 1
    assert "required: /pricing/ is not listed: no page has this URL\n" in run.out
    assert run("build") == 2
    assert run.err.startswith("error: [check] required: /pricing/ is not listed")


def test_a_preview_is_no_failure(site: Path, run: Command) -> None:
    preview = "https://deploy-preview-7--tea.netlify.app/"
    (site / "sitemapper.toml").write_text("")
    write(site, {f"public/{n}.html": canonical(f"{preview}{n}.html") for n in "abc"})
    assert run("build", "public") == 0
    assert run.out == ""
    host = "deploy-preview-7--tea.netlify.app"
    assert run.err == f"note: the site was built for a preview ({host}), so nothing is published\n"
    assert run("check", "public", "--quiet") == 0
    assert run.err == ""
    assert run("explain", "a.html", "--site", "public") == 2
    assert run.err == f"error: the site was built for a preview ({host})\n"


def test_tracked_asks_git_for_outputs_and_listed_pages(site: Path, run: Command) -> None:
    assert run("build", "--tracked") == 2
    assert run.err.startswith("error: --tracked: this is not a git repository")
    commit(site)
    assert run("build", "--tracked") == 0
    assert run("check", "--tracked") == 0
    write(site, {"public/new.html": page(), "public/é.html": page(), "public/c.html": NOINDEX})
    flags = ("--ignore", "drafts/")
    assert run("build", *flags, "--tracked", "--dry-run") == 1
    assert run("build", *flags, "--tracked", "--lastmod", "git", "--ledger", "kept.ledger") == 1
    untracked = "kept.ledger, public/new.html, public/é.html"
    assert f"error: git does not track {untracked}\n  help: git add them, or run " in run.err
    (site / "kept.ledger").unlink()
    git(site, "add", ".")
    assert run("build", *flags, "--tracked") == 0


def test_many_pages_that_git_does_not_track_are_counted(site: Path, run: Command) -> None:
    commit(site)
    assert run("build") == 0
    git(site, "add", ".")
    write(site, " ".join(f"public/p{n}.html" for n in range(1500)))
    assert run("check", "--tracked") == 1
    assert " and 1,497 more\n" in run.err


def test_a_site_of_which_git_tracks_nothing(site: Path, run: Command) -> None:
    """Its pages may be listed, if the sitemap can be committed."""
    write(site, {"built/index.html": page(), ".gitignore": "built/*.xml\n"})
    commit(site)
    git(site, "rm", "-q", "--cached", "built/index.html")
    assert run("build", "built", "--tracked") == 1
    assert "error: git does not track built/sitemap.xml, built/robots.txt\n" in run.err
    (site / ".gitignore").unlink()
    git(site, "add", "built/sitemap.xml", "built/robots.txt")
    assert run("check", "built", "--tracked") == 0


# --- Wrong usage


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ("build --base-ulr x", "No such option: --base-ulr (Possible options: --base-url, --scheduler)\n  help: see sitemapper build --help"),
        ("bild", "No such command 'bild'. Did you mean 'build'?\n  help: see sitemapper --help"),
        ("build my site", "Got unexpected extra argument(s) (site)\n  help: see sitemapper build --help"),
        ("explain", "Missing argument 'TARGET'.\n  help: see sitemapper explain --help"),
        ("build -o", "Option '-o' requires an argument."),
        ("build --format xml", "Invalid value for '--format': 'xml' is not one of 'text', 'json', 'github'."),
        ("build --url-style dirctory", "Invalid value for '--url-style': 'dirctory' is not one of 'auto', 'directory', 'clean', 'slash', 'bare', 'file'."),
        ("build --jobs 0", "Invalid value for '--jobs': Input should be greater than or equal to 1"),
        ("build --max-drop many", "Invalid value for '--max-drop': Input should be a valid number, unable to parse string as a number"),
        ("build --max-drop 150", "--max-drop: max_drop: must be at most 100, not 150.0"),
        ("build --lastmod mtimes", f"--lastmod: lastmod[0]: must be {one_of('auto', *SOURCES)}, not \"mtimes\""),
        ("build --base-url tea.example", "--base-url: "),
        ("build --ignore a\\", "--ignore: "),
        ("build --config nix.toml", "nix.toml: does not exist"),
        ("build https://tea.example/", "https://tea.example/: is not a folder\n  help: pass a URL as --base-url https://tea.example/"),
        ("build pub\udcff", "SITE: site: must be UTF-8, not "),
        ("build pubic", "pubic: there is no such folder\n  help: build the site first, or correct the path"),
        ("check public/a.html", "public/a.html: there is no such folder"),
        ("explain a.html --format github", "Invalid value for '--format': 'github' is not one of 'text', 'json'."),
        ("schema --format json", "No such option: --format"),
    ],
)  # fmt: skip
def test_bad_input_is_exit_code_2_and_a_sentence(
    site: Path, run: Command, argv: str, said: str
) -> None:
    assert run(*argv.split()) == 2
    assert run.out == ""
    assert run.err.startswith(f"error: {said}")
    assert "Traceback" not in run.err
    assert not (site / "public/sitemap.xml").exists()


def test_flags_mean_what_the_file_means(site: Path, run: Command) -> None:
    write(site, {"public/c.pdf": ""})
    flags = "--include *.pdf --url-style clean --no-lastmod --gzip also --no-robots -o out".split()
    assert run("build", *flags, "--config", "sitemap.text = true") == 0
    names = {path.name for path in (site / "out").iterdir()}
    assert names == {"sitemap.xml", "sitemap.xml.gz", "sitemap.txt", "sitemap.txt.gz"}
    urls = (site / "out/sitemap.txt").read_text().split()
    assert [url.removeprefix(BASE) for url in urls] == ["", "a", "c.pdf", "drafts/x"]


def test_all_faults_of_the_configuration_are_said_at_once(site: Path, run: Command) -> None:
    add(site, 'base_ulr = "x"\nmax_drop = 150\n')
    assert run("check") == 2
    assert run.err == (
        "error: sitemapper.toml:4: base_ulr: unknown key; did you mean base_url?\n"
        "error: sitemapper.toml:5: max_drop: must be at most 100, not 150\n"
    )


def test_the_environment_sets_keys(
    site: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEMAPPER_BASE_URL", "https://coffee.example/")
    monkeypatch.setenv("SITEMAPPER_IGNORE", "drafts/ a.html")
    assert run("build", "--ignore", "b.html", "--dry-run") == 0
    assert run.out.startswith("https://coffee.example/sitemap.xml\n")
    assert "  1 page listed\n" in run.out
    monkeypatch.setenv("SITEMAPPER_BASE_ULR", "x")
    assert run("build") == 2
    assert run.err.startswith("error: SITEMAPPER_BASE_ULR: unknown variable\n")
    assert "BASE_URL" in run.err


# --- Help, schema, terminal, process


@pytest.mark.parametrize("command", ["build", "check", "explain", "schema"])
def test_the_help_begins_with_what_most_people_use(run: Command, command: str) -> None:
    assert run("-h") == 0
    [sentence] = re.findall(rf"  {command} +(.+)", run.out)
    assert run(command, "--help") == 0
    assert f"\n\n  {sentence}\n\n" in run.out
    main = run.out.partition("\nOptions:\n")[2].partition("\n\n")[0]
    flags = re.findall(r"^  (?:-\w, )?(--[\w-]+)", main, re.MULTILINE)
    assert flags[-1] == "--help" and len(flags) <= 12
    assert command == "schema" or f"\n  sitemapper {command}" in run.out


def test_the_program_alone_shows_its_help(run: Command) -> None:
    assert run() == 2
    assert run.err.startswith("Usage: sitemapper [OPTIONS] COMMAND") and "error:" not in run.err
    assert run("-V") == 0
    assert re.fullmatch(r"sitemapper \d+\.\d+\.\d+\w*\n", run.out)


def test_the_schema_is_one_of_the_configuration(run: Command) -> None:
    assert run("schema") == 0
    shape = json.loads(run.out)
    assert shape["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {"base_url", "rules", "sitemap"} <= shape["properties"].keys()


def test_a_terminal_gets_colours_unless_they_are_refused(
    site: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert run("check") == 1
    assert "\x1b[32m+\x1b[0m https://tea.example/a.html\n" in run.out
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("check") == 1
    assert "\x1b" not in run.out


def test_a_long_run_shows_how_far_it_is(
    site: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("build") == 0
    assert run.err == ""  # it took less than a second
    monkeypatch.setattr(console, "QUIET_SECONDS", 0.0)
    assert run("build") == 0
    steps = run.err.split("\r\x1b[K")
    assert steps[1:] == ["reading 0 of 4 pages", "reading 4 of 4 pages", "dating", "comparing", ""]
    assert run("build", "-q") == 0
    assert run.err == ""


def test_a_build_loads_nothing_that_only_other_runs_need(site: Path) -> None:
    code = "import sys; from sitemapper.__main__ import main; main(['build', '-q']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=site,
        env=unmeasured(),
    )
    others = {
        "asyncio", "dateutil", "idna", "multiprocessing", "protego", "rich", "ssl", "urllib3", "yaml",
        "sitemapper.cli.report", "sitemapper.linter", "sitemapper.net",
        "sitemapper.read.content",
    }  # fmt: skip
    assert others.isdisjoint(done.stdout.split())


def test_a_shell_completes_options() -> None:
    asked = {
        "_SITEMAPPER_COMPLETE": "complete_bash",
        "COMP_WORDS": "sitemapper build --track",
        "COMP_CWORD": "2",
    }
    done = subprocess.run(PYTHON, env=os.environ | asked, capture_output=True, text=True)
    assert done.stdout.split() == ["--tracked"]


def test_a_signal_ends_the_run_with_its_number(site: Path) -> None:
    """The pipe never ends, so the run waits until it is killed."""
    for number, said in ((signal.SIGTERM, "ended by SIGTERM"), (signal.SIGINT, "ended by SIGINT")):
        code = (
            "import sys, time; from sitemapper import __main__ as m; import sitemapper.cli.app as app;"
            "app.run = lambda _: (print('ready', flush=True), time.sleep(30)); m.script()"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(number)
        _, err = process.communicate(timeout=10)
        assert (process.returncode, err) == (
            128 + number,
            f"{said}; the published files are complete\n",
        )


def test_a_closed_pipe_is_exit_code_141(site: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PYTHON, "build"], cwd=site, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PYTHON, "check"],
        cwd=site,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    assert (site / "public/sitemap.xml").exists()
