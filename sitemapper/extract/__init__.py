"""The bytes of a page to facts about it, from one parsed tree:

metadata, date, kind, images, digest.
"""
