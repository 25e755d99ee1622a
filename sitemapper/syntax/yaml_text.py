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
    """The mapping in the first document of a YAML text; {} if it is something else.

        a: 1                      → {"a": "1"}: all scalars are texts
        a: [b, {c: d}]            → {"a": ["b", {"c": "d"}]}
        a: ~                      → {"a": None}
        a: !ENV SITE_URL          → {"a": NOT_LITERAL}: the value depends on the tag
        a: &x b, c: *x            → {"a": "b", "c": "b"}; None for a list or a mapping

    Raises ValueError if the text is not YAML, or is nested more than 99 deep.
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
    """What is wrong and where, as in errors of tomllib: `… (at line 3, column 1)`."""
    problem = getattr(error, "problem", None)
    if problem == "found unexpected end of stream":
        # A quote that is never closed: the line on which it begins, not the last one of the file.
        place = getattr(error, "context_mark", None)
    else:
        place = getattr(error, "problem_mark", None)
    if not problem or place is None:
        return str(error)
    return f"{problem} (at line {place.line + 1}, column {place.column + 1})"


class _Reader:
    """Builds plain values from the events of one YAML document, in the order of the file."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._anchored: dict[str, object] = {}  # texts, by the name that a reference uses

    def read(self, depth: int) -> object:
        """Reads the next value of the document, with all that is in it."""
        return self._value_of(next(self._events), depth)

    def _value_of(self, event: Event, depth: int) -> object:
        """Reads the value that begins with an event, up to its end.

        That is a text or None for a scalar, a list, a dict, or NOT_LITERAL for a value with a tag.
        """
        import yaml

        if depth > _MAX_DEPTH:
            raise ValueError(f"nested more than {_MAX_DEPTH} deep")
        if isinstance(event, yaml.AliasEvent):
            return self._anchored.get(event.anchor or "")  # `*x`: what stands at `&x`
        value: object
        if isinstance(event, yaml.ScalarEvent):
            value = _text_of(event)
            if event.anchor:
                self._anchored[event.anchor] = value
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._list(depth + 1)
        else:
            value = self._mapping(depth + 1)
        # `!ENV [CI, SITE_URL, "/a/"]` has the last item as its value if no variable is set
        # (pyyaml_env_tag, which MkDocs uses).
        if event.tag == "!ENV" and isinstance(value, list) and len(value) > 1:
            return value[-1]
        has_own_tag = event.tag not in _TEXT_TAGS
        return NOT_LITERAL if has_own_tag else value

    def _list(self, depth: int) -> list[object]:
        """Reads the values up to the end of a list."""
        import yaml

        items: list[object] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value_of(event, depth))
        return items

    def _mapping(self, depth: int) -> dict[str, object]:
        """Reads the keys and values up to the end of a mapping.

        A key that is not a text, such as a list, is left out with its value.
        """
        import yaml

        entries: dict[str, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value_of(event, depth)
            value = self.read(depth)
            if isinstance(key, str):
                entries[key] = value
        return entries


def _text_of(event: Event) -> str | None:
    """The text of a scalar; None for a null, such as `~` or an empty value without quotes."""
    is_plain = event.implicit[0]
    if is_plain and event.value in _NULLS:
        return None
    return str(event.value)
