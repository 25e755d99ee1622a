"""Pages and their URLs, as the engines of hosts are asked for them."""

from __future__ import annotations

from urllib.parse import quote


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
