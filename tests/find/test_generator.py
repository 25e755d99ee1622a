"""What is known of a generator: its tag in pages, its files."""

import pytest

from sitemapper.find.generator import Generator


@pytest.mark.parametrize(
    ("marks", "sign", "signs"),
    [
        ((), "Hugo 0.111.3", True),
        ((), "made with HUGO", True),
        ((), "Chugo 1", False),
        (("sphinx", "docutils"), "Docutils 0.20: https://docutils.sourceforge.io/", True),
    ],
)
def test_the_tag_of_a_page_names_its_generator(
    marks: tuple[str, ...], sign: str, signs: bool
) -> None:
    assert Generator("Hugo", marks=marks).signs(sign) is signs
    assert not Generator("Hugo", marks=marks, is_weak=True).signs(sign)


def test_the_files_that_hold_settings_are_named_once() -> None:
    files = ("a.yml: word", "b.toml")
    assert Generator("x", files, more=("b.toml", "c.js")).settings == ["a.yml", "b.toml", "c.js"]
