"""The names of our files, and whether a name is one of them. Pure."""

import re
from collections.abc import Collection, Iterable

from ..model import Shard

EXTENSIONS = ("xml", "txt")  # of the formats in publish/formats.py


def shard_name(shard: Shard, stem: str, *, numbered: bool) -> str:
    """Makes the file name of one shard, a part of a sitemap that is split into several files.

    | shard | name |
    |---|---|
    | the only one, so it is not `numbered` | `sitemap.xml` |
    | two of several | `sitemap-1.xml`, `sitemap-2.xml` |
    | two of the section `blog` | `sitemap-blog.xml`, `sitemap-blog-2.xml` |
    | one of the strategy `stable`, which has a key | `sitemap-0a1b2c3d4e5f.xml` |
    """
    series = shard.series  # the section, and the extension of the format
    if not numbered:
        return f"{stem}.{series.format}"
    words = [stem]
    if series.section:
        words.append(series.section)
    is_first_of_section = series.section != "" and shard.number == 1
    if shard.key:
        words.append(shard.key)
    elif not is_first_of_section:
        words.append(str(shard.number))
    return f"{'-'.join(words)}.{series.format}"


def is_own_name(name: str, stem: str, sections: Iterable[str]) -> bool:
    """Whether a file name is one that this configuration may give to a sitemap.

    `sitemap-2.xml.gz` is one for the stem `sitemap`. `sitemap-pages.xml` is one only if `pages` is
    among the sections; otherwise, another tool may have written it.
    """
    own_sections = "".join(f"|-{re.escape(section)}" for section in sections)
    number_or_key = r"(?:-\d+|-[0-9a-f]{12})?"
    extension = rf"\.(?:{'|'.join(EXTENSIONS)})(?:\.gz)?"
    shape = rf"{re.escape(stem)}(?:{own_sections}){number_or_key}{extension}"
    return re.fullmatch(shape, name) is not None


def temporary_name(name: str, number: int, kind: str) -> str:
    """Makes the name of the temporary file of a file: `.sitemap.xml.7.new.tmp`.

    `kind` is `new` for the content to publish, and `old` for a copy of what was there.
    """
    return f".{name}.{number}.{kind}.tmp"


def final_path(path: str) -> str:
    """Returns the path of the file for which a temporary one was made.

    `public/.sitemap.xml.7.new.tmp` → `public/sitemap.xml`.
    """
    return re.sub(r"(?<![^/\\])\.([^/\\]+)\.\d+\.(?:new|old)\.tmp$", r"\1", path)


def is_temporary(name: str, stem: str | None, others: Collection[str]) -> bool:
    """Whether a file may be a temporary one that a killed run has left.

    `.sitemap-2.xml.7.new.tmp` is one for the stem `sitemap`, and `.robots.txt.7.old.tmp` is one if
    `robots.txt` is among the `others`.
    """
    match = re.fullmatch(r"\.(.+)\.\d+\.(?:new|old)\.tmp", name)
    if not match:
        return False
    target = match[1]
    if target in others:
        return True
    return bool(stem) and target.startswith((f"{stem}.", f"{stem}-"))
