"""What is published: which files, with which names, and what is in them."""

from __future__ import annotations

import gzip
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.rooms import BASE, changes, page, publish, write

from sitemapper.config import Settings, load
from sitemapper.hosts.host import Host
from sitemapper.messages import SitemapperError
from sitemapper.model import Entry, Found, Origin, Plan, Site, UrlForms, Values
from sitemapper.protocol import MARK
from sitemapper.publish.robots import sitemap_lines, with_sitemap
from sitemapper.publish.sitemaps import sitemap_files
from sitemapper.read.sitemap import read_sitemap

PAGES = "index.html a.html b/index.html blog/1.html blog/2.html"
BLOG = [{"name": "blog", "match": ["blog/"]}]
NEWS = f"<urlset><url><loc>{BASE}n</loc><lastmod>2026-01-02</lastmod></url></urlset>"


def text(root: Path, name: str) -> str:
    """A file of the output, unpacked."""
    data = (root / name).read_bytes()
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode()


def locs(root: Path, name: str) -> str:
    """The URLs in a sitemap, below the base URL, with blanks between; the home page is `.`."""
    found = read_sitemap((root / name).read_bytes())
    return " ".join(entry.loc.removeprefix(BASE) or "." for entry in found)


# --- Files and their names


@pytest.mark.parametrize(
    ("sitemap", "sections", "files"),
    [
        ({}, [], {"sitemap.xml": ". a.html b/ blog/1.html blog/2.html"}),
        (
            {"max_urls": 2},
            [],
            {
                "sitemap-1.xml": ". a.html",
                "sitemap-2.xml": "b/ blog/1.html",
                "sitemap-3.xml": "blog/2.html",
                "sitemap.xml": "sitemap-1.xml sitemap-2.xml sitemap-3.xml",
            },
        ),
        (
            {"index": "always"},
            [],
            {
                "sitemap-1.xml": ". a.html b/ blog/1.html blog/2.html",
                "sitemap.xml": "sitemap-1.xml",
            },
        ),
        (
            {"name": "map.xml", "max_urls": 4},
            [],
            {
                "map-1.xml": ". a.html b/ blog/1.html",
                "map-2.xml": "blog/2.html",
                "map.xml": "map-1.xml map-2.xml",
            },
        ),
        (
            {},
            BLOG,
            {
                "sitemap-1.xml": ". a.html b/",
                "sitemap-blog.xml": "blog/1.html blog/2.html",
                "sitemap.xml": "sitemap-1.xml sitemap-blog.xml",
            },
        ),
        (
            {"max_urls": 1, "gzip": "only"},
            [*BLOG, {"name": "all", "match": ["*"]}],
            {
                "sitemap-blog.xml.gz": "blog/1.html",
                "sitemap-blog-2.xml.gz": "blog/2.html",
                "sitemap-all.xml.gz": ".",
                "sitemap-all-2.xml.gz": "a.html",
                "sitemap-all-3.xml.gz": "b/",
                "sitemap.xml": "sitemap-blog.xml.gz sitemap-blog-2.xml.gz sitemap-all.xml.gz "
                "sitemap-all-2.xml.gz sitemap-all-3.xml.gz",
            },
        ),
        (
            {"gzip": "also"},
            [],
            {
                "sitemap.xml": ". a.html b/ blog/1.html blog/2.html",
                "sitemap.xml.gz": ". a.html b/ blog/1.html blog/2.html",
            },
        ),
        (
            {"gzip": "only", "text": True},
            [],
            {
                "sitemap-1.xml.gz": ". a.html b/ blog/1.html blog/2.html",
                "sitemap.xml": "sitemap-1.xml.gz",
                "sitemap.txt.gz": ". a.html b/ blog/1.html blog/2.html",
            },
        ),
        (
            {"max_urls": 3, "text": True},
            BLOG,
            {
                "sitemap-1.xml": ". a.html b/",
                "sitemap-blog.xml": "blog/1.html blog/2.html",
                "sitemap.xml": "sitemap-1.xml sitemap-blog.xml",
                "sitemap-1.txt": ". a.html b/",
                "sitemap-2.txt": "blog/1.html blog/2.html",
            },
        ),
        (
            {"others": ["news.xml", f"{BASE}far.xml"]},
            [],
            {
                "sitemap-1.xml": ". a.html b/ blog/1.html blog/2.html",
                "sitemap.xml": "sitemap-1.xml news.xml far.xml",
            },
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_files(
    tmp_path: Path, sitemap: dict[str, object], sections: list[object], files: dict[str, str]
) -> None:
    root = write(tmp_path, PAGES)
    write(root, {"news.xml": NEWS})
    robots = {"write": False}
    summary = publish(root, sitemap=sitemap, sitemaps=sections, robots=robots)
    assert [file.name for file in summary.plan.files] == list(files)
    assert {name: locs(root, name) for name in files} == files
    assert summary.plan.sitemap == BASE + sitemap.get("name", "sitemap.xml")
    # The law: a second build writes nothing.
    again = publish(root, sitemap=sitemap, sitemaps=sections, robots=robots)
    assert not again.plan.is_changed
    assert (again.plan.changes, again.plan.gone, again.plan.previous) == ((), (), 5)


def test_the_bytes_of_an_entry(tmp_path: Path) -> None:
    link = '<link rel="alternate" hreflang="{}" href="{}">'
    de = link.format("de", "https://de.example/?a=1&b='2'")
    en = link.format("en", f"{BASE}q&amp;r's.html")
    root = write(tmp_path, {"q&r's.html": page(de + en, "<main><img src='i.png?a&b'></main>")})
    rules = [{"match": "*", "lastmod": "2026-05", "changefreq": "weekly", "priority": 0.5}]
    publish(root, hreflang=True, images=True, rules=rules, sitemap={"text": True})
    loc = f"{BASE}q&amp;r&apos;s.html"
    assert text(root, "sitemap.xml") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<!-- sitemapper wrote this file; its next run will replace it -->\n"
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
        ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
        "<!-- sitemapper wrote the text form too: .txt -->\n"
        f"<url><loc>{loc}</loc><lastmod>2026-05</lastmod><changefreq>weekly</changefreq>"
        "<priority>0.5</priority>"
        '<xhtml:link rel="alternate" hreflang="de" '
        'href="https://de.example/?a=1&amp;b=&apos;2&apos;"/>'
        f'<xhtml:link rel="alternate" hreflang="en" href="{BASE}q&amp;r&apos;s.html"/>'
        f"<image:image><image:loc>{BASE}i.png?a&amp;b</image:loc></image:image></url>\n</urlset>\n"
    )
    assert text(root, "sitemap.txt") == f"{BASE}q&r's.html\n"


def test_the_bytes_of_an_index(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html b.html c.html")
    write(root, {"news.xml": NEWS})
    rules = [
        {"match": "a.html", "lastmod": "2026-03-02"},
        {"match": "b.html", "lastmod": "2026-03-01T23:00:00-05:00"},
    ]
    sitemap = {"max_urls": 2, "others": ["news.xml"], "text": True, "schema_location": True}
    publish(root, rules=rules, sitemap=sitemap)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    assert text(root, "sitemap.xml") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<!-- sitemapper wrote this file; its next run will replace it -->\n"
        f'<sitemapindex xmlns="{space}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        f' xsi:schemaLocation="{space} {space}/siteindex.xsd">\n'
        "<!-- sitemapper wrote the text form too: -1.txt -2.txt -->\n"
        f"<sitemap><loc>{BASE}sitemap-1.xml</loc>"
        "<lastmod>2026-03-02T04:00:00+00:00</lastmod></sitemap>\n"
        f"<sitemap><loc>{BASE}sitemap-2.xml</loc></sitemap>\n"
        "<!-- sitemaps of other tools -->\n"
        f"<sitemap><loc>{BASE}news.xml</loc><lastmod>2026-01-02</lastmod></sitemap>\n"
        "</sitemapindex>\n"
    )


def test_gzip_has_no_time_and_is_judged_by_its_contents(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html")
    publish(root, sitemap={"gzip": "also"})
    packed = root / "sitemap.xml.gz"
    assert packed.read_bytes()[4:10] == b"\0\0\0\0\0\xff"
    packed.write_bytes(gzip.compress(gzip.decompress(packed.read_bytes()), 1, mtime=5))
    assert not publish(root, sitemap={"gzip": "also"}).plan.is_changed
    packed.write_bytes(packed.read_bytes()[:-9])  # damaged
    assert "updated sitemap.xml.gz" in changes(
        publish(root, sitemap={"gzip": "also"}, replace=True)
    )


# --- Where to cut


def entries(lengths: list[int], section: str = "") -> list[Entry]:
    return [
        Entry(None, f"{BASE}{number:05}{'x' * length}", values=Values(section=section))
        for number, length in enumerate(lengths)
    ]


@given(
    st.lists(st.integers(0, 200), max_size=60),
    st.integers(1, 9),
    st.integers(1_000, 2_000),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_shards_joined_give_the_input_and_no_two_could_be_one(
    lengths: list[int], max_urls: int, max_bytes: int, is_stable: bool
) -> None:
    strategy = "stable" if is_stable else "sequential"
    sitemap = {"max_urls": max_urls, "max_bytes": max_bytes, "strategy": strategy}
    options = Settings.model_validate({"sitemap": {**sitemap, "index": "always"}})
    listed = entries(lengths)
    *shards, index = sitemap_files(listed, options, "sitemap.xml", BASE)
    assert [entry for shard in shards for entry in shard.entries or ()] == listed
    assert len({shard.name for shard in shards}) == len(shards)
    read = [entry.loc for shard in shards for entry in read_sitemap(shard.data)]
    assert read == [entry.loc for entry in listed]
    assert [entry.loc for entry in read_sitemap(index.data)] == [BASE + s.name for s in shards]
    for shard in shards:
        assert len(shard.data) <= max_bytes
        assert len(shard.entries or ()) <= max_urls
    for one, two in pairwise(shards):
        row = len(f"<url><loc>{two.entries[0].loc}</loc></url>\n") if two.entries else 0
        assert len(one.data) + row > max_bytes or len(one.entries or ()) == max_urls


URLS = st.text("ab&'%~()*+,;=:@!$-._/", max_size=9).map(BASE.__add__)
ENTRIES = st.builds(
    Entry,
    st.none(),
    URLS,
    st.sampled_from([None, "2026", "2026-03-01", "2026-03-01T12:00:00+01:00"]),
    values=st.builds(
        Values,
        st.sampled_from([None, "weekly"]),
        st.sampled_from([None, "0.5"]),
        section=st.just(""),
    ),
    alternates=st.lists(st.tuples(st.sampled_from(["de", "x-default"]), URLS), max_size=2).map(
        tuple
    ),
    images=st.lists(URLS, max_size=2).map(tuple),
)


@given(st.lists(ENTRIES, max_size=9))
@settings(max_examples=100, deadline=None)
def test_what_is_read_is_what_was_rendered(listed: list[Entry]) -> None:
    options = Settings.model_validate({"hreflang": True, "images": True})
    [file] = sitemap_files(listed, options, "sitemap.xml", BASE)
    read = [(one.loc, one.lastmod, one.alternates, one.images) for one in read_sitemap(file.data)]
    assert read == [(one.loc, one.lastmod or "", one.alternates, one.images) for one in listed]
    for one, entry in zip(listed, read_sitemap(file.data, is_strict=True), strict=True):
        texts = {element.name: element.text for element in entry.elements}
        assert texts.get("changefreq") == one.values.changefreq
        assert texts.get("priority") == one.values.priority


def test_fifty_thousand_urls_and_one_more() -> None:
    for number, names in ((50_000, ["s.xml"]), (50_001, ["s-1.xml", "s-2.xml", "s.xml"])):
        files = sitemap_files(entries([0] * number), Settings(), "s.xml", BASE)
        assert [file.name for file in files] == names


def test_a_stable_shard_ends_before_a_url_that_its_hash_chooses() -> None:
    """A page more or less changes only the shard that it is in. The first 1,000 never end one."""
    options = Settings.model_validate({"sitemap": {"strategy": "stable"}})
    listed = entries([1] * 60_000)
    before = {one.name: one.data for one in sitemap_files(listed, options, "s.xml", BASE)}
    assert all(re.fullmatch(r"s(-[0-9a-f]{12})?\.xml", name) for name in before)
    sizes = [data.count(b"<url>") for data in before.values()]
    assert len(sizes) > 3
    assert min(sizes[:-2]) >= 1_000
    without = [entry for number, entry in enumerate(listed) if number != 30_000]
    after = {one.name: one.data for one in sitemap_files(without, options, "s.xml", BASE)}
    assert [name for name in before if before[name] != after.get(name)] != []
    assert len([name for name in before if before[name] != after.get(name)]) == 1


@pytest.mark.parametrize(
    ("sitemap", "error"),
    [
        ({"max_bytes": 1_000}, r"max_bytes leaves 8\d\d bytes, too few for one URL"),
        ({"others": ["no.xml"]}, r"no\.xml: does not exist"),
        ({"others": ["https://b.example/n.xml"]}, r"is not below https://tea\.example/"),
        ({"others": ["index.xml"]}, r"index\.xml: is an index"),
        ({"others": ["a.html"]}, r"a\.html:1: "),
    ],
)
def test_what_cannot_be_written_is_an_error(
    tmp_path: Path, sitemap: dict[str, object], error: str
) -> None:
    index = f"<sitemapindex><sitemap><loc>{BASE}b.xml</loc></sitemap></sitemapindex>"
    long = f"{'ü' * 90}/{'ü' * 90}.html"
    root = write(tmp_path, {"a.html": page(), "index.xml": index, long: page()})
    with pytest.raises(SitemapperError, match=error):
        publish(root, sitemap=sitemap)
    assert not (root / "sitemap.xml").exists()


# --- Names, and which files are ours


@pytest.mark.parametrize(
    ("files", "sitemap", "name"),
    [
        ({}, {}, "sitemap.xml"),
        ({}, {"name": "b.xml"}, "b.xml"),
        ({"map.xml": MARK}, {}, "map.xml"),
        ({"map.xml": MARK}, {"name": "b.xml"}, "b.xml"),
        # The section `blog` is not set any more.
        ({"map.xml": MARK, "map-blog.xml": MARK}, {}, "map.xml"),
        # Shards that a killed first run left are no main sitemaps.
        ({"sitemap-1.xml": MARK, "sitemap-0123456789ab.xml": MARK}, {}, "sitemap.xml"),
        ({"map-1.xml": NEWS, "robots.txt": f"Sitemap: {BASE}map-1.xml\n"}, {}, "map-1.xml"),
        ({"robots.txt": f"Sitemap: {BASE}gone.xml\n"}, {}, "sitemap.xml"),
        (
            {"map.xml": NEWS, "index.html": page("<link href='/map.xml' rel='sitemap'>")},
            {},
            "map.xml",
        ),
        ({"index.html": page("<link href='/map.xml' rel='sitemap'>")}, {}, "sitemap.xml"),
        (
            {
                "../astro.config.mjs": "",
                "sitemap-index.xml": f"<sitemapindex><sitemap><loc>{BASE}sitemap-0.xml</loc>"
                "</sitemap></sitemapindex>",
                "sitemap-0.xml": f"<urlset><url><loc>{BASE}a.html</loc></url></urlset>",
            },
            {},
            "sitemap-index.xml",
        ),
    ],
)
def test_the_name_of_the_main_sitemap(
    tmp_path: Path, files: dict[str, str | bytes], sitemap: dict[str, object], name: str
) -> None:
    root = write(tmp_path / "dist", {"index.html": page(), "a.html": page()})
    write(root, files)
    summary = publish(tmp_path, "dist", sitemap=sitemap, replace=True)
    assert summary.before.name == name
    assert locs(root, name) == ". a.html"
    # The second build finds the same one.
    again = publish(tmp_path, "dist", sitemap=sitemap)
    assert (again.before.name, again.plan.is_changed) == (name, False)


def test_stale_files_of_ours_go_and_no_others(tmp_path: Path) -> None:
    root = write(tmp_path, PAGES)
    write(root, {"sitemap-8.xml": NEWS, "sitemap-7.txt": f"{BASE}\n"})
    publish(root, sitemaps=BLOG, sitemap={"max_urls": 1, "text": True, "gzip": "also"})
    write(root, {"sitemap-9.xml": MARK, "sitemap-no.xml": MARK})  # the first of a killed run
    before = set(os.listdir(root))
    summary = publish(root, sitemap={"gzip": "also"})
    removed = before - set(os.listdir(root))
    shards = [f"sitemap-{number}.xml" for number in (1, 2, 3, 9)]
    shards += ["sitemap-blog.xml", "sitemap-blog-2.xml"]
    shards += [f"sitemap-{number}.txt" for number in range(1, 6)]
    expected = {name + ending for name in shards for ending in ("", ".gz")} - {"sitemap-9.xml.gz"}
    assert removed == expected
    assert {f.name for f in summary.plan.files if f.change == "removed"} == expected
    assert {"sitemap-7.txt", "sitemap-8.xml", "sitemap-no.xml"} <= set(os.listdir(root))


@pytest.mark.parametrize(
    ("site", "output", "error"),
    [
        ("public", "public/maps", r"a sitemap in maps/ may only list URLs below .*example/maps/"),
        ("public", "public/a.html", r"a\.html: cannot be used as the output"),
        ("public", "maps", None),
        ("public", "public", None),
    ],
)
def test_a_sitemap_lists_what_is_at_or_below_its_folder(
    tmp_path: Path, site: str, output: str, error: str | None
) -> None:
    write(tmp_path, "public/a.html")
    if error:
        with pytest.raises(SitemapperError, match=error):
            publish(tmp_path, site, output=output)
        return
    publish(tmp_path, site, output=output)
    assert locs(tmp_path / output, "sitemap.xml") == "a.html"


# --- robots.txt, the key, the ledger

LINE = f"Sitemap: {BASE}sitemap.xml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"{LINE}\n"),
        ("", f"{LINE}\n"),
        ("User-agent: *\nDisallow: /x", f"User-agent: *\nDisallow: /x\n{LINE}\n"),
        ("\ufeffUser-agent: *\r\n", f"\ufeffUser-agent: *\r\n{LINE}\r\n"),
        (
            f"sitemap:{BASE}sitemap.xml # ours\rDisallow:",
            f"sitemap:{BASE}sitemap.xml # ours\rDisallow:",
        ),
        (f"Sitemap: {BASE}other.xml\n", f"Sitemap: {BASE}other.xml\n{LINE}\n"),
        ("A: b\nSitemap: s.xml\nC: d\n", f"A: b\nSitemap: s.xml\nC: d\n{LINE}\n"),
        (
            "Sitemap: http://www.tea.example/sitemap.xml # x\n",
            "Sitemap: http://www.tea.example/sitemap.xml # x\n" + LINE + "\n",
        ),
        (f"Sitemap: {BASE}docs/sitemap.xml", f"Sitemap: {BASE}docs/sitemap.xml\n{LINE}\n"),
    ],
)
def test_robots_txt_gets_one_line_and_keeps_every_other_byte(
    tmp_path: Path, before: str | None, after: str
) -> None:
    root = write(tmp_path, "a.html")
    if before is not None:
        write(root, {"robots.txt": before})
    publish(root)
    assert (root / "robots.txt").read_bytes() == after.encode()
    assert not publish(root).plan.is_changed


@given(
    st.lists(
        st.sampled_from([b"Sitemap: ", BASE.encode(), b"sitemap.xml", b"\n", b"\r", b"#", b"\xff"])
    )
)
@example([b"Sitemap: ", b"Sitemap: ", BASE.encode(), b"sitemap.xml"])
@settings(max_examples=200, deadline=None)
def test_edits_of_robots_txt_are_idempotent_and_only_add_a_line(pieces: list[bytes]) -> None:
    before = b"".join(pieces)
    loaded = load({}, "/", {}, (), {"base_url": BASE})
    found = Found(loaded, "/", "/", None, (), (), None, Origin(""))
    site = Site(found, Host("none"), BASE, Origin(""), "", UrlForms(), Origin(""))
    plan = Plan(site, f"{BASE}sitemap.xml", ())
    after = with_sitemap(before, plan)
    assert with_sitemap(after, plan) == after
    assert plan.sitemap in sitemap_lines(after)
    assert after.startswith(before)
    assert after.removeprefix(before).replace(b"\r\n", b"\n") in (
        b"",
        f"{LINE}\n".encode(),
        f"\n{LINE}\n".encode(),
    )


def test_the_line_of_a_sitemap_that_is_gone_is_replaced(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html")
    publish(root, base_url="https://old.example/")
    publish(root, flags={"max_drop": 100.0})
    assert (root / "robots.txt").read_text() == f"{LINE}\n"
    publish(root, base_url="http://tea.example/")
    assert (root / "robots.txt").read_text() == "Sitemap: http://tea.example/sitemap.xml\n"


@pytest.mark.parametrize(
    "url", ["http://localhost:3000/sitemap.xml", "https://deploy-preview-7--x.netlify.app/s.xml"]
)
def test_a_line_that_names_no_real_host_is_a_warning(tmp_path: Path, url: str) -> None:
    root = write(tmp_path, {"a.html": page(), "robots.txt": f"Sitemap: {url}\n"})
    [message] = [one for one in publish(root).plan.messages if one.code == "robots-line"]
    assert url in message.text


def test_below_a_path_the_line_for_the_root_is_said_once(tmp_path: Path) -> None:
    root = write(tmp_path, "a.html")
    first = publish(root, base_url=f"{BASE}docs/")
    assert [one.help for one in first.plan.messages] == [
        f"add the line there: Sitemap: {BASE}docs/sitemap.xml"
    ]
    assert not (root / "robots.txt").exists()
    assert publish(root, base_url=f"{BASE}docs/").plan.messages == ()
    silent = publish(root, base_url=f"{BASE}docs/", previous="none", robots={"write": False})
    assert silent.plan.messages == ()


def test_the_key_is_published(tmp_path: Path) -> None:
    key = "0123456789abcdef"
    root = write(tmp_path, "a.html")
    assert f"created {key}.txt" in changes(publish(root, submit={"key": key}))
    assert text(root, f"{key}.txt") == key
