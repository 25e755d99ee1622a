"""What `make dist` builds, installed into empty environments and run by uvx and pipx."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest
from support import BASE, Site, locs

import sitemapper
from real.tools import CACHE, ROOT, run

pytestmark = pytest.mark.real

TOOLS = CACHE / "workflows" / "bin"
NAMES = ("wheel", "sdist")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("dist") / "out"
    run("make", "dist", f"DIST={out}", cwd=ROOT)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


@pytest.fixture
def public(site: Site) -> Path:
    return site({"index.html": "<title>Home</title>"})


@pytest.mark.parametrize("name", NAMES)
def test_it_installs_into_an_empty_environment(
    name: str, dist: dict[str, Path], public: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    commands = tmp_path / "venv/bin"
    run(commands / "python", "-m", "pip", "install", "--quiet", dist[name])
    run(commands / "python", "-m", "pip", "check")
    assert run(commands / "sitemapper", "-V") == f"sitemapper {sitemapper.__version__}\n"
    flags = ("--base-url", BASE, "--report", "r.html")
    run(commands / "static-sitemapper", "build", public, *flags, cwd=tmp_path)
    assert "Content-Security-Policy" in (tmp_path / "r.html").read_text()
    assert locs(public) == [BASE]
    plugin = (
        "import importlib.metadata as m; print([e.value for e in m.entry_points(group='mkdocs.plugins')])"
    )
    found = run(commands / "python", "-c", plugin)
    assert found == "['sitemapper.integrations.mkdocs:SitemapperPlugin']\n"


@pytest.mark.parametrize("command", [("uvx", "--from"), ("pipx", "run", "--spec")])
def test_it_runs_without_being_installed(
    command: tuple[str, ...], dist: dict[str, Path], public: Path, tmp_path: Path
) -> None:
    program, *options = command
    homes = {name: str(tmp_path / name) for name in ("UV_CACHE_DIR", "UV_TOOL_DIR", "PIPX_HOME")}
    built = ("static-sitemapper", "build", public, "--base-url", BASE)
    run(TOOLS / program, *options, dist["wheel"], *built, cwd=tmp_path, env=homes)
    assert locs(public) == [BASE]
