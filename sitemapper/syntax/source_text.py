"""Reads the title and other metadata from the text of a source file. Pure; nothing is rendered."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from unicodedata import normalize

from .html import unescaped

SOURCE_LIMIT = 1 << 15  # bytes of a source that are read

# Metadata between marks, or else in the lines before the first blank line (Hexo, Lektor, Pelican).
# A longer line of hyphens begins a title of reStructuredText.
FRONT_MATTER = re.compile(
    r"""
    \s*+ (?:
      (?P<mark>---(?!-)|\+\+\+) [^\n]*\n (?P<between>.*?) \n (?:(?P=mark)|\.\.\.) [^\n]*(?:\n|\Z)
    | (?P<lines>(?:[^\n]+\n)+)
    )
    """,
    re.DOTALL | re.VERBOSE,
)
# The keys of metadata that are read, whatever the generator.
_METADATA_KEYS = "title|slug|id|permalink|url|save_as|path|date|draft|published|status"
_METADATA_ROW = re.compile(rf"""(?mi)^["']?({_METADATA_KEYS})["']?[ \t]*[:=][ \t]*(\S.*)$""")
# The following are searched in a text after a newline, because they begin with characters: `re`
# finds these ten times faster than the beginning of a line.
# Fields of reStructuredText, comments of Nikola, keywords of Org, attributes of AsciiDoc.
_MARKED_ROW = re.compile(rf"(?i)\n(?:\.\. |:|#\+)(?:page-)?({_METADATA_KEYS}):[ \t]*(\S.*)")
_HEADING = re.compile(
    r"""(?mx)
      \n\#[ \t]+(\S.*)$  # Markdown
    | \n=[ \t]+(\S.*)$  # AsciiDoc
    | \n(?![-=\#*~ \t])(\S.*)\n(?:-{3,}|={3,}|\#{3,}|\*{3,}|~{3,})[ \t]*$  # reStructuredText
    | <h1[^<>]*>([^<{]{1,300})</h1>
    | <title>([^<{]{1,300})</title>
    | "\#[ ]([^"\\]+)  # a cell of a notebook
    | \n\\title\{([^}]{1,300})\}  # LaTeX
    | t(?<=\bt)itle\s?=\s?["']([^"'{]+)["']  # an attribute, or a variable of a program
    """
)
# Code blocks, and the targets of links.
_CODE = re.compile(
    r"""(?sx)
      \n[\x20\t]*(```|~~~).*?\n[\x20\t]*\1
    | `[^`\n]+`
    | \]\([^()\s]*\)
    | (?<!post-list)::[\x20\t]*+[\w+-]*+[\x20\t]*+\n  # `::`, `.. code-block:: html`
      (?:[\x20\t]*+\n | [\x20\t]++[^\n]*+(?:\n|\Z))*+
    | \{%-?\s?raw\b.*?(?:\{%-?\s?endraw\b|\Z)
    """
)
_MARKUP = re.compile(r"\]\([^)]{0,999}\)|\{[ ]?[#:.][^{}]*\}|<[^<>]+>|:[\w:.+-]{1,99}:(?=`)")
_PATH_WITHOUT_PLACEHOLDERS = re.compile(r"[^:{}<>%$*\[\]]*[/.][^:{}<>%$*\[\]]*")
_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
_DRAFT_FIELDS = {("draft", "true"), ("published", "false"), ("status", "draft")}
_WORD = re.compile(r"[^\W_]+")


class _ListSyntax(NamedTuple):
    """How a template lists other pages: `pattern` matches the code, in lower case.

    Each such text contains one of `parts`, which all contain `character`.
    """

    character: str
    parts: tuple[str, ...]
    pattern: re.Pattern[str]


_LIST_SYNTAXES = (
    _ListSyntax(
        "{",
        ("{%", "{{", "{#each", ".map("),
        re.compile(
            r"""(?x)
              \{ (?:
                %-?\s?(?:for|tablerow)\s  # Liquid, Jinja, Twig
              | \{-?\s?range\s  # Go
              | \{[\#~\x20]{1,2}each\s  # Handlebars
              | \#each\s  # Svelte
              | (?<![\#$]\{)\s?[\w.]+\.map\(  # JSX
              )
            """
        ),
    ),
    _ListSyntax(
        "<",  # EJS, ERB; Vue
        ("<%", "v-for="),
        re.compile(r"<(?:%[^%>]*\b(?:for|each|map)\b|[^<>]+\sv-for=)"),
    ),
    _ListSyntax("=", (".map(",), re.compile(r"\.map\([^<>]{0,200}=>[\s(]*<")),  # JSX
    _ListSyntax(".", (".glob",), re.compile(r"\b(?:astro|import\.meta)\.glob\b")),  # Astro, Vite
    _ListSyntax(
        "C",  # Astro; VitePress
        ("getCollection", "createContentLoader"),
        re.compile(r"\b(?:getcollection|createcontentloader)\b"),
    ),
    _ListSyntax(
        ":",  # Nikola; Quarto, Eleventy, Jekyll
        (".. post-list::", "listing:", "pagination:", "paginate:"),
        re.compile(r"\n(?:\.\. post-list:|listing|pagination|paginate):"),
    ),
)


class SourceFacts(NamedTuple):
    """What the beginning of a source file says of its page. An empty field is not set.

    `title` is in lower-case words. It is the title in the metadata if `has_own_title` is true, and
    the first heading otherwise. `permalink` is the page's path, if it has no placeholders. `names`
    are the slug and the ID, either of which may replace the file's name in the page's path. `day`
    is the year, month and day of its date: `("2026", "3", "1")`.
    """

    title: str = ""
    has_own_title: bool = False
    permalink: str = ""
    names: tuple[str, ...] = ()
    day: tuple[str, ...] = ()


def words(text: str) -> str:
    """Reduces a text to lower-case words without punctuation: `Café — News` → `cafe news`.

    Titles are compared in this way, because generators change their punctuation. Accents are
    removed, too.
    """
    if not text.isascii():
        text = normalize("NFKD", text)
    return " ".join(_WORD.findall(text.lower()))


def has_part(text: str, character: str, parts: Iterable[str]) -> bool:
    """Whether a text contains one of some parts, such as `{%` and `{{`.

    `character` is one that all parts contain: `{`. Most texts lack it, and are searched only once:
    to search each of 15 parts in a text of 11 KB takes 60 µs.
    """
    return character in text and any(part in text for part in parts)


def read_source(data: bytes) -> SourceFacts | None:
    """Reads title, permalink, slug and date of a page from the beginning of its source file.

        ---
        title: News
        slug: a
        ---              → the title `news`, and the name `a`

    None for a file whose commits do not date a page: a draft, a binary file, and a template that
    lists other pages, because its page changes when they do.
    """
    text = data.decode("utf-8", "replace").lstrip("\ufeff")
    if "\r" in text:  # most texts have none, and this check is faster than a replacement
        text = text.replace("\r", "")
    metadata = _find_metadata(text)
    fields = _read_fields(text, metadata.block)
    # Files whose commits do not date a page.
    is_draft = not _DRAFT_FIELDS.isdisjoint(fields.items())
    if _lists_other_pages(text) or b"\0" in data or is_draft:
        return None
    # The title, in the metadata or as a heading, and the other facts.
    own_title = fields.get("title", "")
    title = own_title or _read_heading(text, metadata.body_start)
    day = _DATE.search(fields.get("date", ""))
    return SourceFacts(
        title=words(_MARKUP.sub("", unescaped(title))),
        has_own_title=bool(own_title),
        permalink=_literal_permalink(fields, is_toml=metadata.is_toml),
        names=tuple(fields[key] for key in ("slug", "id") if fields.get(key)),
        day=day.groups() if day else (),
    )


class _Metadata(NamedTuple):
    """The block of metadata at the beginning of a source file, and where the body may begin."""

    block: str = ""
    is_toml: bool = False
    body_start: int = 0


def _find_metadata(text: str) -> _Metadata:
    """Finds the block of metadata at the beginning of a source file.

    | the file begins with       | `block`                         | `body_start`          |
    |----------------------------|---------------------------------|-----------------------|
    | `---`, or `+++` for TOML   | the rows up to the second mark  | after the second mark |
    | any other row              | the rows before a blank line    | 0                     |
    | one row without a line end | ""                              | 0                     |

    In the second case, the rows may already be the text itself, with the heading.
    """
    front = FRONT_MATTER.match(text)
    if front is None:
        return _Metadata()
    if front["mark"]:
        is_toml = front["mark"] == "+++"
        return _Metadata(front["between"], is_toml=is_toml, body_start=front.end())
    return _Metadata(front["lines"])


def _read_fields(text: str, block: str) -> dict[str, str]:
    """Reads the values of keys such as `title` and `slug` in a source file.

        title: "News"        → {"title": "News"}, in the block of metadata only
        :title: News         → the same, anywhere in the text (reStructuredText)
        #+title: News        → the same, anywhere in the text (Org)

    `block` is the metadata at the beginning of `text`. Keys are in lower case. The first value of a
    key counts, because a later one may stand in an example in the text.
    """
    fields: dict[str, str] = {}
    for key, value in [*_METADATA_ROW.findall(block), *_MARKED_ROW.findall(f"\n{text}")]:
        fields.setdefault(key.lower(), value.strip(" \t\"',"))
    return fields


def _lists_other_pages(text: str) -> bool:
    """Whether a source file is a template that lists other pages: `{% for post in posts %}`.

    Code blocks do not count, because they may show how to write such a template.
    """
    # Searching a part is much faster than removing code blocks, and most sources have no part.
    possible = [
        syntax for syntax in _LIST_SYNTAXES if has_part(text, syntax.character, syntax.parts)
    ]
    if not possible:
        return False
    without_code = _CODE.sub("", f"\n{text}").lower()
    return any(syntax.pattern.search(without_code) for syntax in possible)


def _read_heading(text: str, start: int) -> str:
    """Finds the first heading or title in a text after position `start`; "" if there is none.

    # News                 → News (Markdown)
    News, above ====       → News (reStructuredText)
    <h1>News</h1>          → News (HTML)
    """
    heading = _HEADING.search(f"\n{text}", start)
    if heading is None:
        return ""
    # Each kind of heading has one group in the expression. Only that of the heading's kind matched.
    return "".join(filter(None, heading.groups()))


def _literal_permalink(fields: Mapping[str, str], *, is_toml: bool) -> str:
    """The path that a source file sets for its page; "" if it sets none that is certain.

    permalink: /about/              → /about/
    url: /about/, save_as: a.html   → /about/: the first of `permalink`, `url`, `save_as`
    path = "about" between +++      → /about (Zola)
    permalink: /:year/:title/       → "": it has placeholders
    permalink: pretty               → "": the name of a style, without a slash or a dot
    """
    if is_toml and fields.get("path"):
        # Zola's `path` replaces the whole path of a page, whether it begins with a slash or not:
        # getzola.org/documentation/content/page. In the YAML of others, it may be any path.
        return f"/{fields['path'].lstrip('/')}"
    for key in ("permalink", "url", "save_as"):
        path = fields.get(key, "")
        if _PATH_WITHOUT_PLACEHOLDERS.fullmatch(path):
            return path
    return ""
