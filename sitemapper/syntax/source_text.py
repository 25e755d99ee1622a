"""What the beginning of a source file says of its page: front matter and title. Pure.

Front matter is YAML or TOML between marks, or fields at the top: of Pelican, reStructuredText
(`:date: …`), Nikola (`.. date: …`), Org (`#+date: …`) and AsciiDoc (`:page-date: …`).
"""

import html
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from .dates import Writer, read_date

_MARKED = re.compile(r"\s*(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
# At most a title with its lines, then fields.
_UNMARKED = re.compile(
    r"\s*+(?:[^\n]+\n){0,3}?\n*+((?:(?::|\.\. |#\+)?(?:page-)?[\w-]+:[^\n]*(?:\n|\Z))+)"
)
_FIELD = re.compile(
    r"""(?mx)
      ^([ \t]*) (?::|\.\.[ ]|\#\+)? (?:page-)? ["']?([\w-]+)["']? [ \t]*[:=][ \t]*
      (?: "([^"\n]*)" | '([^'\n]*)' | ((?:[^\#\n]|(?<!\s)\#)*) )
    """
)
_CHANGE_KEYS = (
    "lastmod",  # Hugo
    "last_modified_at",  # Jekyll
    "last_modified", "last_updated", "lastupdated",  # VitePress
    "last_update.date",  # Docusaurus
    "updated",  # Hexo, Zola, Nikola
    "modified",  # Pelican
    "datemodified",
    "date.updated",  # Material for MkDocs
    "revision_date",
)  # fmt: skip
_PUBLICATION_KEYS = (
    "date", "pubdate", "publishdate", "published", "publishedat", "publicationdate",
    "datepublished", "date.created",
)  # fmt: skip
_DRAFT = {("draft", "true"), ("published", "false"), ("status", "draft")}
_HEADING = re.compile(
    r"""(?mx)
      \n\#[ \t]+(\S.*)$  # Markdown
    | \n=[ \t]+(\S.*)$  # AsciiDoc
    | \n(?![-=\#*~ \t])(\S.*)\n(?:-{3,}|={3,}|\#{3,}|\*{3,}|~{3,})[ \t]*$  # reStructuredText
    | <h1[^<>]*>([^<{]{1,300})</h1>
    | <title>([^<{]{1,300})</title>
    | "\#[ ]([^"\\]+)  # a cell of a notebook
    | \n\\title\{([^}]{1,300})\}  # LaTeX
    """
)
_MARKUP = re.compile(r"\]\([^)]{0,999}\)|\{[ ]?[#:.][^{}]*\}|<[^<>]+>|:[\w:.+-]{1,99}:(?=`)")
_CODE = re.compile(
    r"(?s)\n[ \t]*(```|~~~).*?\n[ \t]*\1|`[^`\n]+`|\{%-?\s?raw\b.*?(?:\{%-?\s?endraw\b|\Z)"
)
# One of these is in each text with a loop; most sources have none.
_MAY_LOOP = (
    "{", "<%", ".map(", "v-for", "glob(", "getCollection", "ContentLoader", "post-list::",
    "listing:", "pagina",
)  # fmt: skip
_PAGES = r"(?:site\.(?!data\b)|collections?\b|paginat|posts\b|pages\b|articles\b|entries\b)"
_LOOP = re.compile(
    rf"""(?ix)
      \{{%-?\s?(?:for|tablerow)\s[^%]*?\bin\s[^%]*?{_PAGES}  # Liquid, Jinja, Twig
    | \{{\{{-?\s?range\s[^}}]*(?:site\b|pages\b|paginat|sections\b)  # Go
    | \{{[{{~\x20]{{0,3}}\#each\s[^}}]*{_PAGES}  # Handlebars, Svelte
    | <%[^%>]*{_PAGES}[^%>]*(?:each|map)\b | <%[^%>]*\bfor\b[^%>]*{_PAGES}  # EJS, ERB
    | \sv-for="[^"]*{_PAGES}
    | {_PAGES}[^\n;]{{0,99}}\.map\(  # JSX
    | \b(?:astro|import\.meta)\.glob\b | \b(?:getCollection|createContentLoader)\b
    | \n(?:\.\.\ post-list:|listing|pagination|paginate):  # Nikola; Quarto, Eleventy, Jekyll
    """
)
_LITERAL_PATH = re.compile(r"[^:{}<>%$*\[\]]*[/.][^:{}<>%$*\[\]]*")
_ACCENT = re.compile(r"[\u0300-\u036f]")
_WORD = re.compile(r"[^\W_]+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS = Writer(date_only=True)


class SourceText(NamedTuple):
    """What a source file says; "" for what it does not say. Dates are as written."""

    title: str = ""  # of the front matter or else the first heading, in lower-case words
    has_own_title: bool = False  # in the front matter
    permalink: str = ""  # the path of the page, if it is a plain literal
    names: tuple[str, ...] = ()  # slug and ID, which may stand for the name of the file
    published: str = ""  # the day of publication, as 2026-03-01
    change: str = ""  # the last change, as written, if it is later than the publication
    is_layout: bool = False  # it loops over other pages


@lru_cache(1 << 14)
def words(text: str) -> str:
    """Reduces a text to lower-case words without punctuation and accents: `Café-Bar` → `cafe bar`.

    Titles are compared in this way, because generators change their punctuation.
    """
    if not text.isascii():
        text = _ACCENT.sub("", normalize("NFKD", text))
    return " ".join(_WORD.findall(text.lower()))


def read_source(text: str) -> SourceText | None:
    """Reads what a source file says of its page, from the beginning of its text.

    Most of it is front matter, such as `date: 2026-03-01` between two lines `---`. None for a
    draft, which has no page.
    """
    text = text.removeprefix("\ufeff").replace("\r", "")
    fields, body_start = _read_front_matter(text)
    is_draft = not _DRAFT.isdisjoint(fields.items())
    if is_draft:
        return None

    own_title = fields.get("title", "")
    title = own_title or _first_heading(text, body_start)
    published = day_of(_first(fields, _PUBLICATION_KEYS))
    change = _first(fields, _CHANGE_KEYS)
    # A change that is not later than the publication says nothing: templates for new pages write
    # one day into both keys.
    if day_of(change) <= published:
        change = ""
    permalinks = [fields.get(key, "") for key in ("permalink", "url", "save_as")]
    return SourceText(
        title=words(_MARKUP.sub("", html.unescape(title))),
        has_own_title=bool(own_title),
        permalink=next(filter(_LITERAL_PATH.fullmatch, permalinks), ""),
        names=tuple(fields[key] for key in ("slug", "id") if fields.get(key)),
        published=published,
        change=change,
        is_layout=_lists_pages(text),
    )


def _read_front_matter(text: str) -> tuple[dict[str, str], int]:
    """Reads the fields of front matter, and the position behind which the first heading is.

    This is the end of front matter between two lines `---` or `+++`. If the fields stand without
    such marks at the top of the file, a heading may come before them, so the position is 0.
    """
    marked = _MARKED.match(text)
    if marked:
        return _read_fields(marked[2]), marked.end()
    unmarked = _UNMARKED.match(text)
    return _read_fields(unmarked[1]) if unmarked else {}, 0


def _first_heading(text: str, start: int) -> str:
    """The text of the first heading behind the position `start`: `# Tea` → `Tea`; "" without one.

    It may be one of Markdown, AsciiDoc, reStructuredText, HTML, LaTeX or a notebook.
    """
    # A heading stands behind a line break, so the text gets one before its first line.
    heading = _HEADING.search(f"\n{text}", start)
    if heading is None:
        return ""
    # The expression has a group for each kind of heading, and only one of them has matched.
    return "".join(filter(None, heading.groups()))


@lru_cache(1 << 12)
def day_of(date: str) -> str:
    """The day of a date, in the zone of its author; "" for a month, a year, or no date.

    `2026-03-01T01:00:00+02:00` → `2026-03-01`, though it is still February in UTC.
    """
    if not date:
        return ""
    try:
        day = read_date(date, _DAYS).text
    except ValueError:
        return ""
    if _DAY.match(date):
        return date[:10]  # as written: `day` is the one in UTC
    is_whole_day = len(day) == len("2026-01-01")  # not `2026` or `2026-01`
    return day if is_whole_day else ""


def _read_fields(block: str) -> dict[str, str]:
    """Reads the lines of front matter as fields, by their keys in lower case.

    `Date: 2026-03-01  # new` → {"date": "2026-03-01"}. An indented line belongs to the table above
    it, whose key comes first: `last_update.date`.
    """
    fields: dict[str, str] = {}
    table = ""
    for indent, key, double, single, plain in _FIELD.findall(block):
        name = key.lower()
        value = double or single or plain.strip(" \t,")  # in quotes of either kind, or without
        if indent:
            name = f"{table}.{name}"
        elif not value:
            table = name
        fields.setdefault(name, value)  # of two fields with one key, the first one counts
    return fields


def _first(fields: Mapping[str, str], keys: Iterable[str]) -> str:
    """The value of the first of the keys that has one; "" if none has.

    `true` and `false` are passed over: the keys are those of dates, and `published: true` is none.
    """
    values = [fields.get(key, "") for key in keys]
    return next((value for value in values if value not in ("", "true", "false")), "")


def _lists_pages(text: str) -> bool:
    """Whether a source lists other pages, by a loop of its template language.

    `{% for post in site.posts %}`. Code blocks do not count, because they may show an example.
    """
    # A quick look first: most sources have no loop at all.
    if not any(part in text for part in _MAY_LOOP):
        return False
    return _LOOP.search(_CODE.sub("", f"\n{text}")) is not None
