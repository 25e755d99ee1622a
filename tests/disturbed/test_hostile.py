"""Trees that nobody would build: whatever lies in a site, a run ends, and reads nothing outside of it."""

from __future__ import annotations

import os
import re
import shutil
import sys
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


def well_formed(root: Path) -> None:
    """Every XML file that lies there; an entry is ASCII."""
    found = sorted(root.glob("sitemap*.xml"))
    assert found
    for path in found:
        expat.ParserCreate().Parse(path.read_bytes(), True)
        assert all(re.fullmatch(f"{BASE}[!-~]*", loc) for loc in locs(root, path.name))


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


def test_folders_four_hundred_deep(tmp_path: Path, run: Run) -> None:
    pages = ["d/" * depth + "p.html" for depth in range(400)]
    root = write_site(tmp_path / "public", dict.fromkeys(pages, "<p>"))
    for depth in range(1, 400):
        os.symlink("../p.html", root / ("d/" * depth + "up.html"))
    flags = [root, "--base-url", BASE]
    assert run("build", *flags) == 0
    well_formed(root)
    assert len(locs(root)) == 400 + 399
    assert run("check", *flags) == 0
    assert run("explain", pages[30], "--site", *flags) == 0


YEAR_10_000 = 253_402_300_800
TIMES = [-(2**40), -(2**31) - 1, -1, 0, 1, 2**31, 2**32, YEAR_10_000 - 1, YEAR_10_000, 2**40, 2**55]


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="a file system that keeps any time")
@pytest.mark.parametrize("lastmod", ["", "mtime"])
def test_times_that_no_calendar_has(tmp_path: Path, run: Run, lastmod: str) -> None:
    flags = ["--lastmod", lastmod, "--ledger", tmp_path / "ledger"] if lastmod else []
    root = Path("/dev/shm") / f"times-{os.getpid()}"
    pages = [f"{n:02}/{n}.html" for n in range(len(TIMES))]
    try:
        write_site(root, dict.fromkeys(pages, "<p>"))
        for page, seconds in zip(pages, TIMES, strict=True):
            os.utime(root / page, (seconds, seconds))
        assert len({os.stat(root / page).st_mtime_ns for page in pages}) > 6
        assert run("build", root, "--base-url", BASE, *flags) == 0, run.err
        assert len(locs(root)) == len(TIMES)
        well_formed(root)
        dates = re.findall("<lastmod>(.*?)<", (root / "sitemap.xml").read_text())
        assert all(re.fullmatch(r"(19|20)\d\d-.*", date) for date in dates)
        for command in (["check", root], *(["explain", page, "--site", root] for page in pages)):
            assert run(*command, "--base-url", BASE, *flags) == 0
        for zone in ({"timezone": "Europe/Berlin"}, {"date_only": True}):
            build(root, dates=zone)
    finally:
        shutil.rmtree(root)
