"""What pages link to in their entries: their language versions and their images."""

from collections.abc import Sequence
from functools import lru_cache

from ..model import Facts, Listed, Site
from ..protocol import LANGUAGE, MAX_IMAGES, MAX_URL_LENGTH
from ..syntax.urls import comparison_key, page_at, path_below, resolve
from .notes import Notes

_Alternates = tuple[tuple[str, str], ...]  # (hreflang, absolute URL)
_X_DEFAULT = "x-default"


class Versions:
    """The language versions of all listed pages, each at the URL that the sitemap lists."""

    def __init__(
        self, site: Site, listed: Sequence[Listed], extra: Sequence[Listed], notes: Notes
    ) -> None:
        """Takes the pages that are listed, and the entries of `[[urls]]`. Adds to the notes."""
        self._site = site
        self._by_path = {one.page.path: one for one in listed if one.page}
        self._extra = {comparison_key(one.url): one for one in extra}
        self._left_out = notes["alternate-unlisted"]
        self._one_sided = notes["alternate-one-sided"]

    def complete(self, one: Listed) -> Listed:
        """Adds its alternates and images to an entry."""
        return one._replace(images=self._images(one), alternates=self._alternates(one))

    def _images(self, one: Listed) -> tuple[str, ...]:
        base = base_of(one.facts, one.url)
        urls = [resolve(image, base) for image in one.facts.images]
        kept = dict.fromkeys(url for url in urls if url and len(url) < MAX_URL_LENGTH)
        return tuple(kept)[:MAX_IMAGES]

    def _alternates(self, one: Listed) -> _Alternates:
        """The versions of a page, at the URLs that are listed; those left out are dropped."""
        versions: dict[tuple[str, str], None] = {}
        has_itself = False
        for language, url in self._links_of(one):
            if path_below(url, self._site.base_url) is None:
                versions[language, url] = None
                continue
            other = self._listed_at(url)
            if other is None:
                self._left_out.append(f"{one.url} names {url}")
                continue
            versions[language, other.url] = None
            has_itself |= other is one
            is_default = language.lower() == _X_DEFAULT
            if other is not one and not is_default and not self._links_back(other, one):
                self._one_sided.append(f"{other.url} does not list {one.url}")
        if versions and not has_itself:
            self._one_sided.append(f"{one.url} does not list itself")
        return tuple(versions)

    def _listed_at(self, url: str) -> Listed | None:
        path = page_at(url, self._site.base_url, self._by_path)
        return self._by_path[path] if path else self._extra.get(comparison_key(url))

    def _links_of(self, one: Listed) -> _Alternates:
        return _absolute(one.facts.alternates, base_of(one.facts, one.url))

    def _links_back(self, other: Listed, one: Listed) -> bool:
        urls = [url for _, url in self._links_of(other)]
        return one.url in urls or any(self._listed_at(url) is one for url in urls)


def base_of(facts: Facts, url: str) -> str:
    """The URL against which the relative URLs of a page are resolved."""
    if facts.base is None:
        return url
    return resolve(facts.base, url) or url


@lru_cache(maxsize=64)  # versions of one page mostly have the same links
def _absolute(links: _Alternates, base: str) -> _Alternates:
    """The alternates of a page whose URL, or base element, is `base`."""
    versions: list[tuple[str, str]] = []
    for language, href in links:
        url = resolve(href, base)
        if url and LANGUAGE.fullmatch(language):
            versions.append((language, url))
    return tuple(dict.fromkeys(versions))
