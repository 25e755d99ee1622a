"""The directives in a source file whose text comes from elsewhere. Pure.

`--8<-- "CHANGELOG.md"` includes a file. For `::: package.module` and `.. automodule:: package`, the
text is generated from the modules of a program.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .source_text import has_part

_MAX_FILES = 20  # that one source includes
# Each text with a directive contains one of these, by a part that they share.
_PARTS = {
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
_BRACES = re.compile(r"""[ \t]*\{!\s?(?P<file>[^!"'{}]+?)\s?!\}[ \t]*""")
_TAG = re.compile(
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
_INCLUDES = {"include", "literalinclude", "mdinclude"}
_GENERATES = re.compile(
    r"auto\w+|toctree|doxygen\w+|click|argparse|program-output|click:\w+|towncrier-draft-entries"
)
_UNDERLINE = re.compile(r"([^\w\s])\1*")
_NO_PROSE = ("# ", "##", ".. ", ":orphan:", ":tocdepth:", "<!--", "(")


class Elsewhere(NamedTuple):
    """How much of a page's text comes from elsewhere than its source file.

    `size` is how many bytes of the source file are directives, and `files` are those that they
    include. With `is_generated`, some text is generated, not included. With `is_all`, the source
    file has no text of its own but headings.
    """

    size: int = 0
    files: tuple[str, ...] = ()
    is_generated: bool = False
    is_all: bool = False


def find_elsewhere(text: str) -> Elsewhere:
    """How much of the text of a source file comes from elsewhere, and from which files.

    `# Changes`, and below it `--8<-- "CHANGELOG.md"` → 21 bytes from the file `CHANGELOG.md`; the
    source has no text of its own. For `::: package`, the text is generated.
    """
    if not any(has_part(text, shared, parts) for shared, parts in _PARTS.items()):
        return Elsewhere()  # as for most sources
    size = 0
    files: dict[str, None] = {}
    is_generated = False
    lines = _Lines(text)
    for directive in lines.directives():
        size += len(directive.text.encode("utf-8", "replace"))
        files |= dict.fromkeys(directive.files)
        is_generated = is_generated or not directive.files
    if not size:
        return Elsewhere()
    if len(files) > _MAX_FILES:
        is_generated = True  # the files after these are not read, so their text counts as generated
    return Elsewhere(
        size=size,
        files=tuple(files)[:_MAX_FILES],
        is_generated=is_generated,
        is_all=not _has_prose(lines.own),
    )


def _has_prose(lines: Sequence[str]) -> bool:
    """Whether one of the lines is text that a reader sees as such.

    Front matter, headings (`# News`, or `News` above `====`), comments, options of directives and
    rows of punctuation are no such text.
    """
    body = [line.strip() for line in lines]
    if body and body[0] in ("---", "+++") and body[0] in body[1:]:
        front_matter_end = body.index(body[0], 1)
        body = body[front_matter_end + 1 :]
    for number, line in enumerate(body):
        next_line = body[number + 1] if number + 1 < len(body) else ""
        is_underlined = _UNDERLINE.fullmatch(next_line) is not None
        is_title = is_underlined and len(next_line) >= min(3, len(line))
        if is_title or not any(map(str.isalnum, line)) or line.startswith(_NO_PROSE):
            continue
        return True
    return False


class _Directive(NamedTuple):
    """The lines of a directive, and the files that it includes; none if its text is generated."""

    text: str
    files: tuple[str, ...]


class _Lines:
    """The lines of a source, read from the first to the last."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._at = 0
        self._has_containers = _CONTAINER_END.search(text) is not None
        self._fence = ""  # of the code block around the line
        self.own: list[str] = []  # lines of the source's own text

    def directives(self) -> Iterator[_Directive]:
        """Reads all lines and yields the directives whose text comes from elsewhere.

        The other lines are added to `own`.
        """
        while self._at < len(self._lines):
            directive = self._read()
            if directive:
                yield directive
            else:
                self.own.append(self._lines[self._at - 1])

    def _read(self) -> _Directive | None:
        """Reads the next line, or a directive with all its lines; None for a line of own text.

        --8<-- "a.md", {! a.md !}       includes a file, also in a block of code
        ```python                       begins or ends a block of code
        ```{include} a.md               a directive of MyST
        .. include:: a.rst              a directive of reStructuredText; not in a block of code
        ::: package.module              a directive of mkdocstrings; not in a block of code
        """
        line = self._lines[self._at].rstrip("\r\n")
        self._at += 1
        file = _included_by(line)
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
        """Reads a line of backticks or the like: a directive of MyST, or the edge of a code block.

        A directive such as ```` ```{include} a.md ```` is read up to its last line. None for the
        first and last line of a block of code, and for a directive whose text is here.
        """
        mark = fence["fence"]
        if self._fence:
            # A block ends at a line of at least as many backticks, with nothing after them.
            if mark.startswith(self._fence) and not fence["rest"].strip():
                self._fence = ""
            return None
        name = fence["name"] or ""
        files = _files_of(name, fence["rest"])
        if files is None:
            # Inside of {note}, {eval-rst} and others stands text of the source file itself.
            if not name:
                self._fence = mark
            return None
        start = self._at
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            self._at += 1
            if line.startswith(mark) and not line.strip(mark[0]):
                break
        return _Directive(fence[0] + "".join(self._lines[start : self._at]), files)

    def _read_directive(self, line: str) -> _Directive | None:
        """Reads a directive of reStructuredText or mkdocstrings, with its indented lines.

        `.. include:: a.rst` → the file `a.rst`; `::: package.module` → generated text. None for any
        other line.
        """
        directive = _DIRECTIVE.fullmatch(line)
        files: tuple[str, ...] | None = ()
        if directive:
            files = _files_of(directive["name"], directive["rest"] or "")
        elif not self._has_containers:
            # In a file with containers, `::: tip` begins one of these.
            directive = _MODULE.fullmatch(line)
        if directive is None or files is None:
            return None
        # Blank lines and those that are indented more than the directive belong to it.
        start = self._at
        while self._at < len(self._lines):
            next_line = self._lines[self._at]
            stripped = next_line.lstrip(" \t")
            indent = len(next_line) - len(stripped)
            if stripped.strip() and indent <= len(directive["indent"]):
                break
            self._at += 1
        return _Directive(line + "".join(self._lines[start : self._at]), files)


def _included_by(line: str) -> str:
    """The file that a line of Markdown includes; "" for any other line.

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
    include = _BRACES.fullmatch(line) or _TAG.fullmatch(line) or _SHORTCODE.fullmatch(line)
    return include["file"].strip() if include else ""


def _without_section(name: str) -> str:
    """The file of a snippet, without its section or lines: `a.md:part`, `a.md:1:9` → `a.md`."""
    return re.sub(r"(?<=[^/:]):(?!//).*", "", name)


def _files_of(name: str, argument: str) -> tuple[str, ...] | None:
    """The files that a directive includes.

    .. include:: a.rst           → ("a.rst",)
    .. automodule:: package      → (): its text is generated
    .. note:: text               → None: its text is in the source file itself
    .. include:: <isonum.txt>    → None: a list of characters that comes with Docutils
    """
    if name in _INCLUDES:
        file = argument.strip()
        is_of_docutils = file.startswith("<")
        return None if is_of_docutils or not file else (file,)
    return () if _GENERATES.fullmatch(name) else None
