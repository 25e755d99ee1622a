"""The directives and sections of a text, with the words of mod_rewrite and of all others."""

from __future__ import annotations

from sitemapper.hosts.apache.lines import read_directives


def test_comments_are_no_lines_and_a_backslash_joins_two() -> None:
    first, second = read_directives(".htaccess", "# a\nRedirect /a \\\n  /b\n\nOptions None\n")
    assert (first.key, first.words, first.origin.line) == ("redirect", ["/a", "/b"], 2)
    assert (second.key, second.origin.line) == ("options", 5)


def test_a_quote_holds_a_word_together() -> None:
    (line,) = read_directives("", r"""Header set X-Robots-Tag "no\"index, x" 'a b'""")
    assert line.words == ["set", "X-Robots-Tag", 'no"index, x', "a b"]


def test_an_escaped_space_holds_a_word_of_mod_rewrite_together() -> None:
    (line,) = read_directives("", r"RewriteCond %{THE_REQUEST} ^GET\ /(.*)\.html [NC]")
    assert line.words == ["%{THE_REQUEST}", r"^GET\ /(.*)\.html", "[NC]"]


def test_sections_have_parts_and_may_have_no_end() -> None:
    (outer,) = read_directives(
        "", "<IfModule x>\n<Files a>\nDeny from all\n</Files>\nOptions None\n"
    )
    assert outer.parts is not None
    inner, line = outer.parts
    assert (outer.key, outer.text, outer.is_closed) == ("ifmodule", "x", False)
    assert (inner.key, inner.is_closed, line.key) == ("files", True, "options")


def test_an_end_without_a_beginning_is_nothing() -> None:
    (line,) = read_directives("", "</Files>\nOptions None\n</If>")
    assert line.key == "options"
