"""What the heads of the pages say of a preview."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Run, write_site
from support.heads import canonical

PREVIEW = "deploy-preview-7--tea.netlify.app"
BUILDERS = {
    "Netlify": {"NETLIFY": "true", "CONTEXT": "deploy-preview"},
    "Netlify, with its URL": {
        "NETLIFY": "true",
        "CONTEXT": "branch-deploy",
        "URL": "https://tea.dev",
    },
    "Vercel": {"VERCEL": "1", "VERCEL_ENV": "preview", "VERCEL_URL": PREVIEW},
}


def at(monkeypatch: pytest.MonkeyPatch, **env: str) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("env", BUILDERS.values(), ids=BUILDERS)
@pytest.mark.parametrize("toml", ["", 'base_url = "https://tea.dev/"\n'])
def test_a_preview_publishes_nothing_and_fails_no_command(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], toml: str
) -> None:
    at(monkeypatch, **env)
    write_site(tmp_path, {"public/index.html": canonical(f"https://{PREVIEW}/")})
    (tmp_path / "sitemapper.toml").write_text(f'{toml}site = "public"\n')
    assert run("build") == 0
    assert (run.out, run.err) == (
        "", f"note: the pages name the preview {PREVIEW}, so nothing is published\n"
    )  # fmt: skip
    assert not (tmp_path / "public/sitemap.xml").exists()
    assert run("check") == 2
    assert run("build", "--base-url", f"https://{PREVIEW}/") == 0
    assert (tmp_path / "public/sitemap.xml").exists()
    monkeypatch.setenv("SITEMAPPER_BASE_URL", f"https://{PREVIEW}/")
    assert run("build") == 0 and "kept     sitemap.xml" in run.out


def test_links_of_the_home_page_show_a_preview_without_canonicals(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only those to the address of this build: an article may link to any preview."""
    at(monkeypatch, **BUILDERS["Vercel"])
    home = f"<title>Tea</title><a href='https://{PREVIEW}/a/'>a</a>"
    write_site(tmp_path, {"hugo.toml": 'baseURL = "https://tea.dev/"', "public/index.html": home})
    assert run("build") == 0
    assert run.err.startswith(f"note: the pages name the preview {PREVIEW}, so nothing")
    monkeypatch.setenv("VERCEL_URL", "tea-7.vercel.app")
    assert run("build") == 0
    assert run.out.startswith("https://tea.dev/sitemap.xml\n")


def test_a_preview_with_the_canonicals_of_production_is_built(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, **BUILDERS["Netlify, with its URL"])
    write_site(tmp_path, {"public/index.html": canonical("https://tea.dev/")})
    assert run("build") == 0
    assert run.out.startswith("https://tea.dev/sitemap.xml\n")
