"""The block of a Caddyfile that is for a site (caddyserver.com/docs/caddyfile/concepts)."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from ..nginx_text import Directive, named
from .text import read_blocks


def choose_site(text: str, netloc: str) -> list[Directive] | None:
    """The directives of the block for a host name, or of the only one with a root or for port 80.

    A block without a file server does not count. None if there is none, or more than one. Raises
    ValueError for a text that Caddy refuses.
    """
    for_name: list[list[Directive]] = []
    others: list[list[Directive]] = []
    for addresses, directives in _served_blocks(read_blocks(text)):
        if any(_is_address_of(address, netloc) for address in addresses):
            for_name.append(directives)
        if ":80" in addresses or _holds(directives, "root"):
            others.append(directives)
    for candidates in (for_name, others):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            return None
    return None


def _served_blocks(top: Sequence[Directive]) -> Iterator[tuple[list[str], list[Directive]]]:
    """The addresses and the directives of each block that serves files."""
    snippets = {one.name: one.block or [] for one in top if one.name.startswith("(")}
    for block in top:
        if not block.name or block.name.startswith(("(", "&(")) or block.block is None:
            continue
        directives = list(_imported(block.block, snippets))
        if _holds(directives, "file_server"):
            addresses = [word.strip(",") for word in (block.name, *block.arguments)]
            yield addresses, directives


def _imported(
    directives: Sequence[Directive], snippets: Mapping[str, Sequence[Directive]]
) -> Iterator[Directive]:
    """The directives of a block, with those of the snippets that it imports."""
    for directive in directives:
        snippet = snippets.get(f"({''.join(directive.arguments)})")
        if directive.name == "import" and snippet is not None and directive.block is None:
            yield from snippet
        else:
            yield directive


def _is_address_of(address: str, netloc: str) -> bool:
    """Whether the address of a site has the host name of a base URL."""
    name = urlsplit(address if "://" in address else f"//{address}").netloc
    return name.partition(":")[0].lower() == netloc.partition(":")[0].lower()


def _holds(directives: Sequence[Directive], name: str) -> bool:
    """Whether a block or one in it has a directive with a name."""
    if named(directives, name):
        return True
    return any(_holds(one.block, name) for one in directives if one.block)
