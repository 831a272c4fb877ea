# SPDX-License-Identifier: MIT
"""Puts the pages of the site together, and writes its configuration.

usage: stage.py FOLDER

FOLDER/xml is what scripts/check-reference has made. FOLDER/pages gets:

- README.md, CHANGELOG.md, CONTRIBUTING.md, every page below docs/, and the
  README.md of each folder of bindings/, with the paths that they have here;
- what these pages link to and is not a page, as a page that shows it;
- the reference, a page for each public header.

A name of a public symbol or header that stands alone in `backquotes` becomes a
link to the reference, and that of a file of examples/ one to the file.

The navigation is the index in README.md. Pages that are not in it stand under
"More".
"""
import json
import os
import pathlib
import posixpath
import re
import shutil
import sys

sys.dont_write_bytecode = True

import reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)```.*?^\1``` *$", re.M | re.S)
LINK = re.compile(r"(?<!\\)\[((?:[^\[\]]|`[^`]*`)*)\]\(([^()\s]+)\)")
SYMBOL = re.compile(
    r"(?<!\[)`((?:mcp|MCP)_\w+(?:\.\w+)?|mcp(?:::\w+)+)`(?!\])")
EXAMPLE = re.compile(r"(?<!\[)`(examples/[\w./-]+\.\w+)`(?!\])")
HEADER = re.compile(r"(?<!\[)`(mcp/[\w/]+\.h(?:pp)?)`(?!\])")
FOREIGN = re.compile(r"^([a-z][a-z0-9+.-]*:|#)", re.I)
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".py": "python",
             ".json": "json", ".txt": "text"}
HEADERS = "include/mcp"


def outside_code(text, change):
    """Changes what is not in a block of code."""
    out, end = [], 0
    for block in FENCE.finditer(text):
        out += [change(text[end:block.start()]), block[0]]
        end = block.end()
    return "".join([*out, change(text[end:])])


class Site:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.pages = self.folder / "pages"
        self.shown = {}  # files that are shown as a page: path here -> page
        self.headers, self.symbols = reference.write(
            ROOT, self.folder / "xml", self.pages)

    def write(self, page, text):
        path = self.pages / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    # --- files that are not pages

    def show(self, path):
        """The page that shows a file or folder of the project."""
        if path == HEADERS:
            return "reference/README.md"
        if path.startswith(HEADERS + "/") and path.endswith((".h", ".hpp")):
            return f"reference/{path.removeprefix(HEADERS + '/')}.md"
        if path not in self.shown:
            here = ROOT / path
            page = f"files/{path}/README.md" if here.is_dir() \
                else f"files/{path}.md"
            self.shown[path] = page
            self.write(page, self.listing(path, page) if here.is_dir()
                       else self.source(here, path))
        return self.shown[path]

    def source(self, here, path):
        text = here.read_text(encoding="utf-8")
        if here.suffix == ".md":
            return text
        language = LANGUAGES.get(here.suffix, "sh" if text[:2] == "#!" else
                                 "text")
        return f"# {path}\n\n````{language}\n{text}````\n"

    def listing(self, path, page):
        lines = [f"# {path}\n"]
        for inner in sorted((ROOT / path).rglob("*")):
            name = inner.relative_to(ROOT).as_posix()
            if inner.is_file() and inner.suffix in LANGUAGES:
                where = posixpath.relpath(self.show(name),
                                          posixpath.dirname(page))
                lines.append(f"- [{name.removeprefix(path + '/')}]({where})")
        return "\n".join(lines) + "\n"

    # --- pages

    def target(self, page, link):
        """The link of a page as it is in the site."""
        name, mark, anchor = link.partition("#")
        if FOREIGN.match(link) or not name:
            return link
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), name))
        if path.startswith("..") or not (ROOT / path).exists():
            return link  # mkdocs complains of it
        if (path.endswith(".md") and path in self.texts):
            return link
        where = posixpath.relpath(self.show(path),
                                  posixpath.dirname(page) or ".")
        return where + mark + anchor

    def linked(self, page, text):
        def relink(match):
            return f"[{match[1]}]({self.target(page, match[2])})"

        def symbol(match):
            return self.symbols.link(match[1], match[0], page)

        def file(match, folder=""):
            if not (ROOT / folder / match[1]).is_file():
                return match[0]
            where = posixpath.relpath(self.show(folder + match[1]),
                                      posixpath.dirname(page) or ".")
            return f"[{match[0]}]({where})"

        def header(match):
            return file(match, "include/")

        def change(part):
            # Headings and the texts of links stay as they are.
            lines = []
            for line in LINK.sub(relink, part).split("\n"):
                if not line.startswith("#"):
                    pieces = re.split(r"(\[(?:[^\[\]])*\]\([^()]*\))", line)
                    line = "".join(
                        piece if piece.startswith("[") and piece.endswith(")")
                        else HEADER.sub(header, EXAMPLE.sub(
                            file, SYMBOL.sub(symbol, piece)))
                        for piece in pieces)
                lines.append(line)
            return "\n".join(lines)

        return outside_code(text, change)

    def add_pages(self):
        paths = [ROOT / name for name in ("README.md", "CHANGELOG.md",
                                          "CONTRIBUTING.md")]
        paths += sorted((ROOT / "docs").glob("**/*.md"))
        paths += sorted((ROOT / "bindings").glob("*/README.md"))
        self.texts = {path.relative_to(ROOT).as_posix():
                      path.read_text(encoding="utf-8") for path in paths}
        for page, text in self.texts.items():
            self.write(page, self.linked(page, text))

    def add_reference_index(self):
        lines = ["# Reference\n",
                 "The public headers of libmcp. [mcp/mcp.h](mcp.h.md) has the "
                 "conventions of those for C, [mcp/mcp.hpp](mcp.hpp.md) those of "
                 "the headers for C++, which have inline functions over them.\n"]
        for title, end in ("C", ".h.md"), ("C++", ".hpp.md"):
            lines += [f"## {title}\n", "| header | |", "|---|---|"]
            lines += [self.index_row(page) for page in self.headers
                      if page.endswith(end)]
            lines.append("")
        lines += ["## All symbols", ""]
        lines += [f"- {self.symbols.link(name, f'`{name}`', 'reference/README.md')}"
                  for name in self.symbols.names()]
        self.write("reference/README.md", "\n".join(lines) + "\n")

    def index_row(self, page):
        text = (self.pages / page).read_text(encoding="utf-8")
        about = text.split("\n\n", 2)[1].replace("\n", " ")
        about = LINK.sub(r"\1", about)  # relative to another page
        about = about.replace("|", "\\|")
        name = page.removeprefix("reference/")
        return f"| [{name[:-3]}]({name}) | {about} |"

    # --- the navigation

    def navigation(self):
        """The index of README.md, as mkdocs wants it."""
        index = self.texts["README.md"].split("\n## Documents\n")[1]
        index = index.split("\n## ")[0]
        sections, seen, title = [], {"README.md"}, None
        for line in index.split("\n"):
            if re.match(r"[A-Z].*:$", line):
                title = line[:-1]
                sections.append((title, []))
            found = LINK.search(line) if line.startswith("|") else None
            if found and found[2] in self.texts and sections:
                sections[-1][1].append({found[1]: found[2]})
                seen.add(found[2])
        more = [page for page in self.texts if page not in seen]
        nav = [{"libmcp": "README.md"}]
        nav += [{title: entries} for title, entries in sections if entries]
        if more:
            nav.append({"More": more})
        nav.append({"Reference": [{"All headers": "reference/README.md"}] +
                                 self.pages_of_headers(".h")})
        if self.pages_of_headers(".hpp"):
            nav.append({"Reference, C++": self.pages_of_headers(".hpp")})
        return nav

    def pages_of_headers(self, suffix):
        return [{page.removeprefix("reference/")[:-3]: page}
                for page in self.headers if page.endswith(suffix + ".md")]

    def configure(self):
        base = (ROOT / "docs/site/mkdocs.yml").read_text(encoding="utf-8")
        more = {"docs_dir": "pages",
                "site_dir": "html",
                "nav": self.navigation(),
                "not_in_nav": "/files/**\n"}
        lines = [f"{key}: {json.dumps(value)}" for key, value in more.items()]
        (self.folder / "mkdocs.yml").write_text(
            base + "\n".join(lines) + "\n", encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder / "pages", ignore_errors=True)
    site = Site(folder)
    site.add_pages()
    site.add_reference_index()
    (site.pages / "assets").mkdir()
    for name in ("iframe-worker.js", "extra.css"):
        shutil.copy(ROOT / "docs/site" / name, site.pages / "assets")
    site.configure()


if __name__ == "__main__":
    os.umask(0o022)
    main()
