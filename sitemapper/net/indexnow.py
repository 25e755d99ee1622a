"""IndexNow (indexnow.org/documentation): the key file on the live host, and lists of URLs."""

import json
from collections.abc import Sequence

from ..errors import SitemapperError
from ..syntax.urls import host_of
from .client import Answer, Client

MAX_URLS = 10_000  # of one request
_MAX_KEY_FILE = 1_000  # bytes
_MAX_REPLY = 2_000  # bytes


def check_key(client: Client, base_url: str, key: str) -> None:
    """Raises SitemapperError unless the live host shows the key file: engines would say no."""
    url = f"{base_url}{key}.txt"
    try:
        data = client.download(url, _MAX_KEY_FILE)
    except SitemapperError as error:
        raise SitemapperError(f"{error.text}, so nothing was sent", error.help) from None
    what = "is not there" if data is None else "has other contents than the key"
    if data != key.encode():
        raise SitemapperError(
            f"{url}: {what}, so nothing was sent",
            "deploy what `sitemapper build` writes with this key, then run submit again",
        )


def send(client: Client, endpoint: str, base_url: str, key: str, urls: Sequence[str]) -> Answer:
    """Sends at most `MAX_URLS` URLs to an engine, which shares them with the others."""
    message: dict[str, object] = {"host": host_of(base_url), "key": key}
    if base_url.count("/") > 3:  # the key file is not at the root of the host
        message["keyLocation"] = f"{base_url}{key}.txt"
    message["urlList"] = list(urls)
    content_type = "application/json; charset=utf-8"
    return client.post(endpoint, json.dumps(message).encode(), content_type, _MAX_REPLY)
