"""Links the first use of each word of docs/glossary.md on a page of the built documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

GLOSSARY = "glossary.md"
_WORD = re.compile(r'^\| <a id="([\w-]+)"></a>([^|]+) \|', re.M)
# Blocks of code, spans of code, headings, comments, tags, links and images.
_OTHERS = re.compile(
    r"^( *)```.*?^\1```$|`[^`\n]+`|^#[^\n]*$|<!--.*?-->|<[^>\n]+>"
    r"|!?\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)]*\)",
    re.S | re.M,
)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Every page but the glossary itself."""
    if page.file.src_uri == GLOSSARY:
        return markdown
    glossary = Path(config.docs_dir, GLOSSARY).read_text("utf-8")
    return link_words(markdown, read_words(glossary))


def read_words(glossary: str) -> dict[str, str]:
    """The words of the table, each with its anchor."""
    return {word: anchor for anchor, word in _WORD.findall(glossary)}


def link_words(markdown: str, words: dict[str, str]) -> str:
    """The page with a link at the first use of each word in its text."""
    for word, anchor in words.items():
        use = next(find_uses(markdown, word), None)
        if use:
            link = f"[{use[0]}]({GLOSSARY}#{anchor})"
            markdown = markdown[: use.start()] + link + markdown[use.end() :]
    return markdown


def find_uses(markdown: str, word: str) -> Iterator[re.Match[str]]:
    """The uses of a word: in the text, also in the plural, or as a whole span of code."""
    in_text = re.compile(rf"\b{word}s?\b(?![-.]\w)", re.I)
    as_code = re.compile(rf"`<?{word}>?`")
    start = 0
    for other in _OTHERS.finditer(markdown):
        yield from in_text.finditer(markdown, start, other.start())
        code = as_code.fullmatch(markdown, other.start(), other.end())
        if code:
            yield code
        start = other.end()
    yield from in_text.finditer(markdown, start)
