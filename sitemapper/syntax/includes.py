"""The directives of a source whose text stands elsewhere: included files, generated text. Pure.

`--8<-- "CHANGELOG.md"` names a file. `::: package.module` and `.. automodule:: package` do not: the
text comes from a program's modules.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .source_text import has_sign

_MAX_FILES = 20  # that one source includes
_SIGNS = {
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
_SNIPPETS = re.compile(r"[ \t]*-{1,}8<-{1,}[ \t]*")
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
    """What of a source stands elsewhere: the bytes of its directives, and the files they include.

    With `is_generated`, some text comes from no file that is named. With `is_all`, the source has
    no text of its own but headings.
    """

    size: int = 0
    files: tuple[str, ...] = ()
    is_generated: bool = False
    is_all: bool = False


def find_elsewhere(text: str) -> Elsewhere:
    """The directives of a source whose text stands elsewhere."""
    if not has_sign(text, _SIGNS):
        return Elsewhere()
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
        is_generated = True
    is_all = not _has_prose(lines.own)
    return Elsewhere(size, tuple(files)[:_MAX_FILES], is_generated, is_all)


def _has_prose(lines: Sequence[str]) -> bool:
    """Whether any line is text, and neither a heading nor metadata nor a comment."""
    own = [line.strip() for line in lines]
    if own and own[0] in ("---", "+++") and own[0] in own[1:]:
        own = own[own.index(own[0], 1) + 1 :]
    for number, line in enumerate(own):
        following = own[number + 1] if number + 1 < len(own) else ""
        is_underlined = _UNDERLINE.fullmatch(following) is not None
        is_title = is_underlined and len(following) >= min(3, len(line))
        if is_title or not any(map(str.isalnum, line)) or line.startswith(_NO_PROSE):
            continue
        return True
    return False


class _Directive(NamedTuple):
    """The lines of a directive, and the files that it includes, none if its text is generated."""

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
        """The directives whose text stands elsewhere."""
        while self._at < len(self._lines):
            directive = self._read()
            if directive:
                yield directive
            else:
                self.own.append(self._lines[self._at - 1])

    def _read(self) -> _Directive | None:
        """Reads a line, or a whole directive. None for a line of the source's own text."""
        line = self._lines[self._at].rstrip("\r\n")
        self._at += 1
        file = _included_by(line)  # also in a block of code
        if file:
            return _Directive(line, (file,))
        if _SNIPPETS.fullmatch(line):
            return self._read_snippets()
        fence = _FENCE.fullmatch(line)
        if fence and (self._fence or fence["name"] or not fence["fence"].startswith(":")):
            return self._read_fence(fence)
        if self._fence:
            return None
        return self._read_directive(line)

    def _read_fence(self, fence: re.Match[str]) -> _Directive | None:
        """Reads the first or last line of a block of code, or the whole of a directive of MyST."""
        mark = fence["fence"]
        if self._fence:
            if mark.startswith(self._fence) and not fence["rest"].strip():
                self._fence = ""
            return None
        name = fence["name"] or ""
        files = _files_of(name, fence["rest"])
        if files is None:
            # The contents of {eval-rst}, {note} and others are the text of the source.
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
        """Reads a directive of reStructuredText or mkdocstrings, with its indented lines."""
        found = _DIRECTIVE.fullmatch(line)
        files: tuple[str, ...] | None = ()
        if found:
            files = _files_of(found["name"], found["rest"] or "")
        elif not self._has_containers:
            found = _MODULE.fullmatch(line)
        if found is None or files is None:
            return None
        # Blank lines and those that are indented more than the directive belong to it.
        start = self._at
        while self._at < len(self._lines):
            following = self._lines[self._at]
            stripped = following.lstrip(" \t")
            indent = len(following) - len(stripped)
            if stripped.strip() and indent <= len(found["indent"]):
                break
            self._at += 1
        return _Directive(line + "".join(self._lines[start : self._at]), files)

    def _read_snippets(self) -> _Directive | None:
        """Reads a block of file names between two scissors."""
        start = self._at
        names: list[str] = []
        for number, line in enumerate(self._lines[start : start + 2 * _MAX_FILES]):
            if _SNIPPETS.fullmatch(line.rstrip("\r\n")):
                self._at = start + number + 1
                return _Directive("".join(self._lines[start - 1 : self._at]), tuple(names))
            if line.strip() and not line.strip().startswith(";"):
                names.append(_without_section(line.strip()))
        return None


def _included_by(line: str) -> str:
    """The file that a line of Markdown includes, "" for none."""
    found = _SNIPPET.fullmatch(line)
    if found:
        return _without_section(found["file"])
    found = _BRACES.fullmatch(line) or _TAG.fullmatch(line) or _SHORTCODE.fullmatch(line)
    return found["file"].strip() if found else ""


def _without_section(name: str) -> str:
    """`file.md:section` and `file.md:1:9` without what follows the name."""
    return re.sub(r"(?<=[^/:]):(?!//).*", "", name)


def _files_of(name: str, rest: str) -> tuple[str, ...] | None:
    """The file of a directive, () if its text is generated, None if its text stands here."""
    if name in _INCLUDES:
        file = rest.strip()
        is_standard = file.startswith("<")  # a file of Docutils itself: <isonum.txt>
        return None if is_standard or not file else (file,)
    return () if _GENERATES.fullmatch(name) else None
