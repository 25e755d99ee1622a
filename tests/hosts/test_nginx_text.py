"""The directives in a configuration of nginx: their words, their lines and their blocks."""

from __future__ import annotations

import pytest

from sitemapper.hosts.nginx_text import named, read_directives

TEXT = """\
worker_processes 1;
server {  # ours
    listen 80; listen 443
        ssl;
    location /a/ {}
}
"""


@pytest.mark.parametrize("text", ["server {", "}", ";", 'a "b', "a b"])
def test_a_text_that_nginx_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="line 1|does not end"):
        read_directives(text)


def test_the_error_names_the_line() -> None:
    with pytest.raises(ValueError, match="line 3: unexpected }"):
        read_directives("a 'b\nc';\n}\n")


def test_quotes_comments_and_braces_in_variables() -> None:
    [directive] = read_directives("a 'b c' \"d;{\" ${e}f # g;\n;")
    assert directive.arguments == ("b c", "d;{", "${e}f")


def test_each_directive_has_the_line_of_its_name() -> None:
    workers, server = read_directives(TEXT)
    assert (workers.text, workers.line, workers.block) == ("worker_processes 1", 1, None)
    assert (server.text, server.line) == ("server", 2)
    inside = [(directive.text, directive.line) for directive in server.block or []]
    assert inside == [("listen 80", 3), ("listen 443 ssl", 3), ("location /a/", 5)]


def test_the_directives_of_a_name_in_a_block() -> None:
    [server] = named(read_directives(TEXT), "server")
    listening = named(server.block or [], "listen")
    assert [directive.arguments for directive in listening] == [("80",), ("443", "ssl")]
    assert [one.block for one in named(server.block or [], "location")] == [[]]
