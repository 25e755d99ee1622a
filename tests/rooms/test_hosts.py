"""What hosts do with pages: by recorded answers of their engines, and by their files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from sitemapper.files import ancestors
from sitemapper.hosts import find_host, published_folders
from sitemapper.hosts.host import Host
from sitemapper.model import Origin, Reason
from sitemapper.syntax.urls import in_form, is_folder_page, quote_path

BASE = "https://example.com/"
DATA = Path(__file__).parents[1] / "data" / "hosts"
# Without the hosts that are not known any more, and the rules of Firebase, which are not read.
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(DATA.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
    if case["host"] not in ("apache", "azure")
    and not (case["host"] == "firebase" and case["name"].startswith(("rules", "chains")))
]
Files = Mapping[str, str | bytes]


def write(root: Path, files: Files) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def host_of(
    root: Path, files: Files, host: str = "auto", base_url: str = BASE, **environment: str
) -> tuple[Host, list[str]]:
    """The host of the site in `dist` of a repository, and its warnings."""
    write(root, {".git/HEAD": "", "dist/index.html": "<p>", **files})
    site = str(root / "dist")
    origin = None if host == "auto" else Origin("sitemapper.toml", 1)
    found, messages = find_host(site, host, origin, base_url, environment, ancestors(site))
    return found, [message.text for message in messages]


# What the host answers otherwise at these paths, and why the new core does not know it.
UNKNOWN_HERE = {
    # A rewrite (200) takes no page.
    ("cloudflare", "rules"): {"h.html"},
    ("cloudflare", "chains"): {"lost.html", "$x.html"},
    # Workers redirect to the escapes of `+`, `&`, `;`, `@` and `$`.
    ("cloudflare", "names"): {"c++.html", "a&b.html", "semi;colon.html", "at@sign.html"},
    # Look-aheads and other expressions of path-to-regexp are not understood.
    ("vercel", "rules"): {"e/index.html", "e/f.html"},
    # A header that takes back an earlier noindex is not read.
    ("vercel", "chains"): {"up.html", "x.html/index.html", "blog/2024/01/post.html"},
    # Names that end twice, whose URLs `cleanUrls` redirects again, and names with a dot, whose
    # slash `trailingSlash` takes away.
    ("vercel", "names"): {"x.html.html", "a.b.html", "release-1.2.3.html", "v1.0/index.html"},
}


@pytest.mark.parametrize("case", CASES)
def test_a_page_is_at_the_url_at_which_the_engine_of_the_host_shows_it(
    case: dict[str, Any], tmp_path: Path
) -> None:
    files = {f"dist/{name}": text for name, text in case["files"].items()}
    project = {}
    for name, text in case["project"].items():
        project[name] = text.replace('"public"', '"dist"').replace('"dist": ', '"public": ')
    host, _ = host_of(tmp_path, {**files, **project})
    assert host.name == case["host"]
    unknown = UNKNOWN_HERE.get((case["host"], case["name"].partition(",")[0]), set())
    judged = 0
    for name in case["pages"]:
        stem = name.removesuffix("/index.html").removesuffix(".html")
        has_both = {f"{stem}.html", f"{stem}/index.html"} <= set(case["pages"])
        if has_both or name in unknown or name.endswith("404.html"):
            continue  # which of the two is shown is not known; an error page is no page
        forms = host.forms
        assert forms
        form = (forms.folder if is_folder_page(name) else forms.page)[0]
        url = "/" + quote_path(in_form(name, form))
        answer = case["answers"][url]
        if host.move_at(url):
            assert answer != name
        elif host.header_at(url, 1_800_000_000):  # netlify-cli does not send those of folders
            assert answer == f"!{name}" or (host.name == "netlify" and url.endswith("/"))
        else:
            assert answer == name
        judged += 1
    assert judged > len(case["pages"]) // 3


NETLIFY = {"netlify.toml": ""}
PAGES = {"wrangler.toml": 'pages_build_output_dir = "dist"'}
WORKER = {"wrangler.toml": 'main = "worker.js"'}
CRONS = {"vercel.json": '{"crons": [{"path": "/api", "schedule": "5 5 * * *"}]}'}
WORKFLOW = {".github/workflows/pages.yml": "steps:\n- uses: actions/deploy-pages@v4\n"}


@pytest.mark.parametrize(
    ("files", "base_url", "environment", "name", "origin"),
    [
        (NETLIFY, BASE, {}, "netlify", "netlify.toml"),
        (PAGES, BASE, {}, "cloudflare", "wrangler.toml"),
        ({"wrangler.jsonc": '{"assets": {"directory": "dist",}, /* ours */}'}, BASE, {}, "cloudflare", "wrangler.jsonc"),
        ({"vercel.json": "{}"}, BASE, {}, "vercel", "vercel.json"),
        ({"firebase.json": '{"hosting": {"public": "dist"}}'}, BASE, {}, "firebase", "firebase.json"),
        # What does not describe this site shows no host.
        ({**NETLIFY, **WORKER}, BASE, {}, "netlify", "netlify.toml"),
        ({**NETLIFY, **CRONS, "firebase.json": "{}"}, BASE, {}, "netlify", "netlify.toml"),
        ({"netlify.toml": '[build]\npublish = "other"'}, BASE, {}, "none", "None"),
        ({"netlify.toml": '[build]\nbase = "a"\npublish = "dist"'}, BASE, {}, "netlify", "netlify.toml"),
        ({"firebase.json": '{"hosting": {"public": "other"}}'}, BASE, {}, "none", "None"),
        ({"firebase.json": '{"hosting": [{"public": "a"}, {"public": "dist"}]}'}, BASE, {}, "none", "None"),
        ({"other.toml": ""}, BASE, {}, "none", "None"),
        # The nearest folder decides, up to the root of the repository.
        ({**NETLIFY, "dist/vercel.json": "{}"}, BASE, {}, "vercel", "vercel.json"),
        ({"../netlify.toml": ""}, BASE, {}, "none", "None"),
        # Signs count where there is no file of a host; leftovers of another host do not count.
        ({"dist/CNAME": "www.example.com"}, BASE, {}, "github", "CNAME"),
        (WORKFLOW, BASE, {}, "github", ".github/workflows/pages.yml"),
        ({**WORKFLOW, "dist/_redirects": "/a /b"}, BASE, {}, "github", ".github/workflows/pages.yml"),
        ({".github/workflows/test.yml": "jobs:"}, BASE, {}, "none", "None"),
        ({".gitlab-ci.yml": "pages:\n  script: make\n"}, BASE, {}, "gitlab", ".gitlab-ci.yml"),
        ({".gitlab-ci.yml": "build:\n  script: make pages: 1\n"}, BASE, {}, "none", "None"),
        ({"CNAME": "", **NETLIFY}, BASE, {}, "netlify", "netlify.toml"),
        # The domain comes before files, the builder before the domain.
        (NETLIFY, "https://ann.github.io/tea/", {}, "github", "base_url"),
        (NETLIFY, "https://agithub.io/", {}, "netlify", "netlify.toml"),
        (NETLIFY, "https://tea.gitlab.io/", {"VERCEL": "1"}, "vercel", "VERCEL"),
        ({}, "", {"CF_PAGES": "1"}, "cloudflare", "CF_PAGES"),
        ({}, "", {"WORKERS_CI": "1"}, "cloudflare", "WORKERS_CI"),
        ({}, "", {"NETLIFY": "true"}, "netlify", "NETLIFY"),
        ({}, "", {"NETLIFY": "false", "VERCEL": "0", "CF_PAGES": ""}, "none", "None"),
    ],
)  # fmt: skip
def test_one_host_or_none(
    tmp_path: Path,
    files: Files,
    base_url: str,
    environment: dict[str, str],
    name: str,
    origin: str,
) -> None:
    host, warnings = host_of(tmp_path / "project", files, base_url=base_url, **environment)
    assert (host.name, str(host.origin), warnings) == (name, origin, [])
    assert host.is_certain is bool(environment and name != "none")
    assert (host.forms is None) is (name == "none")


def test_the_setting_comes_before_all(tmp_path: Path) -> None:
    host, _ = host_of(tmp_path, NETLIFY, host="cloudflare", VERCEL="1")
    assert (host.name, str(host.origin), host.is_certain) == (
        "cloudflare",
        "sitemapper.toml:1",
        True,
    )
    none, _ = host_of(tmp_path, {"dist/_headers": "/a\n  X-Robots-Tag: noindex"}, host="none")
    assert (none.name, none.forms, none.header_at("/a", 1_800_000_000)) == ("none", None, None)


R, C, N, D = Reason.REDIRECT, Reason.CLOSED, Reason.NOINDEX, Reason.DUPLICATE


@pytest.mark.parametrize(
    ("host", "redirects", "path", "action", "target"),
    [
        # Cloudflare: a redirect comes before the file, and paths are compared exactly.
        ("cloudflare", "/old /new", "/old", R, "/new"),
        ("cloudflare", "/old /new 301", "/OLD", None, ""),
        ("cloudflare", "/old /new 301", "/old/", None, ""),
        ("cloudflare", "/blog/* /b/:splat 301", "/blog/", R, "/b/"),
        ("cloudflare", "/blog/* /b/:splat 301", "/blog", None, ""),
        ("cloudflare", "/a/:x/* https://b.example/:x?q=:splat&:y", "/a/b/c/d", R, "https://b.example/b?q=c/d&:y"),
        ("cloudflare", "/old /new\t# 302 x", "/old", R, "/new"),
        ("cloudflare", "/é\u3000b /c", "/%C3%A9", None, ""),  # a blank, and no target
        ("cloudflare", "/%c3%a9 /c", "/%C3%A9", R, "/c"),
        ("cloudflare", "/é /c", "/%C3%A9", R, "/c"),
        # What is no rule there takes no page.
        ("cloudflare", "/old /new 301!", "/old", None, ""),
        ("cloudflare", "/old /new 404", "/old", None, ""),
        ("cloudflare", "/old new", "/old", None, ""),
        ("cloudflare", "/:a/:a /new", "/x/y", None, ""),
        ("cloudflare", "/a/*/*/b /new", "/a/x/y/b", None, ""),
        ("cloudflare", "/a:x:y /new", "/abc", None, ""),
        ("cloudflare", "/* /index.html 200", "/a", None, ""),
        # The first rule for a path decides; a rewrite takes no page.
        ("cloudflare", "/old /new 200\n/old /newer", "/old", None, ""),
        ("cloudflare", "/old /new\n/old /newer", "/old", R, "/new"),
        ("netlify", "/a /b 301\n/A/ /c 301!", "/a", None, ""),
        # Netlify: only a forced redirect hides a file; case and a final slash do not count.
        ("netlify", "/old /new 301", "/old", None, ""),
        ("netlify", "/old /new 301!", "/OLD/", R, "/new"),
        ("netlify", "/old/* /new/:splat 302!", "/OLD/Tea/B", R, "/new/Tea/B"),
        ("netlify", "/a/* /new 301!", "/a", R, "/new"),
        ("netlify", "/a/* /new 301!", "/ab", None, ""),
        ("netlify", "/a/*/b /new 301!", "/a/b/", R, "/new"),
        ("netlify", "/a/*/b/ /new 301!", "/A/x/y/B", R, "/new"),
        ("netlify", "//a//b /new 301!", "/a/b", R, "/new"),
        ("netlify", "/gone /404.html 410!", "/gone", C, "/404.html"),
        ("netlify", "/old /new 200!", "/old", None, ""),
        ("netlify", "/a new 301!", "/a", None, ""),
        ("netlify", "/a id=:id /b 301!", "/a", None, ""),
        ("netlify", "/a /b 302! Country=de\n/a /c 301!", "/a", R, "/c"),
        ("netlify", "https://example.com/a /new 301!", "/a", R, "/new"),
        ("netlify", "https://x.netlify.com/* https://example.com/:splat 301!", "/a", None, ""),
        ("netlify", "/* /404.html 404\n/* /index.html 200", "/a", None, ""),
        # No redirect of GitLab, GitHub and unknown hosts takes a page.
        ("gitlab", "/old /new 301!", "/old", None, ""),
        ("github", "/old /new 301!", "/old", None, ""),
        ("auto", "/old /new 301!", "/old", None, ""),
    ],
)  # fmt: skip
def test_what_a_line_of_redirects_does_with_a_page(
    tmp_path: Path, host: str, redirects: str, path: str, action: Reason | None, target: str
) -> None:
    found, warnings = host_of(tmp_path, {"dist/_redirects": f"# moved\n{redirects}\r\n"}, host)
    rule = found.move_at(path)
    assert (rule and rule.action, rule.target if rule else "", warnings) == (action, target, [])
    if rule:
        assert rule.origin.source == "_redirects"
        assert (rule.origin.line or 0) > 1


@pytest.mark.parametrize(
    ("host", "redirects", "path", "action", "target"),
    [
        ("netlify", "/old /new", "/old", R, "/new"),
        ("netlify", "/old /404.html 404", "/old", C, "/404.html"),
        ("netlify", "/old /new 200", "/old", D, "/new"),
        ("netlify", "/old /de 301 Country=de\n/old /new", "/old", R, "/new"),
        ("netlify", "/* /index.html 200\n/old /new", "/old", None, ""),
        ("auto", "/old /new", "/old", R, "/new"),
        ("gitlab", "/foo/:name /qux/:name", "/FOO/bar/", R, "/qux/bar"),
        ("gitlab", "/foo/* /qux/:splat", "/foo", R, "/qux/"),
        ("github", "/old /new", "/old", None, ""),
    ],
)
def test_where_no_file_is_each_redirect_applies(
    tmp_path: Path,
    host: str,
    redirects: str,
    path: str,
    action: Reason | None,
    target: str,
) -> None:
    found, _ = host_of(tmp_path, {"dist/_redirects": redirects}, host)
    rule = found.move_at(path, has_file=False)
    assert (rule and rule.action, rule.target if rule else "") == (action, target)


HAS = {"has": [{"type": "host", "value": "preview.example.com"}]}
TAG = {"key": "x-robots-tag", "value": "noindex"}
ALL = {"key": "X-Robots-Tag", "value": "all"}


def moved(source: str, target: str = "/b", **more: Any) -> dict[str, Any]:
    return {"redirects": [{"source": source, "destination": target, **more}]}


def tagged(*rules: tuple[str, list[dict[str, str]]], **more: Any) -> dict[str, Any]:
    return {"headers": [{"source": source, "headers": tags, **more} for source, tags in rules]}


@pytest.mark.parametrize(
    ("config", "path", "action", "target"),
    [
        (moved("/a"), "/a", R, "/b"),
        (moved("/a", statusCode=302), "/a", R, "/b"),
        (moved("/a/:path*", "/b/:path*"), "/a", R, "/b/"),
        (moved("/a/:path*", "/b/:path*"), "/a/x/y", R, "/b/x/y"),
        (moved("/a/:path*", "/b/:path*"), "/a/", None, ""),
        (moved("/a/:x/c", "/b/:x"), "/a/y/c", R, "/b/y"),
        (moved("/a/:x-:y", "/b"), "/a/y-z", None, ""),
        (moved("/a/:x/(.*)", "/b/$2/$1/$3"), "/a/x/y/z", R, "/b/y/z/x/$3"),
        (moved("/a/(.*)/b/(.*)"), "/a/x/b/y", None, ""),
        (moved("/a/:x*/b/:y*"), "/a/x/b/y", None, ""),
        (moved("/a/:rest(.*)", "/b/:rest"), "/a/x/y", R, "/b/x/y"),
        (moved("/A"), "/a", None, ""),
        (moved("/a/"), "/a", None, ""),
        ({"redirects": [None, *moved("/a")["redirects"]]}, "/a", R, "/b"),
        # Conditions, and other expressions of path-to-regexp, are not understood.
        (moved("/a", **HAS), "/a", None, ""),
        (moved("/a", missing=[{"type": "query", "key": "q"}]), "/a", None, ""),
        (moved("/:x(\\d+)"), "/1", None, ""),
        (moved("/:x?"), "/a", None, ""),
        (moved("/(a|b)"), "/a", None, ""),
        (moved("/((?!a).*)"), "/b", None, ""),
        ({"rewrites": moved("/a")["redirects"]}, "/a", None, ""),
        (tagged(("/a", [TAG])), "/a", N, ""),
        (tagged(("/a", [ALL]), ("/(.*)", [TAG])), "/a", N, ""),
        (tagged(("/a", [TAG]), **HAS), "/a", None, ""),
        ({**moved("/b"), **tagged(("/b", [TAG]))}, "/b", R, "/b"),
    ],
)
def test_what_vercel_json_does_with_a_page(
    tmp_path: Path, config: dict[str, Any], path: str, action: Reason | None, target: str
) -> None:
    text = json.dumps({"cleanUrls": False, **config}, indent=1)
    host, warnings = host_of(tmp_path, {"vercel.json": text})
    rule = host.move_at(path) or host.header_at(path, 1_800_000_000)
    assert (rule and rule.action, rule.target if rule else "", warnings) == (action, target, [])
    if rule:
        assert rule.origin.source == "vercel.json"
        assert f'"source": "{rule.origin.text}"' in text


TOML = """[[redirects]]
  from = "/old"
  to = '/new'
  {}
[[headers]]
  for = "/private/*"
  [headers.values]
    x-robots-tag = "noindex"
"""


@pytest.mark.parametrize(
    ("line", "files", "path", "origin"),
    [
        ("force = true", {}, "/old", "netlify.toml: /old"),
        ("", {}, "/old", "None"),
        ("force = true\n  status = 410", {}, "/old", "netlify.toml: /old"),
        ('force = true\n  conditions = {Country = ["de"]}', {}, "/old", "None"),
        ('force = true\n  query = {id = ":id"}', {}, "/old", "None"),
        ("force = true", {"dist/_redirects": "/old /x 302!"}, "/old", "_redirects:1: /old /x 302!"),
        ("", {}, "/private/a", "netlify.toml: /private/*"),
        ("", {}, "/private", "netlify.toml: /private/*"),
    ],
)
def test_netlify_toml_adds_to_the_two_files(
    tmp_path: Path, line: str, files: Files, path: str, origin: str
) -> None:
    host, warnings = host_of(tmp_path, {**files, "netlify.toml": TOML.format(line)})
    rule = host.move_at(path) or host.header_at(path, 1_800_000_000)
    assert (str(rule and rule.origin), warnings) == (origin, [])


@pytest.mark.parametrize(
    ("hosts", "headers", "path", "action"),
    [
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: noindex", "/a", N),
        ("cloudflare netlify auto", "/*\n  X-Frame-Options: DENY\n  x-robots-tag:NONE", "/a/b", N),
        ("cloudflare netlify auto", "/a\n\n  # c\n  X-Robots-Tag: nofollow, noindex", "/a", N),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: googlebot: noindex", "/a", N),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: max-snippet:3, unavailable_after: 1 Jun 2030 15:00:00 PST, noindex", "/a", N),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: unavailable_after: 1 Jun 2020 15:00:00 PST", "/a", N),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: googlebot: unavailable_after: 2020-01-01", "/a", N),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: googlebot: unavailable_after: 2040-01-01", "/a", None),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: bingbot: noindex", "/a", None),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: bingbot: nofollow, noindex", "/a", None),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: max-image-preview:none", "/a", None),
        ("cloudflare netlify auto", "/a\n  X-Robots-Tag: noindexing", "/a", None),
        ("cloudflare netlify auto", "/*\n  X-Robots-Tag: noindex\n/a\n  X-Robots-Tag: all", "/a", N),
        ("cloudflare netlify auto", "https://:project.pages.dev/*\n  X-Robots-Tag: noindex", "/a", None),
        ("cloudflare netlify auto", "https://example.com/*\n  X-Robots-Tag: noindex", "/a", N),
        ("cloudflare netlify auto", "  X-Robots-Tag: noindex\n/a", "/a", None),
        ("cloudflare netlify auto", "/*/b/*\n  X-Robots-Tag: noindex", "/a/b/c", None),
        ("cloudflare", "/a/\n  X-Robots-Tag: noindex", "/a", None),
        ("netlify auto", "/a/\n  X-Robots-Tag: noindex", "/A", N),
        ("github gitlab vercel none", "/*\n  X-Robots-Tag: noindex", "/a", None),
    ],
)  # fmt: skip
def test_what_headers_do_with_a_page(
    tmp_path: Path, hosts: str, headers: str, path: str, action: Reason | None
) -> None:
    for name in hosts.split():
        host, _ = host_of(tmp_path, {"dist/_headers": headers}, name)
        rule = host.header_at(path, 1_800_000_000)
        assert (name, rule and rule.action) == (name, action)


@pytest.mark.parametrize(
    ("host", "files"),
    [
        ("cloudflare", {"dist/_redirects": "/* https://new.example/:splat 301"}),
        ("netlify", {"dist/_redirects": "/* / 301!\n/a /b 301!"}),
        ("netlify", {"dist/_redirects": "/* /404.html 404!"}),
        ("vercel", {"vercel.json": json.dumps(moved("/:path*"))}),
        ("vercel", {"vercel.json": json.dumps(moved("/(.*)"))}),
    ],
)
def test_a_rule_for_all_paths_takes_no_page_and_is_a_warning(
    tmp_path: Path, host: str, files: Files
) -> None:
    found, warnings = host_of(tmp_path, files, host)
    for has_file in (True, False):
        assert found.move_at("/a", has_file=has_file) is None
        assert found.move_at("/a/b/", has_file=has_file) is None
    [warning] = warnings
    assert warning.endswith(" is for all paths, so it takes no page away")


@pytest.mark.parametrize(
    ("name", "garbage", "problem"),
    [
        ("netlify.toml", "a =", "netlify.toml cannot be parsed: Invalid value (at end of document)"),
        ("vercel.json", '{"redirects": [', "vercel.json cannot be parsed"),
        ("wrangler.toml", "\0", "wrangler.toml cannot be parsed"),
        ("../netlify.toml", "a =", ""),  # outside of the repository
    ],
)  # fmt: skip
def test_a_broken_file_is_a_warning_and_shows_no_host(
    tmp_path: Path, name: str, garbage: str, problem: str
) -> None:
    files = {name: garbage, "dist/_redirects": "/a /b 301!", "dist/_headers": "/a\n  X-Robots: no"}
    host, warnings = host_of(tmp_path / "project", files)
    assert (host.name, host.move_at("/a"), host.header_at("/a", 1_800_000_000)) == (
        "none",
        None,
        None,
    )
    assert len(warnings) == bool(problem)
    assert all(warning.startswith(problem) for warning in warnings)


def test_a_link_out_of_the_site_and_a_folder_are_warnings(tmp_path: Path) -> None:
    write(tmp_path, {"secret": "/a /b", "project/dist/_headers/x": ""})
    (tmp_path / "project/dist/_redirects").symlink_to(tmp_path / "secret")
    _, warnings = host_of(tmp_path / "project", {}, "cloudflare")
    assert [warning.partition(":")[0] for warning in warnings] == [
        "_redirects cannot be read",
        "_headers cannot be read",
    ]


def test_a_folder_beside_the_site_is_searched_last(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "netlify.toml": "", "dist/a": "", "web/CNAME": ""})
    site, beside = str(tmp_path / "dist"), str(tmp_path / "web")
    host, messages = find_host(site, "auto", None, BASE, {}, [*ancestors(site), beside])
    assert (host.name, messages) == ("netlify", ())
    (tmp_path / "netlify.toml").unlink()
    host, messages = find_host(site, "auto", None, BASE, {}, [*ancestors(site), beside])
    assert (host.name, messages) == ("github", ())


def test_files_of_two_hosts_show_none(tmp_path: Path) -> None:
    files = {**NETLIFY, **PAGES, "dist/_redirects": "/a /b 301!"}
    host, warnings = host_of(tmp_path, files)
    assert (host.name, host.forms, host.move_at("/a")) == ("none", None, None)
    assert warnings == [
        "netlify.toml and wrangler.toml show different hosts, so no redirect excludes a page"
    ]
    assert host_of(tmp_path, files, "netlify")[1] == []


WORDS = "/a /* /:x/* :splat /b :// /a/ é %c3 %zz https://example.com/a https://[ 200 301 301! 404! 99 = # ! X-Robots-Tag: noindex none \x85"
REDIRECTS = st.lists(st.sampled_from(WORDS.split()) | st.text(max_size=4), max_size=5).map(" ".join)
LINES = st.lists(REDIRECTS, max_size=4).map("\n".join) | st.text(max_size=60)
KEYS = "redirects headers source destination from to for values has key value status cleanUrls trailingSlash build publish hosting public assets"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS.split()) | st.text(st.characters(exclude_characters="\0"), max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from("vercel.json firebase.json wrangler.json netlify cloudflare auto".split()),
    LINES,
    LINES,
    JSON,
    st.text(alphabet="/ab:*.é%", max_size=20),
)
def test_nothing_in_a_file_of_a_host_raises(
    tmp_path: Path, name: str, redirects: str, headers: str, table: object, path: str
) -> None:
    files = {"dist/_redirects": redirects.encode(), "dist/_headers": headers.encode()}
    if name.endswith(".json"):
        host, _ = host_of(tmp_path / name, {name: json.dumps(table), **files})
        published_folders(str(tmp_path / name))
    else:
        host, _ = host_of(tmp_path / name, files, name)
    for rule in (host.move_at(f"/{path}"), host.header_at(f"/{path}", 1_800_000_000)):
        assert rule is None or rule.origin.text


@pytest.mark.parametrize("host", ["cloudflare", "netlify"])
@pytest.mark.parametrize(
    "source", ["/*a/b", "/:x/:y/*/c/:z", "/a" * 200 + "/*/b", "/:x" * 30 + "/*b/c"]
)
def test_no_path_takes_long(tmp_path: Path, host: str, source: str) -> None:
    found, _ = host_of(tmp_path, {"dist/_redirects": f"{source} /x 301"}, host)
    for path in ("/" + "a" * 100_000, "/a" * 50_000, "/a/" + "a/b" * 30_000):
        found.move_at(path, has_file=False)  # a minute, if a rule tried each pair of places


@pytest.mark.slow
def test_thousands_of_rules_are_not_compared_one_by_one(tmp_path: Path) -> None:
    lines = "\n".join(f"/a{n} /b{n} 301!\n/x{n}/* /y 301!" for n in range(20_000))
    host, _ = host_of(tmp_path, {"dist/_redirects": lines}, "netlify")
    for n in range(2_000):  # minutes, if all were compared
        rule = host.move_at(f"/a{n}")
        assert rule
        assert rule.target == f"/b{n}"


@pytest.mark.parametrize(
    ("files", "folders"),
    [
        ({"netlify.toml": '[build]\npublish = "dist"'}, ["build.publish dist"]),
        ({"netlify.toml": '[build]\nbase = "web/"\npublish = "/dist"'}, ["build.publish web/dist", "build.publish dist"]),
        ({"netlify.toml": '[build]\npublish = "a"\n[context.production]\npublish = "b"'}, ["context.production.publish b"]),
        ({"netlify.toml": "[build]"}, []),
        ({"netlify.toml": "["}, []),
        ({"vercel.json": '{"outputDirectory": "out"}'}, ["outputDirectory out"]),
        ({"wrangler.toml": '[assets]\ndirectory = "./dist"'}, ["assets.directory dist"]),
        (PAGES, ["pages_build_output_dir dist"]),
        (WORKER, []),
        ({"firebase.json": '{"hosting": {"public": "a"}}'}, ["hosting.public a"]),
        ({"firebase.json": '{"functions": {}}'}, []),
    ],
)  # fmt: skip
def test_the_files_of_hosts_name_the_folder_that_is_published(
    tmp_path: Path, files: Files, folders: list[str]
) -> None:
    write(tmp_path, {".git/HEAD": "", **files})
    stated = published_folders(str(tmp_path))
    assert [
        f"{one.origin.text} {Path(one.value).relative_to(tmp_path)}" for one in stated
    ] == folders
    assert all(one.origin.source in files for one in stated)


@pytest.mark.parametrize(
    ("config", "folder", "page"),
    [
        ("{}", "slash", "file"),
        ('{"trailingSlash": false}', "bare", "file"),
        ('{"cleanUrls": true, "trailingSlash": true}', "slash", "slash"),
    ],
)
def test_forms_of_vercel(tmp_path: Path, config: str, folder: str, page: str) -> None:
    host, _ = host_of(tmp_path, {"vercel.json": config})
    forms = host.forms
    assert forms
    assert (forms.folder[0], forms.page[0]) == (folder, page)
