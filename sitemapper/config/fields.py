"""What the value of a key may be: annotated types that check it, each with its message."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from ..errors import with_help
from ..model import Origin
from ..syntax.dates import Writer, read
from ..syntax.gitignore import Line, compile_line
from ..syntax.urls import normalise_base
from .choices import Source


def _path(text: str) -> str:
    if not text or "\0" in text:
        raise ValueError("must not be empty" if not text else "must not contain a NUL character")
    return text


def check_pattern(text: str) -> str:
    """The text, if it is a gitignore pattern. Raises ValueError."""
    try:
        compile_line(Line(text, Origin("")))
    except ValueError:
        help = "remove the NUL character" if "\0" in text else "remove the backslash at its end"
        raise ValueError(with_help(f"{text!r} is not a gitignore pattern", help)) from None
    return text


def _selector(text: str) -> str:
    # Imported here: few configurations need the parser.
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("<p>").css(text)
    except SelectolaxError:
        raise ValueError(f"{text!r} is not a CSS selector") from None
    return text


def _readable(value: datetime | date | str) -> datetime | date | str:
    read(value, Writer())
    return value


def _zone(name: str) -> str:
    if name == "UTC":
        return name
    # Imported here: it costs some 5 ms, and most sites write UTC.
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        help = "write a name such as UTC or Europe/Berlin"
        raise ValueError(with_help(f"{name!r} is not a time zone", help)) from None
    return name


def _no_repeat(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(value)) != len(value):
        raise ValueError("lists the same value twice")
    return value


def _auto_alone(value: tuple[str, ...]) -> tuple[str, ...]:
    if "auto" in value and len(value) > 1:
        raise ValueError(
            with_help("auto stands alone", 'write lastmod = "auto", or name the sources in order')
        )
    return value


# What a string must be, in words, and an example.
FORMS = {
    r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.xml$": ("a file name that ends in .xml", "sitemap.xml"),
    r"^[a-z][a-z0-9-]*$": ("lower-case letters, digits and hyphens", "blog"),
    r"^([A-Za-z0-9-]{8,128})?$": ("8 to 128 letters, digits and hyphens", "3f0c9a51e7d24b86a1c05d7e92f8b643"),
    r"^https?://[!-~]+$": ("an absolute http or https URL", "https://api.indexnow.org/indexnow"),
    r"^(https?://[!-~]+)?$": ("an absolute http or https URL", "https://example.com/key.txt"),
}
FILE_NAME, SECTION_NAME, KEY, URL, URL_OR_NONE = FORMS

PathText = Annotated[str, AfterValidator(_path)]
WrittenDate = Annotated[datetime | date | str, AfterValidator(_readable)]
Priority = Annotated[float, Field(ge=0.0, le=1.0)]
Percent = Annotated[float, Field(ge=0, le=100)]
Texts = Annotated[tuple[str, ...], Field(min_length=1)]
Pattern = Annotated[str, AfterValidator(check_pattern)]
Patterns = Annotated[tuple[Pattern, ...], Field(min_length=1)]
Selector = Annotated[str, AfterValidator(_selector)]
Sources = Annotated[
    tuple[Source, ...],
    BeforeValidator(lambda value: (value,) if value == "auto" else value),
    AfterValidator(_no_repeat),
    AfterValidator(_auto_alone),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": ["auto"]},
                {"type": "array", "items": {"enum": [name for name in get_args(Source) if name != "auto"]}},
            ]
        }
    ),
]
Zone = Annotated[str, AfterValidator(_zone)]
BaseUrl = Annotated[str, AfterValidator(normalise_base)]
