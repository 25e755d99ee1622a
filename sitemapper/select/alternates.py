"""What pages link to in their entries: their language versions and their images."""

from collections.abc import Iterator, Sequence

from ..model import Facts, Listed
from ..protocol import LANGUAGE, MAX_IMAGES, MAX_URL_LENGTH
from ..syntax.urls import comparison_key, page_at, path_below, resolve
from .page import Notes, base_of


def images_of(one: Listed) -> tuple[str, ...]:
    """The absolute URLs of a page's images, each once."""
    base = base_of(one.facts, one.url)
    urls = [resolve(image, base) for image in one.facts.images]
    kept = dict.fromkeys(url for url in urls if url and len(url) < MAX_URL_LENGTH)
    return tuple(kept)[:MAX_IMAGES]


def with_alternates(
    listed: Sequence[Listed], extra: Sequence[Listed], base_url: str, notes: Notes
) -> list[Listed]:
    """Adds to each page its language versions, at the URLs at which they are listed.

    `extra` are the entries of `[[urls]]`. Notes versions that are not listed, and pages that do not
    name each other.
    """
    paths = {one.page.path: one.url for one in listed if one.page}
    extra_urls = {comparison_key(one.url): one.url for one in extra}
    linked: list[Listed] = []
    for one in listed:
        versions: dict[tuple[str, str], None] = {}
        for language, url in _links_of(one.facts, one.url):
            path = page_at(url, base_url, paths)
            named = paths[path] if path else extra_urls.get(comparison_key(url))
            if path_below(url, base_url) is None:  # another site
                named = url
            if named:
                versions[language, named] = None
            else:
                notes["alternate-unlisted"].append(f"{one.url} names {url}")
        linked.append(one._replace(alternates=tuple(versions)))
    notes["alternate-one-sided"] += _one_sided_links(linked)
    return linked


def _one_sided_links(listed: Sequence[Listed]) -> Iterator[str]:
    """Yields a sentence for each page that does not name a page by which it is named, or itself."""
    named = {one.url: {url for _, url in one.alternates} for one in listed}
    for one in listed:
        for language, url in one.alternates:
            links_back = one.url in named.get(url, ())
            if url in named and not links_back and language.lower() != "x-default":
                yield f"{url} does not list {one.url}"
        if one.alternates and one.url not in named[one.url]:
            yield f"{one.url} does not list itself"


def _links_of(facts: Facts, url: str) -> Iterator[tuple[str, str]]:
    """Yields the language and the absolute URL of each alternate that a page names."""
    base = base_of(facts, url)
    for language, href in facts.alternates:
        alternate = resolve(href, base)
        if alternate and LANGUAGE.fullmatch(language):
            yield language, alternate
