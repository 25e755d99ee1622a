"""The only room that opens a socket: requests to the live site and to search engines."""

from .client import Answer, Client

__all__ = ["Answer", "Client"]
