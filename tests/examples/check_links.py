#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the links between the documents.

usage: check_links.py [ROOT]

Each relative link of a document must lead to a file or folder of ROOT, and its
anchor to a heading of that document, as GitHub makes anchors of headings. A
document is a Markdown file of ROOT, docs/ or bindings/NAME/ (and what they link).
"""
import pathlib
import re
import sys

FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2 *$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.M)
FOREIGN = re.compile(r"^[a-z][a-z0-9+.-]*:", re.I)


def blank(match):
    """As many lines, but nothing in them."""
    return "\n" * match[0].count("\n")


def without_code(text):
    return CODE.sub("", FENCE.sub(blank, text))


def anchors_of(text):
    """The anchors of headings; a heading that comes again gets a number."""
    seen = {}
    for title in HEADING.findall(FENCE.sub(blank, text)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        yield f"{slug}-{count}" if count else slug


def documents(root):
    for pattern in ("*.md", "docs/**/*.md", "bindings/*/README.md"):
        yield from sorted(root.glob(pattern))


class Checker:
    def __init__(self, root):
        self.root = root.resolve()
        self.anchors = {}
        self.bad = 0

    def complain(self, path, line, why):
        print(f"{path.relative_to(self.root)}:{line}: {why}")
        self.bad += 1

    def has_anchor(self, path, anchor):
        if path not in self.anchors:
            text = path.read_text(encoding="utf-8")
            self.anchors[path] = set(anchors_of(text))
        return anchor in self.anchors[path]

    def check_link(self, path, line, link):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if self.root not in [target, *target.parents]:
            self.complain(path, line, f"{link} leads out of the project")
        elif not target.exists():
            self.complain(path, line, f"{link}: there is no such file")
        elif anchor and target.suffix == ".md" and \
                not self.has_anchor(target, anchor):
            self.complain(path, line, f"{link}: there is no such heading")

    def check(self, path):
        text = without_code(path.read_text(encoding="utf-8"))
        for link in LINK.finditer(text):
            if link[1] and not FOREIGN.match(link[1]):
                line = text.count("\n", 0, link.start()) + 1
                self.check_link(path, line, link[1])


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    checker = Checker(root)
    for path in documents(root):
        checker.check(path)
    return 1 if checker.bad else 0


sys.exit(main())
