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
    """Parses the mapping in the first document of a YAML text; {} if it is no mapping.

        a: 1                      → {"a": "1"}: all scalars are texts
        a: [b, {c: d}]            → {"a": ["b", {"c": "d"}]}
        a: ~                      → {"a": None}
        a: !ENV SITE_URL          → {"a": NOT_LITERAL}: the value depends on the tag
        a: &x b, c: *x            → {"a": "b", "c": "b"}; None for a list or a mapping

    Only the first of several documents is read. Raises ValueError if the text is not YAML, or is
    nested more than 99 deep.
    """
    # Imported here: it takes long, and many sites have no YAML.
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = yaml.parse(text, Loader=loader)
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                value = _DocumentReader(events).read(depth=0)
                return value if isinstance(value, dict) else {}
    except yaml.YAMLError as error:
        raise ValueError(_describe_error(error)) from None
    return {}


def _describe_error(error: Exception) -> str:
    """Says what is wrong with a YAML text and where, as tomllib does for TOML.

    An error of PyYAML → `found unknown escape character (at line 3, column 1)`. The caller finds
    the line in this text.
    """
    problem = getattr(error, "problem", None)
    if problem == "found unexpected end of stream":
        # A quote is never closed. Its place is where it begins, not the end of the file.
        place = getattr(error, "context_mark", None)
    else:
        place = getattr(error, "problem_mark", None)
    if not problem or place is None:
        return str(error)
    return f"{problem} (at line {place.line + 1}, column {place.column + 1})"


class _DocumentReader:
    """Builds plain values from the events of one YAML document, in the order of the file."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        # What an alias such as `*x` stands for: {"x": "b"} for `a: &x b`. `read` adds only texts,
        # so an alias of a list or a mapping is None.
        self._anchored: dict[str, object] = {}

    def read(self, depth: int, event: Event = None) -> object:
        """Reads the next value of the document, from the event with which it begins to its last.

            *x                      → the text that is marked `&x`; None for a list or a mapping
            ~, null, an empty one   → None, but not for "~" in quotes
            a, 1, "a"               → the text: numbers and booleans stay texts
            [a, b]                  → a list
            {a: b}                  → a dict; a key that is not a text is left out with its value
            !ENV [HOME_URL, a]      → "a": the last item is the default, if no variable is set
            any other tag           → NOT_LITERAL: a program decides on the value

        `event` is the first event of the value, if the caller has taken it already, to see whether
        the list or the mapping ends there. Raises ValueError if the value is more than 99 deep.
        """
        import yaml

        if depth > _MAX_DEPTH:
            raise ValueError(f"nested more than {_MAX_DEPTH} deep")
        event = event or next(self._events)
        if isinstance(event, yaml.AliasEvent):
            return self._anchored.get(event.anchor or "")
        value: str | list[object] | dict[str, object] | None
        if isinstance(event, yaml.ScalarEvent):
            is_without_quotes_and_tag = event.implicit[0]  # as PyYAML's parser says
            is_null = is_without_quotes_and_tag and event.value in _NULLS
            value = None if is_null else str(event.value)
            if event.anchor:
                self._anchored[event.anchor] = value
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                value.append(self.read(depth + 1, item))
        else:
            value = {}
            while not isinstance(key_event := next(self._events), yaml.MappingEndEvent):
                key = self.read(depth + 1, key_event)
                inner_value = self.read(depth + 1)
                if isinstance(key, str):
                    value[key] = inner_value
        # MkDocs reads `!ENV` with pyyaml_env_tag, which takes names of variables and a default.
        # The variables of the build are not known here, so the default is the best guess.
        if event.tag == "!ENV" and isinstance(value, list) and len(value) > 1:
            return value[-1]
        return value if event.tag in _TEXT_TAGS else NOT_LITERAL
