"""What Apache answers to a request, by the `.htaccess` of the folders on its way.

The order is that of its hooks: access, MultiViews, mod_rewrite, mod_alias, mod_dir, the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from ...model import Origin
from ..host import HostEffect
from .access import refusal
from .answers import effects_of_headers, environment
from .layers import Effective, Layer
from .request import Base, Context, Files, Located, Request
from .rewriter import Rewriter, Rewrites, Rewritten
from .rewriting import RewriteRule
from .truth import Truth

_MOST_REDIRECTS = 10  # LimitInternalRecursion
_VARIANTS = (".html", ".htm", ".xhtml")
# The server's own DirectoryIndex (Debian's dir.conf), as far as its names are pages.
_INDEXES = ("index.html", "index.xhtml", "index.htm")
_NOTHING = 404
NOWHERE = 0  # no page is shown: there is no file, or the rules go round in circles


class Answer(NamedTuple):
    """What a visitor gets: with status 200, the page `file`; with 3xx, the URL `target`.

    `origin` is the line that decides, None if no rule does. `effects` are those of the headers.
    With `doubt`, an unknown rule might have changed the answer.
    """

    status: int
    file: str = ""
    target: str = ""
    origin: Origin | None = None
    effects: Sequence[HostEffect | None] = ()
    doubt: bool = False
    source: str = ""  # for which paths a redirect is, as its rule says


class _Again(NamedTuple):
    """A redirect inside the server."""

    rewritten: Rewritten
    env: Mapping[str, str | None]


class Server:
    """Apache with the rules of a site, and its base URL."""

    def __init__(self, base: Base, layers: Mapping[str, Sequence[Layer]], now: int) -> None:
        self._base = base
        self._layers = layers  # by the URL path of the folder
        self._now = now

    def answer(self, encoded: str, files: Files) -> Answer:
        """The answer to a GET request for an encoded path, such as `/project/a%20b.html`."""
        request = Request(unquote(encoded, errors="surrogateescape"), encoded)
        origin: Origin | None = None
        doubt = False
        for _ in range(_MOST_REDIRECTS):
            found = self._serve(request, files)
            if isinstance(found, Answer):
                origin = found.origin or origin
                return found._replace(origin=origin, doubt=doubt or found.doubt)
            rewritten = found.rewritten
            doubt = doubt or rewritten.doubt
            origin = rewritten.origin
            env = {f"REDIRECT_{name}": value for name, value in found.env.items()}
            request = request._replace(
                uri=rewritten.target,
                args=rewritten.args,
                env=env,
                is_internal=True,
                is_ended=request.is_ended or rewritten.is_ended,
            )
        return Answer(NOWHERE, origin=origin, doubt=doubt)

    def _serve(self, request: Request, files: Files) -> Answer | _Again:
        """The answer to a request, or the redirect inside the server that its rules ask for."""
        located = files.locate(request.uri)
        if located is None:
            return Answer(NOWHERE)  # another site's
        effective = self._effective(request, located, files)
        if not request.is_subrequest:
            env = dict(request.env) | self._environment(request, located, effective)
            request = request._replace(env=env)
        context = self._context(request, located)
        refused = refusal(*effective.requirements, context, files)
        if refused is not None:
            return Answer(refused.status, origin=refused.origin)
        origin: Origin | None = None
        if not located.kind:
            variant = self._find_variant(request, located, effective, files)
            if variant is not None:
                origin = effective.options.multiviews
                request = request._replace(uri=variant)
                located = files.locate(variant) or located
                effective = self._effective(request, located, files)
        found = self._run_fixups(request, located, effective, files)
        if isinstance(found, Answer) and found.origin is None:
            return found._replace(origin=origin)
        return found

    def _run_fixups(
        self, request: Request, located: Located, effective: Effective, files: Files
    ) -> Answer | _Again:
        """What mod_rewrite, mod_alias and mod_dir do, in this order, and else the file."""
        links_off = effective.options.links_off
        rewrites = self._rewrites(request, located, effective)
        rewritten = Rewritten()
        env = request.env
        if rewrites is not None:
            if links_off is not None:  # mod_rewrite demands FollowSymLinks
                return Answer(403, origin=links_off)
            rewriter = Rewriter(rewrites, self._base, request, located, files)
            rewritten = rewriter.run()
            env = rewriter.env
            if rewritten.status:
                return self._leave(rewritten)
        moved = self._redirect(request, located, effective)
        if moved is not None:
            return moved
        if rewritten.origin is not None:
            return _Again(rewritten, env)
        if located.kind == "d" and request.uri.endswith("/"):
            found = self._show_folder(request, effective, files)
        else:
            found = self._show_file(request._replace(env=env), located, effective, files)
        if isinstance(found, Answer):
            return found._replace(doubt=found.doubt or rewritten.doubt)
        return found

    def _redirect(self, request: Request, located: Located, effective: Effective) -> Answer | None:
        """The first redirect of mod_alias, or that of mod_dir to the slash of a folder."""
        for layer in effective.certain[::-1]:
            for move in layer.moves:
                target = move.find_target(request.uri)
                if target is not None:
                    answer = Answer(move.status, target=self._full(target), origin=move.origin)
                    return answer._replace(source=move.source)
        if located.kind != "d" or request.uri.endswith("/"):
            return None
        if not effective.flag("adds_slash", default=True):
            return None
        return Answer(301, target=f"{self._base.origin}{request.uri}/")

    def _leave(self, rewritten: Rewritten) -> Answer:
        """The answer that a rule gives."""
        target = rewritten.target
        if rewritten.args:
            target = f"{target}?{rewritten.args}"
        answer = Answer(rewritten.status, target=self._full(target), origin=rewritten.origin)
        return answer._replace(source=rewritten.source)

    def _full(self, target: str) -> str:
        """The whole URL of a redirect."""
        return self._base.origin + target if target.startswith("/") else target

    def _show_folder(self, request: Request, effective: Effective, files: Files) -> Answer | _Again:
        """The first index of a folder that can be shown (mod_dir)."""
        names, origin = effective.indexes
        refused: Answer | None = None
        for name in _INDEXES if names is None else names:
            uri = name if name.startswith("/") else request.uri + name
            if not files.kind_of(uri):
                continue
            found = self._serve(request._replace(uri=uri, is_subrequest=True), files)
            if isinstance(found, _Again):
                return found
            if found.status == 200 or 300 <= found.status < 400:
                return found._replace(origin=found.origin or origin)
            if found.status not in (NOWHERE, _NOTHING):
                refused = found
        return refused or Answer(NOWHERE, origin=origin)

    def _show_file(
        self, request: Request, located: Located, effective: Effective, files: Files
    ) -> Answer:
        """The file itself."""
        allows_info = effective.flag("accepts_info", default=False)
        if located.kind != "f" or (located.info and not allows_info):
            return Answer(NOWHERE)
        context = self._context(request, located)
        lines = []
        for layer, applies in effective.layers:
            for line in layer.headers:
                holds: Truth = line.applies(context, files) if applies else None
                lines.append((line, holds))
        effects = tuple(effects_of_headers(lines, self._now))
        return Answer(200, file=located.file, effects=effects)

    def _find_variant(
        self, request: Request, located: Located, effective: Effective, files: Files
    ) -> str | None:
        """The page that MultiViews shows for a name without an ending (mod_negotiation)."""
        if effective.options.multiviews is None:
            return None
        for ending in _VARIANTS:
            name = located.file + ending
            if files.kind_of(name) != "f":
                continue
            uri = name + located.info
            found = self._serve(request._replace(uri=uri, is_subrequest=True), files)
            if isinstance(found, _Again) or found.status == 200:
                return uri
        return None

    def _context(self, request: Request, located: Located) -> Context:
        return Context(self._base, request, located.file, located.info)

    def _environment(
        self, request: Request, located: Located, effective: Effective
    ) -> dict[str, str | None]:
        """The variables that the folders set."""
        lines = []
        for layer, applies in effective.layers:
            lines += [(line, applies is True) for line in layer.variables]
        env = environment(lines, self._context(request, located))
        if any(layer.may_set_others for layer, _ in effective.layers):
            return {name: value or None for name, value in env.items()}
        return env

    def _effective(self, request: Request, located: Located, files: Files) -> Effective:
        """The layers for a request: those of folders, then of names, then of expressions."""
        on_way = [layer for path in located.folders for layer in self._layers.get(path, ())]
        context = self._context(request, located)
        plain = [layer for layer in on_way if not layer.guards]
        named = [layer for layer in on_way if layer.guards and not layer.is_late]
        late = [layer for layer in on_way if layer.is_late]
        layers = []
        for layer in (*plain, *named, *late):
            applies = layer.applies(context, files)
            if applies is not False:
                layers.append((layer, applies))
        return Effective(layers)

    def _rewrites(
        self, request: Request, located: Located, effective: Effective
    ) -> Rewrites | None:
        """The rules of the deepest folder with any, if its engine is on.

        A deeper folder inherits the engine, and the rules only if it says so. A folder's own rules
        are not for its URL without a slash.
        """
        if request.is_ended:
            return None
        engine = False
        found: Rewrites | None = None
        for layer in effective.certain:
            if not layer.has_rewrites or layer.guards:
                continue
            if layer.engine is not None:
                engine = layer.engine
            rules: Sequence[RewriteRule] = layer.rules
            if found is not None and layer.inherits == "after":
                rules = [*layer.rules, *found.rules]
            elif found is not None and layer.inherits == "before":
                rules = [*found.rules, *layer.rules]
            found = Rewrites(layer.folder, layer.base, rules)
        if not engine or found is None or found.folder == f"{located.file}/":
            return None
        return found
