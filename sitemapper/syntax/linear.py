"""Regular expressions that take linear time, by pydantic's engine in Rust."""

from collections.abc import Callable
from functools import cached_property, lru_cache

# Returns whether a text contains a match.
Matcher = Callable[[str], bool]


@lru_cache(1 << 13)  # more than the patterns that people write
def linear_matcher(regex: str) -> Matcher:
    """Compiles a regular expression to a function that says whether a text contains a match.

    pydantic checks texts with Rust's `regex`, so its validator for a text is such a function.
    Its time grows with the length of the text only, so a pattern of a user cannot hang a run, as
    `(a+)+$` can with Python's `re`. Raises ValueError for an expression that Rust's `regex` does
    not support, such as `(?=a)`.
    """
    # Imported here: `--version` needs no pydantic.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=regex)).isinstance_python
    except SchemaError as error:
        raise ValueError(str(error)) from None


class LinearRegex:
    """A regular expression that is compiled when it is first needed.

    A worker process gets its text, because the compiled matcher cannot be pickled.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __reduce__(self) -> tuple[type["LinearRegex"], tuple[str]]:
        return LinearRegex, (self.text,)

    @cached_property
    def is_in(self) -> Matcher:
        """The compiled matcher. Raises ValueError for an expression that is not supported."""
        return linear_matcher(self.text)
