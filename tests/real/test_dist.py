"""What `make dist` builds, installed into empty environments and run by uvx and pipx."""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from support import BASE, Site, locs

import sitemapper
from real.tools import CACHE, ROOT, make_environment, run

pytestmark = pytest.mark.real

TOOLS = CACHE / "workflows" / "bin"
NAMES = ("wheel", "sdist")


@pytest.fixture
def public(site: Site) -> Path:
    return site({"index.html": "<title>Home</title>"})


@pytest.mark.parametrize("name", NAMES)
def test_it_installs_into_an_empty_environment(
    name: str, dist: dict[str, Path], public: Path, tmp_path: Path
) -> None:
    commands = make_environment(tmp_path / "venv", dist[name])
    assert run(commands / "sitemapper", "-V") == f"sitemapper {sitemapper.__version__}\n"
    flags = ("--base-url", BASE, "--report", "r.html")
    run(commands / "static-sitemapper", "build", public, *flags, cwd=tmp_path)
    assert "Content-Security-Policy" in (tmp_path / "r.html").read_text()
    assert locs(public) == [BASE]


def test_the_first_screen_of_readme_installs_it_from_a_clone(public: Path, tmp_path: Path) -> None:
    """`make demo` and `pipx install .`, to the letter, in a clone that has nothing else."""
    block = re.search(
        r"(?ms)<!-- install -->.*?^```sh\n(.*?)^```$", (ROOT / "README.md").read_text()
    )
    assert block
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", ROOT, clone)
    commands = tmp_path / "bin"
    env = {
        "PATH": os.pathsep.join([str(TOOLS), os.environ["PATH"]]),
        "PIPX_HOME": str(tmp_path / "pipx"),
        "PIPX_BIN_DIR": str(commands),
    }
    said = run("bash", "-ec", block[1], cwd=clone, env=env)
    assert "12 pages listed" in said and "<loc>https://lindenhof.example/prices/</loc>" in said
    run(commands / "sitemapper", "build", public, "--base-url", BASE)
    assert locs(public) == [BASE]


def test_the_wheel_has_the_plugins_the_types_and_a_readme_for_pypi(dist: dict[str, Path]) -> None:
    with zipfile.ZipFile(dist["wheel"]) as wheel:
        names = wheel.namelist()
        info = f"static_sitemapper-{sitemapper.__version__}.dist-info"
        metadata, entry_points = (
            wheel.read(f"{info}/{n}").decode() for n in ("METADATA", "entry_points.txt")
        )
    hosts = ("mkdocs", "pelican", "sphinx")
    inside = {"sitemapper/py.typed", *(f"sitemapper/integrations/{host}.py" for host in hosts)}
    assert inside <= set(names)
    assert [name for name in names if not name.startswith(("sitemapper/", info))] == []
    assert (
        "[mkdocs.plugins]\nsitemapper = sitemapper.integrations.mkdocs:SitemapperPlugin"
        in entry_points
    )
    assert "Project-URL: Source, https://github.com/" in metadata
    links = re.findall(r"\]\(([^)]+)\)", metadata)
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_plugins_load_from_the_wheel(dist: dict[str, Path], tmp_path: Path) -> None:
    """Each plugin is imported by the Python of an environment that has its host and the wheel."""
    hosts = ("mkdocs", "pelican", "sphinx")
    commands = make_environment(tmp_path / "venv", dist["wheel"], *hosts)
    modules = ", ".join(f"sitemapper.integrations.{host}" for host in hosts)
    run(commands / "python", "-c", f"import {modules}", cwd=tmp_path)


def test_the_source_archive_has_what_the_tests_and_the_documentation_need(
    dist: dict[str, Path],
) -> None:
    with tarfile.open(dist["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {
        "Makefile",
        "LICENSE",
        "docs/extra.css",
        "tests/conftest.py",
        "sample_site/sitemapper.toml",
    }
    assert needed <= names


@pytest.mark.parametrize("command", [("uvx", "--from"), ("pipx", "run", "--spec")])
def test_it_runs_without_being_installed(
    command: tuple[str, ...], dist: dict[str, Path], public: Path, tmp_path: Path
) -> None:
    program, *options = command
    homes = {name: str(tmp_path / name) for name in ("UV_CACHE_DIR", "UV_TOOL_DIR", "PIPX_HOME")}
    built = ("static-sitemapper", "build", public, "--base-url", BASE)
    run(TOOLS / program, *options, dist["wheel"], *built, cwd=tmp_path, env=homes)
    assert locs(public) == [BASE]
