"""The messages of a configuration that is refused."""

from pathlib import Path
from typing import Any

import pytest

from sitemapper import SitemapperError, load


def faults(tmp_path: Path, **kwargs: Any) -> list[str]:
    """The lines of the error of `load`."""
    with pytest.raises(SitemapperError) as caught:
        load(cwd=str(tmp_path), **kwargs)
    return str(caught.value).splitlines()
