"""What a script exports is read without running it: a literal, nothing, or what only code can tell."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear
from support.settings_files import Said, fault, said
from support.settings_files import read as read_file

from sitemapper.syntax.settings_files import find_setting, parse


def read(text: str, name: str = "x.ts") -> dict[str, Said]:
    return read_file(text, name)


def read_key(text: str, key: str) -> Said | None:
    """What a script says of a key, None if it is unset."""
    found = find_setting(parse(text, "x.ts"), key)
    return said(found) if found else None


def base_of(text: str) -> str | None:
    """The text of the key `base`; "" if it is unset, None if it is not a literal."""
    found = read_key(text, "base")
    return found[0] if found else ""


LITERALS = {
    # where the object stands
    "ES": "export default { base: '/b' }",
    "CommonJS": "module.exports = { base: '/b' }",
    "strict": "'use strict'\nmodule.exports = { base: '/b' }",
    "an export clause": "const config = { base: '/b' }; export { config as default }",
    "the argument of a call": "export default defineConfig({ base: '/b' })",
    "of a call of a method": "module.exports = tools.define({ base: '/b' })",
    "of a call in a call": "export default withMermaid(defineConfig({ base: '/b' }))",
    "of a call of a call's result": "module.exports = require('@next/mdx')({ extension: /x/ })({ base: '/b' })",
    "of a made wrapper": "const withNextra = nextra({ theme: 'x' });\nmodule.exports = withNextra({ base: '/b' })",
    "with a type argument": "export default defineConfig<Theme>({ base: '/b' })",
    "with a final comma": "export default defineConfig({ base: '/b' },)",
    "what a function returns": "module.exports = function () { return { base: '/b' } }",
    "what an arrow returns": "export default () => ({ base: '/b' })",
    "what an async function returns": "export default async function make() { await wait(); return { base: '/b' } }",
    "a function by its name": "async function config() { return { base: '/b' } }\nmodule.exports = config",
    "a function in a call": "export default defineConfig(({ mode }) => { return { base: '/b' } })",
    "beside a function with a return": "module.exports = (c) => { c.add(() => { return { base: '/c' } }); return { base: '/b' } }",
    # names
    "a constant": "const config = { base: '/b' }; export default config",
    "a typed constant": "const config: Config = { base: '/b' }; export default config",
    "a constant in a call": "const config = { base: '/b' }; export default withMDX(config)",
    "a constant for a value": "const there = '/b'; export default { base: there }",
    "a constant for a constant": "const a = '/b'; const there = a; export default { base: there }",
    "a constant behind it": "export default { base: there }; const there = '/b'",
    "a shorthand": "const base = '/b'; export default { base }",
    "a text that stands again": "const base = '/b'; export default { base, title: base }; console.log(base)",
    # types and brackets
    "satisfies": "export default { base: '/b' } satisfies Config",
    "as": "export default ({ base: '/b' as const }) as Config",
    # values
    "a template": "export default { base: `/b` }",
    "an escape": "export default { base: '/\\x62' }",
    "another one": 'export default { base: "\\u002f\\u{62}" }',
    "an escape of itself": "export default { base: '\\/b' }",
    "a line that continues": "export default { base: '/\\\nb' }",
    "a key in quotes": "export default { 'base': \"/b\" }",
    # what else stands in the object
    "a key behind a spread": "export default { ...shared, base: '/b' }",
    "a getter beside it": "export default { get title() { return 'x' }, base: '/b' }",
    "keys further in": "export default { base: '/b', sidebar: [{ text: 'Guides', base: '/guides' }] }",
    "an object further in": "export default { base: '/b', sidebar: { '/a/': { base: '/a/', ...more } } }",
    "a computed key further in": "export default { base: '/b', sidebar: { [name]: { base: '/a/' } } }",
    "a call further in": "export default { base: '/b', plugins: [openAPI([{ base: 'api' }])] }",
    "comments": "// base: '/c',\nexport default { /* base: '/c', */ base: /* x */ '/b' // base: '/c'\n}",
    "a comment's start in a string": "export default { a: 'src/posts/*.md', base: '/b', c: '*/' }",
    "a regular expression": "export default { a: /[/*\"']/, base: '/b' }",
}  # fmt: skip


@pytest.mark.parametrize("text", LITERALS.values(), ids=LITERALS)
def test_a_literal(text: str) -> None:
    assert base_of(text) == "/b"


UNSET = {
    "an empty file": "",
    "no such key": "export default { title: 'x' }",
    "null": "export default { base: null }",
    "null by name": "const base = null; export default { base }",
    "undefined": "export default { base: undefined }",
    "a key further in": "export default { sidebar: [{ text: 'Guides', base: '/guides' }] }",
    "another function": "export default { head() { return { base: '/b' } } }",
    "a function with empty returns": "module.exports = (config) => { if (x) return; config.set(); return }",
    "another constant": "const other = { base: '/b' }; export default { title: 'x' }",
    "another export": "export const base = '/b'; export default { title: 'x' }",
}  # fmt: skip


@pytest.mark.parametrize("text", UNSET.values(), ids=UNSET)
def test_an_unset_key(text: str) -> None:
    assert base_of(text) == ""


# Each with the line that a message names.
CODE = {
    # exports
    "a call without an object": ("module.exports = load()", 1),
    "a call with two arguments": ("export default mergeConfig({ base: '/b' },\n { title: 'x' })", 1),
    "a call with a spread": ("export default defineConfig(...[{ base: '/b' }])", 1),
    "a call of a function of the file": ("const make = (o) => ({ ...o, base: '/c' })\nexport default make({ base: '/b' })", 2),
    "one that is called again": ("function make(o) { return load(o) }\nmake({}); export default make({ base: '/b' })", 2),
    "a function that is called at once": ("module.exports = ((o) => ({ base: '/c' }))({ base: '/b' })", 1),
    "two returns": ("export default () => {\n if (x) return { base: '/b' }\n return {} }", 3),
    "a return on a condition": ("export default () => {\n if (x) { return { base: '/b' } } }", 2),
    "a generator": ("module.exports = function* () { return { base: '/b' } }", 1),
    "two cases": ("export default isLive ? { base: '/b' } : { base: '/c' }", 1),
    "another file": ("export { default } from './base'", 1),
    "a name of another file": ("import config from './base'\nexport default config", 2),
    "a class": ("class Config { base = '/b' }\nexport default new Config()", 2),
    "CommonJS twice": ("module.exports = { base: '/b' }\nmodule.exports = { base: '/c' }", 2),
    "CommonJS that is changed": ("module.exports = { base: '/b' }\nmodule.exports.base = '/c'", 2),
    "CommonJS by its other name": ("exports.base = '/b'", 1),
    "CommonJS by both names": ("module.exports = exports = { base: '/b' }", 1),
    "CommonJS on a condition": ("if (x) {\n  module.exports = { base: '/b' }\n}", 2),
    "ES and CommonJS": ("export default { base: '/b' }\nexports.base = '/c'; exports.a = 1", 2),
    # names
    "let": ("let base = '/b'\nexport default { base }", 2),
    "a member": ("const site = { base: '/b' }\nexport default { base: site.base }", 2),
    "a pattern": ("const { base } = process.env\nexport default { base }", 2),
    "a constant of another file": ("import { base } from './site'\nexport default { base }", 2),
    "a constant of a function": ("module.exports = () => {\n const base = '/b'\n return { base } }", 3),
    "a constant of the file, hidden by a parameter": ("const base = '/b'\nexport default (base) => ({ base })", 2),
    "hidden by one without brackets": ("const base = '/b'\nexport default base => ({ base })", 2),
    "hidden by a part of a pattern": ("const base = '/b'\nexport default ({ x: [base] }, ...y) => ({ base })", 2),
    "hidden by the rest": ("const base = '/b'\nexport default (x, ...base) => ({ base })", 2),
    "hidden by an optional parameter": ("const base = '/b'\nexport default (base?: string) => ({ base })", 2),
    "hidden by a constant": ("const base = '/b'\nexport default () => { const base = f(); return { base } }", 2),
    "hidden by a function": ("const base = '/b'\nexport default () => { function base() {}; return { base } }", 2),
    "an object whose member is set": ("const c = { base: '/b' }\nc.base = find()\nexport default c", 3),
    "an object that is handed on": ("const c = { base: '/b' }\nchange(c)\nexport default c", 3),
    "an object in an object that is changed": ("const at = ['x']\nconst c = { base: '/b', at }; at.push(1); c.x = 1\nexport default c", 3),
    "itself": ("const base = base\nexport default { base }", 2),
    "in a circle": ("const a = b, b = a\nexport default { base: a }", 2),
    # keys
    "a key before a spread": ("export default {\n base: '/b', ...shared }", 2),
    "a key before a spread of a constant": ("const c = { base: '/c' }\nexport default { base: '/b', ...c }", 2),
    "a spread alone": ("export default {\n ...shared }", 2),
    "a key twice": ("export default {\n base: '/b', base: '/c' }", 2),
    "a key and a shorthand": ("const base = '/b'\nexport default { base, 'base': '/c' }", 2),
    "a getter": ("export default { get base() { return '/b' } }", 1),
    "a setter beside it": ("export default { base: '/b', set base(x) {} }", 1),
    "a method": ("export default { base() { return '/b' } }", 1),
    "a computed key": ("export default { [name]: '/b' }", 1),
    "a key before a computed one": ("export default { base: '/b', [name]: '/c' }", 1),
    "a key behind a computed one": ("export default { ['base']: '/c', base: '/b' }", 1),
    # values
    "a call": ("export default { title: 'x',\n base: find() }", 2),
    "a template with a hole": ("const b = 'b'\nexport default { base: `/${b}` }", 2),
    "a default of the environment": ("export default { base: process.env.BASE || '/b' }", 1),
    "two equal cases": ("export default { base: isLive ? '/b' : '/b' }", 1),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line"), CODE.values(), ids=CODE)
def test_what_is_not_a_literal_has_its_line(text: str, line: int) -> None:
    assert read_key(text, "base") == (None, line)


def test_a_script_with_a_line_for_the_shell() -> None:
    assert base_of("#!/usr/bin/env node\nmodule.exports = { base: '/b' }") == "/b"


def test_a_key_of_a_constant_has_the_line_where_it_stands() -> None:
    text = "const config = {\n  base: '/b',\n}\nexport default config"
    assert read(text) == {"base": ("/b", 2)}
    named = "const base = '/b'\nexport default {\n  base }"
    assert read(named) == {"base": ("/b", 3)}


def test_the_values_of_all_kinds() -> None:
    text = """
        export default {
          a: "x", b: 1, c: true, d: null, e: `y`,
          f: { g: 'z', 'h.i': false },
          list: ["x", 2, `y`],
          3: 'three',
        }
    """
    assert read(text) == {
        "a": ("x", 3),
        "b": ("1", 3),
        "c": ("true", 3),
        "e": ("y", 3),
        "f.g": ("z", 4),
        "f.h.i": ("false", 4),
        "list[]": ("x\n2\ny", 5),
        "3": ("three", 6),
    }


def test_lists_in_lists_begin_with_the_name_of_a_plugin() -> None:
    text = """
        const presets = [
          [require.resolve('other'), { docs: false }],
          ['classic', { docs: { path: 'text' }, sitemap: false }],
        ]
        export default { presets, themes: ['a', { b: 'c' }] }
    """
    assert read(text) == {
        "presets[]": ("classic", 6),
        "presets[][]": ("", 3),
        "presets[][].docs": ("false", 3),
        "presets[][].docs.path": ("text", 4),
        "presets[][].sitemap": ("false", 4),
        "themes[]": ("a", 6),
        "themes[].b": ("c", 6),
    }


@pytest.mark.parametrize("item", ["find()", "...more", "name", "() => 1", "['a', find()]"])
def test_a_list_with_another_item_is_not_a_literal(item: str) -> None:
    answers = read(f"export default {{\n items: ['a', {item}] }}")
    key = "items[][]" if item.startswith("[") else "items[]"
    assert answers[key] == (None, 2)


def test_objects_that_are_nested_deep_do_not_hide_what_is_beside_them() -> None:
    deep = f"{'{ a: ' * 500}1{' }' * 500}"
    text = f"export default {{\n base: '/b',\n deep: {deep} }}"
    assert read(text)["base"] == ("/b", 2)
    assert read_key(text, f"deep{'.a' * 500}") == (None, 3)


ELEVENTY = """
    export default function (eleventyConfig) {
      eleventyConfig.addPlugin(sitemap, { sitemap: { hostname: "https://tea.dev" } });
    }
    export const config = { pathPrefix: "/b/", dir: { output: "out" } };
"""


def test_the_exported_constant_named_config_is_a_table() -> None:
    assert read(ELEVENTY) == {
        "config.pathPrefix": ("/b/", 5),
        "config.dir.output": ("out", 5),
    }
    # A parameter of this name may stand for the constant, too.
    for change in ("config.dir = find()", "export const change = (config) => load(config)"):
        assert read(ELEVENTY + change) == {"config.*": (None, 5)}
    clause = "const config = { a: 'x' }; export { config }"
    assert read(clause) == {"config.a": ("x", 1)}
    assert read("export let config = { a: 'x' }") == {"config.*": (None, 1)}


@pytest.mark.parametrize("name", ["x.js", "x.mjs", "x.cjs", "x.ts", "x.mts", "x.cts"])
def test_the_ending_tells_javascript_from_typescript(name: str) -> None:
    text = "export default { base: '/b' }"
    typed = f"const a = <T>b; {text}"
    is_typescript = "ts" in name
    assert read(text, name) == {"base": ("/b", 1)}
    assert (fault(typed, name) is None) is is_typescript


def test_a_long_file_is_said_to_be_long() -> None:
    text = f"export default {{ base: '/b', title: '{'x' * (1 << 17)}' }}"
    assert base_of(text) is None
    assert fault(text, "x.js") == ("has more than 131,072 characters", None)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("export default {\n a: 1\n}\n", None),
        ("export default {\n a: '1\n", 2),
        ("export default f({\n a: 1,\n b: ,,\n", 3),
        ("export default {\n a: 1\n b: 2,\n c: 3\n}", 3),
        ("export default {\n a: {\n };\n", 3),
        (" " + "}!" * 20_000, 1),
    ],
)
def test_the_first_line_that_is_no_javascript(text: str, line: int | None) -> None:
    assert fault(text, "x.js") == (("is not valid JavaScript", line) if line else None)


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


WORDS = (
    "export ", "default ", "const ", "module.exports", "exports", "config", " = ", "a", "b", "{", "}",
    "[", "]", "(", ")", ",", ": ", "...", "=>", "return ", "function ", "get ", "'x'", "`y`", "1", "\n",
    " as ", " satisfies ", "async ", "await ", "from ", "import ", "if (a) ", "\\", "undefined", ";",
)  # fmt: skip


@given(
    st.text("abc{}[]()<>=:;,.'\"`$/*?|&+ \n", max_size=80)
    | st.lists(st.sampled_from(WORDS), max_size=30).map("".join)
)
def test_no_script_raises(text: str) -> None:
    for name in ("x.ts", "x.js"):
        read(text, name)


HOSTILE: dict[str, tuple[str, str, str]] = {
    "brackets": ("export default ", "[", ""),
    "lists": ("export default {a: ", "[[],", "]}"),
    "objects": ("export default ", "{a:", ""),
    "calls": ("export default ", "f(", ""),
    "parentheses": ("export default ", "(", ""),
    "quotes": ("export default {a: ", "'", ""),
    "sums": ("export default {a: 'a'", "+'a'", "}"),
    "conditions": ("export default {a: ", "x?", "}"),
    "keys": ("export default {", "a:1,", "}"),
    "spreads": ("const a={x:1}; export default {", "...a,", "}"),
    "exports": ("", "module.exports={a:1};", ""),
    "constants": ("", "const a={};", "export default a"),
    "functions": ("export default ", "()=>", "1"),
    "returns": ("export default () => {", "if(x)return{a:1};", "}"),
    "members": ("const a={}; export default {a: a", ".b", "}"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("start", "unit", "end"), HOSTILE.values(), ids=HOSTILE)
def test_a_long_script_takes_no_long_time(start: str, unit: str, end: str) -> None:
    def prepare(size: int) -> partial[dict[str, Said]]:
        return partial(read, start + unit * (size // len(unit)) + end)

    assert_linear(prepare, 1 << 16)


@pytest.mark.slow
@pytest.mark.parametrize("template", ["{{x: n{0}, y: n{0}}}", "[n{0}, n{0}]", "{{...n{0}, k{0}: n{0}}}", "n{0}"])  # fmt: skip
def test_names_that_double_a_value_take_no_long_time(template: str) -> None:
    def prepare(size: int) -> partial[dict[str, Said]]:
        rows = [f"const n{i + 1} = {template.format(i)};" for i in range(size)]
        return partial(read, f"const n0 = {{a: 1}};{''.join(rows)} export default {{v: n{size}}}")

    assert_linear(prepare, 400)
