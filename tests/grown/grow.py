#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the public headers as a later version might have them: each structure
that may grow has more members at its end.

usage: grow.py FOLDER     (at the top of the tree)

A build with MCP_TEST_GROWN compiles the libraries with these headers, and the
programs that use them with the headers as they are.
"""
import pathlib
import re
import sys

STRUCTURE = re.compile(
    r"^(?:typedef )?struct (mcp_\w+) \{\n(.*?)^\}(?: \1)?;$", re.M | re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
MORE = "  uint64_t later_member[3];\n"
# An array of these has its stride in mcp_schema.field_size, or in
# mcp_struct_type.member_size.
WITHOUT_SIZE = {"mcp_field", "mcp_member"}


def may_grow(name, members):
    first = COMMENT.sub("", members).split()[:2]
    return first == ["size_t", "size;"] or name in WITHOUT_SIZE


def grow(text, grown):
    def one(match):
        name, members = match[1], match[2]
        if not may_grow(name, members):
            return match[0]
        grown.add(name)
        end = match.end(2) - match.start()
        return match[0][:end] + MORE + match[0][end:]
    return STRUCTURE.sub(one, text)


def main():
    folder = pathlib.Path(sys.argv[1])
    grown = set()
    for path in sorted(pathlib.Path("include").rglob("*.h*")):
        out = folder / path.relative_to("include")
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(grow(path.read_text(encoding="utf-8"), grown),
                       encoding="utf-8")
    with_initialiser = set(re.findall(
        r"X\((\w+),", pathlib.Path("tests/support/structures.h").read_text()))
    missing = with_initialiser - grown
    if missing or not with_initialiser:
        sys.exit(f"grow.py: found no structure {', '.join(sorted(missing))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
