"""GitLab Pages: a file wins over each redirect, which cannot be forced.

This is from docs.gitlab.com/user/project/pages/redirects. The rules are compared as by Netlify.

Folders have a slash at the end: `a` is redirected to `a/`, whatever the canonicals say. `b.html` is
served at `b` too, so that canonicals or links choose the form of pages.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from urllib.parse import urlsplit

from ..model import Origin, Reason
from .github import FORMS
from .host import HostRules, Reader, make_rules, netloc_of
from .netlify import own_path, read_pattern
from .rule import Rule, loose_spellings, read_rule
from .text_files import REDIRECTS, redirect_lines

_MAX_RULES = 1_000  # that the host reads (docs.gitlab.com, "GitLab Pages redirects")
_DEFAULT_STATUS = "301"
# Other rules are invalid.
_BY_STATUS = {"301": Reason.REDIRECT, "302": Reason.REDIRECT, "200": Reason.DUPLICATE}


def _read_gitlab_rules(texts: Mapping[str, str], base_url: str, _now: int) -> HostRules:
    """Reads the rules of `_redirects`, and gives the URL forms, which are those of GitHub Pages.

    GitLab ignores letter case and a final slash: the rule for `/a` is also for `/A/`.
    """
    redirects = _read_rules(texts.get(REDIRECTS, ""), base_url)
    return make_rules(FORMS, redirects, spellings_of=loose_spellings)


def _read_rules(text: str, base_url: str) -> Iterator[Rule | Origin]:
    """Reads the lines of `_redirects`, whose paths begin with the path of the base URL.

    For the site `https://a.example/docs/`, the line `/docs/a /docs/b 301` → a rule that redirects
    `/a`, the path in the site, to `https://a.example/docs/b`.

    GitLab rejects some lines, and these give no rule: `/blog/a …`, which is not below `/docs/`,
    lines with conditions, and lines with a status other than 301, 302 and 200.
    """
    base_path = urlsplit(base_url).path
    scheme_and_host = base_url.removesuffix(base_path)  # `https://a.example`
    folder = base_path.removesuffix("/")  # `/docs`, "" for a site at the root
    host = netloc_of(base_url)
    for words, origin in islice(redirect_lines(text), _MAX_RULES):
        source, target, *more_words = words
        status, *conditions = more_words or (_DEFAULT_STATUS,)
        action = _BY_STATUS.get(status)
        if action is None or conditions:
            continue
        path = own_path(source, host)
        if not path.startswith(f"{folder}/"):
            continue
        # A target is below the host, not below the folder of the site.
        if folder and target.startswith("/"):
            target = scheme_and_host + target
        path_in_site = path.removeprefix(folder)
        # Not forced: on GitLab, a file at the path always wins over the redirect.
        yield read_rule(read_pattern, path_in_site, action, origin, target, forced=False)


READER = Reader(read=_read_gitlab_rules)
