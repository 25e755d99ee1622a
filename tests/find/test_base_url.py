"""The base URL that nobody wrote, and what the built pages say of any."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site, build, write_site
from support.heads import canonical, head
from support.sitemaps import locs

# --- the places that may name one, in their order


def og_url(url: str) -> str:
    return head(f'<meta property="og:url" content="{url}">')


def told(run: Run, *flags: str) -> str:
    """The base URL of a build, with its origin. What the pages say is not compared with it."""
    assert run("build", "--dry-run", "--replace", "--no-respect", "canonical", *flags) == 0, run.err
    [line] = [line for line in run.out.splitlines() if line.startswith("  base_url ")]
    return line.removeprefix("  base_url ")


def test_the_first_place_that_names_a_base_url_counts(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_site(
        tmp_path,
        {
            "hugo.toml": "",
            "public/index.html": "<p>Tea.",
            "public/a.html": "<p>Pot.",
            "public/sitemap.xml": locs("https://sitemap.dev/", "https://sitemap.dev/a"),
        },
    )
    assert told(run) == "https://sitemap.dev/ (public/sitemap.xml)"
    write_site(tmp_path, {"public/index.html": og_url("https://og.dev/")})
    assert told(run) == "https://og.dev/ (the home page's og:url)"
    both = og_url("https://og.dev/") + canonical("https://canonical.dev/")
    write_site(tmp_path, {"public/index.html": both})
    assert told(run) == "https://canonical.dev/ (1 of 1 canonicals that were read)"
    monkeypatch.setenv("NETLIFY", "true")
    monkeypatch.setenv("URL", "https://netlify.dev")
    assert told(run) == "https://netlify.dev/ (environment: URL)"
    write_site(tmp_path, {"package.json": '{"homepage": "https://package.dev"}'})
    assert told(run) == "https://package.dev/ (package.json:1)"
    write_site(tmp_path, {"CNAME": "cname.dev"})
    assert told(run) == "https://cname.dev/ (CNAME)"
    write_site(tmp_path, {"public/CNAME": "site.dev"})
    assert told(run) == "https://site.dev/ (public/CNAME)"
    write_site(tmp_path, {"hugo.toml": "baseURL = 'https://setting.dev/'"})
    assert told(run) == "https://setting.dev/ (hugo.toml:1)"


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:4000/",
        "https://example.com/",
        "https://deploy-preview-7--tea.netlify.app/",
        "https://deploy-preview-7.tea.dev/",
        "https://feature--tea.netlify.app/",
        "https://tea-git-main-ann.vercel.app/",
        "https://0a1b2c3d.tea.pages.dev/",
        "https://tea--7.org.readthedocs.build/en/7/",
    ],
)
def test_this_machine_an_example_and_a_preview_are_passed_over(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    write_site(
        tmp_path,
        {
            "hugo.toml": f"baseURL = '{address}'",
            "public/index.html": canonical(address) + og_url(address),
            "public/sitemap.xml": locs(address),
        },
    )
    monkeypatch.setenv("READTHEDOCS", "True")
    monkeypatch.setenv("READTHEDOCS_CANONICAL_URL", address)
    assert run("build") == 2
    assert run.err.startswith(f"error: no base URL: hugo.toml:1: baseURL: {address} is ")
    assert f"; environment: READTHEDOCS_CANONICAL_URL: {address} is " in run.err
    assert f"; 1 of 1 canonicals that were read: {address} is " in run.err
    assert f"; the home page's og:url: {address} is " in run.err
    assert f"; public/sitemap.xml: {address} is " in run.err
    assert "; no CNAME or package.json names one\n" in run.err
    write_site(tmp_path, {"CNAME": "tea.pages.dev"})
    assert told(run) == "https://tea.pages.dev/ (CNAME)"


def test_another_sitemap_in_place_of_ours_is_said_with_the_missing_base_url(
    tmp_path: Path, run: Run
) -> None:
    write_site(tmp_path, {"index.html": "<p>", "sitemap.xml": locs("https://shop.dev/cup")})
    assert run("build", ".") == 2
    said = "; a build also needs --replace, because another tool wrote a sitemap there\n"
    assert run.err.endswith(said)


def test_a_site_that_was_built_for_this_machine_is_to_be_built_again(
    tmp_path: Path, run: Run
) -> None:
    """Another base URL would not fit its pages."""
    home = canonical("http://localhost:8080/")
    write_site(tmp_path, {"_site/index.html": home, "eleventy.config.js": ""})
    assert run("build") == 2
    assert run.err == (
        "error: no base URL: Eleventy has no setting for the address of a site, and no _data/site.json or "
        "_data/metadata.js sets url; "
        "1 of 1 canonicals that were read: http://localhost:8080/ is this machine; no CNAME, package.json, builder's environment, og:url "
        "or sitemap names one\n"
        "  help: build the site for the address at which visitors see it\n"
    )


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (
            {"VERCEL": "1", "VERCEL_PROJECT_PRODUCTION_URL": "tea.dev"},
            "https://tea.dev/ (environment: VERCEL_PROJECT_PRODUCTION_URL)",
        ),
        (
            {"READTHEDOCS": "True", "READTHEDOCS_CANONICAL_URL": "https://tea.dev/en/latest/"},
            "https://tea.dev/en/latest/ (environment: READTHEDOCS_CANONICAL_URL)",
        ),
        ({"VERCEL": "1", "URL": "https://tea.dev"}, ""),  # another builder's variable
        ({"URL": "https://tea.dev"}, ""),
        ({"NETLIFY": "true", "URL": "https://"}, ""),
        ({"NETLIFY": "true", "URL": "https://exa mple.com"}, ""),
    ],
)
def test_the_environment_of_a_builder(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], expected: str
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    write_site(
        tmp_path,
        {"docusaurus.config.js": "export default {baseUrl: here()}", "build/index.html": "<p>"},
    )
    if expected:
        assert told(run) == expected
    else:
        assert run("build") == 2
        assert run.err.startswith("error: no base URL: baseUrl is not a literal at ")


def test_cname_does_not_count_without_the_path_of_the_settings(tmp_path: Path, run: Run) -> None:
    write_site(
        tmp_path,
        {
            "docusaurus.config.js": "export default {url: 'https://tea.dev', baseUrl: here()}",
            "CNAME": "tea.dev",
            "build/index.html": "<p>Tea.",
        },
    )
    assert run("build") == 2
    assert run.err.startswith(
        "error: no base URL: baseUrl is not a literal at docusaurus.config.js:1; no builder's environment, "
        "canonical, og:url or sitemap names one\n"
    )
    write_site(tmp_path, {"build/index.html": canonical("https://tea.dev/docs/")})
    assert told(run) == "https://tea.dev/docs/ (1 of 1 canonicals that were read)"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"index.html": "https://tea.dev/docs", "a.html": "https://tea.dev/docs/a/"}, "2 of 2"),
        ({"index.html": "https://tea.dev/docs/index.html", "a.html": ""}, "1 of 1"),
        # Articles that appeared elsewhere first.
        (
            {
                "index.html": "https://tea.dev/docs/",
                "a.html": "https://tea.dev/docs/a.html",
                "b.html": "https://paper.dev/ann/b-7",
            },
            "2 of 3",
        ),
        ({"index.html": "https://tea.dev/docs/", "a.html": "https://paper.dev/a.html"}, ""),
        ({"index.html": "", "a.html": "https://paper.dev/a.html"}, ""),
        ({"index.html": "/docs/", "a.html": "/docs/a.html"}, ""),
    ],
)
def test_the_canonical_of_the_home_page_counts_if_most_agree(
    tmp_path: Path, run: Run, files: dict[str, str], expected: str
) -> None:
    pages = {name: canonical(url) if url else "<p>" for name, url in files.items()}
    write_site(tmp_path, {f"public/{name}": text for name, text in pages.items()})
    if expected:
        assert told(run) == f"https://tea.dev/docs/ ({expected} canonicals that were read)"
    else:
        assert run("build") == 2
        assert run.err.startswith("error: no base URL: no setting, ")


def test_the_home_page_may_redirect_and_pages_that_redirect_do_not_count(
    tmp_path: Path, run: Run
) -> None:
    """Antora's home page does, and so does each alias of Hugo."""
    base = "https://tea.dev/docs/"
    stub = head(
        f'<meta http-equiv="refresh" content="0; url=1.0/"><link rel="canonical" href="{base}1.0/">'
    )
    pages = {f"public/1.0/p{n}.html": canonical(f"{base}1.0/p{n}.html") for n in range(3)}
    old = {f"public/old{n}/index.html": stub for n in range(9)}
    home = {"public/index.html": stub, "public/1.0/index.html": canonical(f"{base}1.0/")}
    write_site(tmp_path, home | pages | old)
    assert run("build") == 0
    assert f"base_url {base} (4 of 4 canonicals that were read)" in run.out
    assert run("init") == 0
    assert f"base_url: {base}, from 4 of 4 canonicals that were read" in run.out


def test_the_canonicals_of_a_version_that_name_another_give_it_no_base_url(
    tmp_path: Path, run: Run
) -> None:
    home = canonical("https://tea.dev/latest/")
    versions = '[{"version": "1.0", "title": "1.0", "aliases": []}]'
    write_site(
        tmp_path, {"versions.json": versions, "1.0/index.html": home, "latest/index.html": home}
    )
    assert run("build", "latest") == 0
    assert run("build", "1.0") == 2
    assert run("build", "1.0", "--base-url", "https://tea.dev/1.0/") == 2
    assert "1 canonical elsewhere" in run.err


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://tea.dev", "https://tea.dev/"),
        ("https://tea.dev/shop/", "https://tea.dev/shop/"),
        ("https://tea.dev/a", ""),  # another page of the site
        # More folders than are looked at.
        (f"https://tea.dev/{40 * 'a/'}", f"https://tea.dev/{40 * 'a/'}"),
        ("/", ""),
    ],
)
def test_og_url_of_the_home_page(tmp_path: Path, run: Run, url: str, expected: str) -> None:
    write_site(tmp_path, {"public/index.html": og_url(url), "public/a.html": "<p>"})
    if expected:
        assert told(run) == f"{expected} (the home page's og:url)"
    else:
        assert run("build") == 2


def test_og_url_of_the_home_page_in_a_folder(tmp_path: Path, run: Run) -> None:
    stub = '<meta http-equiv="refresh" content="0; url=en/">'
    write_site(tmp_path, {"index.html": stub, "en/index.html": og_url("https://tea.dev/en/")})
    assert told(run) == "https://tea.dev/ (the home page's og:url)"


def test_our_own_sitemap_does_not_hold_a_site_at_its_old_address(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"public/index.html": "<p>Tea."})
    monkeypatch.chdir(root)
    for address in ("https://old.dev/", "https://tea.dev/"):
        (root / "hugo.toml").write_text(f'baseURL = "{address}"\n')
        assert run("build", "--max-drop", "100") == 0, run.err
        assert f"base_url {address}" in run.out


def test_other_commands_read_the_base_url_of_a_build_in_its_sitemap(
    tmp_path: Path, run: Run
) -> None:
    """A build does not: it would keep an old address."""
    write_site(tmp_path, {"index.html": "<p>Tea."})
    assert run("check") == 2
    assert run("build", "--base-url", "https://tea.dev/") == 0
    assert run("check") == 0
    assert "  base_url https://tea.dev/ (sitemap.xml)\n" in run.out
    assert run("explain", "index.html") == 0
    assert "https://tea.dev/  (sitemap.xml)" in run.out
    assert run("build") == 2
    assert run("init") == 0
    assert "base_url: https://tea.dev/, from sitemap.xml\n" in run.out


# --- what the built pages say of it

ROOT, DOCS, CUP = "https://site.test/", "https://site.test/docs/", "https://cup.test/"
NAMES = ("index.html", "a.html", "b/index.html", "b/\u00e9.html")
HOME, *OTHERS = NAMES


def canonicals(base: str, *names: str) -> dict[str, str]:
    paths = {name: name.removesuffix("index.html").removesuffix(".html") for name in names}
    return {name: canonical(base + path) for name, path in paths.items()}


def of_canonicals(base: str, count: str) -> str:
    return f"the canonicals name {base} ({count})"


# The base URL, the site, and what it says instead, "" if the base URL fits.
CASES: dict[str, tuple[str, dict[str, str], str]] = {
    "relative": (ROOT, canonicals("/docs/", *NAMES), of_canonicals(DOCS, "4 of 4")),
    "another scheme": (DOCS, canonicals("http://site.test/docs/", *NAMES), ""),
    "most": (
        ROOT,
        canonicals(CUP, *NAMES[:3]) | canonicals(ROOT, *NAMES[3:]),
        of_canonicals(CUP, "3 of 4"),
    ),
    "half": (ROOT, canonicals(CUP, *NAMES[:2]) | canonicals(ROOT, *NAMES[2:]), ""),
    "the home page's": (
        ROOT,
        canonicals(CUP, HOME) | dict.fromkeys(OTHERS, ""),
        of_canonicals(CUP, "1 of 1"),
    ),
    # An article that appeared elsewhere first, where other pages have no canonical.
    "an article's": (ROOT, canonicals(CUP, "a.html") | {HOME: "", "b/index.html": ""}, ""),
    "of other pages": (
        ROOT,
        canonicals(ROOT, HOME) | dict.fromkeys(OTHERS, canonical("https://paper.test/ann/7")),
        of_canonicals("https://paper.test/", "3 of 4"),
    ),
    "of pages in a folder": (
        ROOT,
        canonicals(f"{ROOT}b/", "index.html", "a.html") | {"b/index.html": "", "b/a.html": ""},
        "",
    ),
    "with a query": (ROOT, dict.fromkeys(NAMES, canonical(f"{ROOT}?page=1")), ""),
    "of pages that redirect": (
        ROOT,
        {
            name: f'<meta http-equiv="refresh" content="0; url={CUP}">{text}'
            for name, text in canonicals(CUP, *OTHERS).items()
        }
        | {HOME: "<p>"},
        "",
    ),
    "og:url": (ROOT, {HOME: og_url(CUP)}, f"the home page's og:url names {CUP}"),
    "og:url of the same": (ROOT, {HOME: og_url(f"{ROOT}index.html")}, ""),
    "og:url of another page": (ROOT, {HOME: og_url(f"{ROOT}a"), "a.html": ""}, ""),
    "canonicals before og:url": (ROOT, {HOME: canonical(ROOT) + og_url(CUP)}, ""),
    "a sitemap": (
        ROOT,
        {HOME: "<p>", "sitemap.xml": locs(CUP)},
        f"public/sitemap.xml names {CUP}",
    ),
    "a sitemap of the same": (
        ROOT,
        {HOME: "<p>", "sitemap.xml": locs("http://www.site.test/")},
        "",
    ),
    "og:url before a sitemap": (ROOT, {HOME: og_url(ROOT), "sitemap.xml": locs(CUP)}, ""),
    "a feed, robots.txt, CNAME and links": (
        ROOT,
        {
            HOME: "<p>" + "".join(f'<a href="{CUP}{name}">x</a>' for name in NAMES),
            "robots.txt": f"Sitemap: {CUP}x.xml\n",
            "feed.xml": f"<rss><channel><item><link>{CUP}</link></item></channel></rss>",
            "CNAME": "cup.test",
        },
        "",
    ),
}


@pytest.mark.parametrize(("base", "files", "said"), CASES.values(), ids=CASES)
def test_a_base_url_that_the_pages_do_not_name(
    site: Site,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    base: str,
    files: dict[str, str],
    said: str,
) -> None:
    """One that was found is an error, one that was written gets a warning."""
    root = site({f"public/{name}": text for name, text in files.items()})
    (root / "public" / "x.html").write_text("<p>Listed at any base URL.")
    (root / "hugo.toml").write_text(f'baseURL = "{base}"\n')
    monkeypatch.chdir(root)
    expected = (
        f"the base URL is {base} (hugo.toml:1: baseURL), but {said}, so nothing was published"
    )
    assert run("build", "--replace", "--max-drop", "100", "--dry-run") == (2 if said else 0)
    assert (expected in run.err) is bool(said)
    written = f"base_url may be wrong: it is {base}, but {said}"
    assert run("build", "--replace", "--base-url", base) == 0, run.err
    assert (written in run.err) is bool(said)


@pytest.mark.parametrize(
    ("other", "help"),
    [
        (CUP, f"pass the right one as --base-url, or build the site again for {ROOT}"),
        ("http://localhost:1313/", f"build the site again for {ROOT}"),
    ],
)
def test_no_preview_and_no_local_address_is_advised(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch, other: str, help: str
) -> None:
    root = site({f"public/{name}": text for name, text in canonicals(other, *NAMES).items()})
    (root / "hugo.toml").write_text(f'baseURL = "{ROOT}"\n')
    monkeypatch.chdir(root)
    assert run("build") == 2
    assert run.err.endswith(f"so nothing was published\n  help: {help}\n")


def test_where_canonicals_are_not_respected_nothing_is_compared(site: Site) -> None:
    root = site(canonicals(CUP, *NAMES))
    assert build(root, respect={"canonical": False}).warnings == ()


def test_where_all_canonicals_are_below_another_base_url_the_error_names_it(
    site: Site, run: Run
) -> None:
    assert run("build", site(canonicals(f"{BASE}tea/", *NAMES)), "--base-url", BASE) == 2
    assert run.err.endswith(
        "no page to list (excluded: 4 canonical elsewhere; --dry-run --excluded - lists them), so nothing was "
        f"published\n  help: correct base_url, or build the site again for it: it is {BASE}, but the canonicals name "
        f"{BASE}tea/ (4 of 4); --max-drop 100 publishes an empty sitemap\n"
    )


def test_a_missing_site_is_reported_before_the_base_url(tmp_path: Path, run: Run) -> None:
    """The folder in the file is misspelt, which may be why no base URL was found."""
    write_site(tmp_path, {"public/index.html": "<p>Tea."})
    (tmp_path / "sitemapper.toml").write_text('site = "publik"\n')
    assert run("build") == 2
    assert "sitemapper.toml:1: site: " in run.err
    assert "publik: does not exist" in run.err
    assert "no base URL" not in run.err
