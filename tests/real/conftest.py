"""What several tests share: sites as their generators left them, and what `make dist` builds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from real import sites
from real.once import Once
from real.sites import BuildSite, Built
from real.tools import ROOT, run


@pytest.fixture(scope="session")
def once(worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Once:
    folder = tmp_path_factory.getbasetemp()
    # Each process has a folder of its own in the folder of the run.
    of_run = folder if worker_id == "master" else folder.parent
    shared = of_run / "once"
    shared.mkdir(exist_ok=True)
    return Once(shared)


@pytest.fixture(scope="session")
def build_site(once: Once) -> BuildSite:
    """`build_site("hugo", tmp_path)` copies a project as its generator left it."""

    def build(name: str, root: Path) -> Built:
        def make(folder: Path) -> str:
            built = sites.ALL[name](folder)
            out, own = (str(path.relative_to(folder)) for path in (built.out, built.own))
            return json.dumps([out, built.base, own, built.style])

        folder, known = once(name, make)
        shutil.copytree(folder, root, symlinks=True, dirs_exist_ok=True)
        out, base, own, style = json.loads(known)
        return Built(root / out, base, root / own, style)

    return build


@pytest.fixture(scope="session")
def dist(once: Once) -> dict[str, Path]:
    """The wheel and the source archive that `make dist` builds."""

    def make(folder: Path) -> str:
        run("make", "dist", f"DIST={folder}/out", cwd=ROOT)
        return ""

    folder, _ = once("dist", make)
    (wheel,), (sdist,) = (folder / "out").glob("*.whl"), (folder / "out").glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}
