"""What is known of a generator: its tag in pages, its files."""

import pytest

from sitemapper.project.generator import Generator


@pytest.mark.parametrize(
    ("mark", "sign", "signs"),
    [
        ("", "Hugo 0.111.3", True),
        ("", "made with HUGO", True),
        ("", "Chugo 1", False),
        ("sphinx|docutils", "Docutils 0.20: https://docutils.sourceforge.io/", True),
    ],
)
def test_the_tag_of_a_page_names_its_generator(mark: str, sign: str, signs: bool) -> None:
    assert Generator("Hugo", mark=mark).signs(sign) is signs
    assert not Generator("Hugo", mark=mark, is_weak=True).signs(sign)


def test_the_files_that_hold_settings_are_named_once() -> None:
    assert Generator("x", "a.yml:word b.toml", more="b.toml c.js").settings == [
        "a.yml",
        "b.toml",
        "c.js",
    ]
