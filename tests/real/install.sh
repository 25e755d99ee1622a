#!/usr/bin/env bash
# Installs what the tests of this folder need and is not there yet: Debian packages where commands are
# missing, the rest in .cache-real/. A second run does nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Debian's names, below command:package
debian_packages=(jekyll ruby-jekyll-{sitemap,redirect-from,paginate})
commands=(git:git make:make nginx:nginx-light node:nodejs npm:npm python3:python3-venv xmllint:libxml2-utils hugo:hugo)
python_packages=(mkdocs mkdocs-material mkdocs-redirects sphinx sphinx-sitemap furo sphinx-rtd-theme
    pelican pelican-sitemap ultimate-sitemap-parser advertools pre-commit)
# the hosts of our plugins: the oldest versions that run on Python 3.11, and today's
oldest_hosts=(mkdocs==1.5.0 mkdocs-material==9.1.21 sphinx==7.0.0 furo==2023.5.20 pelican==4.7.2)
newest_hosts=(mkdocs mkdocs-material sphinx furo pelican)
workflow_tools=(check-jsonschema zizmor uv pipx)
node_packages=(@11ty/eleventy@2.0.1 @quasibit/eleventy-plugin-sitemap sitemap@9.0.1 vitepress@1.6)
# in a folder of its own: it pins its React and webpack, and a change elsewhere need not install it again
docusaurus_packages=(@docusaurus/{core,preset-classic,plugin-client-redirects}@3.6.3
    @docsearch/react@3.8.0 webpack@5.95.0 react@18 react-dom@18)
frameworks=(next@16 react@19 react-dom@19 svelte@5 vite@7
    @sveltejs/{kit@2,adapter-static@3,vite-plugin-svelte@6})
cache=.cache-real

die() {
    echo "install.sh: $*" >&2
    exit 1
}

as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "'$*' needs root and there is no sudo; run it as root, then run this again"
    fi
}

# with_lists COMMAND...: runs it; if that fails, once more with fresh package lists.
with_lists() {
    command -v apt-get >/dev/null || die "there is no apt-get; '$*' needs Debian or a system like it"
    "$@" || { as_root apt-get update && "$@"; } || die "'$*' failed; see above"
}

# once INSTALL NAME SPEC...: INSTALL NAME SPEC..., unless that was done with the same SPEC before.
once() {
    local stamp=$cache/$2/.installed
    [[ ! -f $stamp || $(<"$stamp") != "${*:2}" ]] || return 0
    "$@"
    echo "${*:2}" >"$stamp"
}

# pip_install NAME SPEC...: nothing is compiled, because the tests import only a part of it.
pip_install() {
    python3 -m venv --clear "$cache/$1"
    "$cache/$1/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "${@:2}"
}

# npm_install NAME SPEC...
npm_install() {
    mkdir -p "$cache/$1"
    echo '{"private": true}' >"$cache/$1/package.json"
    npm install --prefix "$cache/$1" --no-audit --no-fund --no-package-lock "${@:2}"
}

missing=()
for pair in "${commands[@]}"; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
done
for package in "${debian_packages[@]}"; do
    state=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) || true
    [[ $state == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] || with_lists as_root apt-get install --yes --no-install-recommends "${missing[@]}"

mkdir -p "$cache"
install_python_parts() {
    once pip_install venv "${python_packages[@]}"
    once pip_install dask --editable ".[dask]"
    once pip_install oldest --editable . "${oldest_hosts[@]}"
    once pip_install newest --editable . "${newest_hosts[@]}"
    once pip_install workflows "${workflow_tools[@]}"
}

install_node_parts() {
    once npm_install node "${node_packages[@]}"
    once npm_install astro astro@5
    once npm_install docusaurus "${docusaurus_packages[@]}"
    once npm_install frameworks "${frameworks[@]}"
}

# One after the other, they would wait for the network and the disk half of the time.
install_python_parts &
python_parts=$!
install_node_parts &
node_parts=$!
status=0
wait "$python_parts" || status=$?
wait "$node_parts" || status=$?
exit "$status"
