"""The only room that opens a socket: what is fetched from the live site, what search engines are told."""
