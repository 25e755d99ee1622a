"""The values in a file of JavaScript, as far as they can be read without running it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Union
from urllib.parse import urljoin, urlsplit

from .answers import ANYTHING, Answer

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_TEXT = 4_096  # characters of a text that is put together
_URL_PARTS = {"host": "netloc", "hostname": "hostname", "pathname": "path"}
_MAX_DEPTH = 32  # of tables in tables
_MAX_NESTING = 60  # of expressions, through names and files; each takes a few calls of Python
_MAX_STEPS = 50_000  # for a file: names may stand for the same value again and again


class Special(Enum):
    """Values without contents."""

    NOTHING = auto()  # undefined or null: as if the key were not there
    ENVIRONMENT = auto()  # a variable of the environment in which the file runs


NOTHING = Special.NOTHING
ENVIRONMENT = Special.ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Text:
    """A string, a number or a boolean."""

    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """What only running the file would tell. `options` are the values that it may be."""

    options: tuple["Value", ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a list."""

    items: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function that is not in the file.

    `hands_on` is whether the function is known to return the settings it takes. With `is_order`, it
    is a method of the function's parameter, such as Eleventy's `config.addPlugin(…)`.
    """

    name: str
    arguments: tuple["Value", ...]
    hands_on: bool = False
    is_order: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function in the file, and the names around it."""

    node: "Node"
    scope: object = field(compare=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """The value of a key, and the line of the key."""

    value: "Value"
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """The keys of an object. If it may have others, `open_line` is the line that says so."""

    entries: Mapping[str, Entry]
    open_line: int | None = None


class Budget:
    """The steps that are left for a file and what it imports, and the depth of the reading."""

    def __init__(self) -> None:
        self._left = _MAX_STEPS
        self._depth = 0

    def spend(self, steps: int = 1) -> bool:
        """Takes steps. Whether there were any."""
        self._left -= steps
        return self._left > 0

    def enter(self) -> bool:
        """Takes a step into an expression, unless it is too deep or no step is left."""
        if self._depth >= _MAX_NESTING or not self.spend():
            return False
        self._depth += 1
        return True

    def leave(self) -> None:
        """Returns from the expression that was entered last."""
        self._depth -= 1


Value = Union[Special, Text, Unknown, Items, Call, Function, Table]  # noqa: UP007
UNKNOWN = Unknown()


def either(options: Sequence[Value], budget: Budget, depth: int = 0) -> Value:
    """One of several values, of which only running the file would choose one."""
    tables = [option for option in options if isinstance(option, Table)]
    others = [option for option in options if not isinstance(option, Table)]
    if tables and all(map(is_false, others)) and depth < _MAX_DEPTH:
        return _either_table(tables, budget, has_none=bool(others), depth=depth)
    first = options[0]
    if isinstance(first, Text) and all(option == first for option in options):
        return first
    return Unknown(tuple(options))


def _either_table(tables: list[Table], budget: Budget, *, has_none: bool, depth: int) -> Value:
    """The keys of several tables. What they do not agree on is unknown."""
    entries: dict[str, Entry] = {}
    for table in tables:
        for key, entry in table.entries.items():
            if key in entries:
                continue
            if not budget.spend(len(tables)):
                return UNKNOWN
            values = [member(other, key) for other in tables]
            if has_none:
                values.append(NOTHING)
            entries[key] = Entry(either(values, budget, depth + 1), entry.line)
    open_lines = [table.open_line for table in tables if table.open_line]
    return Table(entries, open_lines[0] if open_lines else None)


def is_false(value: Value) -> bool:
    """Whether a value has no keys to spread: false, null or an empty string."""
    return value is NOTHING or (isinstance(value, Text) and value.text in ("", "false", "0"))


def member(value: Value, key: str) -> Value:
    """The value of a key of a value."""
    if value is ENVIRONMENT:
        return ENVIRONMENT
    if not isinstance(value, Table):
        return UNKNOWN
    if key in value.entries:
        return value.entries[key].value
    return NOTHING if value.open_line is None else UNKNOWN


def flat(table: Table, budget: Budget) -> dict[str, Answer]:
    """What the keys of a table say: `{a: {b: "c"}}` → `a.b`.

    The texts of a list are the lines of `a[]`, and `a[].b` is the key of a table in it. The key of
    a table that a call takes is `a().b`. The first of several counts.
    """
    answers: dict[str, Answer] = {}
    for key, answer in _Flat(budget).of_table(table, "", 0):
        answers.setdefault(key, answer)
    return answers


class _Flat:
    """Lists keys as long as there are steps. Then a key is unknown."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def of_table(self, table: Table, above: str, depth: int) -> Iterator[tuple[str, Answer]]:
        """The keys of a table."""
        for key, entry in table.entries.items():
            if not self._budget.spend():
                yield above + ANYTHING, Answer(None, entry.line)
                return
            yield from self._of_value(entry.value, above + key, entry.line, depth + 1)
        if table.open_line is not None:
            yield above + ANYTHING, Answer(None, table.open_line)

    def _of_value(
        self, value: Value, key: str, line: int, depth: int
    ) -> Iterator[tuple[str, Answer]]:
        if value is NOTHING:
            return
        if isinstance(value, Text):
            yield key, Answer(value.text, line)
        elif depth > _MAX_DEPTH:
            yield key, Answer(None, line)
        elif isinstance(value, Table):
            yield from self.of_table(value, f"{key}.", depth)
        elif isinstance(value, Items):
            yield f"{key}[]", Answer("\n".join(_texts_of(value)), line)
            yield from self._of_parts(value.items, f"{key}[]", line, depth)
        else:
            yield key, Answer(None, line, _candidates(value))
            if isinstance(value, Call):
                yield from self._of_parts(value.arguments, f"{key}()", line, depth)

    def _of_parts(
        self, parts: Sequence[Value], key: str, line: int, depth: int
    ) -> Iterator[tuple[str, Answer]]:
        """The keys of tables in a list or in the arguments of a call, and the text of the call."""
        for part in parts:
            is_text = isinstance(part, Text) and key.endswith("()")
            if isinstance(part, Table | Items | Call) or is_text:
                if not self._budget.spend():
                    return
                yield from self._of_value(part, key, line, depth + 1)


def _texts_of(items: Items) -> Iterator[str]:
    """The texts of a list. An item with options is a list that begins with its name."""
    for item in items.items:
        if isinstance(item, Items) and item.items:
            item = item.items[0]
        if isinstance(item, Text):
            yield item.text


def _candidates(value: Value) -> tuple[str, ...]:
    """The texts that a value may be, each once."""
    if not isinstance(value, Unknown):
        return ()
    texts: dict[str, None] = {}
    waiting = list(value.options)
    while waiting and len(texts) < 9:
        option = waiting.pop(0)
        if isinstance(option, Text) and option.text:
            texts[option.text] = None
        elif isinstance(option, Unknown):
            waiting = [*option.options, *waiting]
    return tuple(texts)


def joined(parts: list[Value]) -> Value:
    """The texts of several values as one text."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    if len(texts) < len(parts) or sum(map(len, texts)) > _MAX_TEXT:
        return UNKNOWN
    return Text("".join(texts))


def read_url(texts: list[str], line: int) -> Value:
    """The object of a URL: its `href` and its parts."""
    path = texts[0]
    base = texts[1] if len(texts) > 1 else ""
    try:
        parts = urlsplit(urljoin(base, path))
        host = parts.hostname
    except ValueError:
        return UNKNOWN
    if not host or not parts.scheme:
        return UNKNOWN
    parts = parts._replace(path=parts.path or "/")
    members = {key: str(getattr(parts, name)) for key, name in _URL_PARTS.items()}
    members |= {"href": parts.geturl(), "origin": f"{parts.scheme}://{parts.netloc}"}
    return Table({key: Entry(Text(text), line) for key, text in members.items()})
