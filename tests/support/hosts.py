"""Pages and their URLs, as the engines of hosts are asked for them."""

from __future__ import annotations

from urllib.parse import quote

from sitemapper import Reason
from sitemapper.hosts.host import HostRules


def page(path: str) -> str:
    """The contents of a page, by which its file is known."""
    return f"<!doctype html><title>{path.encode().hex()}</title><p>{path}\n"


def forms(path: str) -> list[str]:
    """All paths at which some server might serve a file, in two spellings."""
    stem = path.rpartition(".")[0]
    names = [path, stem, stem + "/"]
    if stem == "index" or stem.endswith("/index"):
        names += [stem.removesuffix("index"), stem.removesuffix("index").removesuffix("/")]
    spellings = ("/-._~!$&'()*+,;=:@", "/-._~!'()*")  # all that RFC 3986 allows, or fewer
    urls = [quote("/" + name, safe=safe) for name in names for safe in spellings]
    return list(dict.fromkeys(urls))


def reason_at(rules: HostRules, path: str) -> Reason | None:
    """What the rules of a host do with a page at a path, None if they leave it alone."""
    rule = rules.move_at(path) or rules.header_at(path)
    return rule.action if rule else None


def origin_at(rules: HostRules, path: str) -> str:
    """The line that decides about a path, "" if none does."""
    rule = rules.move_at(path) or rules.header_at(path)
    return str(rule.origin) if rule else ""


def unread_of(rules: HostRules) -> list[str]:
    """The lines that are no rules, because they are not certain."""
    return [str(line) for line in rules.unread]
