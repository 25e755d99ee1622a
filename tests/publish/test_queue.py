"""The list of changes that wait: what stays, what is replaced, and what is being sent."""

from __future__ import annotations

from sitemapper.publish.queue import (
    begin_sending,
    end_sending,
    merge_lists,
    whole_site_row,
    without_accepted,
)

A, B, OTHER = "https://a.example/", "https://a.example/b", "https://other.example/"


def rows(*pairs: str) -> list[str]:
    """`rows("added a")` → `["added\\ta\\n"]`."""
    return [pair.replace(" ", "\t") + "\n" for pair in pairs]


def test_a_newer_row_replaces_an_older_one_and_others_stay() -> None:
    waiting = rows(f"added {A}", f"changed {B}", f"added {OTHER}")
    new = rows(f"removed {A}", f"removed {B}")
    assert list(merge_lists(waiting, new, A)) == rows(f"added {OTHER}", f"removed {B}")


def test_a_list_of_the_whole_site_is_dropped_and_rows_of_other_sites_stay() -> None:
    of_other = [*rows(f"added {OTHER}"), whole_site_row(OTHER)]
    waiting = [*rows(f"added {A}"), whole_site_row(A), *of_other]
    assert list(merge_lists(waiting, rows(f"added {B}"), A)) == [*of_other, *rows(f"added {B}")]
    assert list(merge_lists(waiting, [], A)) == of_other
    first_of_other = merge_lists(waiting[:2], of_other, OTHER)
    assert list(first_of_other) == waiting


def test_a_row_that_is_being_sent_is_not_the_one_that_a_build_adds() -> None:
    sending = list(begin_sending(rows(f"added {A}", f"added {OTHER}"), A))
    assert sending == rows(f"added {A} sending", f"added {OTHER}")
    meanwhile = list(merge_lists(sending, rows(f"removed {A}"), A))
    assert meanwhile == rows(f"added {A} sending", f"added {OTHER}", f"removed {A}")
    left = list(without_accepted(meanwhile, {("added", A), ("removed", A)}))
    assert left == list(end_sending(left, A)) == rows(f"added {OTHER}", f"removed {A}")


def test_what_was_not_accepted_is_merged_with_what_a_build_added() -> None:
    lines = rows(f"added {A} sending", f"changed {B} sending", f"removed {A}")
    assert list(end_sending(lines, A)) == rows(f"changed {B}")
