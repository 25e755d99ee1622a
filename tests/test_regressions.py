"""One test for each fault that a review or a user found; each is named after it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import BASE, MTIME, NOW, POSIX, Run, Site, build, locs, paths, settings, write_site

import sitemapper
from sitemapper import Listener, Reason, SitemapperError
from sitemapper.model import Batch
from sitemapper.output.formats import priority
from sitemapper.syntax.dates import Writer, read


def changed(summary: sitemapper.Summary) -> dict[str, str]:
    return {file.name: file.change.value for file in summary.files}


def test_hand_made_text_files_are_never_ours(site: Site) -> None:
    root = site(
        {
            "a.html": "",
            "sitemap-extra.txt": f"{BASE}app\n",
            "sitemap-todo.txt": "",
            "sitemap-2.txt": f"{BASE}x\n",
        }
    )
    build(root)
    assert {"sitemap-extra.txt", "sitemap-todo.txt", "sitemap-2.txt"} <= set(os.listdir(root))
    (root / "sitemap.txt").write_text(f"{BASE}hand-made\n")
    with pytest.raises(SitemapperError, match=r"sitemap\.txt: was not written by sitemapper"):
        build(root, sitemap={"text": True})


def test_a_new_base_url_does_not_make_our_text_foreign(site: Site) -> None:
    root = site({"a.html": ""})
    build(root, sitemap={"text": True}, base_url="http://example.com")
    assert changed(build(root, sitemap={"text": True}))["sitemap.txt"] == "updated"


def test_the_sitemap_of_another_configuration_stays(site: Site) -> None:
    root = site({"a.html": ""})
    build(root, sitemap={"name": "sitemap-pages.xml"})
    assert "removed" not in changed(build(root)).values()
    assert (root / "sitemap-pages.xml").exists()


@POSIX
def test_a_link_to_our_sitemap_stays(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    (root / "sitemap-1.xml").symlink_to("sitemap.xml")
    build(root)
    assert (root / "sitemap-1.xml").is_symlink()


def test_sections_that_are_configured_no_more_are_removed(site: Site) -> None:
    root = site({"a.html": "", "old/b.html": ""})
    build(root, sitemaps=[{"name": "old", "match": ["old/"]}])
    assert changed(build(root))["sitemap-old.xml"] == "removed"


def test_a_burst_that_is_refused_in_the_middle_is_taken_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({f"{n}.html": "" for n in range(1, 5)})
    build(root, sitemap={"max_urls": 2})
    before = {p.name: p.read_bytes() for p in root.glob("*.xml")}
    write_site(root, {"0.html": ""})
    real, calls = os.replace, []

    def second_refused(source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise PermissionError(1, "Operation not permitted", target)
        real(source, target)

    monkeypatch.setattr(os, "replace", second_refused)
    with pytest.raises(SitemapperError, match="is still whole"):
        build(root, sitemap={"max_urls": 2})
    assert {p.name: p.read_bytes() for p in root.glob("*.xml")} == before
    assert not list(root.glob(".*"))


@pytest.mark.parametrize("stop", range(1, 6))
def test_killed_between_two_renames_all_that_the_index_names_is_there(
    site: Site, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    class Killed(BaseException):
        pass

    root = site({f"{n}.html": "" for n in range(4)})
    build(root, sitemap={"max_urls": 2})
    write_site(root, {"00.html": "", "5.html": "", "6.html": ""})
    real, calls = os.replace, []

    def killed(source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == stop:
            raise Killed
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", killed)
        with pytest.raises(Killed):
            build(root, sitemap={"max_urls": 2})
    for loc in locs(root):
        assert locs(root, loc.rpartition("/")[2])
    build(root, sitemap={"max_urls": 2})
    assert not list(root.glob(".*"))


@POSIX
def test_a_loop_of_links_that_is_no_page_harms_nothing(site: Site) -> None:
    root = site({"a.html": "", "b/c.html": ""})
    (root / "loop").symlink_to("loop")
    (root / "b" / "loop").symlink_to("loop")
    assert build(root).listed == 2


@pytest.mark.parametrize("text", ['ignore = "*.html"', "ignore = 3"])
def test_a_bad_ignore_value_is_told_though_flags_add_to_it(site: Site, tmp_path: Path, text: str) -> None:
    root = site({"a.html": ""})
    (tmp_path / "sitemapper.toml").write_text(text)
    with pytest.raises(SitemapperError, match=r"sitemapper\.toml:1: ignore: must be a list"):
        build(root, ignore=["x"])


def test_include_on_the_command_line_adds_to_the_file_or_else_to_the_default(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"a.html": "", "b.png": "", "c.pdf": ""})
    assert run("build", root, "--base-url", BASE, "--include", "*.pdf") == 0
    assert paths(root) == ["a.html", "c.pdf"]
    (tmp_path / "sitemapper.toml").write_text('include = ["*.png"]')
    assert run("build", root, "--base-url", BASE, "--include", "*.pdf") == 0
    assert paths(root) == ["b.png", "c.pdf"]


@pytest.mark.parametrize("loc", ["docs/../secret", "docs/%2e%2e/secret", "docs/x/../../secret"])
def test_dots_do_not_lead_out_of_the_scope(site: Site, loc: str) -> None:
    with pytest.raises(SitemapperError, match="is outside https://example.com/docs/"):
        build(site({"a.html": ""}), base_url=f"{BASE}docs/", urls=[{"loc": BASE + loc}])


def test_sections_take_extra_urls_by_their_path(site: Site) -> None:
    root = site({"a.html": ""})
    extra = [{"loc": f"{BASE}docs/app/x"}, {"loc": f"{BASE}docs/y"}]
    build(root, base_url=f"{BASE}docs/", urls=extra, sitemaps=[{"name": "app", "match": ["/app/"]}])
    assert locs(root, "sitemap-app.xml") == [f"{BASE}docs/app/x"]


@pytest.mark.parametrize("value", [20260301, 2026, 1.5, True])
def test_numbers_are_no_dates(site: Site, value: Any) -> None:
    with pytest.raises(SitemapperError, match=r"rules\[0\]\.lastmod"):
        build(site({"a.html": ""}), rules=[{"match": ["*"], "lastmod": value}])


def test_robots_txt_of_the_site_is_followed_into_another_output(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "robots.txt": "User-agent: *\n"})
    build(root, output=str(tmp_path / "out"))
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    build(root, output=str(tmp_path / "out"))
    assert "Disallow: /private/" in (tmp_path / "out" / "robots.txt").read_text()


def test_the_guard_looks_only_at_dates_that_are_written(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(30)})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    assert not build(
        root, rules=[{"match": ["*"], "lastmod": "2025-01-01"}], dates={"guard": "error"}
    ).warnings
    os.utime(root / "0.html", (NOW.timestamp() + 9, NOW.timestamp() + 9))
    summary = build(
        root, rules=[{"match": ["0.html"], "list": False}, {"match": ["*"], "lastmod": "2025-01-01"}]
    )
    assert not summary.warnings


@POSIX
@pytest.mark.parametrize("name", ["robots.txt", ".sitemapignore", "_headers"])
def test_a_named_pipe_does_not_hang_the_run(site: Site, run: Run, name: str) -> None:
    root = site({"a.html": ""})
    os.mkfifo(root / name)
    command = [sys.executable, "-m", "sitemapper", "build", str(root), "--base-url", BASE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "not a regular file" in done.stderr and "Traceback" not in done.stderr


@POSIX
@pytest.mark.parametrize("name", ["robots.txt", "_redirects"])
def test_a_folder_that_is_called_like_a_small_file_is_named(site: Site, run: Run, name: str) -> None:
    root = site({"a.html": ""})
    (root / name).mkdir()
    assert run("build", root, "--base-url", BASE) == 2
    assert run.err == f"error: {root / name}: not a regular file\n"


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
def test_odd_configurations_end_in_a_sentence(site: Site, run: Run, tmp_path: Path, text: str) -> None:
    root = site({"a.html": ""})
    (tmp_path / "pyproject.toml").write_text(text)
    code = run("build", root, "--base-url", BASE)
    assert code == (0 if text == "tool = 3" else 2)
    assert all(line.startswith("error: pyproject.toml") for line in run.err.splitlines() if code)


@POSIX  # Windows has no such name
@pytest.mark.parametrize("line", ["\t", " \t ", "a\t", "\\t"])
def test_white_space_in_patterns_is_no_crash(site: Site, line: str) -> None:
    root = site({"a.html": "", "a\t.html": ""})
    (root / ".sitemapignore").write_text(line + "\n")
    assert build(root).listed == 2


def test_a_csv_cell_of_any_size_is_a_sentence(site: Site, tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("loc\n" + "x" * 200_000 + "\n")
    with pytest.raises(SitemapperError, match=r"big\.csv"):
        build(site({"a.html": ""}), extra=["big.csv"])


def test_what_crosses_to_workers_can_be_pickled(site: Site) -> None:
    from sitemapper.pipeline.pipeline import process
    from sitemapper.pipeline.plan import make_plan

    plan = make_plan(settings(site({"a.html": ""}), ignore=["b/"], hreflang=True), NOW)
    again = pickle.loads(pickle.dumps(plan))
    batch = pickle.loads(pickle.dumps(Batch([sitemapper.model.Page("a.html", 0, 0)], [], {})))
    assert process(batch, again) == process(batch, plan)


@pytest.mark.parametrize(
    ("left", "max_drop", "fits"), [(3, 70, True), (3, 69, False), (10, 0, True), (9, 0, False)]
)
def test_max_drop_is_exact(site: Site, left: int, max_drop: float, fits: bool) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    build(root)
    for n in range(left, 10):
        (root / f"{n}.html").unlink()
    if fits:
        assert build(root, max_drop=max_drop).listed == left
    else:
        with pytest.raises(SitemapperError, match="would be lost"):
            build(root, max_drop=max_drop)


def test_a_duplicate_url_that_ends_with_a_slash_is_no_folder(site: Site) -> None:
    summary = build(site({"about/index.html": ""}), urls=[{"loc": f"{BASE}about/"}])
    assert (summary.excluded, summary.pruned) == ({Reason.DUPLICATE: 1}, 0)


def test_the_list_of_what_was_left_out_is_no_page_and_destroys_nothing(site: Site, run: Run) -> None:
    root = site({"a.html": ""})
    assert run("build", root, "--base-url", BASE, "--excluded", root / "list.html") == 0
    assert paths(root) == ["a.html"]
    (root / "list.html").unlink()


def test_twins_by_the_thousand_take_no_square_of_time(site: Site) -> None:
    import time

    root = site({})
    for n in range(2000):
        (root / f"p{n}.html").write_text("")
        (root / f"p{n}").mkdir()
        (root / f"p{n}" / "index.html").write_text("")
    begun = time.monotonic()
    assert build(root, url_style="slash").listed == 2000
    assert time.monotonic() - begun < 20


def test_a_folder_called_index_html_owns_no_url(site: Site) -> None:
    root = site({"f.html": "", "f/index.html/x.html": ""})
    build(root, url_style="slash")
    assert paths(root) == ["f/", "f/index.html/x/"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01T12:00+0200", "2026-03-01T10:00:00+00:00"),
        ("2026-03-01 12:00:00 +0200", "2026-03-01T10:00:00+00:00"),
        ("2026/03/01", "2026-03-01"),
        ("20260301", "2026-03-01"),
    ],
)
def test_dates_that_have_one_meaning(text: str, expected: str) -> None:
    assert read(text, Writer()).text == expected


@pytest.mark.parametrize(("value", "expected"), [("0.80", "0.8"), (1, "1.0"), (0.55, "0.55"), (1e-05, "0.00001"), (".5", "0.5"), (-0.0, None), ("0_0.5", None), ("1e-1000000", None), ("nan", None), (1.01, None)])  # fmt: skip
def test_priorities_have_one_form(value: Any, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match="priority"):
            priority(value)
    else:
        assert priority(value) == expected


def test_an_empty_variable_is_not_set(site: Site, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": ""})
    monkeypatch.setenv("SITEMAPPER_OUTPUT", "")
    assert run("build", root, "--base-url", BASE) == 0
    assert (root / "sitemap.xml").exists()


def test_a_byte_order_mark_before_the_configuration(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_bytes(b"\xef\xbb\xbfstrict = true\n")
    assert settings(site({"a.html": ""})).strict is True


@POSIX
def test_a_site_reached_through_a_link_ignores_its_outputs_too(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    link = tmp_path / "link"
    link.symlink_to(root)
    for _ in range(2):
        summary = build(link, output=str(root), include=["*.html", "*.xml", "*.txt"])
    assert set(changed(summary).values()) == {"kept"}


@POSIX
def test_our_line_in_a_linked_robots_txt_is_enough(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    (tmp_path / "robots.txt").write_text(f"Sitemap: {BASE}sitemap.xml\n")
    (root / "robots.txt").symlink_to(tmp_path / "robots.txt")
    assert changed(build(root))["robots.txt"] == "kept"


def test_an_empty_site_with_an_index_names_one_empty_sitemap(site: Site) -> None:
    root = site({})
    options = settings(root, sitemap={"index": "always"}).model_copy(update={"allow_empty": True})
    sitemapper.build(options, now=NOW)
    assert locs(root) == [f"{BASE}sitemap-1.xml"]


def test_a_folder_that_does_not_exist_leaves_no_output_behind(tmp_path: Path) -> None:
    with pytest.raises(SitemapperError, match="does not exist"):
        build(tmp_path / "gone", output=str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_an_older_walk_does_not_publish_over_a_newer_one(site: Site) -> None:
    from sitemapper.output.lock import locked

    root = site({"a.html": ""})

    class Meddler(Listener):
        def walked(self, pages: int) -> None:
            with pytest.raises(SitemapperError, match="another run"), locked(str(root), wait=0.1):
                raise AssertionError("the walk holds no lock")

    sitemapper.build(settings(root), now=NOW, listener=Meddler())
