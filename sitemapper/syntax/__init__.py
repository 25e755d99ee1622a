"""Parsers for other people's formats, pure:

gitignore, HTML, URLs, dates, robots.txt, host files.
"""
