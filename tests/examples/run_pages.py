#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what a page tells its reader to do, and compares what is printed.

usage: run_pages.py --bin DIR --lib DIR [--deps DIR] [--cflags FLAGS]
                    [--compiler COMMAND] [--cxx COMMAND] PAGE...

Each page has a folder of its own, which is empty at first:

- A block whose paragraph before it says "Save" is saved under the last name
  that the paragraph quotes (`calculator.c`). A program in C or C++ is compiled
  at once, unless the page shows how: a command `cc -o NAME ...` of its own.
- Each `$ command` of a `console` block runs in a shell, and must print what the
  block shows: its standard output and its standard error. A line of dots stands
  for any lines, "…" for any text in one. A command that ends with " &" runs until
  the page ends, and must print its lines within a minute.
- A port between 8080 and 8089 after a host is replaced by a free one.
- A `json` block must be JSON.

Each program that a page lets its reader save must occur in a command. Blocks of
another language (`sh`, `nginx`, `ini`) are only shown.

`cc`, `c++` and `pkg-config` are those of the build: they find libmcp in its
folder. A command whose program needs a library that is not installed here, such
as GLib, is skipped, and so are the commands that run the program. With
ALL_PACKAGES=true in the environment this is a failure (cmake/test-all.sh).
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 60
WARNINGS = "-Wall -Wextra -Wpedantic -Werror"
STEP = 0.02
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
QUOTED = re.compile(r"`(\w[\w./-]*\.\w+)`")
PORT = re.compile(r"(?<=\w:)808\d\b")
COMPILERS = {".c": "cc", ".cpp": "c++ -std=c++17"}
MODULES = {".c": "libmcp-http", ".cpp": "libmcp-http"}


class Wrong(Exception):
    """What is wrong with a page, and in which line."""


class Skipped(Exception):
    pass


def pattern_of(expected):
    lines = []
    for line in expected.splitlines(keepends=True):
        quoted = re.escape(line).replace("…", "[^\n]*")
        lines.append("(?:[^\n]*\n)*?" if line == "...\n" else quoted)
    return r"\A" + "".join(lines) + r"\Z"


def saved_name(before):
    """The name under which the reader saves the block after this text."""
    paragraph = before.rstrip().rsplit("\n\n", 1)[-1]
    if not re.search(r"\b[Ss]ave\b", paragraph):
        return None
    names = QUOTED.findall(paragraph)
    return names[-1] if names else None


def write_program(path, *lines):
    path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    path.chmod(0o755)


class Tools:
    """A prefix with libmcp as installed, and compilers that use it."""

    def __init__(self, folder, options):
        self.folder = folder
        prefix = folder / "prefix"
        there = prefix / "lib/pkgconfig"
        there.mkdir(parents=True)
        library = pathlib.Path(options.lib).resolve()
        for file in library.iterdir():
            (prefix / "lib" / file.name).symlink_to(file)
        for file in library.parent.glob("*.pc"):
            (there / file.name).symlink_to(file)
        (prefix / "include").symlink_to(ROOT / "include")
        flags = options.cflags
        path = f"{there}:{os.environ.get('PKG_CONFIG_PATH', '')}"
        write_program(folder / "pkg-config",
                      f"export PKG_CONFIG_PATH={shlex.quote(path)}",
                      f'exec {shutil.which("pkg-config")} "$@"')
        # What scripts/deps has unpacked lies beside libmcp when it is installed.
        folders = [library, *pathlib.Path(options.deps).glob("usr/lib/*/")]
        where = " ".join(f"-L{there} -Wl,-rpath,{there}" for there in folders)
        for name, real in (("cc", options.compiler), ("c++", options.cxx)):
            write_program(folder / name, f"exec {shutil.which(real)} {WARNINGS} "
                                         f'{flags} "$@" {where}')


    def has(self, module):
        """Whether the library is here, or a part of this build."""
        if module.startswith("libmcp"):
            return (self.folder / f"prefix/lib/lib{module[3:]}.so").exists()
        return subprocess.run(["pkg-config", "--exists", module],
                              check=False).returncode == 0


class Page:
    def __init__(self, path, tools, options):
        self.path = path
        self.text = pathlib.Path(path).read_text(encoding="utf-8")
        self.tools = tools
        self.bin = pathlib.Path(options.bin).resolve()
        self.ports = {}
        self.running = []
        self.missing = set()  # programs that cannot be made here
        self.commands = " ".join(
            line for block in BLOCK.finditer(self.text)
            if block[1] == "console"
            for line in re.findall(r"^\$ (.*)$", block[2], re.M))

    # --- words

    def with_ports(self, text):
        """The text with free ports in the place of those of the page."""
        return PORT.sub(lambda port: self.port(port[0]), text)

    def port(self, number):
        if number not in self.ports:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.ports[number] = str(free.getsockname()[1])
        return self.ports[number]

    # --- files

    def save(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.with_ports(text), encoding="utf-8")
        stem, kind = path.stem, path.suffix
        if kind not in COMPILERS or not re.search(r"^int main\(", text, re.M):
            return
        if not re.search(rf"(?<![\w.-]){re.escape(stem)}(?![\w.])",
                         self.commands):
            raise Wrong(f"no command of the page runs {stem}")
        if not re.search(rf"-o {re.escape(stem)} ", self.commands):
            self.run(f"{COMPILERS[kind]} -o {stem} {name} "
                     f"$(pkg-config --cflags --libs {MODULES[kind]})", "")

    # --- commands

    def environment(self):
        env = dict(os.environ)
        for name in ("NO_COLOR", "XDG_CONFIG_HOME", "MCPCTL_CONFIG"):
            env.pop(name, None)
        env["PATH"] = f"{self.tools.folder}:{self.bin}:{env['PATH']}"
        env["HOME"] = str(self.folder)
        env["LC_ALL"] = "C.UTF-8"
        return env

    def start(self, command):
        return subprocess.Popen(
            ["bash", "-c", command], cwd=self.folder, env=self.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def run(self, command, expected):
        process = self.start(command)
        try:
            printed, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Wrong(f"$ {command}\nstill runs after {LIMIT} s") from None
        self.compare(command, expected, printed)

    def compare(self, command, expected, printed):
        if printed and not printed.endswith("\n"):
            printed += "\n"
        if not re.match(pattern_of(self.with_ports(expected)), printed):
            raise Wrong(f"$ {command}\nis shown to print\n{expected}"
                        f"but prints\n{printed}")

    def run_behind(self, command, expected):
        """Starts a command, and waits until it has printed its lines."""
        log = self.folder / f".output-{len(self.running)}"
        process = self.start(f"exec >{log.name} 2>&1; exec {command}")
        self.running.append(process)
        until = time.monotonic() + LIMIT
        pattern = pattern_of(self.with_ports(expected))
        while True:
            printed = log.read_text() if log.exists() else ""
            if re.match(pattern, printed):
                return
            if time.monotonic() > until or process.poll() is not None:
                self.compare(command, expected, printed)
                raise Wrong(f"$ {command} &\nhas ended")
            time.sleep(STEP)

    def needs(self, command):
        """Raises if a library or a program of the command is not here."""
        modules = re.search(r"pkg-config --cflags --libs ([\w .+-]+)", command)
        for module in modules[1].split() if modules else []:
            if not self.tools.has(module):
                made = re.search(r"-o ([\w-]+)", command)[1]
                self.missing.add(made)
                raise Skipped(f"{made} needs {module}")
        for name in self.missing:
            if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.])", command):
                raise Skipped(f"{name} was not made")

    def step(self, command, expected):
        command = self.with_ports(command)
        try:
            self.needs(command)
        except Skipped as why:
            if os.environ.get("ALL_PACKAGES") == "true":
                raise Wrong(f"$ {command}\n{why}") from None
            print(f"{self.path}: skipped: {why}")
            return
        if command.endswith(" &"):
            self.run_behind(command[:-2], expected)
        else:
            self.run(command, expected)

    def end(self):
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=LIMIT)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            process.stdout.close()

    # --- the page

    def block(self, language, code, before):
        name = saved_name(before)
        if name is not None:
            self.save(name, code)
        if language == "json":
            try:
                json.loads(code)
            except ValueError as why:
                raise Wrong(f"not JSON: {why}") from None
        if language == "console":
            for step in re.split(r"^\$ ", code, flags=re.M)[1:]:
                command, _, expected = step.partition("\n")
                while command.endswith("\\"):
                    more, _, expected = expected.partition("\n")
                    command = command[:-1] + more.lstrip()
                self.step(command, expected)

    def check(self):
        """Prints the first fault, and returns whether there is one."""
        line = 0
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            try:
                for block in BLOCK.finditer(self.text):
                    line = self.text.count("\n", 0, block.start()) + 1
                    self.block(block[1], block[2], self.text[:block.start()])
            except Wrong as why:
                print(f"{self.path}:{line}: {why}")
                return True
            finally:
                self.end()
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--deps", default="build/deps")
    parser.add_argument("--cflags", default="")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(pathlib.Path(folder), options)
        bad = [Page(path, tools, options).check() for path in options.pages]
    return 1 if any(bad) else 0


sys.exit(main())
