"""The names of our files, and whether a name is one of them. Pure."""

import re
from collections.abc import Collection, Iterable

from ..model import Shard

EXTENSIONS = ("xml", "txt")  # of the formats in publish/formats.py


def shard(of: Shard, stem: str, *, numbered: bool) -> str:
    """`sitemap.xml`, `sitemap-2.xml`, `sitemap-blog.xml` and `sitemap-blog-2.xml`, or by key."""
    series = of.series
    if not numbered:
        return f"{stem}.{series.format}"
    steps = [stem]
    if series.section:
        steps.append(series.section)
    if of.key:
        steps.append(of.key)
    elif not series.section or of.number > 1:
        steps.append(str(of.number))
    return f"{'-'.join(steps)}.{series.format}"


def is_own_name(name: str, stem: str, sections: Iterable[str]) -> bool:
    """Whether a name is one of ours. `sitemap-pages.xml` of another configuration is not."""
    own_sections = "".join(f"|-{re.escape(section)}" for section in sections)
    number_or_key = r"(?:-\d+|-[0-9a-f]{12})?"
    extension = rf"\.(?:{'|'.join(EXTENSIONS)})(?:\.gz)?"
    shape = rf"{re.escape(stem)}(?:{own_sections}){number_or_key}{extension}"
    return re.fullmatch(shape, name) is not None


def temporary(name: str, number: int, kind: str) -> str:
    """The name of the temporary file for a new `name`, or for its old content (`old`)."""
    return f".{name}.{number}.{kind}.tmp"


def final_path(path: str) -> str:
    """The final path of a temporary file."""
    return re.sub(r"(?<![^/\\])\.([^/\\]+)\.\d+\.(?:new|old)\.tmp$", r"\1", path)


def is_temporary(name: str, stem: str | None, others: Collection[str]) -> bool:
    """Whether a file may be a temporary one of a sitemap or other output of a killed run."""
    match = re.fullmatch(r"\.(.+)\.\d+\.(?:new|old)\.tmp", name)
    if not match:
        return False
    target = match[1]
    if target in others:
        return True
    return bool(stem) and target.startswith((f"{stem}.", f"{stem}-"))
