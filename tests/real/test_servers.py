"""nginx itself is asked for each URL that is listed for its site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import BASE, build, locs, write_site
from support.hosts import forms, page

from real.host_engines import Ask, free_port, readable, running
from real.host_sites import DECODED

pytestmark = pytest.mark.real


@contextmanager
def nginx(root: Path) -> Iterator[Ask]:
    port = free_port()
    config = root.parent / "nginx.conf"
    config.write_text(
        f"pid {root.parent}/pid;\nerror_log stderr;\ndaemon off;\nevents {{}}\nhttp {{\naccess_log off;\n"
        f"server {{ listen 127.0.0.1:{port}; root {root};\n}}\n}}\n"
    )
    with running(["/usr/sbin/nginx", "-c", config], root.parent, port) as ask:
        yield ask


def test_names(tmp_path: Path) -> None:
    """Each listed URL shows a page of its own, and each page that is shown is listed."""
    root = readable(write_site(tmp_path / "project/public", {name: page(name) for name in DECODED}))
    build(root)
    contents = {page(name).encode(): name for name in DECODED}
    with nginx(root) as ask:
        answers = [ask(loc.removeprefix(BASE[:-1])) for loc in locs(root)]
        shown = [contents.get(body) if status == 200 else status for status, body, _ in answers]
        assert sorted(map(str, shown)) == sorted({str(name) for name in shown if name in DECODED})
        for name in set(DECODED) - set(shown):
            assert all(contents.get(ask(url)[1]) != name for url in forms(name)), name
