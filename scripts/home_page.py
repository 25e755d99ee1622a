"""The home page of the documentation is README.md, so that nothing is written twice."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the page, with links as they are inside of docs/, and to the repository for the rest."""
    root = Path(config.config_file_path).parent
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    text = re.sub(r"\]\(docs/", "](", (root / "README.md").read_text("utf-8"))
    text = re.sub(r"\]\((?=[A-Z]+\.md\))", f"]({project['urls']['Source']}/blob/HEAD/", text)
    files.append(File.generated(config, "index.md", content=text))
    return files
