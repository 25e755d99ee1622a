"""True, false, or unknown (None): the three values of a condition, joined as by Kleene."""

from collections.abc import Iterable

Truth = bool | None


def negated(value: Truth) -> Truth:
    """The opposite. Unknown stays unknown."""
    if value is None:
        return None
    return not value


def all_of(values: Iterable[Truth]) -> Truth:
    """Whether all values are true: false if one is, else unknown if one is."""
    result: Truth = True
    for value in values:
        if value is False:
            return False
        if value is None:
            result = None
    return result


def any_of(values: Iterable[Truth]) -> Truth:
    """Whether any value is true: true if one is, else unknown if one is."""
    return negated(all_of(negated(value) for value in values))
