"""From the text of a `.htaccess` to layers, with the lines that are ignored."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.reading import FileRules, read_file


def read(text: str) -> FileRules:
    return read_file(".htaccess", "/", text, "/")


@pytest.mark.parametrize(
    ("head", "end", "applies"),
    [
        ("<IfModule mod_alias.c>", "</IfModule>", True),
        ("<IfModule rewrite_module>", "</IfModule>", True),
        ("<IfModule !mod_alias.c>", "</IfModule>", False),
        ("<IfModule mod_foo.c>", "</IfModule>", None),
        ("<IfDefine X>", "</IfDefine>", None),
        ("<IfVersion >= 2.4>", "</IfVersion>", True),
        ("<IfVersion < 2.4>", "</IfVersion>", False),
        ("<Limit GET POST>", "</Limit>", True),
        ("<Limit POST>", "</Limit>", False),
        ("<LimitExcept POST>", "</LimitExcept>", True),
    ],
)
def test_sections_that_the_server_decides(head: str, end: str, applies: bool | None) -> None:
    rules = read(f"{head}\nRedirect /a /b\n{end}\n")
    assert len(rules.layers[0].moves) == (applies is True)
    assert len(rules.skipped) == (applies is None)


def test_a_section_for_names_is_a_layer_of_its_own() -> None:
    plain, named = read("Redirect /a /b\n<Files x>\nRedirect /c /d\n</Files>").layers
    assert [len(layer.moves) for layer in (plain, named)] == [1, 1]


def test_a_rule_behind_a_line_that_is_not_understood_is_unknown() -> None:
    rules = read("Xyz\nRewriteRule ^a /b\nRewriteRule ^b /c")
    assert [rule.is_certain for rule in rules.layers[0].rules] == [False, True]
    assert [skipped.why for skipped in rules.skipped] == [
        "not understood",
        "behind a line that is not understood",
    ]


@pytest.mark.parametrize("line", ["ExpiresActive On", "AddType text/html .x", "php_value a b"])
def test_directives_that_decide_nothing_about_pages_are_known(line: str) -> None:
    assert read(line).skipped == ()


@pytest.mark.parametrize("line", ["Redirect a /b", "Redirect 301 /a", "Options Foo", "Deny all"])
def test_a_line_with_wrong_words_is_named(line: str) -> None:
    assert [skipped.why for skipped in read(line).skipped] == ["not understood"]


def test_an_error_page_of_any_status_is_one() -> None:
    paths = [path for path, _ in read('ErrorDocument 500 /e.html\nErrorDocument 404 "None"').errors]
    assert paths == ["/e.html", "/e"]
