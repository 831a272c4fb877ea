#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the C and C++ code in documents.

usage: check_docs.py [--compiler COMMAND] [--cxx COMMAND] FILE...
(at the top of the tree)

A block that has a main function must compile. A block whose paragraph before
it names a file of examples/ must occur there; white space does not count. A
block that the reader is to save (run_pages.py) is compiled and run elsewhere.
Each block must be one of these.
"""
import argparse
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(c|cpp)\n(.*?)^```$", re.M | re.S)
NAMED = re.compile(r"`(examples/[\w./-]+)`")
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         "-Iinclude"]
LANGUAGES = {"c": ["-std=c11", "-xc", "-"], "cpp": ["-std=c++17", "-xc++", "-"]}


def squeeze(code):
    """What formatting may change does not count."""
    return re.sub(r"\s+", "", code)


def named_file(before):
    """The last one that the paragraph before a block names."""
    names = NAMED.findall(before.rstrip().rsplit("\n\n", 1)[-1])
    return names[-1] if names else None


def is_saved(before):
    return re.search(r"\b[Ss]ave\b", before.rstrip().rsplit("\n\n", 1)[-1])


def compile_block(language, code, compilers):
    done = subprocess.run([compilers[language], *FLAGS, *LANGUAGES[language]],
                          input=code, text=True, capture_output=True,
                          check=False)
    return None if done.returncode == 0 else done.stderr


def check_excerpt(code, name):
    path = pathlib.Path(name)
    if not path.is_file():
        return f"{name} does not exist"
    if squeeze(code) not in squeeze(path.read_text(encoding="utf-8")):
        return f"does not occur in {name}"
    return None


def check_block(language, code, before, compilers):
    name = named_file(before)
    saved = is_saved(before)
    is_program = not saved and re.search(r"^int main\(", code, re.M) is not None
    if not name and not is_program and not saved:
        return "not a program, and no file of examples/ is named before it"
    found = compile_block(language, code, compilers) if is_program else None
    if found is None and name:
        found = check_excerpt(code, name)
    return found


def check_file(path, compilers):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    bad = 0
    for block in BLOCK.finditer(text):
        found = check_block(block[1], block[2], text[:block.start()], compilers)
        if found is not None:
            line = text.count("\n", 0, block.start()) + 1
            print(f"{path}:{line}: {found}")
            bad += 1
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    compilers = {"c": options.compiler, "cpp": options.cxx}
    bad = sum(check_file(path, compilers) for path in options.files)
    return 1 if bad else 0


sys.exit(main())
