"""The home page of the documentation is README.md, so that nothing is written twice."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the page, with links as they are inside of docs/."""
    readme = Path(config.config_file_path).with_name("README.md").read_text("utf-8")
    files.append(File.generated(config, "index.md", content=re.sub(r"\]\(docs/", "](", readme)))
    return files
