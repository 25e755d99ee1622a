"""What a script exports is read without running it: a literal, nothing, or what only code can tell."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear

from sitemapper.syntax.answers import Answer, answer_for
from sitemapper.syntax.js_settings import find_error, mentions, read_settings


def read(text: str, name: str = "x.ts", **files: str) -> dict[str, Answer]:
    others = {path.replace("__", "/").replace("_", "."): code for path, code in files.items()}
    return read_settings(text, name, lambda path: others.get(path, ""))


def base_of(text: str, **files: str) -> str | None:
    """The text of the key `base`; "" if it is unset, None if it is unknown."""
    answer = answer_for(read(text, **files), "base")
    return answer.text if answer else ""


LITERALS = {
    "an object": "export default { base: '/b' }",
    "CommonJS": "module.exports = { base: '/b' }",
    "one name of CommonJS": "exports.base = '/b'",
    "TypeScript's export": "export = { base: '/b' }",
    "a named export": "export const base = '/b'",
    "an export clause": "const config = { base: '/b' }; export { config as default }",
    "defineConfig": "export default defineConfig({ base: '/b' })",
    "a wrapper in a wrapper": "export default withMermaid(defineConfig({ base: '/b' }))",
    "a made wrapper": "module.exports = require('@next/mdx')({ extension: /x/ })({ base: '/b' })",
    "a wrapper with options": "module.exports = withPlugins([[a, { base: '/c' }]], { base: '/b' })",
    "a function": "module.exports = function () { return { base: '/b' } }",
    "an arrow": "export default () => ({ base: '/b' })",
    "an async one in a wrapper": "export default defineConfig(async ({ mode }) => { return { base: '/b' } })",
    "a function with a name": "export default async function make() { return { base: '/b' } }",
    "a call of a function": "function make() { return { base: '/b' } }\nexport default make()",
    "a name": "const config = { base: '/b' }; export default config",
    "a typed name": "const config: Config = { base: '/b' }; export default config",
    "satisfies": "export default { base: '/b' } satisfies Config",
    "as": "export default ({ base: '/b' as const }) as Config",
    "a name for the value": "const there = '/b'; export default { base: there }",
    "a shorthand": "const base = '/b'; export default { base }",
    "a key in quotes": "export default { 'base': \"/b\" }",
    "a computed key": "const key = 'base'; export default { [key]: '/b' }",
    "a template": "export default { base: `/b` }",
    "a template with a known name": "const b = 'b'; export default { base: `/${b}` }",
    "a sum": "export default { base: '/' + \"b\" }",
    "an escape": "export default { base: '/\\x62' }",
    "a default of the environment": "export default { base: process.env.BASE || '/b' }",
    "the same by ??": "export default { base: import.meta.env.BASE ?? '/b' }",
    "the same by a name": "const { BASE } = process.env; export default { base: BASE ?? '/b' }",
    "two equal cases": "export default { base: isLive ? '/b' : '/b' }",
    "a known condition": "const live = true; export default { base: live ? '/b' : '/c' }",
    "a spread": "const shared = { base: '/b' }; export default { ...shared, title: 'x' }",
    "a spread and then the key": "export default { ...load(), base: '/b' }",
    "Object.assign": "export default Object.assign({}, { base: '/c' }, { base: '/b' })",
    "a member": "const site = { at: { base: '/b' } }; export default { base: site.at['base'] }",
    "a URL": "export default { base: new URL('/b', 'https://a.example').pathname }",
    "keys further in": "export default { base: '/b', sidebar: [{ text: 'Guides', base: '/guides' }] }",
    "a call further in": "export default { base: '/b', plugins: [openAPI([{ base: 'api' }])] }",
    "comments around it": "// base: '/c',\nexport default { /* base: '/c', */ base: /* x */ '/b' // base: '/c'\n}",
    "a comment's start in a string": "export default { a: 'src/posts/*.md', base: '/b', c: '*/' }",
    "a default of CommonJS": "exports.default = { base: '/b' }",
    "a default of compiled code": "Object.defineProperty(exports, '__esModule', { value: true }); const c = { base: '/b' }; exports.default = c",
    "a type in front": "export default <Config>{ base: '/b' }",
    "a constant as const": "const base = '/b' as const; export default { base }",
    "satisfies in a wrapper": "export default defineConfig({ base: '/b' } satisfies Config)",
    "await": "export default await defineConfig({ base: '/b' })",
    "an async function by its name": "async function config() { await wait(); return { base: '/b' } }\nmodule.exports = config",
    "a function that is called at once": "module.exports = (() => ({ base: '/b' }))()",
    "a spread of a wrapper": "const shared = defineConfig({ base: '/b' }); export default defineConfig({ ...shared })",
    "mergeConfig": "export default mergeConfig({ base: '/c' }, { base: '/b' })",
    "mergeConfig without the key": "export default mergeConfig({ base: '/b' }, defineConfig({ title: 'x' }))",
    "mergeConfig after an unknown object": "export default mergeConfig(shared, { base: '/b' })",
    "merge of lodash": "module.exports = _.merge({ base: '/c' }, { base: '/b' })",
    "defu": "export default defu({ base: '/b' }, { base: '/c' })",
    "a URL from a known host": "const host = 'a.example'; export default { base: new URL(`https://${host}/b`).pathname }",
    "two variables of the environment": "export default { base: process.env.URL || process.env['BASE'] || '/b' }",
    "a sidebar with a base": "export default { base: '/b', themeConfig: { sidebar: { '/a/': { base: '/a/', items: [] } } } }",
    "a comment's start in a template": "export default { a: `/* ${1}`, base: '/b', c: `*/` }",
    "a line in front": "#!/usr/bin/env node\n'use strict'\nmodule.exports = { base: '/b' }",
    "a regular expression": "export default { a: /[/*\"']/, base: '/b' }",
}  # fmt: skip


@pytest.mark.parametrize("text", LITERALS.values(), ids=LITERALS)
def test_a_literal_value(text: str) -> None:
    assert base_of(text) == "/b"


UNSET = {
    "an empty file": "",
    "no such key": "export default { title: 'x' }",
    "a key further in": "export default { sidebar: [{ text: 'Guides', base: '/guides' }] }",
    "an option of a plugin": "export default { plugins: [openAPI([{ base: 'api' }])] }",
    "a table further in": "export default { image: { base: 'https://cdn.example' } }",
    "a comment": "export default {\n  // base: '/repo',\n}",
    "a string": "export default { text: \"base: '/b'\" }",
    "undefined": "export default { base: undefined }",
    "null": "const base = null; export default { base }",
    "another function": "export default { head() { return { base: '/b' } } }",
    "a function that returns nothing": "module.exports = (config) => { config.set({ base: '/b' }) }",
    "another name": "const other = { base: '/b' }; export default { title: 'x' }",
    "a condition without the key": "export default isLive ? { a: '1' } : { a: '2' }",
}  # fmt: skip


@pytest.mark.parametrize("text", UNSET.values(), ids=UNSET)
def test_an_unset_key(text: str) -> None:
    assert base_of(text) == ""


UNKNOWN = {
    "a call": ("export default { base: find() }", ()),
    "a name of another module": ("import { base } from 'x'; export default { base }", ()),
    "the environment alone": ("export default { base: process.env.BASE }", ()),
    "two cases": ("export default { base: isLive ? '/b' : '/c' }", ("/b", "/c")),
    "two cases by a name": ("const b = isLive ? '/b' : '/'; export default { base: b }", ("/b", "/")),
    "a call or a literal": ("export default { base: find() || '/b' }", ("/b",)),
    "two objects": ("export default isLive ? { base: '/b' } : { base: '/c' }", ("/b", "/c")),
    "two returns": ("export default (x) => { if (x) return { base: '/b' }; return {} }", ("/b",)),
    "a spread on a condition": ("export default { base: '/c', ...(isLive && { base: '/b' }) }", ("/c", "/b")),
    "a template with a hole": ("export default { base: `/${name}` }", ()),
    "a parameter": ("export default ({ base }) => ({ base })", ()),
    "a name that is set twice": ("let base = '/'; if (x) base = '/b'; export default { base }", ()),
    "a member that is set": ("const c = { base: '/' }; c.base = find(); export default c", ()),
    "a member that is added": ("const c = {}; c.base = '/b'; export default c", ()),
    "an unknown spread": ("export default { ...shared }", ()),
    "an unknown spread after it": ("export default { base: '/b', ...load() }", ("/b",)),
    "an unknown export": ("module.exports = load()", ()),
    "a wrapper that may add keys": ("module.exports = myPreset({ title: 'x' })", ()),
    "a class": ("class Config { base = '/b' }\nexport default new Config()", ()),
    "a class itself": ("export default class { static base = '/b' }", ()),
    "mergeConfig before an unknown object": ("export default mergeConfig({ base: '/b' }, shared)", ("/b",)),
    "a parameter decides": ("export default defineConfig(({ command }) => ({ base: command === 'build' ? '/b' : '/' }))", ("/b", "/")),
    "a file that is read": ("const c = JSON.parse(fs.readFileSync('c.json')); export default { base: c.base }", ()),
    "a getter": ("export default { get base() { return '/b' } }", ()),
    "a computed key": ("export default { [name]: '/b' }", ()),
    "itself": ("const base = base + 'x'; export default { base }", ()),
    "a damaged file": ("export default { base: ", ()),
    "a long file": (f"export default {{ title: '{'x' * (1 << 17)}' }}", ()),
}  # fmt: skip


@pytest.mark.parametrize(("text", "candidates"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_key(text: str, candidates: tuple[str, ...]) -> None:
    answer = answer_for(read(text), "base")
    assert answer and (answer.text, answer.candidates) == (None, candidates)


FILES = {
    "a constant": ("import { BASE } from './site'; export default { base: BASE }", {"site_ts": "export const BASE = '/b'"}),
    "a constant of a folder": ("import * as s from './src/site.js'; export default { base: s.BASE }", {"src__site_js": "export const BASE = '/b'"}),
    "a default": ("import site from './site.mjs'; export default { base: site.base }", {"site_mjs": "export default { base: '/b' }"}),
    "JSON": ("import pkg from './package.json' with { type: 'json' }; export default { base: pkg.site.base }", {"package_json": '{"site": {"base": "/b"}}'}),
    "a required JSON": ("const { base } = require('./package.json'); module.exports = { base }", {"package_json": '{"base": "/b"}'}),
    "a required file": ("module.exports = { ...require('./base'), title: 'x' }", {"base_js": "module.exports = { base: '/b' }"}),
    "another file's export": ("export { default } from './base'", {"base_ts": "export default { base: '/b' }"}),
    "the default of CommonJS": ("const s = require('./site').default; module.exports = { base: s.base }", {"site_js": "exports.default = { base: '/b' }"}),
    "a typed object": ("import { SITE } from './src/config'; export default { base: SITE.base }", {"src__config_ts": "export const SITE = { base: '/b' } as const satisfies Site"}),
    "a module that is awaited": ("const { base } = await import('./site.js'); export default { base }", {"site_js": "export const base = '/b'"}),
    "a spread of a file's wrapper": ("import { shared } from './base'; export default defineConfig({ ...shared, title: 'x' })", {"base_ts": "export const shared = defineConfig({ base: '/b' })"}),
    "mergeConfig with a file": ("import shared from './base'; export default mergeConfig(shared, { title: 'x' })", {"base_ts": "export default { base: '/b' }"}),
    "a chain": ("import { a } from './a'; export default { base: a }", {"a_ts": "import { b } from './b'; export const a = b", "b_ts": "export const b = '/b'"}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "files"), FILES.values(), ids=FILES)
def test_a_value_of_a_local_file(text: str, files: dict[str, str]) -> None:
    assert base_of(text, **files) == "/b"
    assert base_of(text) is None


def test_files_that_import_each_other_end() -> None:
    text = "import { b } from './b'; export const a = b; export default { base: a }"
    assert base_of(text, b_ts="import { a } from './x'; export const b = a") is None


def test_only_a_few_files_are_opened() -> None:
    opened: list[str] = []

    def open_file(path: str) -> str:
        opened.append(path)
        return "export const v = '1'"

    names = [f"n{i}" for i in range(50)]
    imports = "".join(f"import {{ v as {name} }} from './{name}.js'\n" for name in names)
    read_settings(f"{imports}export default {{ {', '.join(names)} }}", "x.ts", open_file)
    assert len(opened) == 7


def test_the_keys_of_tables_lists_and_calls_have_lines() -> None:
    text = """
        export default {
          kit: {
            adapter: adapter({ pages: 'out' }),
          },
          presets: [
            ['classic', { sitemap: false }],
          ],
        }
    """
    answers = read(text)
    assert answers["kit.adapter().pages"] == Answer("out", 4)
    assert answers["presets[]"] == Answer("classic", 6)
    assert answers["presets[][].sitemap"] == Answer("false", 7)


ELEVENTY = """
    module.exports = function (config) {
      config.addCollection("posts", (api) => api.getFilteredByGlob("src/posts/*.md"));
      config.addPlugin(sitemap, { sitemap: { hostname: "https://tea.dev" } });
      return { pathPrefix: "/b/", dir: { output: "out" } }; /* the end */
    };
"""


def test_the_orders_that_eleventys_function_gives() -> None:
    answers = read(ELEVENTY, ".eleventy.js")
    keys = ("addPlugin[]().sitemap.hostname", "pathPrefix", "dir.output")
    assert [answers[key].text for key in keys] == ["https://tea.dev", "/b/", "out"]


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("import sitemap from '@x/sitemap'; export default { integrations: [sitemap()] }", True),
        ("import sitemap from '@x/sitemap'; export default { /* integrations: [sitemap()] */ }", False),
        ("const sitemap = require('@x/sitemap')", True),
        ("export default { modules: ['@x/sitemap'] }", True),
        ("export default { plugins: [{ resolve: '@x/sitemap', options: {} }] }", True),
        ("// import sitemap from '@x/sitemap'; sitemap()", False),
        ("export default { title: '@x/sitemap' }", False),
    ],
)  # fmt: skip
def test_a_plugin_is_named_where_the_script_uses_it(text: str, is_named: bool) -> None:
    assert ("@x/sitemap" in mentions(text, "x.js")) is is_named


NOISE = st.text("ab:,{}[]()'\"`$ \n\\é", max_size=20).map(lambda text: text.replace("*/", ""))


@given(NOISE, st.sampled_from(sorted({**LITERALS, **UNSET})))
def test_comments_and_strings_change_nothing(noise: str, case: str) -> None:
    text = (LITERALS | UNSET)[case]
    before = base_of(text)
    one_line = noise.replace("\n", " ")
    quoted = "".join(f"\\u{ord(sign):04x}" for sign in f"/* {noise} base: '/c' // */")
    for more in (
        f"// {one_line} base: '/c'\n{text}",
        f"{text}\n/* {noise}, base: '/c' */",
        f"const unused = '{quoted}';\n{text}",
        f"const alsoUnused = '/* base:';\n{text}\nconst last = ' */';",
    ):
        assert base_of(more) == before


@given(st.text("abc{}[]()<>=:;,.'\"`$/*?|&+ \n", max_size=80))
def test_no_text_raises(text: str) -> None:
    for name in ("x.ts", "x.js"):
        read(text, name)
        mentions(text, name)


HOSTILE: dict[str, tuple[str, str, str]] = {
    "brackets": ("export default ", "[", ""),
    "objects": ("export default ", "{a:", ""),
    "calls": ("export default ", "f(", ""),
    "quotes": ("export default {a: ", "'", ""),
    "sums": ("export default {a: 'a'", "+'a'", "}"),
    "conditions": ("export default {a: ", "x?", "}"),
    "keys": ("export default {", "a:1,", "}"),
    "spreads": ("const a={x:1}; export default {", "...a,", "}"),
    "spreads of two cases": ("export default {", "...(x&&{y:1}),", "}"),
    "assignments": ("const a={}; ", "a.b=1;", "export default a"),
    "functions": ("export default ", "()=>", "1"),
    "returns": ("export default () => {", "if(x)return{a:1};", "}"),
    "merges": ("export default merge({a:{b:1}},", "{a:{b:1}},", "{})"),
    "merges in merges": ("export default ", "merge({a:{b:1}},", ""),
    "members": ("const a={}; export default {a: a", ".b", "}"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("start", "unit", "end"), HOSTILE.values(), ids=HOSTILE)
def test_a_long_script_takes_no_long_time(start: str, unit: str, end: str) -> None:
    def prepare(size: int) -> partial[dict[str, Answer]]:
        return partial(read, start + unit * (size // len(unit)) + end)

    assert_linear(prepare, 1 << 16)


@pytest.mark.slow
@pytest.mark.parametrize("template", ["{{x: n{0}, y: n{0}}}", "[n{0}, n{0}]", "x ? n{0} : {{a: n{0}}}", "{{...n{0}, k{0}: n{0}}}"])  # fmt: skip
def test_names_that_double_a_value_take_no_long_time(template: str) -> None:
    def prepare(size: int) -> partial[dict[str, Answer]]:
        rows = [f"const n{i + 1} = {template.format(i)};" for i in range(size)]
        return partial(read, f"const n0 = {{a: 1}};{''.join(rows)} export default {{v: n{size}}}")

    assert_linear(prepare, 400)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("export default {\n a: 1\n}\n", None),
        ("export default {\n a: '1\n", 2),
        ("export default f({\n a: 1,\n b: ,,\n", 3),
        ("export default {\n a: 1\n b: 2,\n c: 3\n}", 3),
        ("export default {\n a: {\n };\n", 3),
    ],
)
def test_the_first_line_that_is_no_javascript(text: str, line: int | None) -> None:
    assert find_error(text, "x.js") == line


def test_merged_tables_have_the_keys_of_both() -> None:
    first = "{ app: { base: '/c', head: 'x' }, dir: { output: 'out' } }"
    answers = read(f"export default mergeConfig({first}, {{ app: {{ base: '/b' }} }})")
    texts = {key: answer.text for key, answer in answers.items()}
    assert texts == {"app.base": "/b", "app.head": "x", "dir.output": "out"}
