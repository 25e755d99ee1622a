"""The engines of hosts on this machine: they are started with a site, and asked for its URLs."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from real.tools import CACHE, run

HOSTS = CACHE / "hosts"
# The compatibility date that the newest workerd of these packages knows; "today" may be too new.
PACKAGES = {
    "wrangler": "wrangler@4.86.0",
    "superstatic": "superstatic@10.0.0",
    "netlify": "netlify-cli@26.2.0",
    "vercel": "vercel@48.12.1",
}
COMPATIBLE = "2026-05-01"
START = 90  # seconds that an engine may take

Answer = tuple[int, bytes, Mapping[str, str]]  # status, body, headers in small letters
Ask = Callable[[str], Answer]  # of a URL path, encoded


# The package, and the command that is started in a project whose site is `public`, at a port.
ENGINES: Mapping[str, tuple[str, Sequence[str]]] = {
    "pages": ("wrangler", ["wrangler", "pages", "dev", "public", "--ip=127.0.0.1", "--port={port}", f"--compatibility-date={COMPATIBLE}", "--inspector-port={more}"]),
    "workers": ("wrangler", ["wrangler", "dev", "--ip=127.0.0.1", "--port={port}", "--inspector-port={more}", f"--compatibility-date={COMPATIBLE}"]),
    "superstatic": ("superstatic", ["superstatic", "public", "--host=127.0.0.1", "--port={port}", "--config=superstatic.json"]),
    "netlify": ("netlify", ["netlify", "dev", "--offline", "--dir=public", "--port={port}", "--no-open", "--internal-disable-edge-functions"]),
}  # fmt: skip


def install(name: str) -> Path:
    """The folder of a package's commands, installed where that was not done before."""
    folder = HOSTS / name
    if not (folder / "node_modules").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}')
        # Without scripts: none of these needs what they compile.
        subprocess.run(
            ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", PACKAGES[name]],
            cwd=folder,
            check=True,
        )
    return folder / "node_modules"


def version(name: str) -> str:
    """The name and version of an installed package."""
    package = PACKAGES[name].rpartition("@")[0]
    text = (HOSTS / name / "node_modules" / package / "package.json").read_text()
    return f"{package} {json.loads(text)['version']}"


@contextmanager
def running(command: Sequence[str | Path], project: Path, port: int) -> Iterator[Ask]:
    """A server that was started in a folder, to ask it for paths at its port."""
    log = project.parent / "engine.log"
    environment = os.environ | {"CI": "1", "NO_COLOR": "1", "WRANGLER_SEND_METRICS": "false", "HOME": str(project.parent)}  # fmt: skip
    with open(log, "wb") as file:
        process = subprocess.Popen(
            list(map(str, command)), cwd=project, env=environment, stdin=subprocess.DEVNULL,
            stdout=file, stderr=file, start_new_session=True,
        )  # fmt: skip
    try:
        _wait(process, port, log)
        yield lambda path: get(port, path)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def engine(name: str, project: Path) -> Iterator[Ask]:
    """One of ENGINES, or the routes of `vercel build`, for a project."""
    if name == "vercel":
        yield vercel_build(project)
        return
    package, (program, *flags) = ENGINES[name]
    port, more = free_port(), free_port()
    flags = [flag.format(port=port, more=more, project=project) for flag in flags]
    with running([install(package) / ".bin" / program, *flags], project, port) as ask:
        yield ask


def free_port() -> int:
    """A port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def get(port: int, path: str) -> Answer:
    """What a server answers; redirects are not followed."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        headers = {"Host": f"127.0.0.1:{port}", "Accept": "text/html"}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        told = {key.lower(): value for key, value in answer.getheaders()}
        return answer.status, answer.read(), told
    finally:
        connection.close()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError):
            if get(port, "/")[0] < 502:
                return
        time.sleep(0.1)
    said = log.read_text(errors="replace")[-2000:]
    raise AssertionError(f"{process.args} does not answer:\n{said}")


# --- Vercel, whose server is no package: the routes that its build writes, executed here.


def vercel_build(project: Path) -> Ask:
    """Runs `vercel build`, and serves what it writes by its routes."""
    (project / ".vercel").mkdir(exist_ok=True)
    settings = {"framework": None, "buildCommand": "", "installCommand": "", "outputDirectory": "public"}  # fmt: skip
    linked = {"projectId": "prj_x", "orgId": "team_x", "settings": settings}
    (project / ".vercel/project.json").write_text(json.dumps(linked))
    command = [install("vercel") / ".bin/vercel", "build", "--yes", "--token=x"]
    run(*command, cwd=project, env={"CI": "1", "HOME": str(project.parent), "VERCEL_TELEMETRY_DISABLED": "1"})  # fmt: skip
    return vercel_server(project / ".vercel/output")


def vercel_server(output: Path) -> Ask:
    """Answers by the routes of a build's output, as far as sites of files need them."""
    config = json.loads((output / "config.json").read_text())
    static = output / "static"
    files = {str(path.relative_to(static)): path for path in static.rglob("*") if path.is_file()}
    for name, override in config.get("overrides", {}).items():
        if "path" in override:
            files[override["path"]] = files.pop(name)
    phases: dict[str, list[dict[str, Any]]] = {"": []}
    phase = ""
    for route in config.get("routes", []):
        phase = route.get("handle", phase)
        phases.setdefault(phase, [])
        if "handle" not in route:
            phases[phase].append(route)

    def found(path: str) -> Path | None:
        name = unquote(path).strip("/")
        names = (name, f"{name}/index.html".lstrip("/"), f"{name}/index".lstrip("/"))
        return next((files[name] for name in names if name in files), None)

    def apply(
        routes: Sequence[dict[str, Any]], path: str, headers: dict[str, str]
    ) -> tuple[int | None, str]:
        for route in routes:
            # Case counts, as in `vercel dev` with a vercel.json like ours.
            match = re.search(route["src"], path)
            if not match or route.get("has") or route.get("missing"):
                continue
            headers |= {k.lower(): v for k, v in route.get("headers", {}).items()}
            if route.get("dest"):
                path = _filled(route["dest"], match)
            if "status" in route and not route.get("continue"):
                return route["status"], path
            if not route.get("continue"):
                return None, path
        return None, path

    def ask(path: str) -> Answer:
        headers: dict[str, str] = {}
        status, path = apply(phases[""], path, headers)
        if status:
            return status, b"", headers
        file = found(path)
        if file is None:
            later = phases.get("filesystem", []) + phases.get("miss", [])
            status, path = apply(later, path, headers)
            file = found(path)
        if file and not status:
            return 200, file.read_bytes(), headers
        return status or 404, b"", headers

    return ask


def _filled(text: str, match: re.Match[str]) -> str:
    """A destination with the groups of a match for `$1` and `$name`."""
    return re.sub(
        r"\$(\w+)", lambda name: match[int(name[1]) if name[1].isdigit() else name[1]] or "", text
    )
