"""The new core: from the folder of a built site to the pages of its sitemap."""
