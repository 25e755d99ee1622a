"""Other people's languages, pure: gitignore, HTML, URLs, dates, robots.txt, host files."""
