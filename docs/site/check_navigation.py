# SPDX-License-Identifier: MIT
"""Checks that the front page of the site links to each page of the navigation,
by its title.

usage: check_navigation.py FOLDER

FOLDER has what stage.py has written, and the site in html.
"""
import html.parser
import json
import pathlib
import re
import sys


class Links(html.parser.HTMLParser):
    """The texts of the links in the navigation."""

    def __init__(self):
        super().__init__()
        self.texts, self.is_inside = [], False

    def handle_starttag(self, tag, attrs):
        words = (dict(attrs).get("class") or "").split()
        if tag == "a" and "md-nav__link" in words:
            self.is_inside = True
            self.texts.append("")

    def handle_endtag(self, tag):
        if tag == "a":
            self.is_inside = False

    def handle_data(self, data):
        if self.is_inside:
            self.texts[-1] += data


def titles(entries):
    """Those of all pages that have one."""
    for entry in entries:
        if isinstance(entry, dict):
            for title, inner in entry.items():
                if isinstance(inner, list):
                    yield from titles(inner)
                else:
                    yield title


def main():
    folder = pathlib.Path(sys.argv[1])
    config = (folder / "mkdocs.yml").read_text(encoding="utf-8")
    nav = json.loads(re.search(r"^nav: (.*)$", config, re.M)[1])
    links = Links()
    links.feed((folder / "html/index.html").read_text(encoding="utf-8"))
    found = {text.strip() for text in links.texts}
    missing = [title for title in titles(nav) if title not in found]
    if missing:
        sys.exit("scripts/docs: the navigation does not show these pages: "
                 + ", ".join(missing))


main()
