"""What the text of a source says of the page that is made from it."""

from __future__ import annotations

import pytest

from sitemapper.syntax.source_text import read_source, words


@pytest.mark.parametrize(
    "text",
    [
        "---\ndraft: true\n---\n",
        "{% for post in site.posts %}",
        "{{ range .Pages }}",
        "---\npagination:\n  data: x\n---\n",
        "---\nconst all = await getCollection('blog')\n---\n",
        "<ul>{[...tags.entries()].sort(byCount).map(([key, posts]) => <li>{key}</li>)}</ul>",
        "First\n.. post-list::\n   :start: 3\n",
        "{{ page }}\nlisting:\n",
        "<% for (const post of posts) { %>",
        '<ul>\n<li v-for="post in posts">\n</ul>',
        "Code::\n\n    x\n{% for post in posts %}",
        "`{% raw %}`\n{% FOR post in posts %}",
        "\0",
    ],
)
def test_a_source_that_makes_no_page_or_shows_others(text: str) -> None:
    assert read_source(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 'Let''s \"go\"' \n---\n# Other", "let s go"),
        ("# A `b` [c](d){#e}\n", "a b c"),
        ("# Tea { #tea-time }\n", "tea"),
        ("Setext\n======\n", "setext"),
        ("-------\nHyphens\n-------\n\ntitle: x\n\n---\n", "hyphens"),
        ("Code\n====\n\nSo::\n\n    {% for x in y %}\n\n    {% endfor %}\n", "code"),
        ("Code\n====\n\n.. code-block:: jinja\n\n   {% for x in y %}\n", "code"),
        ("====\nOver\n====\n", "over"),
        ("= AsciiDoc\n", "asciidoc"),
        ("<h1>Fish &amp; Chips</h1>", "fish chips"),
        ('{"cells": [{"source": ["# Notebook\\n"]}]}', "notebook"),
        ("\\name{x}\n\\title{An Rd file}\n", "an rd file"),
        ('---\n---\n<Layout title="About us">', "about us"),
        ("Café\n====\n", words("Cafe\u0301")),
        ("```\n{% for x in y %}\n```\n# In code\n", "in code"),
        ("Read [`getCollection()`](https://example.com/#getcollection).\n# Linked\n", "linked"),
        (":title: A field\n", "a field"),
        ("Text\r\n\r\n.. title: A comment\r\n", "a comment"),
        ("---\ndate: 2024-05-17\n---\n# After the metadata\n", "after the metadata"),
        ('subtitle = "No title"\n', ""),
        ("  ~~~\n{{ range .Pages }}\n  ~~~\n= After code\n", "after code"),
        ("", ""),
    ],
)
def test_the_title_of_a_source(text: str, title: str) -> None:
    facts = read_source(text.encode())
    assert facts
    assert facts.title == title


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (":slug: tea\n", ("tea",)),
        ("Text\n#+ID: tea\n:slug: milk", ("milk", "tea")),
        (".. slug: tea\n.. slug: milk\n", ("tea",)),
        ("Text :slug: tea\n :slug: milk\n", ()),
    ],
)
def test_marked_lines_name_a_page(text: str, names: tuple[str, ...]) -> None:
    facts = read_source(text.encode())
    assert facts and facts.names == names
