"""The URLs that are gone, in words: their numbers, and what became of each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..model import Fate, GoneUrl
from .words import amounts, plural, shown

FORM = "in another form"
# The worst first.
_ORDER = (Fate.LOST.value, Fate.MOVED.value, Fate.WITHDRAWN.value, Fate.REDIRECTED.value, FORM)


def by_fate(gone: Iterable[GoneUrl]) -> Mapping[str, Sequence[GoneUrl]]:
    """The URLs by fate, the worst first. Those in another form are a group of their own."""
    groups: dict[str, list[GoneUrl]] = {name: [] for name in _ORDER}
    for one in gone:
        name = FORM if one.is_form else one.fate.value
        groups[name].append(one)
    return {name: urls for name, urls in groups.items() if urls}


def count(gone: Iterable[GoneUrl]) -> Iterator[str]:
    """A line with the numbers by fate, and one with that of the other forms. None without URLs."""
    groups = by_fate(gone)
    fates = [fate.value for fate in Fate]
    numbers = [(fate, len(groups.get(fate, ()))) for fate in fates]
    total = sum(number for _, number in numbers)
    if total:
        yield f"{plural(total, 'URL')} gone: {amounts(numbers)}"
    forms = groups.get(FORM, ())
    if forms:
        yield f"{plural(len(forms), 'URL')} {FORM}"


def in_json(gone: Iterable[GoneUrl]) -> dict[str, object]:
    """The numbers by fate, in the order of a table, and the fate of each URL."""
    groups = by_fate(gone)
    numbers = {fate.value: len(groups.get(fate.value, ())) for fate in Fate}
    shapes = []
    for urls in groups.values():
        for one in urls:
            origin = None if one.origin is None else shown(str(one.origin))
            fate = "form" if one.is_form else one.fate.value
            shape = {
                "url": one.url,
                "fate": fate,
                "target": one.target or None,
                "origin": origin,
                "remedy": one.remedy or None,
            }
            shapes.append(shape)
    return {"gone": {**numbers, "form": len(groups.get(FORM, ()))}, "gone_urls": shapes}


def describe(gone: GoneUrl) -> str:
    """What became of a URL: `https://a.example/b -> https://a.example/c (_redirects:1: /b /c)`."""
    text = gone.url
    if gone.fate is Fate.LOST and gone.target:
        return f"{text} (redirected to {gone.target}, where nothing is: {gone.origin})"
    if gone.target:
        text = f"{text} -> {gone.target}"
    tells_why = gone.origin is not None and not gone.is_form and gone.fate is not Fate.MOVED
    return f"{text} ({gone.origin})" if tells_why else text


def remedy(gone: GoneUrl) -> str:
    """What redirects a moved URL: `redirect it in _redirects: /a /b 301`. "" for other URLs."""
    return f"redirect it in {gone.remedy}" if gone.remedy else ""


def describe_with_remedy(gone: GoneUrl) -> str:
    """What became of a URL, and what redirects it, in one sentence."""
    return "; ".join(filter(None, (describe(gone), remedy(gone))))
