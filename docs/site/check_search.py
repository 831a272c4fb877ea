# SPDX-License-Identifier: MIT
"""Checks that the search of the site finds what a reader looks for.

usage: check_search.py FOLDER

FOLDER has what stage.py has written, and the site in html. The search index has
an entry for each section of a page. The check reads the index as the script of
the site does: it splits titles and texts at the index's own separator, and a
query finds the entries that have a word that begins with each word of the query.

- Each page of the navigation, and each page of the reference, is in the index.
- Each place that the index leads to exists.
- Each query of QUERIES finds the place of its answer.
"""
import html.parser
import json
import pathlib
import re
import sys

QUERIES = {
    "elicitation": "docs/guide/asking.html",
    "systemd": "docs/guide/deploying.html",
    "event loop": "docs/guide/loops.html",
    "OAuth token": "docs/AUTHORIZATION.html",
    "memory pair": "docs/guide/testing.html",
    "windows": "docs/PLATFORMS.html",
    # by its whole name, and by its parts
    "mcp_server_add_tool": "reference/server.h.html#mcp_server_add_tool",
    "add tool": "reference/server.h.html#mcp_server_add_tool",
    "MCP_ERR_GONE": "reference/error.h.html",
    "mcp_tool.is_blocking": "reference/server.h.html#mcp_tool.is_blocking",
    "mcp::loop": "reference/loop.hpp.html#mcp::loop",
    "loop step": "reference/loop.hpp.html#mcp::loop::run",
    "server_hooks": "reference/server.hpp.html#mcp::server_hooks",
    "mcp::call::reply_failure": "reference/call.hpp.html#mcp::call::reply_failure",
}
NOWHERE = "xylophone"  # a query that finds nothing: else it would prove nothing


class Ids(html.parser.HTMLParser):
    """The places in a page."""

    def __init__(self):
        super().__init__()
        self.ids = set()

    def handle_starttag(self, tag, attrs):
        self.ids.update(value for key, value in attrs if key in ("id", "name"))


def read(site):
    """The index. A page that is opened as a file reads it from search.js."""
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    script = (site / "search.js").read_text(encoding="utf-8")
    if json.loads(re.sub(r"^var __index = |;?\s*$", "", script)) != index:
        sys.exit("scripts/docs: search.js and search.json differ")
    return index


def words(text, separator):
    return [word for word in re.split(separator, text.lower()) if word]


class Search:
    def __init__(self, index):
        self.separator = index["config"]["separator"]
        self.entries = [
            (entry["location"], set(words(
                f"{entry['title']} {re.sub('<[^>]*>', ' ', entry['text'])}",
                self.separator))) for entry in index["items"]]

    def find(self, query):
        wanted = words(query, self.separator)
        return [location for location, known in self.entries
                if all(any(word.startswith(one) for word in known)
                       for one in wanted)]


def nav_pages(entries):
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for inner in entry.values():
                yield from nav_pages([inner] if isinstance(inner, str) else inner)


def pages(folder):
    config = (folder / "mkdocs.yml").read_text(encoding="utf-8")
    nav = json.loads(re.search(r"^nav: (.*)$", config, re.M)[1])
    reference = (folder / "pages/reference").rglob("*.md")
    all_pages = {*nav_pages(nav), *(page.relative_to(folder / "pages").as_posix()
                                    for page in reference)}
    return sorted(re.sub(r"(^|/)README\.md$", r"\1index.html", page)
                  .replace(".md", ".html") for page in all_pages)


def faults(folder):
    site = folder / "html"
    index = read(site)
    search = Search(index)
    known = {location.split("#")[0] for location, _ in search.entries}
    for page in pages(folder):
        if page not in known:
            yield f"{page} is not in the index"
    ids = {}
    for location, _ in search.entries:
        page, _, place = location.partition("#")
        if page not in ids:
            ids[page] = Ids()
            ids[page].feed((site / page).read_text(encoding="utf-8"))
        if place and place not in ids[page].ids:
            yield f"{location} does not exist"
    for query, answer in QUERIES.items():
        found = search.find(query)
        if answer not in ({location.split("#")[0] for location in found}
                          if "#" not in answer else found):
            yield f'"{query}" does not find {answer}'
    if search.find(NOWHERE):
        yield f'"{NOWHERE}" finds {search.find(NOWHERE)[0]}'


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    if found:
        sys.exit("scripts/docs: the search: " + "\n  ".join(found))


main()
