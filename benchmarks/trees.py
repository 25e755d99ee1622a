"""Makes synthetic built sites: small pages, assets between them, mtimes spread over ten years."""

from __future__ import annotations

import os
import random
import sys

PAGES_A_FOLDER = 190
ASSETS_A_FOLDER = 46
BEGIN, SPAN = 1_450_000_000, 315_000_000
BODY = b"<!doctype html><title>page</title><p>text"


def make(root: str, pages: int) -> None:
    """A site of so many pages in folders of folders; made once, kept if it is there."""
    done = os.path.join(root, ".made")
    if os.path.exists(done):
        return
    rng = random.Random(pages)
    made = folder = 0
    while made < pages:
        place = os.path.join(root, f"section-{folder // 70:03}", f"topic-{folder:05}")
        os.makedirs(place, exist_ok=True)
        names = ["index.html", *(f"page-{n:04}.html" for n in range(PAGES_A_FOLDER - 1))]
        for name in names[: pages - made]:
            path = os.path.join(place, name)
            with open(path, "wb") as file:
                file.write(BODY)
            seconds = BEGIN + rng.randrange(SPAN)
            os.utime(path, (seconds, seconds))
        for n in range(ASSETS_A_FOLDER):
            os.close(os.open(os.path.join(place, f"image-{n:03}.png"), os.O_CREAT | os.O_WRONLY))
        made += min(PAGES_A_FOLDER, pages - made)
        folder += 1
    os.close(os.open(done, os.O_CREAT | os.O_WRONLY))


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]))
