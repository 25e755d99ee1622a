"""The forms of URLs that `try_files` serves."""

from __future__ import annotations

import pytest
from support.caddy import read


# Asked of Caddy 2.6.
@pytest.mark.parametrize(
    ("text", "folder", "page", "clash"),
    [
        ("", "a/ a/index.html", "b.html", None),
        ("try_files {path} {path}/ /index.html", "a/ a/index.html", "b.html", None),
        ("try_files {path} {path}.html {path}/", "a/ a/index.html", "b.html b", "b.html b"),
        ("try_files {path} {path}/ {path}.html", "a/ a/index.html", "b.html b", "b.html"),
        ("handle {\ntry_files {path} {path}/index.html =404\n}", "a/ a a/index.html", "b.html", None),
        ("try_files {path} /index.html", "", "", None),
        ("try_files {path} {other}", "", "", None),
        ("rewrite /a /b", "", "", None),
        ("file_server {\nindex home.html\n}", "", "", None),
    ],
)  # fmt: skip
def test_forms(text: str, folder: str, page: str, clash: str | None) -> None:
    forms = read(text).forms
    if forms is None:
        assert not folder
        return
    assert (" ".join(forms.folder), " ".join(forms.page)) == (folder, page)
    assert (forms.clash and forms.clash[0]) == clash
