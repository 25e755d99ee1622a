"use strict";
// Every text of the data reaches the page by textContent, so none can become an element.
const data = JSON.parse(document.getElementById("data").textContent);
const report = document.getElementById("report");
const TILES = 150, STEP = 50;
const count = (n) => n.toLocaleString("en");
const plural = (n, noun) => `${count(n)} ${n === 1 ? noun : noun.replace(/y$/, "ie") + "s"}`;
const share = (n, of) => (n ? (n === of ? "100 %" : `${Math.min(99.9, (100 * n) / of).toFixed(n * 10 < of ? 1 : 0)} %`) : "0 %");
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const colour = (kind) => `var(--k${kind})`;

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
const number = (n) => el("td", { class: "number" }, n === null || n === undefined ? "" : count(n));
const head = (...names) => el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col", class: ["URLs", "Bytes", "Pages"].includes(name) ? "number" : null }, name))));
const body = (rows) => el("tbody", {}, ...rows);

async function unpacked(list) {
  if (!list.rows) return [];
  const bytes = Uint8Array.from(atob(list.rows), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  return text.split("\n").slice(0, -1).map((row) => row.split("\t"));
}

// --- head

const counts = data.counts;
const listed = counts.listed || 0;
const out = data.kinds.slice(1).map((name, n) => [name, counts[name] || 0, n + 1]).filter(([, pages]) => pages);
const left = sum(out.map(([, pages]) => pages));
const dated = sum(Object.values(data.months).flatMap((months) => Object.values(months)));

document.title = `${data.title} · ${data.base}`;
const figure = (text, what, target) => el("li", {}, el("b", {}, text), target ? el("a", { href: `#${target}` }, what) : what);
const totals = data.totals || {};
report.append(
  el("header", {},
    el("h1", {}, data.base),
    el("p", { class: "soft" }, `${data.title}, ${data.made}, sitemapper ${data.version}`),
    el("ul", { class: "figures" },
      figure(count(listed), listed === 1 ? "page can be listed" : data.theirs ? "pages can be listed" : "pages are listed", "site"),
      figure(count(left), "are left out", "out"),
      figure(share(dated, listed), "have a date", "dates"),
      data.theirs ? figure(count(sum(data.findings.map((f) => f.count))), "disagreements", "findings") : null,
      data.previous ? figure(["added", "changed", "removed"].map((kind, n) => "+~−"[n] + count(totals[kind])).join(" "), "since the last run", "changes") : null,
    ),
  ),
);

// --- warnings

if (data.warnings?.length || data.notes?.length || data.required?.length) {
  section("warnings", "Warnings",
    ...(data.required || []).map((text) => el("div", { class: "card warn" }, el("p", {}, el("strong", {}, "Required page: "), text))),
    ...(data.warnings || []).map(([text, times, examples, help]) => el("div", { class: "card warn" },
      el("p", {}, el("strong", {}, `${text}: `), examples.join("; "), times > examples.length ? `; and ${count(times - examples.length)} more` : ""),
      el("p", {}, `What to do: ${help}`))),
    ...(data.notes || []).map((text) => el("div", { class: "card" }, el("p", {}, text))),
  );
}

// --- disagreements of check --against

function listing(list, columns, name) {
  // A table that grows by a button; `list` is unpacked once it is looked at.
  const rows = el("tbody", {}), more = el("button", { type: "button", class: "more" });
  const table = el("table", { "aria-label": name }, head(...columns), rows);
  let all = [], shown = 0;
  const grow = () => {
    rows.append(...all.slice(shown, shown + STEP).map((row) => el("tr", {}, ...columns.map((_, n) => el("td", { class: n === 1 ? "word" : null }, row[n] || "")))));
    shown = Math.min(all.length, shown + STEP);
    more.hidden = shown >= all.length;
    more.textContent = `Show ${count(Math.min(STEP, all.length - shown))} of ${count(all.length - shown)} more`;
  };
  more.addEventListener("click", grow);
  more.hidden = true;
  const missing = list.count - list.kept;
  const box = el("div", {}, table, more, missing ? el("p", { class: "soft" }, `${plural(missing, "row")} not shown, to keep this file small.`) : null);
  box.fill = (found) => { all = found; shown = 0; rows.replaceChildren(); grow(); };
  return box;
}

function folded(title, list, columns) {
  const box = listing(list, columns, title);
  const node = el("details", {}, el("summary", {}, title), box);
  node.addEventListener("toggle", async () => box.fill(await unpacked(list)), { once: true });
  return node;
}

if (data.theirs) {
  section("findings", "Disagreements",
    el("p", {}, `${data.theirs.map(([name, entries]) => `${name} (${plural(entries, "entry")})`).join(", ")} against the pages.`),
    ...(data.findings.length ? [] : [el("p", {}, "None.")]),
    ...data.findings.map((found) => el("div", { class: "card" },
      el("p", {}, el("strong", {}, `${found.code} · ${count(found.count)} · ${found.title}`), ` (${found.severity})`),
      el("pre", {}, found.help.replace(/\n(?!Fix:)/g, " ")),
      folded(`Where ${found.code} was found`, found, ["Where", "What"]))),
  );
}

// --- the tree

const root = { name: "", own: {}, children: [], folded: 0, path: "", above: null };
{
  const open = [root];
  for (const [depth, name, fold, own] of data.tree) {
    const above = depth ? open[depth - 1] : null;
    const node = depth ? { name, children: [], above, path: `${above.path}${name}/` } : root;
    node.folded = fold;
    node.own = {};
    for (let n = 0; n < own.length; n += 2) node.own[own[n]] = own[n + 1];
    if (above) above.children.push(node);
    open[depth] = node;
    open.length = depth + 1;
  }
  const add = (node) => {
    node.all = { ...node.own };
    for (const child of node.children) {
      add(child);
      for (const [kind, pages] of Object.entries(child.all)) node.all[kind] = (node.all[kind] || 0) + pages;
    }
    node.v = sum(Object.values(node.all));
  };
  add(root);
}

function squarified(items, x, y, w, h) {
  // Squarified treemap (Bruls, Huizing, van Wijk, 2000); `items` are sorted by `v`, the largest first.
  const rects = [];
  let rest = sum(items.map((item) => item.v));
  for (let n = 0; n < items.length && rest > 0; ) {
    const side = Math.min(w, h), scale = (w * h) / rest, row = [];
    let area = 0, worst = Infinity;
    for (; n < items.length; n++) {
      const own = items[n].v * scale, next = area + own, first = row.length ? row[0].v * scale : own;
      const ratio = Math.max((side * side * first) / (next * next), (next * next) / (side * side * own));
      if (row.length && ratio > worst) break;
      row.push(items[n]);
      [area, worst] = [next, ratio];
    }
    const thick = area / side;
    let at = 0;
    for (const item of row) {
      const length = (item.v * scale) / thick;
      rects.push(w >= h ? [item, x, y + at, thick, length] : [item, x + at, y, length, thick]);
      at += length;
    }
    [x, y, w, h] = w >= h ? [x + thick, y, w - thick, h] : [x, y + thick, w, h - thick];
    rest -= sum(row.map((item) => item.v));
  }
  return rects;
}

const words = (all) => data.kinds.map((name, kind) => (all[kind] ? `${count(all[kind])} ${name}` : "")).filter(Boolean).join(", ");

function painted(all, v) {
  let at = 0;
  const stops = data.kinds.flatMap((_, kind) => {
    if (!all[kind]) return [];
    const from = at;
    at += (100 * all[kind]) / v;
    return [`${colour(kind)} ${from}% ${at}%`];
  });
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

function parts(node) {
  // The folders of a folder as tiles: the largest, one for the rest, one for its own pages.
  const sorted = [...node.children].sort((a, b) => b.v - a.v);
  const join = (nodes, name) => {
    const all = {};
    for (const one of nodes) for (const [kind, pages] of Object.entries(one.all)) all[kind] = (all[kind] || 0) + pages;
    return { name, all, v: sum(Object.values(all)), children: [] };
  };
  const tiles = sorted.slice(0, TILES);
  if (sorted.length > TILES) tiles.push(join(sorted.slice(TILES), `${count(sorted.length - TILES)} more folders`));
  const own = join([{ all: node.own }], node.folded ? `pages here and in ${plural(node.folded, "small folder")}` : "pages here");
  if (own.v) tiles.push(own);
  return tiles.filter((tile) => tile.v).sort((a, b) => b.v - a.v);
}

let here = root, order = ["v", -1];
const map = el("div", { class: "map", role: "group", "aria-label": "Folders, by number of pages" });
const crumbs = el("nav", { class: "row crumbs", "aria-label": "Folder" });
const tableBox = el("div", {});
const said = el("p", { "aria-live": "polite" });

function placed(node, [, x, y, w, h], width, height) {
  Object.assign(node.style, { left: `${(100 * x) / width}%`, top: `${(100 * y) / height}%`, width: `${(100 * w) / width}%`, height: `${(100 * h) / height}%` });
  return node;
}

function draw() {
  const width = map.clientWidth, height = map.clientHeight;
  map.replaceChildren(...squarified(parts(here), 0, 0, width, height).map((rect) => {
    const [item, , , w, h] = rect;
    const text = `${item.name}${item.path ? "/" : ""} ${count(item.v)}`;
    const about = { class: "tile", title: `${text}: ${words(item.all)}`, style: { background: painted(item.all, item.v) } };
    const inner = item.path && item.children.length && w > 90 && h > 70
      ? squarified(parts(item), 0, 0, w, h - 24).map((r) => placed(el("div", { class: "inner", style: { background: painted(r[0].all, r[0].v) } }), [r[0], r[1], r[2] + 24, r[3], r[4]], w, h))
      : [];
    const label = w > 36 && h > 20 ? el("span", {}, text) : null;
    const tile = item.path
      ? el("button", { ...about, type: "button", "aria-label": `${text}: ${words(item.all)}`, onclick: () => enter(item, true) }, ...inner, label)
      : el("div", { ...about, role: "img", "aria-label": `${text}: ${words(item.all)}` }, label);
    return placed(tile, rect, width, height);
  }));
}

function sortedTable() {
  const columns = [["name", "Folder", 1], ["v", "Pages", -1], ["in", "Listed", -1], ["out", "Left out", -1]];
  const value = { name: (n) => n.name, v: (n) => n.v, in: (n) => n.all[0] || 0, out: (n) => n.v - (n.all[0] || 0) };
  const [key, way] = order;
  const nodes = [...here.children].sort((a, b) => {
    const [x, y] = [value[key](a), value[key](b)];
    return way * (x < y ? -1 : x > y ? 1 : 0);
  });
  const heads = columns.map(([name, title, first]) => el("th", { scope: "col", class: name === "name" ? null : "number", "aria-sort": name === key ? (way > 0 ? "ascending" : "descending") : null },
    el("button", { type: "button", "data-sort": name, onclick: () => { order = [name, name === key ? -way : first]; sortedTable(); tableBox.querySelector(`[data-sort=${name}]`).focus(); } }, title, name === key ? (way > 0 ? " ▲" : " ▼") : "")));
  const rows = nodes.slice(0, 2 * TILES).map((node) => el("tr", {},
    el("td", {}, el("button", { type: "button", onclick: () => enter(node, true) }, `${node.name}/`)),
    number(node.v), number(node.all[0] || 0),
    el("td", { class: "number" }, count(node.v - (node.all[0] || 0)))));
  const own = sum(Object.values(here.own));
  if (own) rows.push(el("tr", {}, el("td", {}, here.folded ? `pages here and in ${plural(here.folded, "small folder")}` : "pages here"), number(own), number(here.own[0] || 0), number(own - (here.own[0] || 0))));
  tableBox.replaceChildren(
    el("table", { "aria-label": "Folders" }, el("thead", {}, el("tr", {}, ...heads)), body(rows)),
    ...(nodes.length > 2 * TILES ? [el("p", { class: "soft" }, `${count(nodes.length - 2 * TILES)} more folders are not shown.`)] : []),
  );
}

function enter(node, moves) {
  here = node;
  const path = [];
  for (let at = node; at; at = at.above) path.unshift(at);
  crumbs.replaceChildren(...path.flatMap((at, n) => {
    const name = at === root ? "whole site" : at.name;
    const step = at === node ? el("b", { "aria-current": "location" }, name) : el("button", { type: "button", onclick: () => enter(at, true) }, name);
    return n ? ["/", step] : [step];
  }));
  const lost = node.v - (node.all[0] || 0);
  said.replaceChildren(`${node === root ? "The site" : node.path} has ${plural(node.v, "page")}: ${words(node.all) || "none"}. `,
    lost && node !== root ? el("button", { type: "button", onclick: () => look(node.path, "") }, "Show what is left out here") : "");
  draw();
  sortedTable();
  if (moves) (map.querySelector("button") || crumbs.querySelector("button"))?.focus();
}

section("site", "The site by folder",
  el("p", { class: "soft" }, "The area is the number of pages, the colour says what becomes of them. Click a folder or press Enter to go into it, Escape to leave it."),
  el("div", { class: "row", "aria-label": "Colours" }, ...data.kinds.flatMap((name, kind) => (root.all[kind] ? [el("span", {}, swatch(colour(kind)), `${name} ${count(root.all[kind])}`)] : []))),
  crumbs, map, said, el("details", { open: "" }, el("summary", {}, "The same as a table"), tableBox),
).addEventListener("keydown", (event) => {
  if (event.key === "Escape" && here.above) enter(here.above, true);
});

// --- what is left out

const search = el("input", { type: "search", "aria-label": "Search in what is left out", placeholder: "Search by path or deciding line" });
const reason = el("select", { "aria-label": "Reason" }, el("option", { value: "" }, "all reasons"));
const matches = el("p", { "aria-live": "polite" });
const lists = Object.entries(data.excluded);
const whole = { count: sum(lists.map(([, list]) => list.count)), kept: sum(lists.map(([, list]) => list.kept)) };
const outTable = listing(whole, ["Path", "Reason", "Decided by"], "Left out");
let excluded = [];

function filter() {
  const wanted = search.value.toLowerCase();
  const found = excluded.filter(([path, why, line]) => (!reason.value || why === reason.value) && (path.toLowerCase().includes(wanted) || line.toLowerCase().includes(wanted)));
  matches.textContent = `${count(found.length)} of ${count(whole.count)} match.`;
  outTable.fill(found);
}

function look(text, why) {
  search.value = text;
  reason.value = why;
  filter();
  search.scrollIntoView({ block: "center" });
  search.focus();
}

search.addEventListener("input", filter);
reason.addEventListener("change", filter);
section("out", "Left out, and why",
  el("div", { class: "row" }, ...out.map(([name, pages, kind]) => el("button", { type: "button", onclick: () => look("", name) }, swatch(colour(kind)), `${name} ${count(pages)}`))),
  data.pruned ? el("p", { class: "soft" }, `${plural(data.pruned, "folder")} not entered, which hold an unknown number of pages.`) : null,
  ...(whole.count ? [el("div", { class: "row" }, search, reason), matches, outTable] : [el("p", {}, "Nothing.")]),
);
(async () => {
  for (const [name, list] of lists) {
    reason.append(el("option", { value: name }, `${name} (${count(list.count)})`));
    for (const [path, line] of await unpacked(list)) excluded.push([path, name, line]);
  }
  filter();
  report.dataset.ready = "true";
})();

// --- dates

const sources = Object.keys(data.months);
const dateSection = section("dates", "How old the pages are",
  el("p", {}, `${count(dated)} of ${plural(listed, "listed page")} have a date${listed > dated ? `, ${count(listed - dated)} (${share(listed - dated, listed)}) have none` : ""}.`),
  ...data.blocks.map(([source, day, pages, all]) => el("div", { class: "card warn" },
    el("p", {}, el("strong", {}, `${count(pages)} of ${count(all)} dates by ${source} lie within one minute, on ${day}. `), "Such dates usually say when the site was built, not when a page changed."))),
);
if (dated) {
  const months = sources.flatMap((source) => Object.keys(data.months[source])).sort();
  const [first, last] = [months[0], months[months.length - 1]];
  const index = (month) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
  const yearly = index(last) - index(first) > 120;
  const place = (month) => (yearly ? Number(month.slice(0, 4)) : index(month));
  const title = (at) => (yearly ? String(at) : `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`);
  const begin = yearly ? place(first) : Math.min(place(first), place(last) - 11);
  const bars = [];
  for (let at = begin; at <= place(last); at++) bars.push({ at, by: {}, total: 0 });
  for (const source of sources) for (const [month, pages] of Object.entries(data.months[source])) {
    const bar = bars[place(month) - begin];
    bar.by[source] = (bar.by[source] || 0) + pages;
    bar.total += pages;
  }
  const most = Math.max(...bars.map((bar) => bar.total));
  const blocks = new Set(data.blocks.map(([source, day]) => `${source} ${place(day.slice(0, 7))}`));
  const told = (bar) => sources.filter((source) => bar.by[source]).map((source) => `${count(bar.by[source])} ${source}`).join(", ");
  dateSection.append(
    el("div", { class: "row" }, ...sources.map((source, n) => el("span", {}, swatch(`var(--s${n})`), `${source} ${count(sum(Object.values(data.months[source])))}`))),
    el("div", { class: "months", role: "img", "aria-label": `Pages by ${yearly ? "year" : "month"} of their date, ${title(begin)} to ${title(place(last))}, at most ${count(most)}` },
      ...bars.map((bar) => el("div", { title: `${title(bar.at)}: ${told(bar) || 0}` }, ...sources.flatMap((source, n) => (bar.by[source]
        ? [el("div", { class: blocks.has(`${source} ${bar.at}`) ? "block" : null, style: { height: `${(100 * bar.by[source]) / most}%`, backgroundColor: `var(--s${n})` } })] : []))))),
    el("div", { class: "ends soft" }, el("span", {}, title(begin)), el("span", {}, `highest: ${count(most)}`), el("span", {}, title(place(last)))),
    el("details", {}, el("summary", {}, "The same as a table"), el("table", {}, head(yearly ? "Year" : "Month", "Pages", "By"),
      body(bars.filter((bar) => bar.total).reverse().map((bar) => el("tr", {}, el("td", {}, title(bar.at)), number(bar.total), el("td", {}, told(bar))))))),
  );
}

// --- this run

if (data.files) {
  const titles = { added: "Added", changed: "Changed", removed: "Removed" };
  section("changes", data.done ? "What this run changed" : "What a build would change",
    ...(data.previous === null ? [el("p", {}, "There was no earlier sitemap to compare with.")] : Object.keys(titles).map((kind) => {
      const list = data.changes[kind];
      const name = `${titles[kind]}: ${plural(totals[kind], "URL")}`;
      return list ? folded(name, list, ["URL", "Date before", "Date after"]) : el("p", {}, name);
    })),
    el("h3", {}, "Files"),
    el("table", { "aria-label": "Files" }, head("File", data.done ? "Was" : "Would be", "URLs", "Bytes"),
      body(data.files.map(([name, change, urls, size]) => el("tr", {}, el("td", {}, name), el("td", {}, change), number(urls), number(size))))),
    el("p", { class: "soft" }, "Bytes are counted before compression."),
  );
}

enter(root, false);
new ResizeObserver(draw).observe(map);
