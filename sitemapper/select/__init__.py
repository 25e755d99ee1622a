"""Whether a page is listed, and at which URL, or why it is excluded."""
