"""Prepares the first release: `python scripts/name_the_account.py ACCOUNT`.

Writes the account that publishes the repository wherever its placeholder stands, lets the pages
install the package from PyPI, and writes them anew. Fails if a placeholder is left.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "_OWNER_"
# GitHub's rule: letters, digits and single hyphens, at most 39.
_ACCOUNT = r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}"


def with_placeholder() -> Iterator[Path]:
    """The tracked files that contain the placeholder, except this one and the tests."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for path in (ROOT / name for name in names if name and not name.startswith("tests/")):
        is_other = path.is_file() and path.name != Path(__file__).name
        if is_other and PLACEHOLDER.encode() in path.read_bytes():
            yield path


def main(arguments: list[str]) -> str:
    """Changes the files. Returns what is wrong, "" for nothing."""
    if len(arguments) != 1 or not re.fullmatch(_ACCOUNT, arguments[0]):
        return "usage: python scripts/name_the_account.py ACCOUNT"
    for path in list(with_placeholder()):
        path.write_text(path.read_text().replace(PLACEHOLDER, arguments[0]))
        print(f"wrote {path.relative_to(ROOT)}")
    installation = ROOT / "scripts/installation.py"
    text = installation.read_text()
    installation.write_text(text.replace("IS_RELEASED = False", "IS_RELEASED = True"))
    subprocess.run([sys.executable, str(ROOT / "scripts/generate_docs.py")], cwd=ROOT, check=True)
    left = [str(path.relative_to(ROOT)) for path in with_placeholder()]
    return f"the placeholder is left in {', '.join(left)}" if left else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or 0)
