"""The host of a site is the one whose files lie in the project, or the one that is configured."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, Run, Site, asking, build, paths, settings, write_site

from sitemapper import Setup, load
from sitemapper.cli.words import message_text
from sitemapper.hosts import find
from sitemapper.hosts.find import published_by
from sitemapper.hosts.host import Host


def find_host(setup: Setup) -> Host:
    return find.find_host(
        setup.site.root,
        configured=setup.settings.host,
        builder=setup.run.builder,
        base_url=setup.site.base_url,
        cwd=setup.run.cwd,
    )


PAGES = 'pages_build_output_dir = "dist"'
WORKER = 'main = "worker.js"'
PAGES_WORKFLOW = "jobs:\n  deploy:\n    steps:\n    - uses: actions/deploy-pages@v4\n"
CRONS = '{"crons": [{"path": "/api", "schedule": "5 5 * * *"}]}'


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({"netlify.toml": ""}, ["netlify"]),
        ({"wrangler.toml": PAGES}, ["cloudflare"]),
        ({"wrangler.jsonc": '{"assets": {"directory": "dist"}, /* ours */}'}, ["cloudflare"]),
        ({"vercel.json": "{}"}, ["vercel"]),
        ({"firebase.json": '{"hosting": {"public": "dist"}}'}, ["firebase"]),
        ({"other.toml": ""}, ["cloudflare", "netlify"]),
        ({"netlify.toml": "", "wrangler.toml": PAGES}, ["cloudflare", "netlify"]),
        # What does not describe hosting is no marker.
        ({"netlify.toml": "", "wrangler.toml": WORKER}, ["netlify"]),
        ({"netlify.toml": "", "vercel.json": CRONS, "firebase.json": "{}"}, ["netlify"]),
        # The nearest folder decides, up to the repository's root.
        ({"netlify.toml": "", "dist/vercel.json": "{}"}, ["vercel"]),
        ({"../netlify.toml": "", "other.toml": ""}, ["cloudflare", "netlify"]),
        # Clues count where no file of a host does.
        ({"dist/CNAME": "www.example.com"}, ["github"]),
        ({".github/workflows/pages.yml": PAGES_WORKFLOW}, ["github"]),
        ({".github/workflows/test.yml": "jobs:\n"}, ["cloudflare", "netlify"]),
        ({".gitlab-ci.yml": "pages:\n  script: make\n"}, ["gitlab"]),
        ({".gitlab-ci.yml": "build:\n  script: make pages: 1\n"}, ["cloudflare", "netlify"]),
        ({".gitlab-ci.yml": "pages:\n", "CNAME": "a.dev"}, ["cloudflare", "netlify"]),
        ({"dist/CNAME": "www.example.com", "netlify.toml": ""}, ["netlify"]),
        ({"dist/CNAME": "www.example.com", "dist/_redirects": "/a /b"}, ["cloudflare", "netlify"]),
    ],
)
def test_a_project_file_names_the_host(
    tmp_path: Path, files: dict[str, str], names: list[str]
) -> None:
    project = tmp_path / "project"
    write_site(project, {".git/HEAD": "", "dist/a.html": "", **files})
    assert list(find_host(settings(project / "dist")).names) == names


def test_the_domain_of_the_base_url_names_the_host(tmp_path: Path) -> None:
    files = {"netlify.toml": "", "public/_redirects": "/a.html /b 301!\n", "public/a.html": ""}
    write_site(tmp_path, files)
    root = tmp_path / "public"
    assert find_host(settings(root, base_url="https://you.github.io/project/")).names == ("github",)
    build(root, base_url="https://you.github.io/project/")
    assert len(paths(root)) == 1


def test_without_a_repository_the_search_ends_at_the_working_directory(tmp_path: Path) -> None:
    write_site(tmp_path, {"netlify.toml": "", "project/app/dist/a.html": ""})
    found = settings(tmp_path / "project/app/dist")
    assert find_host(asking(found, cwd=str(tmp_path))).names == ("netlify",)
    assert len(find_host(asking(found, cwd=str(tmp_path / "project"))).names) == 2


def test_on_a_builder_its_host_serves_the_site(site: Site, tmp_path: Path) -> None:
    (tmp_path / "netlify.toml").write_text("")
    root = site({"a.html": ""})
    for variable, name in {
        "VERCEL": "vercel",
        "CF_PAGES": "cloudflare",
        "WORKERS_CI": "cloudflare",
    }.items():
        values = {"base_url": BASE, "site": str(root)}
        env = {variable: "1"}
        assert find_host(load(values, env=env, cwd=str(tmp_path))).names == (name,)
        none = load({**values, "host": "none"}, env=env, cwd=str(tmp_path))
        assert find_host(none).names == ()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("netlify.toml", '[build]\npublish = "dist"', [("build.publish", ("dist",))]),
        ("netlify.toml", '[build]\nbase = "web/"\npublish = "dist"', [("build.publish", ("web/dist", "dist"))]),
        ("netlify.toml", "[build]", [("", ())]),
        ("vercel.json", '{"outputDirectory": "out"}', [("outputDirectory", ("out",))]),
        ("vercel.json", CRONS, []),
        ("wrangler.toml", '[assets]\ndirectory = "./dist"', [("assets.directory", ("./dist",))]),
        ("wrangler.toml", PAGES, [("pages_build_output_dir", ("dist",))]),
        ("wrangler.toml", WORKER, []),
        ("firebase.json", '{"hosting": [{"public": "a"}, {"public": "b"}]}', [("hosting.public", ("a",)), ("hosting.public", ("b",))]),
        ("firebase.json", '{"functions": {}}', []),
    ],
)  # fmt: skip
def test_the_settings_of_a_host_name_the_published_folder(
    tmp_path: Path, name: str, text: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    (tmp_path / name).write_text(text)
    folders = [(one.key, tuple(os.path.relpath(f, tmp_path) for f in one.folders)) for _, _, one in published_by(str(tmp_path))]  # fmt: skip
    assert folders == [(key, tuple(map(os.path.normpath, names))) for key, names in expected]


def test_the_configured_host_counts_whatever_lies_there(site: Site, tmp_path: Path) -> None:
    (tmp_path / "netlify.toml").write_text("")
    root = site({"a.html": ""})
    assert find_host(settings(root, host="cloudflare")).names == ("cloudflare",)
    assert find_host(settings(root, host="none")).names == ()


def test_a_broken_file_is_named_with_its_folder(tmp_path: Path, run: Run) -> None:
    write_site(
        tmp_path / "project", {".git/HEAD": "", "app/vercel.json": "{", "app/dist/a.html": "<p>"}
    )
    assert run("build", tmp_path / "project/app/dist", "--base-url", BASE) == 2
    assert os.path.join("app", "vercel.json") + ": is not JSON" in run.err


def test_what_is_found_and_not_read_is_a_note(tmp_path: Path) -> None:
    files = {"netlify.toml": "", "app/dist/_redirects": "/a /b 301! Country=de\n"}
    write_site(tmp_path / "project", {".git/HEAD": "", "app/dist/a.html": "<p>", **files})
    unread = find_host(settings(tmp_path / "project/app/dist")).unread
    assert unread
    note = message_text(unread)
    assert note.startswith("1 rule of the host is not read, such as ")
    assert "_redirects:1: /a /b 301! Country=de\nhelp: " in note


@pytest.mark.parametrize(
    ("canonical", "headers", "expected"),
    [
        ("/b", "/b\n  X-Robots-Tag: noindex", []),  # of the URL that the page names
        ("/b", "/b.html\n  X-Robots-Tag: noindex", []),  # which Netlify sets for `b`, too
        ("/b.html", "/b\n  X-Robots-Tag: noindex", ["b.html"]),
    ],
)
def test_a_header_counts_at_the_url_that_is_listed(
    tmp_path: Path, run: Run, canonical: str, headers: str, expected: list[str]
) -> None:
    page = f'<link rel="canonical" href="https://example.com{canonical}"><p>'
    files = {"netlify.toml": "", "dist/_headers": headers, "dist/b.html": page}
    write_site(tmp_path / "project", {".git/HEAD": "", **files})
    assert run("build", tmp_path / "project/dist", "--base-url", BASE, "--max-drop", "100") == 0
    assert paths(tmp_path / "project/dist") == expected


def test_the_settings_of_two_hosts_side_by_side_are_a_warning(tmp_path: Path) -> None:
    files = {"vercel.json": '{"cleanUrls": true}', "wrangler.toml": PAGES, "dist/a.html": "<p>"}
    write_site(tmp_path / "project", {".git/HEAD": "", **files})
    warnings = build(tmp_path / "project/dist").warnings
    assert [(kind.name, about) for kind, about, _, _ in warnings] == [
        ("HOSTS", ("cloudflare, vercel",))
    ]
    assert paths(tmp_path / "project/dist") == ["a"]  # both show it there


def test_explain_names_the_host(tmp_path: Path, run: Run) -> None:
    files = {"wrangler.toml": PAGES, "dist/a.html": "<p>", "dist/_redirects": "/a/ /x 301\n"}
    write_site(tmp_path / "project", {".git/HEAD": "", **files})
    assert run("explain", "a.html", "--site", tmp_path / "project/dist", "--base-url", BASE) == 0
    assert "https://example.com/a  (as served by cloudflare)" in run.out
