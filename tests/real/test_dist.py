"""What `make dist` builds, installed into an empty environment, by the Dockerfile, and as a hook of pre-commit."""

from __future__ import annotations

import json
import re
import shutil
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from support import BASE, Site, locs, write_site
from support.git import Repo

import sitemapper
from real.tools import ROOT, VENV, run

pytestmark = pytest.mark.real

DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_it_installs_into_an_empty_environment(
    kind: str, dist: Path, site: Site, tmp_path: Path
) -> None:
    (package,) = dist.glob(kind)
    venv.create(tmp_path / "venv", with_pip=False)
    # The pip is ours, because to install pip takes longer.
    pip = (sys.executable, "-m", "pip", "--python", tmp_path / "venv/bin/python")
    run(*pip, "install", "--quiet", "--no-compile", package, env={"PYTHONPATH": ""})
    run(*pip, "check")
    commands, public = tmp_path / "venv/bin", site({"index.html": "<title>Home</title>"})
    own = {"PYTHONPATH": ""}
    told = run(commands / "sitemapper", "-V", cwd=tmp_path, env=own)
    assert told == f"sitemapper {sitemapper.__version__}\n"
    flags = ("--base-url", BASE, "--report", "r.html")
    run(commands / "static-sitemapper", "build", public, *flags, cwd=tmp_path, env=own)
    assert "Content-Security-Policy" in (tmp_path / "r.html").read_text()
    assert locs(public) == [BASE]


def test_the_wheel_has_the_plugins_the_types_and_a_readme_for_pypi(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    info = f"static_sitemapper-{sitemapper.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(f"{info}/METADATA").decode()
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
    plugins = {f"sitemapper/integrations/{host}.py" for host in ("mkdocs", "pelican", "sphinx")}
    assert {"sitemapper/py.typed", *plugins} <= set(names)
    assert [name for name in names if not name.startswith(("sitemapper/", info))] == []
    assert "sitemapper = sitemapper.integrations.mkdocs:SitemapperPlugin" in entry_points
    links = re.findall(r"\]\(([^)]+)\)", metadata)
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []


def copy_sources(folder: Path, *more: str) -> None:
    """Copies what the Dockerfile copies to build the wheel, and more."""
    copied = re.findall(r"(?m)^COPY (?!--)(.+) \S+$", DOCKERFILE)
    for name in (*" ".join(copied).split(), *more):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc"))
        else:
            shutil.copy(ROOT / name, folder / name)


def test_the_files_that_the_dockerfile_copies_are_enough_for_the_wheel(tmp_path: Path) -> None:
    copy_sources(tmp_path)
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir=dist", ".", cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").iterdir()
    assert DOCKERFILE.count(f"/{wheel.name}") == 2


IDS = ("sitemapper-build", "sitemapper-check", "sitemapper-validate")


def test_pre_commit_stops_a_commit_that_lacks_the_new_sitemap(tmp_path: Path) -> None:
    tool, repo = Repo(tmp_path / "tool"), Repo(tmp_path / "repo")
    copy_sources(tool.root, ".pre-commit-hooks.yaml")
    tool.commit(1, {})
    build, check, validate = ({"id": name} for name in IDS)
    args = ["public", "--base-url", BASE]
    hooks = [{**build, "args": args}, {**check, "args": args}, validate]
    source = {"repo": str(tool.root), "rev": tool("rev-parse", "HEAD").strip(), "hooks": hooks}
    config = json.dumps({"repos": [source]})
    home = "<title>Home</title>"
    write_site(repo.root, {".pre-commit-config.yaml": config, "public/index.html": home})
    environment = {"PRE_COMMIT_HOME": str(tmp_path / "home"), "PYTHONPATH": ""}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "x", f"GIT_{role}_EMAIL": "x@y"}

    def pre_commit(*words: str, code: int = 0) -> str:
        return run(VENV / "pre-commit", *words, cwd=repo.root, code=code, env=environment)

    def commit(code: int = 0, *, add: bool = True) -> None:
        if add:
            repo("add", "--all")
        run("git", "commit", "--quiet", "-m", "x", cwd=repo.root, code=code, env=environment)

    pre_commit("install")
    commit(code=1)  # the hook writes the first sitemap
    commit(code=1, add=False)  # git does not track it yet
    commit()
    write_site(repo.root, {"public/new.html": "<title>New</title>"})
    commit(code=1)
    commit()
    assert locs(repo.root / "public") == [BASE, BASE + "new.html"]
    assert repo("status", "--porcelain") == ""
    more = {"public/newer.html": "<title>Newer</title>", "other/sitemap.xml": "<html>"}
    write_site(repo.root, more)
    repo("add", "--all")
    assert f"+ {BASE}newer.html" in pre_commit("run", IDS[1], code=1)
    told = pre_commit("run", IDS[2], code=1)
    assert "other/sitemap.xml:1: SM103 error: is an HTML page" in told
