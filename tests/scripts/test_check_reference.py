#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check-reference, docs/site/reference.py and stage.py with a header and
pages of their own."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

ROOT = pathlib.Path(__file__).parents[2]
GOOD = """\
/** @file
 * Boxes.
 */

/** A box, which mcp_box_new makes. */
typedef struct mcp_box {
  /** How large it is. */
  size_t size;
  /** What is in it, or <iframe> or \\u0000. */
  const char *items;
  size_t item_count;
  uint32_t reserved;
} mcp_box;

#define MCP_BOX_INIT MCP_INIT_(mcp_box)

/* ---- making boxes -------------------------------------------------------- */

/**
 * Makes a box.
 * @param box the room for it
 * @return - 0: there is one;
 *         - MCP_BOX_FULL: see mcp_box.items
 */
MCP_API int mcp_box_new(mcp_box *box);
/** What can go wrong. */
enum { MCP_BOX_FULL = -1, MCP_BOX_LOST = -2 };
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "include/mcp").mkdir(parents=True)
        (self.root / "scripts").mkdir()
        shutil.copytree(ROOT / "docs/site", self.root / "docs/site")
        shutil.copy(ROOT / "scripts/check-reference", self.root / "scripts")

    def check(self, header):
        (self.root / "include/mcp/box.h").write_text(header, encoding="utf-8")
        env = {name: value for name, value in os.environ.items()
               if name != "BUILD_DIR"}
        run = subprocess.run([self.root / "scripts/check-reference"], env=env,
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout


@unittest.skipUnless(shutil.which("doxygen"), "no doxygen is installed")
class Reference(Folder):
    def page(self, header):
        self.assertEqual(self.check(header), (0, ""))
        sys.path.insert(0, str(self.root / "docs/site"))
        self.addCleanup(sys.path.pop, 0)
        self.addCleanup(sys.modules.pop, "reference")
        import reference
        reference.write(self.root, self.root / "build/docs/xml", self.root)
        return (self.root / "reference/box.h.md").read_text(encoding="utf-8")

    def test_a_header_with_comments_is_accepted(self):
        self.assertEqual(self.check(GOOD), (0, ""))

    def test_a_symbol_without_a_comment_is_refused(self):
        for old, name in (("/** A box, which mcp_box_new makes. */\n", "mcp_box"),
                          ("  /** How large it is. */\n", "size"),
                          ("/** What can go wrong. */\n", "anonymous")):
            self.assertIn(old, GOOD)
            code, out = self.check(GOOD.replace(old, ""))
            self.assertEqual(code, 1, name)
            self.assertIn("include/mcp/box.h:", out)

    def test_a_page_has_the_symbols_in_their_order(self):
        page = self.page(GOOD)
        order = [page.index(part) for part in (
            "# mcp/box.h", "Boxes.", "{ #mcp_box }", "{ #mcp_box.size }",
            "{ #mcp_box.item_count }", "## Making boxes", "{ #mcp_box_new }",
            'id="MCP_BOX_FULL"', 'id="MCP_BOX_LOST"')]
        self.assertEqual(order, sorted(order))

    def test_a_page_links_names(self):
        page = self.page(GOOD)
        self.assertIn("](#mcp_box_new) makes", page)
        self.assertIn("](#MCP_BOX_FULL): see [mcp\\_box.items](#mcp_box.items)",
                      page)

    def test_a_list_of_what_is_returned_is_a_list(self):
        self.assertIn("**Returns**:\n\n-   0: there is one;", self.page(GOOD))


README = """\
# Boxes

## Documents

Begin:

| to | read |
|---|---|
| make boxes | [Make a box](docs/guide/make.md) |
| see all | [include/mcp/](include/mcp), [one](examples/one.c) |

## Build
"""
PAGE = """\
# Make a box

Call `mcp_box_new` as in `examples/one.c` ([another](../../examples/two.c)), see
[More](../MORE.md#more), `mcp_nothing` and [`mcp_box_new`](../MORE.md).

```c
`mcp_box_new`
```
"""


@unittest.skipUnless(shutil.which("doxygen"), "no doxygen is installed")
class Stage(Folder):
    def setUp(self):
        super().setUp()
        for path, text in (("README.md", README), ("CHANGELOG.md", "# C\n"),
                           ("CONTRIBUTING.md", "# D\n"),
                           ("docs/guide/make.md", PAGE),
                           ("docs/MORE.md", "# More\n"),
                           ("bindings/lua/README.md", "# Lua\n"),
                           ("examples/one.c", "int one;\n"),
                           ("examples/two.c", "int two;\n")):
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.assertEqual(self.check(GOOD), (0, ""))
        subprocess.run([sys.executable, self.root / "docs/site/stage.py",
                        self.root / "build/docs"], check=True)

    def read(self, page):
        return (self.root / "build/docs/pages" / page).read_text("utf-8")

    def test_names_lead_to_the_reference_and_to_files(self):
        page = self.read("docs/guide/make.md")
        box = "../../reference/box.h.md#mcp_box_new"
        for text in (f"[`mcp_box_new`]({box}) as in",
                     "[`examples/one.c`](../../files/examples/one.c.md)",
                     "[another](../../files/examples/two.c.md)",
                     "[More](../MORE.md#more), `mcp_nothing` and",
                     "[`mcp_box_new`](../MORE.md).",
                     "```c\n`mcp_box_new`\n```"):
            self.assertIn(text, page)
        self.assertIn("int one;", self.read("files/examples/one.c.md"))
        self.assertIn("[include/mcp/](reference/README.md)",
                      self.read("README.md"))

    def test_the_navigation_is_the_index_and_all_other_pages(self):
        text = (self.root / "build/docs/mkdocs.yml").read_text("utf-8")
        nav = json.loads(text.split("\nnav: ")[1].split("\n")[0])
        self.assertEqual(nav, [
            {"libmcp": "README.md"},
            {"Begin": [{"Make a box": "docs/guide/make.md"}]},
            {"More": ["CHANGELOG.md", "CONTRIBUTING.md", "docs/MORE.md",
                      "bindings/lua/README.md"]},
            {"Reference": [{"All headers": "reference/README.md"},
                           {"box.h": "reference/box.h.md"}]}])


if __name__ == "__main__":
    unittest.main()
