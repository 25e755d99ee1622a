"""Before the first page: what a person wrote, what the project says, what holds for the site."""
