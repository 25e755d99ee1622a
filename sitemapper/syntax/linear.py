"""Regular expressions that take linear time, by pydantic's engine in Rust."""

from collections.abc import Callable
from functools import cached_property

# Returns whether a text contains a match.
Matcher = Callable[[str], bool]


def linear_matcher(regex: str) -> Matcher:
    """A matcher for an expression that takes linear time, whatever the expression.

    Raises ValueError for what pydantic's engine, Rust's `regex`, does not support, such as
    look-arounds.
    """
    # Imported here: `--version` needs no pydantic.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=regex)).isinstance_python
    except SchemaError as error:
        raise ValueError(str(error)) from None


class LinearRegex:
    """An expression that is compiled when it is first needed, and sent to workers as its text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __reduce__(self) -> tuple[type["LinearRegex"], tuple[str]]:
        return LinearRegex, (self.text,)

    @cached_property
    def is_in(self) -> Matcher:
        """The matcher. Raises ValueError for what the engine does not support."""
        return linear_matcher(self.text)
