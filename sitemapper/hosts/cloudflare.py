"""Cloudflare Pages: redirects come before files, and all matching headers apply."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ..model import Reason
from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms, encode_path, without_dots
from . import files
from .files import Header, Hosting, HostRules, Provider, Rule

_MARKERS = ("wrangler.json", "wrangler.jsonc", "wrangler.toml")
_REDIRECTS = ("301", "302", "303", "307", "308")  # 200 shows another page at the path
_INDEX = re.compile(r"/(?:.*/)?index(?:\.html)?")
MAX_REDIRECTS, MAX_DYNAMIC, MAX_HEADERS = (
    2_000,
    100,
    100,
)  # rules that the host reads; it ignores the others
# By `html_handling` of a Worker's assets. Pages uses the first.
FORMS = {
    "auto-trailing-slash": UrlForms(("a/",), ("b",)),
    "force-trailing-slash": UrlForms(("a/", "a/index/"), ("b/",), clash=("b.html", "a/ a/index/")),
    "drop-trailing-slash": UrlForms(("a",), ("b",), clash=("b", "a/index.html")),
    "none": UrlForms(("a/index.html",), ("b.html",)),
}


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    tables = [read_table(name, texts[name]) for name in _MARKERS if name in texts]
    is_worker = any("assets" in config for config in tables)
    mode = next(
        filter(None, (files.value_at(config, "assets.html_handling") for config in tables)), ""
    )
    forms = FORMS.get(mode, FORMS["auto-trailing-slash"])._replace(
        escaped="&+;=:@,$" if is_worker else ""
    )
    tags = _headers(texts.get(files.HEADERS, ""), netloc, now)
    return files.compiled(_redirects(texts.get(files.REDIRECTS, "")), tags, forms)


def _redirects(text: str) -> Iterator[Rule]:
    """Paths and effects of the accepted lines, up to the host's limits.

    The first line for a path counts.
    """
    static = dynamic = 0
    seen = set()
    for effect, (source, target, *rest) in files.redirect_lines(text):
        if source.startswith("https://") or len(rest) > 1:
            continue
        source, status = _path(source), rest[0] if rest else "302"
        if dynamic or re.search(files.WILDCARD, source):
            dynamic += 1
            if dynamic > MAX_DYNAMIC:
                return
        else:
            static += 1
            if static > MAX_REDIRECTS:
                continue
        # `301!` is only a status for Netlify, so the line is not a rule here.
        if not target.startswith(("/", "https://")) or status not in (*_REDIRECTS, "200"):
            continue
        if source.endswith(("/", "/*")) and _INDEX.fullmatch(target):
            continue  # the host treats this as a loop
        is_proxy = status == "200" and target.startswith("https://")  # the host rejects these
        if source not in seen and _compiles(source) and not is_proxy:
            if status == "200":
                shown = effect._replace(reason=Reason.DUPLICATE, target=target)
                yield source, shown if target != source else None
            else:
                yield source, effect
        seen.add(source)


def _headers(text: str, netloc: str, now: int) -> Iterator[Rule]:
    """Patterns and effects. Absolute patterns (`https://:project.pages.dev/*`) apply to one host
    only.

    A block replaces an earlier one with the same pattern.
    """
    blocks: list[tuple[str, Sequence[Header]]] = []
    for line, headers in files.header_blocks(text, r"/|\S+://"):
        origin = "".join(re.findall(r"\Ahttps://[^/]+", line))
        pattern = origin + _path(line.removeprefix(origin))
        is_accepted = (line[0] == "/" or origin) and not re.search(r":\d+$", origin)
        if headers and is_accepted and (_compiles(pattern) or "*" not in pattern):
            blocks.append((pattern, headers))
    for pattern, headers in dict(blocks[:MAX_HEADERS]).items():
        host, slash, path = pattern.removeprefix("https://").partition("/")
        if _compiles(pattern) and (
            not host or re.fullmatch(files.expression(host.lower()), netloc)
        ):
            yield from product([slash + path], files.header_effects(headers, now))


def _path(text: str) -> str:
    """The path of a URL without query, fragment and dot segments, with a leading slash."""
    return without_dots(encode_path("/" + re.split("[?#]", text, maxsplit=1)[0].removeprefix("/")))


def _compiles(pattern: str) -> bool:
    """Whether all placeholders of a pattern have different names. A star has the name `splat`."""
    names = [name.replace("*", ":splat") for name in re.findall(files.WILDCARD, pattern)]
    return len(names) == len(set(names))


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """The folder to publish. A Worker without assets publishes nothing."""
    folders = (
        (key, files.value_at(config, key)) for key in ("pages_build_output_dir", "assets.directory")
    )
    named = tuple(Hosting(key, (folder,)) for key, folder in folders if folder)
    return named or ((Hosting(),) if "assets" in config else ())


HOST = Provider(
    "cloudflare", _MARKERS, (files.REDIRECTS, files.HEADERS), _read, hosting=_hosting,
    variables=("CF_PAGES", "WORKERS_CI"), unread=("_worker.js", "functions"), answers=("cf-ray", ""),
)  # fmt: skip
