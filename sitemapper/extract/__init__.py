"""The HTML of a page to facts about it: metadata, dates, kind, content, images."""
