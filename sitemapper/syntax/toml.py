"""TOML of anybody, in a time that grows with its size."""

from __future__ import annotations

import re
from typing import Any

_MAX_DOTS = 200  # of a key; tomllib takes more than the square of their number


def loads(text: str) -> dict[str, Any]:
    """The tables of a text. Raises ValueError where it is not TOML, or a key has very many parts."""
    for number, row in enumerate(text.splitlines(), 1) if text.count(".") > _MAX_DOTS else ():
        if row.count(".") > _MAX_DOTS:
            parts = re.split("[=,]", re.sub(r"\"[^\"]*\"|'[^']*'", "", row))
            if max(part.count(".") for part in parts) > _MAX_DOTS:
                raise ValueError(f"A key has more than {_MAX_DOTS} parts (at line {number}, column 1)")
    if not text:
        return {}
    # Imported here: it compiles expressions, and many sites have no TOML.
    from tomllib import loads as parse

    return parse(text)
