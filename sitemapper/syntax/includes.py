"""The directives in a source file whose text comes from elsewhere. Pure.

`--8<-- "CHANGELOG.md"` includes a file. For `::: package.module` and `.. automodule:: package`, the
text is generated from the modules of a program.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .source_text import has_part

_MAX_FILES = 20  # that one source includes
# Each text with a directive contains one of these parts. The parts of a line have a text in common,
# such as `{`. To save time, a text without it is not searched for the parts (`has_part`).
_PARTS_BY_CHARACTER = {
    "<": ("--8<--",),
    "{": ("{!", "include-markdown", "```{", ":::{", "~~~{", "< include", "% include", "readfile"),
    "::": ("::: ", ".. "),
}
_FENCE = re.compile(
    r"[ \t]*(?P<mark>`{3,}|~{3,}|:{3,})[ \t]*(?:\{(?P<name>[\w:-]+)\})?(?P<rest>.*)"
)
_DIRECTIVE = re.compile(r"[ \t]*\.\. (?P<name>[\w:.+-]+)::(?:[ \t]+(?P<rest>\S.*))?")
# mkdocstrings: an identifier. A box of VitePress, such as `::: tip`, has a mark at its end as well.
_MODULE = re.compile(r"[ \t]*::: [A-Za-z_][\w.]*[ \t]*")
_BOX_END = re.compile(r"(?m)^[ \t]*:::+[ \t]*$")
# pymdownx.snippets: "file", "file:section" or "file:1:9". The colon in a URL is none of these.
_SNIPPET = re.compile(
    r"""[ \t]*-+8<-+[ \t]+["'](?P<file>(?:[^"':]|:(?=//)|(?<=/):)+)(?::[^"']*)?["'][ \t]*"""
)
_MARKDOWN_INCLUDE = re.compile(r"""[ \t]*\{!\s?(?P<file>[^!"'{}]+?)\s?!\}[ \t]*""")
# mkdocs-include-markdown-plugin
_INCLUDE_MARKDOWN = re.compile(
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
        ::: package              → 11 bytes of a directive, and `is_generated`

    The file has no text of its own, because a heading does not count as text, so `is_all` is true.
    An empty result for a file without directives.
    """
    # Most sources contain no part of a directive, such as `{!`, and need not be read further.
    may_have_directives = any(
        has_part(text, character, parts) for character, parts in _PARTS_BY_CHARACTER.items()
    )
    if not may_have_directives:
        return IncludedText()
    directives, own_lines = _separate_directives(text)
    if not directives:
        return IncludedText()
    all_files = [file for directive in directives for file in directive.files]
    files = tuple(dict.fromkeys(all_files))  # each once
    # A directive without files stands for text that a program generates. The files after the first
    # 20 are not read, so nothing is known of their text either, and it counts as generated, too.
    has_generated = any(not directive.files for directive in directives)
    has_unread_files = len(files) > _MAX_FILES
    return IncludedText(
        size=sum(len(directive.text.encode("utf-8", "replace")) for directive in directives),
        files=files[:_MAX_FILES],
        is_generated=has_generated or has_unread_files,
        is_all=not _has_prose(own_lines),
    )


def _has_prose(lines: Sequence[str]) -> bool:
    """Whether one of the lines is text of the page other than a heading.

    These do not count: front matter, headings (`# News`, or `News` above `====`), comments,
    directives, and lines without a letter or a digit, such as `----`.
    """
    body = [line.strip() for line in lines]
    if body and body[0] in ("---", "+++") and body[0] in body[1:]:
        front_matter_end = body.index(body[0], 1)
        body = body[front_matter_end + 1 :]
    for line, next_line in pairwise([*body, ""]):
        has_letter_or_digit = any(map(str.isalnum, line))
        if not has_letter_or_digit or line.startswith(_STARTS_WITHOUT_PROSE):
            continue
        # An underline has three characters or more, but that of a title `Go` may be as short.
        is_underlined = _UNDERLINE.fullmatch(next_line) is not None
        is_title = is_underlined and len(next_line) >= min(3, len(line))
        if not is_title:
            return True
    return False


class _Directive(NamedTuple):
    """A directive of a source file, which stands for text from elsewhere.

    `text` are all its lines, and `end` is the index of the line after them. `files` are the files
    that it includes. If there are none, its text is generated from a program.
    """

    text: str
    end: int
    files: tuple[str, ...]


def _separate_directives(text: str) -> tuple[list[_Directive], list[str]]:
    """Separates the directives of a source file from its other lines, which are its own text.

    Green tea is healthy.    own text
    .. note:: Stir it.       own text: the note is written in this file
    .. include:: a.rst       a directive: its text is in another file
    """
    directives: list[_Directive] = []
    own_lines: list[str] = []
    lines = text.splitlines(keepends=True)
    # `::: tip` begins a box around text, which a line `:::` ends. In a file without such boxes,
    # `::: package` is a directive: it stands for the documentation of a module.
    has_boxes = _BOX_END.search(text) is not None
    open_mark = ""  # of the block of code around the line, such as "```"; "" outside of one
    index = 0
    while index < len(lines):
        directive = _directive_at(lines, index, in_code=bool(open_mark), has_boxes=has_boxes)
        if directive:
            directives.append(directive)
            index = directive.end
            continue
        own_lines.append(lines[index])
        open_mark = _open_mark_after(lines[index], open_mark)
        index += 1
    return directives, own_lines


def _directive_at(
    lines: Sequence[str], start: int, *, in_code: bool, has_boxes: bool
) -> _Directive | None:
    """Reads the directive that begins at the line with index `start`. None if none begins there.

        --8<-- "a.md"          one line, also in a block of code (`in_code`): it includes the code
        ```{include} a.md      up to the line that closes it (MyST)
        .. include:: a.rst     with its indented lines (reStructuredText)
        ::: package.module     with its indented lines (mkdocstrings)

    `has_boxes` says that the file has boxes, such as `::: tip`, which a line `:::` ends. Then a
    line such as the last one begins a box, and is no directive.
    """
    line = lines[start].rstrip("\r\n")
    file = _included_file(line)
    if file:
        return _Directive(text=line, end=start + 1, files=(file,))
    if in_code:  # the block only shows how to write the other directives
        return None
    files = _files_of_multiline_directive(line, has_boxes=has_boxes)
    if files is None:
        return None
    end = _end_of_multiline_directive(lines, start)
    return _Directive(text=line + "".join(lines[start + 1 : end]), end=end, files=files)


def _open_mark_after(line: str, open_mark: str) -> str:
    """Returns the mark of the block of code that is open after a line. "" if none is open.

    | line           | `open_mark`, before it | result | because                                  |
    |----------------|------------------------|--------|------------------------------------------|
    | "```python"    | ""                     | "```"  | it begins a block of code                |
    | "```{note}"    | ""                     | ""     | the text in a block of MyST is no code   |
    | "::: tip"      | ""                     | ""     | the text in a box is no code             |
    | "```"          | "```"                  | ""     | it ends the block                        |
    | "~~~", "tea"   | "```"                  | "```"  | it is a line of the block                |
    """
    fence = _FENCE.match(line)
    if fence is None:
        return open_mark
    if open_mark:
        is_end = fence["mark"].startswith(open_mark) and not fence["rest"].strip()
        return "" if is_end else open_mark
    is_code = not fence["name"] and not fence["mark"].startswith(":")
    return fence["mark"] if is_code else ""


def _end_of_multiline_directive(lines: Sequence[str], start: int) -> int:
    """Returns the index after the last line of the directive that begins at the index `start`.

    "```{include} a.md" goes on to the line that closes it, "```". Any other directive of several
    lines goes on as long as lines are indented more than its first one.
    """
    fence = _FENCE.match(lines[start])
    if fence and fence["name"]:
        return _after_fence(lines, start + 1, fence["mark"])
    return _after_indented(lines, start + 1, _indent_of(lines[start]))


def _after_fence(lines: Sequence[str], start: int, mark: str) -> int:
    """Returns the index after the line that closes a fence, such as "```" for the mark "```"."""
    for index in range(start, len(lines)):
        line = lines[index].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return index + 1
    return len(lines)


def _after_indented(lines: Sequence[str], start: int, indent: int) -> int:
    """Returns the index of the first line that has text, and an indent of at most `indent`."""
    for index in range(start, len(lines)):
        if lines[index].strip() and _indent_of(lines[index]) <= indent:
            return index
    return len(lines)


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _included_file(line: str) -> str:
    """Returns the file that a line of Markdown includes: `{! a.md !}` → `a.md`. "" for other lines.

    | line                               | read by                                        |
    |------------------------------------|------------------------------------------------|
    | `--8<-- "a.md:part"`               | pymdownx.snippets; `part` is a section of it   |
    | `{! a.md !}`                       | markdown-include                               |
    | `{% include-markdown "a.md" %}`    | mkdocs-include-markdown-plugin                 |
    | `{{< include a.md >}}`             | Quarto, and themes for Hugo                    |
    """
    include = (
        _SNIPPET.fullmatch(line)
        or _MARKDOWN_INCLUDE.fullmatch(line)
        or _INCLUDE_MARKDOWN.fullmatch(line)
        or _SHORTCODE.fullmatch(line)
    )
    return include["file"].strip() if include else ""


def _files_of_multiline_directive(line: str, *, has_boxes: bool) -> tuple[str, ...] | None:
    """Returns the files that a directive includes, given its first line. None for any other line.

        ```{include} a.md     → ("a.md",): a directive of MyST
        .. include:: a.rst    → ("a.rst",): a directive of reStructuredText
        ::: package.module    → (): a directive of mkdocstrings, which generates its text
        Green tea is          → None: text of the source file itself

    `has_boxes` says that `:::` begins boxes in the file, such as `::: tip`. Then `::: package` is
    the beginning of one, too, and gives None.
    """
    fence = _FENCE.fullmatch(line)
    if fence and fence["name"]:
        return _files_of_directive(fence["name"], fence["rest"])
    if not has_boxes and _MODULE.fullmatch(line):
        return ()
    directive = _DIRECTIVE.fullmatch(line)
    if directive is None:
        return None
    return _files_of_directive(directive["name"], directive["rest"] or "")


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
