"""YAML of project files to plain values, by PyYAML's parser. Nothing is constructed."""

from collections.abc import Iterator
from typing import Any

from ..model import NOT_LITERAL

# PyYAML takes the square of the depth, and its C library overflows the stack on nodes as deep as
# a file is long. Events are read one by one, so reading stops here.
_MAX_DEPTH = 99
_TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")
_NULLS = ("", "~", "null", "Null", "NULL")  # yaml.org/type/null.html

# The events of PyYAML have no types of their own.
Event = Any


def read_yaml(text: str) -> dict[str, object]:
    """The mapping in the first document of a text, {} if it is something else.

    Values are texts, lists and dicts. A value with a tag of its own (`!ENV SITE_URL`) is
    NOT_LITERAL. A null and a reference to a list or a mapping are None. Raises ValueError if the
    text is not YAML or is nested more than 99 deep.
    """
    # Imported here: it takes long, and many sites have no YAML.
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = yaml.parse(text, Loader=loader)
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                value = _Reader(events).read(depth=0)
                return value if isinstance(value, dict) else {}
    except yaml.YAMLError as error:
        raise ValueError(_describe(error)) from None
    return {}


def _describe(error: Exception) -> str:
    """What is wrong and where, as tomllib says it."""
    problem = getattr(error, "problem", None)
    place = getattr(error, "problem_mark", None)
    is_open = problem == "found unexpected end of stream"  # of a text that has no end
    place = getattr(error, "context_mark", None) if is_open else place
    if not problem or place is None:
        return str(error)
    return f"{problem} (at line {place.line + 1}, column {place.column + 1})"


class _Reader:
    """Makes values of the events of one document."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._anchored: dict[str, object] = {}  # texts, by the name that a reference uses

    def read(self, depth: int) -> object:
        """The next value."""
        return self._value_of(next(self._events), depth)

    def _value_of(self, event: Event, depth: int) -> object:
        import yaml

        if depth > _MAX_DEPTH:
            raise ValueError(f"nested more than {_MAX_DEPTH} deep")
        if isinstance(event, yaml.AliasEvent):
            return self._anchored.get(event.anchor or "")
        value: object
        if isinstance(event, yaml.ScalarEvent):
            value = _text_of(event)
            if event.anchor:
                self._anchored[event.anchor] = value
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._list(depth + 1)
        else:
            value = self._mapping(depth + 1)
        # The last of several items of !ENV is the value without these variables
        # (pyyaml_env_tag, which MkDocs uses).
        if event.tag == "!ENV" and isinstance(value, list) and len(value) > 1:
            return value[-1]
        has_own_tag = event.tag not in _TEXT_TAGS
        return NOT_LITERAL if has_own_tag else value

    def _list(self, depth: int) -> list[object]:
        """The values up to the end of a list."""
        import yaml

        items: list[object] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value_of(event, depth))
        return items

    def _mapping(self, depth: int) -> dict[str, object]:
        """The keys and values up to the end of a mapping. Keys that are no texts are left out."""
        import yaml

        entries: dict[str, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value_of(event, depth)
            value = self.read(depth)
            if isinstance(key, str):
                entries[key] = value
        return entries


def _text_of(event: Event) -> str | None:
    """The text of a scalar, None for a null."""
    is_plain = event.implicit[0]
    if is_plain and event.value in _NULLS:
        return None
    return str(event.value)
