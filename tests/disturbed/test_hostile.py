"""Trees that nobody would build: whatever lies in a site, a run ends, and reads nothing outside of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.parsers import expat

import pytest
from support import BASE, POSIX, Run, build, locs, write_site

pytestmark = [
    POSIX,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux"),
]

ENTRY = re.compile(r"https://example\.com/[!-~]*")


def well_formed(root: Path) -> None:
    """Every XML file that lies there; an entry is ASCII."""
    found = sorted(root.glob("sitemap*.xml"))
    assert found
    for path in found:
        expat.ParserCreate().Parse(path.read_bytes(), True)
        assert all(ENTRY.fullmatch(loc) for loc in locs(root, path.name))


NAMES = [
    b"line\nbreak.html", b"cr\rlf\n.html", b'"quotes\'.html', b"]]>.html", b"<!--.html", b"--><url>.html", b"&amp;.html",
    b"&#0;.html", b"%41.html", b"%.html", b"%zz.html", b"?q=1.html", b"#part.html", b";a=b.html", b"\\.html", b" .html",
    b"\t.html", b"-flag.html", b"--output=x.html", b"\x01\x02\x1b[31m.html", b"\x7f.html", b"\xff\xfe.html",
    b"\xc3\xa9.html", b"e\xcc\x81.html", b"\xed\xa0\x80.html", b"\xef\xbf\xbf.html", b"\xe2\x80\xae.html",
    b"\xf4\x8f\xbf\xbf.html", b"\xf4\x90\x80\x80.html", b"\xc0\xaf.html", b"~.html", b"*.html", b"[a].html", b"!.html",
    b"http:.html", b"C:.html", b"..html.html", b"...html", b"a" * 250 + b".html", b"\xc2\x85.html", b"\xe2\x80\xa8.html",
]  # fmt: skip
HEADS = [
    "<p>", "\0", "<title>]]></title>", '<link rel=canonical href="]]>&#0;\1">', "<link rel=canonical href='http://['>",
    '<link rel=alternate hreflang="]]>" href="/\x01<">', '<link rel=alternate hreflang=de href="//[::1">',
    "<link rel=canonical href='https://example.com:99999999999/'>", "<base href='http://[/'><link rel=canonical href=x>",
    '<meta http-equiv=refresh content="0;url=http://[">', "<meta charset=utf-16><title>x", "<meta charset=\ud800>",
]  # fmt: skip


@pytest.mark.parametrize(
    "flags", [[], ["--url-style", "clean", "--config", "sitemap = { text = true, max_urls = 7 }"]]
)
@pytest.mark.parametrize("ledger", [False, True])
def test_names_and_heads_of_any_bytes(
    tmp_path: Path, run: Run, flags: list[str], ledger: bool
) -> None:
    root = tmp_path / "public"
    folders = [b"", b"]]>/", b"\xff\n/", b"a\x1b/"]
    names = [folder + name for folder in folders for name in NAMES]
    heads = [HEADS[n % len(HEADS)].encode("utf-8", "surrogatepass") for n in range(len(names))]
    write_site(root, {os.fsdecode(name): head for name, head in zip(names, heads, strict=True)})
    (tmp_path / "sitemapper.toml").write_text("hreflang = true\nimages = true\n")
    kept = ["--ledger", tmp_path / "ledger"] if ledger else []
    more = [root, "--base-url", BASE, *flags, *kept]
    assert run("build", *more, "--excluded", "-", "--changes", tmp_path / "changes") == 0
    assert (run.out + run.err).replace("\n", "").replace("\t", "").isprintable()
    listed = run.out.partition(f"{BASE}sitemap.xml")[2]
    assert f"{len(names) - run.out.partition(BASE)[0].count(chr(10)):,} pages listed" in listed
    well_formed(root)
    if not flags:
        paths = [unquote_to_bytes(loc.removeprefix(BASE)) for loc in locs(root)]
        assert set(paths) <= set(names) and len(paths) > 100
    assert run("check", *more, "--max-drop", "100") == 0, run.out
    for name in [folders[n % 4] + name for n, name in enumerate(NAMES)]:
        code = run("explain", os.fsdecode(b"./" + name), "--site", root, *more[1:])
        assert code == 0, (name, run.err)
        assert run.out.replace("\n", "").isprintable()
    assert run("validate", root) == 0, run.out


DEPTH = 400


@pytest.fixture(params=["d", "d" * 100], ids=["short", "longer than any path"])
def deep(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Folders in folders, made step by step, because no path may be that long."""
    root = write_site(tmp_path / "public", {"a.html": "<p>"})
    place = os.open(root, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir(request.param, dir_fd=place)
        below = os.open(request.param, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
        page = os.open("p.html", os.O_CREAT | os.O_WRONLY, dir_fd=place)
        os.write(page, b"<p>")
        os.close(page)
        os.symlink("../p.html", "up.html", dir_fd=place)
    os.close(place)
    yield root
    subprocess.run(["rm", "-rf", root], check=True)


def test_folders_four_hundred_deep(deep: Path, run: Run) -> None:
    flags = [deep, "--base-url", BASE]
    if not (deep / "d").exists():  # pages would be lost
        assert run("build", *flags) == 2
        assert "cannot be listed: File name too long" in run.err
        return
    assert run("build", *flags, "--excluded", "-") == 0
    well_formed(deep)
    listed = locs(deep)
    assert f"{BASE}a.html" in listed
    # Each has a link to the page above.
    assert len(listed) == 1 + DEPTH + DEPTH - 1
    assert run("check", *flags) == 0
    target = "/".join(["d"] * 30) + "/p.html"
    assert run("explain", target, "--site", *flags) == 0


@pytest.mark.parametrize("mode", [0, 0o111, 0o444])
def test_folders_and_pages_that_are_closed(closed_to_us: Path, run: Run, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:  # fmt: skip
    monkeypatch.chdir(closed_to_us)
    root = write_site(
        closed_to_us / "site", {"a.html": "<p>", "closed/b.html": "<p>", "c.html": "<p>"}
    )
    (root / "link.html").symlink_to("closed/b.html")
    (root / "closed").chmod(mode)
    (root / "c.html").chmod(0)
    try:
        if mode != 0o444:  # the folder cannot be listed, so its pages would be lost
            assert run("build", "site", "--base-url", BASE) == 2
            assert "closed/: cannot be listed: Permission denied" in run.err
            assert 'ignore = ["/closed/"]' in run.err
            return
        assert run("build", "site", "--base-url", BASE) == 0
        assert "1 page cannot be read and so is not listed: c.html (Permission denied)" in run.err
        well_formed(root)
        assert run("check", "site", "--base-url", BASE) == 0
        for target in ("a.html", "closed/", "closed/b.html", "c.html", "link.html"):
            code = run("explain", target, "--site", "site", "--base-url", BASE)
            assert code in (0, 2) and (code == 0 or run.err.startswith("error: ")), target
    finally:
        (root / "closed").chmod(0o755)
    assert [loc for loc in locs(root) if loc.endswith("c.html")] == []


BEFORE_1970 = [-(2**40), -(2**31) - 1, -1]
YEAR_10_000 = 253_402_300_800
TIMES = [*BEFORE_1970, 0, 1, 2**31, 2**32, YEAR_10_000 - 1, YEAR_10_000, 2**40, 2**55]


@pytest.mark.skipif(
    not os.path.isdir("/dev/shm"), reason="a file system that keeps times of any size"
)
@pytest.mark.parametrize(
    "flags", [[], ["--lastmod", "mtime", "--ledger", "ledger"]], ids=["plain", "ledger"]
)
def test_times_that_no_calendar_has(tmp_path: Path, run: Run, flags: list[str]) -> None:
    root = Path("/dev/shm") / f"times-{os.getpid()}"
    try:
        write_site(root, {f"{n:02}/{n}.html": "<p>" for n in range(len(TIMES))})
        for n, seconds in enumerate(TIMES):
            os.utime(root / f"{n:02}/{n}.html", (seconds, seconds))
            os.utime(root / f"{n:02}", (seconds, seconds))
        kept = {os.stat(root / f"{n:02}/{n}.html").st_mtime_ns for n in range(len(TIMES))}
        assert len(kept) > 6
        for more in ([], ["--config", "respect = { noindex = false, canonical = false, refresh = false }"]):  # fmt: skip
            assert run("build", root, "--base-url", BASE, *flags, *more) == 0, run.err
            assert len(locs(root)) == len(TIMES)
            assert run("check", root, "--base-url", BASE, *flags, *more) == 0
        well_formed(root)
        assert all(re.fullmatch(r"(19|20)\d\d-.*", date) for date in re.findall("<lastmod>(.*?)<", (root / "sitemap.xml").read_text()))  # fmt: skip
        for n in range(len(TIMES)):
            assert (
                run("explain", f"{n:02}/{n}.html", "--site", root, "--base-url", BASE, *flags) == 0
            )
        build(root, dates={"timezone": "Europe/Berlin"})
        build(root, dates={"date_only": True})
    finally:
        shutil.rmtree(root)
