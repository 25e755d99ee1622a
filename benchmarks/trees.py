"""Makes synthetic built sites: small pages, assets between them, mtimes spread over ten years."""

from __future__ import annotations

import os
import random
import subprocess

PAGES_A_FOLDER = 190
ASSETS_A_FOLDER = 46
BEGIN, SPAN = 1_450_000_000, 315_000_000
BODY = b"<!doctype html><title>page</title><p>text"
GAP = 5003  # seconds between two pages: nearer times are a burst, which gets no dates


def make(root: str, pages: int) -> None:
    """A site of so many pages in folders of folders; made once, kept if it is there."""
    done = os.path.join(root, ".made")
    if os.path.exists(done):
        return
    # In no order, and none within seconds of another: such times are a burst, which gets no dates.
    times = list(range(BEGIN, BEGIN + SPAN, SPAN // pages))
    random.Random(pages).shuffle(times)
    made = folder = 0
    while made < pages:
        place = os.path.join(root, f"section-{folder // 70:03}", f"topic-{folder:05}")
        os.makedirs(place, exist_ok=True)
        names = ["index.html", *(f"page-{n:04}.html" for n in range(PAGES_A_FOLDER - 1))]
        for name in names[: pages - made]:
            path = os.path.join(place, name)
            with open(path, "wb") as file:
                file.write(BODY)
            seconds = times.pop()
            os.utime(path, (seconds, seconds))
        for n in range(ASSETS_A_FOLDER):
            os.close(os.open(os.path.join(place, f"image-{n:03}.png"), os.O_CREAT | os.O_WRONLY))
        made += min(PAGES_A_FOLDER, pages - made)
        folder += 1
    os.close(os.open(done, os.O_CREAT | os.O_WRONLY))


def make_folders(root: str, pages: int) -> None:
    """A site of so many small pages with a folder a page, each with a time of its own."""
    done = os.path.join(root, ".made")
    if os.path.exists(done):
        return
    for n in range(pages):
        place = os.path.join(root, f"section-{n // 100:03}", f"page-{n:06}")
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "index.html")
        with open(path, "wb") as file:
            file.write(BODY)
        seconds = BEGIN + n * GAP
        os.utime(path, (seconds, seconds))
    os.close(os.open(done, os.O_CREAT | os.O_WRONLY))


HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page {n} of topic {t} &ndash; Example</title>
<meta name="description" content="What page {n} has to say about topic {t}, in one sentence that is neither short nor long.">
<meta name="generator" content="Maker 4.2">
<meta property="og:title" content="Page {n} of topic {t}">
<meta property="og:type" content="article">
<meta property="og:url" content="https://example.com/{path}">
<meta property="og:image" content="https://example.com/images/{n}.png">
<meta property="article:modified_time" content="2024-03-{d:02}T10:00:00+00:00">
<meta name="twitter:card" content="summary_large_image">
<link rel="canonical" href="https://example.com/{path}">
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="preconnect" href="https://fonts.example.com" crossorigin>
<link rel="stylesheet" href="/css/main.3f9a2c41.css" integrity="sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" crossorigin="anonymous">
<link rel="alternate" type="application/rss+xml" title="News" href="/index.xml">
<script type="application/ld+json">{{"@context":"https://schema.org","@type":"Article","headline":"Page {n}","dateModified":"2024-03-{d:02}","author":{{"@type":"Person","name":"A. Writer"}}}}</script>
<script defer src="/js/main.8812ab.js"></script>
<style>:root{{--ink:#222}}body{{font:16px/1.5 serif;color:var(--ink)}}</style>
</head>
"""
LANGUAGES = ("de", "en", "fr", "it")
ALTERNATE = '<link rel="alternate" hreflang="{lang}" href="https://example.com/{lang}/{path}">\n'
IMAGE = '<p><img src="/images/{n}-{k}.png" alt="" width="640" height="480" loading="lazy"></p>\n'
PARAGRAPH = (
    '<p class="text">Lorem <a href="/topic/{n}/">ipsum dolor</a> sit amet, <em>consectetur</em> adipiscing elit, '
    "sed do eiusmod tempor incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam.</p>\n"
)


def make_rich(
    root: str, pages: int, languages: int = 0, images: int = 0, folders: bool = False
) -> None:
    """A site of pages of 16 KB with heads as generators write them, each with its canonical.

    A folder has 100 pages or, with `folders`, one.

    With `languages`, each page has so many versions in folders of their own, which name each other. With `images`,
    each page shows so many.
    """
    done = os.path.join(root, ".made")
    if os.path.exists(done):
        return
    for number in range(pages):
        n = number // (languages or 1)
        folder = f"section-{n // 2000:02}/topic-{n // 100:03}"
        name = "index.html" if n % 100 == 0 else f"page-{n:05}.html"
        path = f"{folder}/" + ("" if n % 100 == 0 else name)
        if folders:
            folder, name = f"{folder}/page-{n:05}", "index.html"
            path = f"{folder}/"
        body = "".join(IMAGE.format(n=n, k=k) for k in range(images))
        body += "".join(PARAGRAPH.format(n=n * 7 + k) for k in range(72))
        versions = "".join(ALTERNATE.format(lang=lang, path=path) for lang in LANGUAGES[:languages])
        if languages:
            folder, path = (f"{LANGUAGES[number % languages]}/{place}" for place in (folder, path))
        os.makedirs(os.path.join(root, folder), exist_ok=True)
        head = HEAD.format(n=n, t=n // 100, path=path, d=n % 28 + 1).replace(
            "</head>", f"{versions}</head>"
        )
        with open(os.path.join(root, folder, name), "w") as file:
            file.write(f"{head}<body>\n<main>\n{body}</main>\n</body>\n</html>\n")
        seconds = BEGIN + n * GAP
        os.utime(os.path.join(root, folder, name), (seconds, seconds))
    os.close(os.open(done, os.O_CREAT | os.O_WRONLY))


def make_hugo(root: str, pages: int, others: int = 0) -> None:
    """A Hugo project whose sources are committed, with the site that was built from them.

    With `others`, it stands in a repository beside so many files of other projects.
    """
    if os.path.exists(os.path.join(root, ".git")):
        return
    make_rich(os.path.join(root, "blog", "public"), pages, folders=True)
    files = {
        "blog/hugo.toml": 'baseURL = "https://example.com/"\n',
        ".gitignore": "/blog/public/\n/blog/out/\n",
    }
    text = "Lorem ipsum dolor sit amet, " * 400  # as much as the pages show
    for n in range(pages):
        folder = f"blog/content/section-{n // 2000:02}/topic-{n // 100:03}"
        files[f"{folder}/page-{n:05}.md"] = (
            f"---\ntitle: Page {n} of topic {n // 100}\n---\n\n{text}"
        )
    for n in range(others):
        files[f"packages/part-{n // 100:03}/notes-{n:05}.md"] = f"# Note {n}\n\nText.\n"
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w") as file:
            file.write(text)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", root, *command], check=True)
