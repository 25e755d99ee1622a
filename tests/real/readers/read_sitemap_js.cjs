// Prints the URLs that npm's sitemap finds from an address on, as JSON.
const { Readable } = require("node:stream");
const { gunzipSync } = require("node:zlib");
const { parseSitemap, parseSitemapIndex } = require("sitemap");

async function locs(url) {
  const body = Buffer.from(await (await fetch(url)).arrayBuffer());
  const xml = url.endsWith(".gz") ? gunzipSync(body) : body;
  const isIndex = xml.includes("<sitemapindex");
  const entries = await (isIndex ? parseSitemapIndex : parseSitemap)(Readable.from([xml]));
  const urls = entries.map((entry) => entry.url);
  return isIndex ? (await Promise.all(urls.map(locs))).flat() : urls;
}

locs(process.argv[2]).then((urls) => console.log(JSON.stringify(urls)));
