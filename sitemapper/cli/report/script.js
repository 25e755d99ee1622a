"use strict";
// Every text of the data reaches the page by textContent, so none can become an element.
const data = JSON.parse(document.getElementById("data").textContent);
const report = document.getElementById("report");
const TILES = 150, STEP = 20, LINE = 24; // tiles of a folder; rows at once; pixels of a label
const count = (n) => n.toLocaleString("en");
const plural = (n, noun) => `${count(n)} ${n === 1 ? noun : noun.replace(/y$/, "ie") + "s"}`;
const share = (n, of) => (n ? (n === of ? "100 %" : `${Math.min(99.9, (100 * n) / of).toFixed(n * 10 < of ? 1 : 0)} %`) : "0 %");
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

function el(name, about, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(about || {})) {
    if (key === "style") Object.assign(node.style, value);
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function section(id, title, ...children) {
  const node = el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);
  report.append(node);
  return node;
}

const swatch = (background) => el("span", { class: "swatch", "aria-hidden": "true", style: { background } });
const card = (kind, ...children) => el("div", { class: `card ${kind}` }, ...children);
const button = (text, onclick) => el("button", { type: "button", onclick }, text);
const number = (n) => el("td", { class: "number" }, n === null || n === undefined ? "" : count(n));
const head = (...names) => el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col", class: ["URLs", "Bytes", "Pages"].includes(name) ? "number" : null }, name))));

async function unpacked(list) {
  const bytes = Uint8Array.from(atob(list.rows), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  return text.split("\n").slice(0, -1).map((row) => row.split("\t"));
}

function listing(label, columns, cells) {
  // A table that grows by a button; `cells` makes the contents of a row.
  const rows = el("tbody"), more = button("", () => grow());
  more.className = "more";
  more.hidden = true;
  let all = [], shown = 0;
  const grow = () => {
    rows.append(...all.slice(shown, shown + STEP).map((row) => el("tr", {}, ...cells(row).map((cell, n) => el("td", { class: n === 1 ? "word" : null }, cell || "")))));
    shown = Math.min(all.length, shown + STEP);
    more.hidden = shown === all.length;
    more.textContent = `Show ${count(Math.min(STEP, all.length - shown))} of ${count(all.length - shown)} more`;
  };
  const box = el("div", {}, el("table", { "aria-label": label }, head(...columns), rows), more);
  box.fill = (found) => { all = found; shown = 0; rows.replaceChildren(); grow(); };
  return box;
}

function folded(title, list, columns) {
  const box = listing(title, columns, (row) => row);
  const missing = list.count - list.kept;
  const node = el("details", {}, el("summary", {}, title), box,
    missing ? el("p", { class: "soft" }, `${plural(missing, "row")} not shown, to keep this file small.`) : null);
  node.addEventListener("toggle", async () => box.fill(await unpacked(list)), { once: true });
  return node;
}

// --- the tree, and the ways to colour it

const root = { name: "", path: "", above: null };
{
  const open = [];
  const add = (all, pages) => pages.forEach((n, kind) => { all[kind] += n; });
  for (const [depth, name, folds, own] of data.tree) {
    const above = open[depth - 1];
    const node = above ? { name, path: `${above.path}${name}/`, above } : root;
    Object.assign(node, { folds, children: [], own: data.kinds.map(() => 0) });
    for (let n = 0; n < own.length; n += 2) node.own[own[n]] = own[n + 1];
    node.all = [...node.own];
    for (let folder = above; folder; folder = folder.above) add(folder.all, node.own);
    above?.children.push(node);
    open[depth] = node;
  }
}
const pages = (all) => sum(all);
const listedOf = (all) => sum(all.slice(0, data.ages));
const kinds = data.kinds.map((name, kind) => ({ name, kinds: [kind] }));
const [ages, reasons] = [kinds.slice(0, data.ages), kinds.slice(data.ages)];
const together = (name, some) => ({ name, kinds: some.flatMap((one) => one.kinds) });
const views = {
  reasons: [together("listed", ages), ...reasons].map((group, n) => ({ ...group, colour: `var(--k${n})` })),
  dates: [...ages, together("excluded", reasons)].map((group, n) => ({ ...group, colour: `var(--a${n})` })),
};
const amounts = (all, groups) => groups.map((group) => ({ ...group, pages: sum(group.kinds.map((kind) => all[kind])) })).filter((group) => group.pages);
const words = (all) => amounts(all, view).map((group) => `${count(group.pages)} ${group.name}`).join(", ");

const total = pages(root.all), listed = listedOf(root.all), left = total - listed;
const isHealthy = left * 20 <= total && amounts(root.all, views.dates).filter((group) => group.colour !== `var(--a${data.ages})`).length > 1;
let view = views[isHealthy ? "dates" : "reasons"], here = root, order = ["pages", -1];

// --- head

const dated = sum(data.months.map(([, , dates]) => dates));
const figure = (text, what, target) => el("li", {}, el("b", {}, text), el("a", { href: `#${target}` }, what));
const totals = data.totals || {};

function changesInWords() {
  const changes = ["added", "changed", "removed"];
  const none = changes.filter((kind) => !totals[kind]).join(", ").replace(/, (\w+)$/, " or $1");
  const some = changes.filter((kind) => totals[kind]).map((kind) => `${count(totals[kind])} ${kind}`);
  return [...(none ? [`no page ${none}`] : []), ...some].join(", ");
}

document.title = `${data.title} · ${data.base}`;
report.append(
  el("header", {},
    el("h1", {}, data.base),
    el("p", { class: "soft" }, `${data.title}, ${data.made}, sitemapper ${data.version}`),
    el("ul", { class: "figures" },
      figure(count(listed), listed === 1 ? "page is listed" : "pages are listed", "pages"),
      figure(count(left), "are excluded", "pages"),
      figure(share(dated, listed), "have a date", "dates"),
    ),
    data.previous ? el("p", {}, "Since the last run: ", el("a", { href: "#changes" }, changesInWords()), ".") : null,
  ),
);

// --- what was lost, then warnings and notes

const goneColumns = ["URL", "Leads to", "Decided by"];
if (data.gone.lost) {
  const list = folded(plural(data.gone.lost.count, "published URL"), data.gone.lost, goneColumns);
  list.open = true;
  section("lost", "Lost", el("p", {}, "These URLs were published, and have neither a page nor a redirect now. Redirect them, or name them in [check] gone."), list);
}
if (data.warnings.length) {
  section("warnings", "Warnings",
    ...data.warnings.map(([text, help]) => card("warn", el("p", {}, el("strong", {}, text)), el("p", {}, `What to do: ${help}`))),
  );
}
if (data.notes.length) section("notes", "Notes", el("ul", {}, ...data.notes.map(([text, help]) => el("li", {}, help ? `${text}\nWhat to do: ${help}` : text))));

// --- the site by folder

function squarified(items, x, y, w, h) {
  // Squarified treemap (Bruls, Huizing, van Wijk, 2000); `items` are sorted by `pages`, the largest first.
  const rects = [];
  let rest = sum(items.map((item) => item.pages));
  for (let n = 0; n < items.length && rest > 0; ) {
    const side = Math.min(w, h), scale = (w * h) / rest, row = [];
    let area = 0, worst = Infinity;
    for (; n < items.length; n++) {
      const own = items[n].pages * scale, next = area + own, first = row.length ? row[0].pages * scale : own;
      const ratio = Math.max((side * side * first) / (next * next), (next * next) / (side * side * own));
      if (row.length && ratio > worst) break;
      row.push(items[n]);
      [area, worst] = [next, ratio];
    }
    const thick = area / side;
    let at = 0;
    for (const item of row) {
      const length = (item.pages * scale) / thick;
      rects.push(w >= h ? { item, x, y: y + at, w: thick, h: length } : { item, x: x + at, y, w: length, h: thick });
      at += length;
    }
    [x, y, w, h] = w >= h ? [x + thick, y, w - thick, h] : [x, y + thick, w, h - thick];
    rest -= sum(row.map((item) => item.pages));
  }
  return rects;
}

function painted(all) {
  let at = 0;
  const stops = amounts(all, view).map((group) => `${group.colour} ${at}% ${(at += (100 * group.pages) / pages(all))}%`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

const ownName = (node) => (node.folds ? `pages here and in ${plural(node.folds, "small folder")}` : "pages here");

function parts(node) {
  // The folders of a folder as tiles: the largest, one for the rest, one for its own pages.
  const sorted = node.children.map((folder) => ({ folder, name: `${folder.name}/`, all: folder.all })).sort((a, b) => pages(b.all) - pages(a.all));
  const small = sorted.splice(TILES);
  if (small.length) sorted.push({ name: plural(small.length, "more folder"), all: data.kinds.map((_, kind) => sum(small.map((one) => one.all[kind]))) });
  sorted.push({ name: ownName(node), all: node.own });
  return sorted.map((tile) => ({ ...tile, pages: pages(tile.all) })).filter((tile) => tile.pages).sort((a, b) => b.pages - a.pages);
}

const map = el("div", { class: "map", role: "group", "aria-label": "Folders, by number of pages" });
const crumbs = el("nav", { class: "row crumbs", "aria-label": "Folder" });
const legend = el("ul", { class: "row legend", "aria-label": "Colours" });
const tableBox = el("div");
const said = el("p", { "aria-live": "polite" });

function tile({ item, x, y, w, h }, outer, isInner) {
  const text = `${item.name} ${count(item.pages)}`, about = `${text}: ${words(item.all)}`;
  const label = w > (isInner ? 60 : 36) && h > LINE ? el("span", {}, text) : null;
  const inner = item.folder?.children.length && !isInner && w > 90 && h > 70
    ? squarified(parts(item.folder), 0, LINE, w, h - LINE).map((rect) => tile(rect, { w, h }, true))
    : [];
  const node = el(item.folder && !isInner ? "button" : "div", {
    class: `${isInner ? "inner" : "tile"}${inner.length ? " filled" : ""}`,
    title: isInner ? null : about,
    "aria-hidden": isInner ? "true" : null,
    style: { background: painted(item.all), left: `${(100 * x) / outer.w}%`, top: `${(100 * y) / outer.h}%`, width: `${(100 * w) / outer.w}%`, height: `${(100 * h) / outer.h}%` },
  }, label, ...inner);
  if (isInner) return node;
  if (item.folder) node.addEventListener("click", () => enter(item.folder, true));
  else for (const [key, value] of [["role", "img"], ["aria-label", about]]) node.setAttribute(key, value);
  return node;
}

const isMapped = pages(root.all) >= 50; // of fewer pages, the table shows the same at a glance

function draw() {
  if (!isMapped) return;
  const size = { w: map.clientWidth, h: map.clientHeight };
  map.replaceChildren(...squarified(parts(here), 0, 0, size.w, size.h).map((rect) => tile(rect, size, false)));
  legend.replaceChildren(...amounts(here.all, view).map((group) => el("li", {}, swatch(group.colour), `${group.name} ${count(group.pages)}`)));
}

function sortedTable() {
  const columns = { name: ["Folder", 1], pages: ["Pages", -1], listed: ["Listed", -1], left: ["Excluded", -1] };
  const row = (node, name, all) => ({ node, name, pages: pages(all), listed: listedOf(all), left: pages(all) - listedOf(all) });
  const [key, way] = order;
  const rows = here.children.map((node) => row(node, `${node.name}/`, node.all)).sort((a, b) => way * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  const missing = rows.splice(2 * TILES).length;
  if (pages(here.own)) rows.push(row(null, ownName(here), here.own));
  const heads = Object.entries(columns).map(([name, [title, first]]) => {
    const sort = button(title + (name === key ? (way > 0 ? " ▲" : " ▼") : ""), () => {
      order = [name, name === key ? -way : first];
      sortedTable();
      tableBox.querySelector(`[data-sort=${name}]`).focus();
    });
    sort.dataset.sort = name;
    return el("th", { scope: "col", class: name === "name" ? null : "number", "aria-sort": name === key ? (way > 0 ? "ascending" : "descending") : null }, sort);
  });
  tableBox.replaceChildren(
    el("table", { "aria-label": "Folders" }, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows.map((one) => el("tr", {},
      el("td", {}, one.node ? button(one.name, () => enter(one.node, true)) : one.name), number(one.pages), number(one.listed), number(one.left))))),
    missing ? el("p", { class: "soft" }, `${plural(missing, "more folder")} not shown.`) : "",
  );
}

function enter(node, moves) {
  here = node;
  const path = [];
  for (let at = node; at; at = at.above) path.unshift(at);
  crumbs.replaceChildren(...path.flatMap((at, n) => {
    const name = at === root ? "whole site" : at.name;
    const step = at === node ? el("b", { "aria-current": "location" }, name) : button(name, () => enter(at, true));
    return n ? ["/", step] : [step];
  }));
  said.replaceChildren(`${node === root ? "The site" : node.path} has ${plural(pages(node.all), "page")}. `,
    node === root ? "" : button("Show the pages of this folder", () => look(node.path, "")));
  draw();
  sortedTable();
  if (moves) (map.querySelector("button") || crumbs.querySelector("button"))?.focus();
}

const choice = (name) => el("label", {},
  el("input", { type: "radio", name: "view", value: name, checked: view === views[name] ? "" : null, onchange: () => { view = views[name]; draw(); } }), ` ${name}`);
section("site", "The site by folder",
  ...(isMapped ? [
    el("p", { class: "soft" }, "The area is the number of pages. Click a folder or press Enter to go into it, Escape to leave it."),
    el("fieldset", { class: "row" }, el("legend", {}, "Colour by"), choice("reasons"), choice("dates")),
    legend, crumbs, map, said, el("details", { open: "" }, el("summary", {}, "The same as a table"), tableBox),
  ] : [crumbs, said, tableBox]),
).addEventListener("keydown", (event) => {
  if (event.key === "Escape" && here.above) enter(here.above, true);
});

// --- the pages, and what explain says of each

const close = button("Close", () => panel.close());
const panel = el("dialog", { "aria-labelledby": "panel-title", onclose: () => history.replaceState(null, "", "#") });
const anchor = (page) => `#page=${encodeURIComponent(page.path)}`;

function explain(page) {
  panel.replaceChildren(
    el("h2", { id: "panel-title" }, `${page.path} is ${page.verdict === "listed" ? "listed" : `not listed: ${page.verdict}`}`),
    el("dl", {}, ...page.values.flatMap(([key, value, origin]) => [el("dt", {}, key), el("dd", {}, value, origin ? el("span", { class: "soft" }, ` (${origin})`) : "")])),
    close,
  );
  history.replaceState(null, "", anchor(page));
  if (!panel.open) panel.showModal();
}

function pageOf(verdict, [path, ...rest]) {
  if (verdict !== "listed") {
    const line = rest[0].startsWith(`${path}: `) ? rest[0].slice(path.length + 2) : rest[0]; // the page itself decided
    return { path, verdict, name: path, date: "", by: line, values: [["decided by", rest[0]]] };
  }
  const values = [];
  for (let n = 0; n < rest.length; n += 3) values.push(rest.slice(n, n + 3));
  const [, date, by] = values.find(([key]) => key === "lastmod") || ["", "none", ""];
  return { path, verdict, name: values[0][1], date, by, values };
}

const lists = Object.entries(data.pages);
const search = el("input", { type: "search", "aria-label": "Search in the pages", placeholder: "Search by path, URL, date or deciding line" });
const verdict = el("select", { "aria-label": "Verdict" });
const matches = el("p", { "aria-live": "polite" });
const table = listing("Pages", ["URL or path", "Verdict", "Last change", "Source or deciding line"], (page) => [
  el("a", { href: anchor(page), "aria-haspopup": "dialog", onclick: (event) => { event.preventDefault(); explain(page); } }, page.name), page.verdict, page.date, page.by]);
let known = [];

function filter() {
  const wanted = search.value.toLowerCase(), is = verdict.value;
  const found = known.filter((page) => (!is || page.verdict === is || (is === "excluded" && page.verdict !== "listed"))
    && [page.path, page.name, page.date, page.by].some((text) => text.toLowerCase().includes(wanted)));
  matches.textContent = `${count(found.length)} of ${plural(known.length, "row")} match.`;
  table.fill(found);
}

function look(text, what) {
  search.value = text;
  verdict.value = what;
  filter();
  search.scrollIntoView({ block: "center" });
  search.focus();
}

search.addEventListener("input", filter);
verdict.addEventListener("change", filter);
section("pages", "Pages",
  el("div", { class: "row" }, ...amounts(root.all, views.reasons).map((group) => el("button", { type: "button", onclick: () => look("", group.name) }, swatch(group.colour), `${group.name} ${count(group.pages)}`))),
  data.pruned ? el("p", { class: "soft" }, `${plural(data.pruned, "ignored folder")} ${data.pruned === 1 ? "was" : "were"} not searched.`) : null,
  ...lists.filter(([, list]) => list.count > list.kept).map(([name, list]) => el("p", { class: "soft" }, `${name}: only the first ${count(list.kept)} of ${plural(list.count, "row")}, to keep this file small.`)),
  el("div", { class: "row" }, search, verdict), matches, table, panel,
);
// The path as this report writes it, or as a person types it: #page=a%2Fb.html or #page=a/b.html.
const anchors = (page) => [anchor(page), `#page=${encodeURI(page.path)}`, `#page=${page.path}`];
const follow = () => {
  const page = location.hash.startsWith("#page=") && known.find((one) => anchors(one).includes(location.hash));
  if (page) explain(page);
};
(async () => {
  const option = (value, text) => verdict.append(el("option", { value }, text));
  option("", "all");
  if (left && listed) option("excluded", "excluded");
  for (const [name, list] of lists) {
    option(name, name);
    for (const row of await unpacked(list)) known.push(pageOf(name, row));
  }
  if (left && listed) verdict.value = "excluded";
  filter();
  follow();
  window.addEventListener("hashchange", follow);
  report.dataset.ready = "true";
})();

// --- dates

const sources = [...new Set(data.months.map(([source]) => source))];
const dateSection = section("dates", "How old the pages are",
  el("p", {}, `${count(dated)} of ${plural(listed, "listed page")} have a date${listed > dated ? `, ${count(listed - dated)} (${share(listed - dated, listed)}) have none` : ""}.`),
);
if (dated) {
  const index = (month) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
  const months = data.months.map(([, month]) => index(month)).sort((a, b) => a - b);
  const step = months[months.length - 1] - months[0] > 120 ? 12 : 1;
  const last = Math.floor(months[months.length - 1] / step), begin = Math.min(Math.floor(months[0] / step), step > 1 ? last : last - 11);
  const title = (at) => (step > 1 ? String(at) : `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`);
  const bars = Array.from({ length: last - begin + 1 }, (_, n) => ({ title: title(begin + n), by: sources.map(() => 0) }));
  for (const [source, month, dates] of data.months) bars[Math.floor(index(month) / step) - begin].by[sources.indexOf(source)] += dates;
  const most = Math.max(...bars.map((bar) => sum(bar.by)));
  const told = (bar) => sources.flatMap((source, n) => (bar.by[n] ? [`${count(bar.by[n])} ${source}`] : [])).join(", ");
  const [unit, from, to] = [step > 1 ? "Year" : "Month", title(begin), title(last)];
  dateSection.append(
    el("div", { class: "row" }, ...sources.map((source, n) => el("span", {}, swatch(`var(--s${n})`), `${source} ${count(sum(bars.map((bar) => bar.by[n])))}`))),
    el("div", { class: "months", role: "img", "aria-label": `Pages by ${unit.toLowerCase()} of their date, ${from} to ${to}, at most ${count(most)}` },
      ...bars.map((bar) => el("div", { title: `${bar.title}: ${told(bar) || 0}` }, ...bar.by.flatMap((dates, n) => (dates
        ? [el("div", { style: { height: `${(100 * dates) / most}%`, backgroundColor: `var(--s${n})` } })] : []))))),
    el("div", { class: "ends soft" }, el("span", {}, from), el("span", {}, `highest: ${count(most)}`), el("span", {}, to)),
    el("details", {}, el("summary", {}, "The same as a table"), el("table", {}, head(unit, "Pages", "By"),
      el("tbody", {}, ...bars.filter(told).reverse().map((bar) => el("tr", {}, el("td", {}, bar.title), number(sum(bar.by)), el("td", {}, told(bar))))))),
  );
}

// --- this run

if (data.files) {
  const titles = { added: "Added", changed: "Changed", removed: "Removed" };
  section("changes", data.done ? "What this run changed" : "What a build would change",
    ...(data.previous === null ? [el("p", {}, "There was no earlier sitemap to compare with.")] : Object.keys(titles).filter((kind) => data.changes[kind])
      .map((kind) => folded(`${titles[kind]}: ${plural(totals[kind], "URL")}`, data.changes[kind], ["URL", "Date before", "Date after"]))),
    data.previous === null ? null : el("p", {}, `In all: ${changesInWords()}.`),
    ...Object.keys(data.gone).filter((fate) => fate !== "lost").map((fate) => folded(`Gone: ${count(data.gone[fate].count)} ${fate}`, data.gone[fate], goneColumns)),
    el("h3", {}, "Files"),
    el("table", { "aria-label": "Files" }, head("File", data.done ? "Was" : "Would be", "URLs", "Bytes"),
      el("tbody", {}, ...data.files.map(([name, change, urls, size]) => el("tr", {}, el("td", {}, name), el("td", {}, change), number(urls), number(size))))),
    el("p", { class: "soft" }, "Bytes are counted before compression."),
  );
}

enter(root, false);
new ResizeObserver(draw).observe(map);
