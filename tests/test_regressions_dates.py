"""What reviewers and newcomers found in dates, the ledger and the cache; each must stay mended."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from cached import LEDGER, NOW, cached
from conftest import MTIME, POSIX, Run, Site, settings, write_site
from test_changes import changes
from test_git import MAPS, Repo, dates, day
from test_ledger import page, pages

import sitemapper
from sitemapper import SitemapperError
from sitemapper.lastmod.content import digest, rule
from sitemapper.lastmod.git import compile_map

NOINDEX = '<html><head><meta name="robots" content="noindex"></head><body>'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


def test_a_branch_that_a_merge_discarded_dates_nothing(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    repo("checkout", "-q", "-b", "side")
    repo.commit(5, {"content/a.md": "discarded"})
    repo("checkout", "-q", "main")
    repo.commit(3, {"content/a.md": "three"})
    repo("merge", "-q", "-s", "ours", "--no-edit", "side", number=6)
    assert dates(repo.root, "a/index.html") == {"a/": day(3)}


def test_a_change_of_mode_is_no_change(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    repo("update-index", "--chmod=+x", "content/a.md")
    repo("commit", "-q", "-m", "x", number=9)
    assert dates(repo.root, "a/index.html") == {"a/": day(1)}


def test_a_rename_on_one_branch_and_an_edit_on_the_other(repo: Repo) -> None:
    text = "some text\n" * 20
    repo.commit(1, {"old/a.md": text})
    repo("checkout", "-q", "-b", "side")
    repo.commit(2, {"old/a.md": text + "edited"})
    repo("checkout", "-q", "main")
    (repo.root / "content").mkdir()
    repo("mv", "old/a.md", "content/a.md")
    repo("commit", "-q", "-m", "x", number=3)
    repo("merge", "-q", "--no-edit", "side", number=7)
    assert dates(repo.root, "a/index.html") == {"a/": day(2)}


def test_a_parent_whose_clock_was_ahead(repo: Repo) -> None:
    repo.commit(20, {"content/a.md": "one", "content/b.md": "b"})
    repo.commit(10, {"content/a.md": "second"})
    assert dates(repo.root, "a/index.html", "b/index.html") == {"a/": day(10), "b/": day(20)}


def test_a_text_that_came_back_is_as_old_as_its_return(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    repo.commit(2, {"content/a.md": "second"})
    repo.commit(3, {"content/a.md": "one"})
    assert dates(repo.root, "a/index.html") == {"a/": day(3)}


def test_a_commit_without_a_date(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    commit = repo("cat-file", "commit", "HEAD").replace("x <x@y> 1767225600 +0000", "x <x@y> ")
    (repo.root / "raw").write_text(commit)
    made = repo("hash-object", "-t", "commit", "-w", "--literally", "raw").strip()
    repo("reset", "-q", "--hard", made)
    assert dates(repo.root, "a/index.html") == {"a/": None}


def test_a_template_name_that_is_none() -> None:
    assert compile_map("{1}/index.html", ["{1}.md"]).names("{1}/index.html") == ["{1}.md"]


@pytest.mark.parametrize(
    "key", [("diff.orderFile", "order"), ("diff.algorithm", "patience"), ("log.date", "iso")]
)
def test_more_settings_of_the_user_do_not_disturb(repo: Repo, key: tuple[str, str]) -> None:
    repo.commit(1, {"content/a.md": "one", "order": "zzz"})
    repo("config", *key)
    assert dates(repo.root, "a/index.html") == {"a/": day(1)}


def test_a_site_of_git_that_is_emptied_and_has_maps(repo: Repo) -> None:
    repo.commit(1, {"content/../README.md": "x"})
    assert dates(repo.root, "a/index.html", git={"map": MAPS}) == {"a/": None}


def test_a_page_that_is_written_again_with_size_and_times_as_they_were(site: Site) -> None:
    root = site(pages("a", "b"))
    cached(root, **LEDGER)
    for name, text in pages("a", "b", a="t3xt").items():
        os.unlink(root / name)
        (root / name).write_text(text)
        n = "ab".index(name[0])
        os.utime(root / name, (MTIME + 3600 * n, MTIME + 3600 * n))
    summary = cached(root, **LEDGER)
    assert [file.change.value for file in summary.files if file.name == "sitemapper.ledger"] == ["updated"]


@POSIX
def test_a_page_that_is_closed_to_us_now(closed_to_us: Path) -> None:
    root = closed_to_us / "public"
    root.mkdir()
    write_site(root, pages("a", "b"))
    assert cached(root).listed == 2
    os.chmod(root / "a.html", 0)
    assert cached(root).listed == 1


OUTSIDE = {
    "an extra URL's file": ({"a.html": "<p>", "dr/app.html": "<p>"}, {"urls": [{"loc": "https://example.com/dr/app.html"}]}, "dr/app.html", NOINDEX),
    "a canonical's file": ({"a.html": '<html><head><link rel="canonical" href="/dr/b.html"></head><body>', "b.html": "<p>", "dr/b.html": "<p>"}, {}, "dr/b.html", None),
    "a sitemap that robots.txt names": ({"a.html": "<p>", "dr/sitemap.xml": "x", "robots.txt": "Sitemap: https://example.com/dr/sitemap.xml\n"}, {}, "dr/sitemap.xml", None),
}  # fmt: skip


@pytest.mark.parametrize(("files", "values", "name", "text"), OUTSIDE.values(), ids=OUTSIDE)
def test_files_outside_the_walk_are_asked_each_time(
    site: Site, files: dict[str, str], values: dict[str, object], name: str, text: str | None
) -> None:
    root = site(files)
    values = {**values, "ignore": ["dr/"]}
    cached(root, **values)
    before = cached(root, **values)
    os.unlink(root / name)
    if text:
        (root / name).write_text(text)
    after = cached(root, **values)
    assert (after.listed, after.warnings) != (before.listed, before.warnings)
    assert after.warnings == sitemapper.build(settings(root, **values), now=NOW).warnings


def test_a_page_from_the_far_future(site: Site) -> None:
    root = site({"a.html": "<p>"})
    os.utime(root / "a.html", (10_413_792_000, 10_413_792_000))  # 2300
    assert [w[0].name for w in cached(root).warnings] == ["FUTURE"]


class FullDisk:
    """The `os` of the cache, where nothing can be put in its place any more."""

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def replace(self, *_: object) -> None:
        raise OSError(28, "No space left on device")


def test_a_cache_on_a_full_disk_is_a_note(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": "<p>"})
    monkeypatch.setattr("sitemapper.pages.cache.os", FullDisk())
    summary = cached(root)
    assert (root / "sitemap.xml").exists()
    assert any(note.startswith("the cache cannot be written") for note in summary.notes)
    assert [path for path in (root.parent / "cache").iterdir() if path.suffix != ".run"] == []


def test_packing_changes_no_url(site: Site) -> None:
    root = site({f"{n}.html": "<p>" for n in range(6)})
    for n, packed in enumerate(("no", "also", "only", "also", "no")):
        found = changes(root, sitemap={"gzip": packed, "max_urls": 2})
        assert found == [] or n == 0


def test_an_empty_site_is_told_alike_with_and_without_a_cache(site: Site) -> None:
    root = site({"a.html": NOINDEX})
    empty = settings(root).model_copy(update={"allow_empty": True})
    for _ in range(2):
        found = sitemapper.build(empty, now=NOW, cache=str(root.parent / "cache"))
    assert found == sitemapper.build(empty, now=NOW)
    assert found.previous == 0


def test_one_selector_does_not_swallow_the_next() -> None:
    for first in ('[a="b', "p /*", "b\\"):
        try:
            by = rule([first, "i"])
        except ValueError:
            continue
        assert digest(b"<main>text<i>1</i>", by) == digest(b"<main>text<i>2</i>", by)


@pytest.mark.parametrize(
    "page",
    ["<main>" + "<header>" * 29_000, "<main><img src='" + "_a1" * 100_000 + ".png'>"],
    ids=["headers", "a long name"],
)
def test_odd_pages_cost_no_minutes(page: str) -> None:
    begun = time.monotonic()
    digest(page.encode(), rule([]))
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    "names",
    [
        "IMG_0001.jpg IMG_0002.jpg",
        "x-fig_0001.png x-fig_0002.png",
        "version1.png version2.png",
        "x-20240101_final.png x-20250101_final.png",
    ],
)
def test_another_picture_is_another_content(names: str) -> None:
    first, second = (f'<main><img src="/a-{name}">'.encode() for name in names.split())
    assert digest(first, rule([])) != digest(second, rule([]))


def test_no_home_no_cache(site: Site, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object, **__: object) -> str:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("platformdirs.user_cache_dir", homeless)
    assert run("build", site({"a.html": "<p>"}), "--base-url", "https://example.com") == 0


def test_two_runs_may_not_keep_one_ledger_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from sitemapper.output.lock import locked

    root = site(pages("a"))
    monkeypatch.setattr("sitemapper.output.lock.WAIT", 0.1)
    monkeypatch.setattr("sitemapper.output.write.locked", lambda folder: locked(folder, wait=0.1))
    with locked(str(root.parent)), pytest.raises(SitemapperError, match="another run"):
        cached(root, now=NOW + timedelta(1), **LEDGER)


def test_content_that_changed_before_its_commit_has_no_old_date(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    values = {"lastmod": ["ledger", "git"]}
    site_page = {"public/a/index.html": page("a")}
    write_site(repo.root, site_page)
    assert dates_of(repo, **values) == {"a/": day(1)}
    write_site(repo.root, {"public/a/index.html": page("a", "edited")})
    assert dates_of(repo, **values) == {"a/": None}
    repo.commit(8, {"content/a.md": "edited"})
    assert dates_of(repo, **values) == {"a/": day(8)}


def dates_of(repo: Repo, **values: object) -> dict[str, str | None]:
    from test_git import load
    from test_ledger import dates as written

    (repo.root / ".git/info/exclude").write_text("public\nsitemapper.ledger\n")
    load(repo.root, **values)
    return written(repo.root / "public")


def test_a_day_on_which_a_page_changed_twice(site: Site) -> None:
    values = {"lastmod": ["ledger", "mtime"], "dates": {"date_only": True}}
    root = site(pages("a", "b"))
    for n, text in enumerate(("one", "two", "three")):
        write_site(root, pages("a", a=text), mtime=MTIME + n)
        summary = sitemapper.build(settings(root, **values), now=NOW)
        assert sum(summary.dated.values()) == 2


@pytest.mark.parametrize(
    ("maps", "said"),
    [
        (
            [{"page": "{path}/index.html", "source": ["contnet/{path}.md"]}],
            "leads to no source that is in git, such as contnet/a.md",
        ),
        (
            [{"page": "{path}.htm", "source": ["content/{path}.md"]}],
            "leads to no source that is in git; no page fits a template",
        ),
        ([], "no page of the site is in git; tell by [[git.map]]"),
    ],
)
def test_templates_that_find_nothing_are_told(repo: Repo, maps: list[dict[str, object]], said: str) -> None:
    from test_git import load

    repo.commit(1, {"content/a.md": "one"})
    write_site(repo.root / "public", {"a/index.html": "<p>"})
    (warning,) = load(repo.root, git={"map": maps}).warnings
    assert said in warning[2][0]


def test_a_page_that_is_listed_no_more_is_removed_where_the_ledger_stands_in(site: Site) -> None:
    root = site(pages("a", "b", "c"))
    values = {"lastmod": ["ledger", "mtime"]}
    changes(root, **values)
    os.unlink(root / "sitemap.xml")
    assert changes(root, **values, rules=[{"match": ["a.html"], "list": False}]) == ["-a.html"]
    assert "\tunlisted\n" in (root.parent / "sitemapper.ledger").read_text()
    os.unlink(root / "sitemap.xml")
    assert changes(root, **values) == ["+a.html"]


def test_a_dry_run_tells_that_the_ledgers_folder_is_missing(site: Site, run: Run) -> None:
    command = ("build", site(pages("a")), "--base-url", "https://example.com", "--ledger", "gone/x.ledger")
    for more in ((), ("--dry-run",)):
        assert run(*command, *more) == 2
        assert run.err.endswith("/gone: is no folder; create it, or change [ledger] path or --ledger\n")


def test_a_list_that_is_a_folder(site: Site, run: Run, tmp_path: Path) -> None:
    assert run("build", site(pages("a")), "--base-url", "https://example.com", "--changes", tmp_path) == 2
    assert run.err == f"error: --changes: {tmp_path}: is a folder; name a file\n"


def test_a_table_where_a_list_of_tables_belongs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text(
        'base_url = "https://example.com"\n[git.map]\npage = "x"\nsource = ["y"]\n'
    )
    assert run("build") == 2
    assert run.err == "error: sitemapper.toml:2: git.map: must be a list of tables: write [[git.map]]\n"


def test_init_finds_the_site_beside_the_project_file(run: Run, tmp_path: Path) -> None:
    write_site(
        tmp_path, {"docs/conf.py": "extensions = ['sphinx.ext.x']", "docs/_build/html/index.html": "<p>"}
    )
    assert run("init") == 0
    assert "site: docs/_build/html\n" in run.out


def test_the_summary_tells_who_dated_what(site: Site, run: Run) -> None:
    root = site({"a.html": '<meta name="date" content="2024-05-01">', "b.html": "<p>", "c.html": "<p>"})
    command = ("build", root, "--base-url", "https://example.com")
    assert run(*command, "--lastmod", "page", "--lastmod", "mtime") == 0
    assert "  3 dated (2 mtime, 1 page)\n" in run.out
    assert run(*command, "--lastmod", "page") == 0
    assert "  1 dated (1 page)\n" in run.out
    assert run("explain", "b.html", "--site", *command[1:], "--lastmod", "page") == 0
    assert "lastmod     none  (no answer from page)\n" in run.out
