"""The directives in a source file whose text comes from elsewhere. Pure.

`--8<-- "CHANGELOG.md"` includes a file. For `::: package.module` and `.. automodule:: package`, the
text is generated from the modules of a program.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .source_text import has_part

_MAX_FILES = 20  # that one source includes
# Each text with a directive contains one of these parts. They are listed by a text that is in all
# of them, which is searched first.
_PARTS_BY_CHARACTER = {
    "<": ("--8<--",),
    "{": ("{!", "include-markdown", "```{", ":::{", "~~~{", "< include", "% include", "readfile"),
    "::": ("::: ", ".. "),
}
_FENCE = re.compile(
    r"[ \t]*(?P<fence>`{3,}|~{3,}|:{3,})[ \t]*(?:\{(?P<name>[\w:-]+)\})?(?P<rest>.*)"
)
_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. (?P<name>[\w:.+-]+)::(?:[ \t]+(?P<rest>\S.*))?")
# mkdocstrings: an identifier. A container, such as `::: tip`, has a mark at its end as well.
_MODULE = re.compile(r"(?P<indent>[ \t]*)::: [A-Za-z_][\w.]*[ \t]*")
_CONTAINER_END = re.compile(r"(?m)^[ \t]*:::+[ \t]*$")
# pymdownx.snippets: "file", "file:section" or "file:1:9".
_SNIPPET = re.compile(r"""[ \t]*-{1,}8<-{1,}[ \t]+["'](?P<file>[^"']+)["'][ \t]*""")
# markdown-include, and mkdocs-include-markdown-plugin.
_INCLUDE_IN_BRACES = re.compile(r"""[ \t]*\{!\s?(?P<file>[^!"'{}]+?)\s?!\}[ \t]*""")
_INCLUDE_TAG = re.compile(
    r"""[ \t]*\{%-?\s{1,9}include-markdown\s{1,9}["'](?P<file>[^"']+)["'][^{}]*%\}[ \t]*"""
)
# Shortcodes: readfile of Docsy, include of Quarto and of themes for Hugo.
_SHORTCODE = re.compile(
    r"""
    [ \t]* \{\{ [<%] \s{0,9}
    (?: include | readfile ) \s{1,9}
    (?: file= )?
    ["']? (?P<file> [^"'{}\s<>%]++ ) ["']?
    [^{}]* [%>] \}\} [ \t]*
    """,
    re.VERBOSE,
)
_INCLUDING_DIRECTIVES = {"include", "literalinclude", "mdinclude"}
_GENERATING_DIRECTIVE = re.compile(
    r"auto\w+|toctree|doxygen\w+|click|argparse|program-output|click:\w+|towncrier-draft-entries"
)
_UNDERLINE = re.compile(r"([^\w\s])\1*")
_STARTS_WITHOUT_PROSE = ("# ", "##", ".. ", ":orphan:", ":tocdepth:", "<!--", "(")


class IncludedText(NamedTuple):
    """How much of a page's text comes from other files, or is generated.

    `size` is the number of bytes of the source file that are directives, and `files` are the files
    that they include. `is_generated` is true if some text is generated from a program. `is_all` is
    true if the source file has no text of its own except headings.
    """

    size: int = 0
    files: tuple[str, ...] = ()
    is_generated: bool = False
    is_all: bool = False


def find_included_text(text: str) -> IncludedText:
    """Finds out how much of a source file's text is included or generated, and from which files.

        # Changes
        --8<-- "CHANGELOG.md"    → 21 bytes of directives, which include `CHANGELOG.md`

    There, `is_all` is true, because a heading is no text of its own. For `::: package`,
    `is_generated` is. An empty result for a file without directives.
    """
    # Most sources have no directive, so the text is searched before it is read line by line.
    if not any(has_part(text, shared, parts) for shared, parts in _PARTS_BY_CHARACTER.items()):
        return IncludedText()
    size = 0
    files: dict[str, None] = {}
    is_generated = False
    lines = _LineReader(text)
    for directive in lines.directives():
        size += len(directive.text.encode("utf-8", "replace"))
        files |= dict.fromkeys(directive.files)
        is_generated = is_generated or not directive.files
    if not size:
        return IncludedText()
    if len(files) > _MAX_FILES:
        is_generated = True  # the files after these are not read, so their text counts as generated
    return IncludedText(
        size=size,
        files=tuple(files)[:_MAX_FILES],
        is_generated=is_generated,
        is_all=not _has_prose(lines.own),
    )


def _has_prose(lines: Sequence[str]) -> bool:
    """Whether one of the lines is text of the page other than a heading.

    No text are: front matter, headings (`# News`, or `News` above `====`), comments, directives,
    and rows without a letter or a digit, such as `----`.
    """
    body = [line.strip() for line in lines]
    if body and body[0] in ("---", "+++") and body[0] in body[1:]:
        front_matter_end = body.index(body[0], 1)
        body = body[front_matter_end + 1 :]
    for number, line in enumerate(body):
        next_line = body[number + 1] if number + 1 < len(body) else ""
        is_underlined = _UNDERLINE.fullmatch(next_line) is not None
        # A title of one or two letters may have an underline as short as itself.
        is_title = is_underlined and len(next_line) >= min(3, len(line))
        has_letter_or_digit = any(map(str.isalnum, line))
        if has_letter_or_digit and not is_title and not line.startswith(_STARTS_WITHOUT_PROSE):
            return True
    return False


class _Directive(NamedTuple):
    """The text of a directive with all its lines, and the files that it includes.

    It has no files if what it shows is generated.
    """

    text: str
    files: tuple[str, ...]


class _LineReader:
    """Reads the lines of a source, and divides them into directives and its own text."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._has_containers = _CONTAINER_END.search(text) is not None
        # The state while lines are read: the next line, and the mark that began the code block
        # around it, such as three backticks; "" outside of a block.
        self._next_index = 0
        self._fence = ""
        # The lines of the source's own text, which `directives` adds.
        self.own: list[str] = []

    def directives(self) -> Iterator[_Directive]:
        """Reads all lines, yields the directives, and adds the other lines to `own`.

        A directive whose text is in the source itself, such as `.. note::`, is no directive here.
        """
        while self._next_index < len(self._lines):
            directive = self._read_next()
            if directive:
                yield directive
            else:
                self.own.append(self._lines[self._next_index - 1])

    def _read_next(self) -> _Directive | None:
        """Reads the next line, or a directive with all its lines; None for a line of own text.

        --8<-- "a.md", {! a.md !}       includes a file, also in a block of code
        ```python                       begins or ends a block of code
        ```{include} a.md               a directive of MyST
        .. include:: a.rst              a directive of reStructuredText; not in a block of code
        ::: package.module              a directive of mkdocstrings; not in a block of code
        """
        line = self._lines[self._next_index].rstrip("\r\n")
        self._next_index += 1
        file = _included_file(line)
        if file:
            return _Directive(line, (file,))
        fence = _FENCE.fullmatch(line)
        # Three colons without a name may also be `::: package.module`.
        if fence and (self._fence or fence["name"] or not fence["fence"].startswith(":")):
            return self._read_fence(fence)
        if self._fence:
            return None
        return self._read_directive(line)

    def _read_fence(self, fence: re.Match[str]) -> _Directive | None:
        """Reads a line that begins with three or more backticks, tildes or colons.

        ```{include} a.md    a directive of MyST: returned with all lines up to its last one
        ```{note}            a directive whose text is in the source itself: None
        ```python            the first line of a code block: None, and `_fence` is set
        ```                  the last line of a code block: None, and `_fence` is ""
        """
        mark = fence["fence"]
        if self._fence:
            # A code block ends at a line of at least as many backticks, with nothing after them.
            if mark.startswith(self._fence) and not fence["rest"].strip():
                self._fence = ""
            return None
        name = fence["name"] or ""
        files = _files_of_directive(name, fence["rest"])
        if files is None:
            # Without a name, a code block begins. The lines in {note}, {eval-rst} and others are
            # read as text of the source file.
            if not name:
                self._fence = mark
            return None
        start = self._next_index
        while self._next_index < len(self._lines):
            line = self._lines[self._next_index].strip()
            self._next_index += 1
            if line.startswith(mark) and not line.strip(mark[0]):
                break
        return _Directive(fence[0] + "".join(self._lines[start : self._next_index]), files)

    def _read_directive(self, line: str) -> _Directive | None:
        """Reads a directive of reStructuredText or mkdocstrings, with its indented lines.

        .. include:: a.rst     → it includes `a.rst`
        ::: package.module     → generated text
        .. note:: text         → None: its text is in the source itself
        text                   → None
        """
        directive = _DIRECTIVE.fullmatch(line)
        files: tuple[str, ...] | None = ()
        if directive:
            files = _files_of_directive(directive["name"], directive["rest"] or "")
        elif not self._has_containers:
            # Where a line `:::` ends a container, `::: tip` begins one, and names no module.
            directive = _MODULE.fullmatch(line)
        if directive is None or files is None:
            return None
        # Blank lines and those that are indented more than the directive belong to it.
        start = self._next_index
        while self._next_index < len(self._lines):
            next_line = self._lines[self._next_index]
            stripped = next_line.lstrip(" \t")
            indent = len(next_line) - len(stripped)
            if stripped.strip() and indent <= len(directive["indent"]):
                break
            self._next_index += 1
        return _Directive(line + "".join(self._lines[start : self._next_index]), files)


def _included_file(line: str) -> str:
    """The file that a line of Markdown includes: `{! a.md !}` → `a.md`. "" for any other line.

    | line                               | read by                                        |
    |------------------------------------|------------------------------------------------|
    | `--8<-- "a.md:part"`               | pymdownx.snippets; `part` is a section of it   |
    | `{! a.md !}`                       | markdown-include                               |
    | `{% include-markdown "a.md" %}`    | mkdocs-include-markdown-plugin                 |
    | `{{< include a.md >}}`             | Quarto, and themes for Hugo                    |
    """
    snippet = _SNIPPET.fullmatch(line)
    if snippet:
        return _without_section(snippet["file"])
    include = (
        _INCLUDE_IN_BRACES.fullmatch(line)
        or _INCLUDE_TAG.fullmatch(line)
        or _SHORTCODE.fullmatch(line)
    )
    return include["file"].strip() if include else ""


def _without_section(name: str) -> str:
    """The file of a snippet, without its section or lines: `a.md:part`, `a.md:1:9` → `a.md`.

    The colon in a URL stays: `https://example.com/a.md`.
    """
    return re.sub(r"(?<=[^/:]):(?!//).*", "", name)


def _files_of_directive(name: str, argument: str) -> tuple[str, ...] | None:
    """The files that a directive of reStructuredText or MyST includes, by its name and argument.

    .. include:: a.rst           → ("a.rst",)
    .. automodule:: package      → (): its text is generated
    .. note:: text               → None: its text is in the source file itself
    .. include:: <isonum.txt>    → None: a list of characters that comes with Docutils
    """
    if _GENERATING_DIRECTIVE.fullmatch(name):
        return ()
    if name not in _INCLUDING_DIRECTIVES:
        return None
    file = argument.strip()
    is_of_docutils = file.startswith("<")
    if is_of_docutils or not file:
        return None
    return (file,)
