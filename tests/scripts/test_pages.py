#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/examples/run_pages.py and check_links.py with pages of their own."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
PROGRAM = """Save this as `two.c`:

```c
#include <stdio.h>
int main(void) {
  puts("one");
  puts("two");
  return 0;
}
```

"""
COMPILED = "$ cc -o two two.c\n"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_script(self, name, *words, **env):
        run = subprocess.run(
            [sys.executable, EXAMPLES / name, *words], capture_output=True,
            text=True, check=False, env={**os.environ, **env})
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout


class Pages(Folder):
    def page(self, text, **env):
        self.write("page.md", text)
        return self.run_script("run_pages.py", "--bin", str(self.root),
                               "--lib", str(self.root),
                               str(self.root / "page.md"), **env)

    def console(self, lines, **env):
        return self.page(PROGRAM + f"```console\n{lines}```\n", **env)

    def assert_refused(self, found, *parts):
        code, out = found
        self.assertEqual(code, 1, out)
        for part in parts:
            self.assertIn(part, out)

    def test_the_output_of_a_program_is_compared(self):
        for shown in ("one\ntwo\n", "one\n...\n", "o…\n…\n"):
            self.assertEqual(self.console(f"{COMPILED}$ ./two\n{shown}"),
                             (0, ""))

    def test_another_output_is_refused(self):
        for shown in ("one\n", "one\ntwo\nthree\n", "", "two\none\n"):
            self.assert_refused(self.console(f"{COMPILED}$ ./two\n{shown}"),
                                "page.md:12", "$ ./two", "one\ntwo\n")

    def test_a_program_that_no_command_runs_is_refused(self):
        self.assert_refused(self.console("$ echo three\nthree\n"),
                            "no command of the page runs two")

    def test_a_program_that_does_not_compile_is_refused(self):
        self.write("page.md", "")
        found = self.page(PROGRAM.replace("puts", "putz") +
                          f"```console\n{COMPILED}$ ./two\none\n```\n")
        self.assert_refused(found, "$ cc -o two", "putz")

    def test_a_warning_is_refused(self):
        found = self.page(PROGRAM.replace("return 0", "int x; return 0") +
                          f"```console\n{COMPILED}$ ./two\none\n```\n")
        self.assert_refused(found, "$ cc -o two", "unused")

    def test_a_command_behind_must_print_its_lines(self):
        self.assertEqual(self.console(
            COMPILED + "$ ./two; sleep 60 &\none\ntwo\n"), (0, ""))
        self.assert_refused(self.console(COMPILED + "$ ./two &\nthree\n"),
                            "$ ./two", "three", "one\ntwo")

    def test_a_library_that_is_missing_is_skipped_or_refused(self):
        lines = ("$ cc -o two two.c $(pkg-config --cflags --libs no-such)\n"
                 "$ ./two\nthree\n")
        code, out = self.console(lines, ALL_PACKAGES="")
        self.assertEqual(code, 0, out)
        self.assertIn("skipped: two needs no-such", out)
        self.assert_refused(self.console(lines, ALL_PACKAGES="true"), "no-such")

    def test_json_is_read(self):
        self.assertEqual(self.page("```json\n{}\n```\n"), (0, ""))
        self.assert_refused(self.page("```json\n{,}\n```\n"), "not JSON")


class Links(Folder):
    def check(self, text):
        self.write("README.md", text)
        return self.run_script("check_links.py", str(self.root))

    def setUp(self):
        super().setUp()
        self.write("docs/A.md", "# One\n\n## `two` and *three*\n\n## One\n\n"
                                "```\n# four\n```\n")

    def test_links_that_lead_somewhere_are_accepted(self):
        for link in ("docs/A.md", "docs", "docs/A.md#two-and-three",
                     "docs/A.md#one-1", "#top", "https://example.com/x"):
            self.assertEqual(self.check(f"# Top\n[x]({link})\n"), (0, ""))

    def test_links_that_lead_nowhere_are_refused(self):
        for link, why in (("docs/B.md", "no such file"),
                          ("docs/A.md#four", "no such heading"),
                          ("docs/A.md#one-2", "no such heading"),
                          ("#bottom", "no such heading"),
                          ("../x", "leads out of the project")):
            code, out = self.check(f"# Top\n\n[x]({link})\n")
            self.assertEqual(code, 1)
            self.assertTrue(out.startswith("README.md:3: "), out)
            self.assertIn(why, out)

    def test_code_has_no_links(self):
        self.assertEqual(self.check("`[x](y)`\n\n```\n[x](y)\n```\n"), (0, ""))


if __name__ == "__main__":
    unittest.main()
