"""The generated part of docs/hosts-reference.md: what is read of hosts, and their URLs."""

from __future__ import annotations

from collections.abc import Iterable

from sitemapper.hosts.choose import ALL, Provider, readers
from sitemapper.syntax.urls import UrlForms

_READERS = readers()
# The names that do not only begin with a capital.
_TITLES = {
    "github": "GitHub Pages",
    "gitlab": "GitLab Pages",
}
_URLS = """\
### URLs

These are the URLs at which hosts serve pages. A setting of the host may change them. The last
column is for a page and a folder with the same name, such as `b.html` and `b/index.html`. If it is
empty, each has the URLs of the columns before.

host | setting | folder `a/index.html` | page `b.html` | page and folder with the same name
---|---|---|---|---
"""


def describe_hosts(_: str) -> str:
    """A section for each host, and one table of their URLs."""
    sections = [_section(host) for host in ALL]
    rows = [row for host in ALL for row in _rows(host)]
    return "\n".join(sections) + "\n" + _URLS + "\n".join(rows) + "\n"


def _title(host: Provider) -> str:
    return _TITLES.get(host.name, host.name.capitalize())


def _section(host: Provider) -> str:
    """What is read of a host, and what is not."""
    names = [*host.files, *(name for name in host.markers if name not in host.files)]
    manual = _READERS[host.name].manual
    lines = [f"- Read: {_codes(names)}."] if names else []
    lines += [f"- {manual.order}"]
    lines += [f"- The builder sets {_codes(host.variables, ' or ')}."] if host.variables else []
    lines += [f"- Skipped: {manual.skipped}."] if manual.skipped else []
    lines += [f"- In production: {manual.production}."] if manual.production else []
    return "\n".join([f"### {_title(host)}\n", *lines, ""])


def _rows(host: Provider) -> list[str]:
    """The rows of a host in the table, one for each setting that chooses its URLs."""
    rows: list[str] = []
    for setting, forms in _READERS[host.name].forms.items():
        cells = [_title(host), setting, _codes(forms.folder), _codes(forms.page), _clash(forms)]
        rows.append(" | ".join(cells).rstrip())
    return rows


def _clash(forms: UrlForms) -> str:
    """What is served where a page and a folder have one name; empty if each keeps its URLs."""
    if not forms.clash:
        return ""
    page = _codes(forms.clash.page) or "not served"
    folder = _codes(forms.clash.folder) or "not served"
    return f"page: {page}; folder: {folder}"


def _codes(names: Iterable[str], separator: str = ", ") -> str:
    return separator.join(f"`{name}`" for name in names)
