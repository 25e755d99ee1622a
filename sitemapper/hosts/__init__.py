"""What static hosts do with pages: redirects and headers, as the documentation of each host says.

A new host is a file here, its place in choose.py, and its name in config/choices.py. Only find.py
reads files; the others take their texts.
"""
