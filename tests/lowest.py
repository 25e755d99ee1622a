"""Makes a virtual environment with the lowest versions that pyproject.toml allows."""

import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(target: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"]
    floors = [name.replace(">=", "==") for name in wanted if "win32" not in name]
    venv.create(target, with_pip=True, clear=True)
    python = str(Path(target) / "bin" / "python")
    tools = project["dependency-groups"]["dev"]
    # Nothing is compiled, because the tests import only a part of it.
    install = [python, "-m", "pip", "install", "--quiet", "--no-compile"]
    subprocess.run([*install, *floors, *tools], check=True)
    subprocess.run([*install, "--no-deps", "--editable", str(ROOT)], check=True)


main(sys.argv[1])
