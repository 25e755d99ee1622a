"""GitHub Actions: annotations, the summary of the job, and the outputs of the step."""

import os
from collections.abc import Iterable, Sequence

from ..messages import Message
from .console import emit, message_lines, shown


def print_for_github(
    command: str, annotations: Iterable[str], lines: Iterable[str], messages: Sequence[Message]
) -> None:
    """Prints annotations, also of messages. Adds the lines of text to the summary of the job."""
    emit(annotations)
    summary = [f"### sitemapper {command}\n\n```text", *map(shown, lines)]
    for one in messages:
        kind = "warning" if one.severity == "warning" else "notice"
        emit([annotation(kind, str(one), one.code)])
        summary += message_lines(one.severity, one.text, one.help)
    summary.append("```")  # no line above can be this one
    add_to("GITHUB_STEP_SUMMARY", summary)


def add_to(variable: str, lines: Iterable[str]) -> None:
    """Adds lines to the file that a variable of the environment names."""
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


def annotation(kind: str, text: str, title: str, file: str = "", line: int = 1) -> str:
    """Writes a workflow command: `::error file=a.xml,line=1,title=T::the text`."""
    place = ""
    if file:
        place = f"file={_escape(file, ':,')},line={line},"
    return f"::{kind} {place}title={title}::{_escape(text)}"


def _escape(text: str, special: str = "") -> str:
    """Escapes as `packages/core/src/command.ts` of actions/toolkit."""
    text = text.replace("%", "%25")
    for char in f"\r\n{special}":
        text = text.replace(char, f"%{ord(char):02X}")
    return shown(text)
