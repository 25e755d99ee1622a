"""Formats and notations, without a file or a clock: URLs, dates, patterns, tables, robots.txt."""
