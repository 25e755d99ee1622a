"""Entries to files: formats, shards, what is published already, and the only writer."""
