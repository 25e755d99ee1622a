"""The lines about an answer: Header, and the variables on which it may depend, as by SetEnvIf."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...model import Origin
from ...syntax.robots import header_forbids
from ..headers import Header, header_effects
from ..host import HostEffect
from .expressions import Expression
from .patterns import Pattern
from .request import Context, Files
from .truth import Truth, negated

_CONDITIONS = ("onsuccess", "always")
_REPLACING = ("set", "unset", "setifempty", "edit", "edit*", "edit-r")
_NAMES = ("x-robots-tag", "link")
# The attributes of SetEnvIf that the path of a request decides.
_ATTRIBUTES = {
    "request_uri": "REQUEST_URI",
    "request_method": "REQUEST_METHOD",
    "host": "HTTP_HOST",
}


class HeaderLine(NamedTuple):
    """A line Header. `env` is the variable on which it depends, with `!` before it if not set."""

    action: str
    name: str
    value: str
    is_always: bool
    origin: Origin
    env: str = ""
    expression: Expression | None = None
    is_certain: bool = True

    def applies(self, context: Context, files: Files) -> Truth:
        """Whether the condition of the line holds."""
        if not self.is_certain:
            return None
        if self.expression is not None:
            return self.expression.holds(context, files)
        if not self.env:
            return True
        value = context.variable(f"env:{self.env.removeprefix('!')}")
        if value is None:
            return None
        is_set = value != ""
        return negated(is_set) if self.env.startswith("!") else is_set


def read_header(words: Sequence[str], origin: Origin) -> tuple[HeaderLine, str] | None:
    """A line about a header that matters, and why it is unknown, "" if it is not.

    None for other headers.
    """
    is_always = words[:1] == ["always"]
    if words and words[0].lower() in _CONDITIONS:
        is_always = words[0].lower() == "always"
        words = words[1:]
    action, name, *rest = (*words, "", "")
    if name.lower() not in _NAMES:
        return None
    action = action.lower()
    rest = [word for word in rest if word and word.lower() != "early"]
    needs_value = action not in ("unset", "echo")
    value = rest.pop(0) if needs_value and rest else ""
    line = HeaderLine(action, name.lower(), value, is_always, origin)
    if action.startswith("edit") or action in ("echo", "note"):
        return line._replace(is_certain=False), "edits what is not known"
    condition = rest[0] if rest else ""
    if condition.lower().startswith("env="):
        return line._replace(env=condition[4:]), ""
    if condition.lower().startswith("expr="):
        try:
            expression = Expression(condition[5:])
        except ValueError:
            return line._replace(is_certain=False), "expression not understood"
        return line._replace(expression=expression), expression.unknown
    return line, ""


def effects_of_headers(
    lines: Iterable[tuple[HeaderLine, Truth]], now: int
) -> Iterator[HostEffect | None]:
    """What headers say about a page, with the truth of their conditions, in the order of Apache.

    Headers of errors and of successes are two tables, and a page has both.
    """
    tables: dict[tuple[bool, str], list[HeaderLine]] = {}
    for line, applies in lines:
        table = tables.setdefault((line.is_always, line.name), [])
        if applies is True:
            _apply(line, table)
        elif applies is None and line.action in _REPLACING and not _forbids_too(line, now):
            table.clear()  # what was there may be replaced
    headers = []
    for table in tables.values():
        for line in table:
            headers.append(Header(line.name, line.value, line.origin))
    yield from header_effects(headers, now)


def _forbids_too(line: HeaderLine, now: int) -> bool:
    """Whether a line that may replace a header says nothing better for the page."""
    return line.name == "x-robots-tag" and header_forbids(line.value, now)


def _apply(line: HeaderLine, table: list[HeaderLine]) -> None:
    """Changes the values of a header as a line says."""
    if line.action == "setifempty" and table:
        return
    if line.action in ("set", "unset"):
        table.clear()
    if line.action != "unset":
        table.append(line)


class Variable(NamedTuple):
    """A line that sets variables, if `pattern` matches `subject`. `is_certain` if this is known.

    `names` are the variables with their values, None for one that is removed.
    """

    names: tuple[tuple[str, str | None], ...]
    subject: str = ""
    pattern: Pattern | None = None
    is_certain: bool = True


def read_variable(key: str, words: Sequence[str]) -> tuple[Variable, str]:
    """A line SetEnv, UnsetEnv, SetEnvIf or a relative, and why it is unknown, "" if it is not."""
    if key == "setenv":
        name, value = (*words, "", "")[:2]
        return Variable(((name, value or "1"),)), ""
    if key == "unsetenv":
        return Variable(tuple((name, None) for name in words)), ""
    if key.startswith("browsermatch"):
        words = ["User-Agent", *words]
    attribute, expression, *names = (*words, "", "")
    variables = tuple(_assignment(name) for name in names if name)
    unknown = Variable(variables, is_certain=False)
    if key == "setenvifexpr":
        return Variable(tuple(_assignment(n) for n in words[1:]), is_certain=False), "expression"
    subject = _ATTRIBUTES.get(attribute.lower())
    if subject is None:
        return unknown, f"depends on {attribute}"
    try:
        pattern = Pattern(expression, ignores_case=key.endswith("nocase"))
    except ValueError:
        return unknown, "expression not understood"
    return Variable(variables, subject, pattern), ""


def _assignment(text: str) -> tuple[str, str | None]:
    """`name=value`, `name` (which is set to 1), or `!name`, which is removed."""
    if text.startswith("!"):
        return text[1:], None
    name, _, value = text.partition("=")
    return name, value or "1"


def environment(lines: Iterable[tuple[Variable, bool]], context: Context) -> dict[str, str | None]:
    """The variables that lines set for a request, with whether each line certainly applies.

    A variable that is removed or not set is "", and an unknown one is None.
    """
    env: dict[str, str | None] = {}
    for line, is_certain in lines:
        applies: Truth = True if is_certain and line.is_certain else None
        if applies and line.pattern is not None:
            applies = line.pattern.matches(context.variable(line.subject) or "")
        for name, value in line.names:
            if applies is None:
                env[name] = None
            elif applies:
                env[name] = value or ""
            else:
                env.setdefault(name, "")
    return env
