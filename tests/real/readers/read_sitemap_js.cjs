// Prints the URLs that npm's sitemap finds from some addresses on, as JSON.
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

Promise.all(process.argv.slice(2).map(locs)).then((found) => console.log(JSON.stringify(found.flat())));
