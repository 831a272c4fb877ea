#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check-version in a folder of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check-version"
HEADER = """#define MCP_VERSION_MAJOR 1
#define MCP_VERSION_MINOR 2
#define MCP_VERSION_PATCH 3
"""
CHANGES = """# Changes

## 1.2.3 - not released yet

### Added

## 1.2.2 - 2026-01-31

### Added

### Fixed
"""


class CheckVersion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("include/mcp/version.h", HEADER)
        self.write("include/mcp/a.h", "/** Runs it. Since 1.2. */\n")
        self.write("CMakeLists.txt", "project(mcp VERSION ${mcp_version})\n")
        self.write("CHANGELOG.md", CHANGES)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_script(self):
        run = subprocess.run([sys.executable, SCRIPT, self.root],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout

    def assert_refused(self, *parts):
        code, out = self.run_script()
        self.assertEqual(code, 1, out)
        for part in parts:
            self.assertIn(part, out)

    def test_one_version_everywhere_is_accepted(self):
        self.assertEqual(self.run_script(), (0, ""))

    def test_a_version_in_cmake_is_refused(self):
        self.write("CMakeLists.txt", "project(mcp VERSION 1.2.3 LANGUAGES C)\n")
        self.assert_refused("CMakeLists.txt: the version 1.2.3")

    def test_another_version_on_top_of_the_changelog_is_refused(self):
        self.write("CHANGELOG.md", "## 1.2.2 - 2026-01-31\n")
        self.assert_refused("CHANGELOG.md: the first section is not 1.2.3")

    def test_a_changelog_of_another_form_is_refused(self):
        for old, new, said in (
                ("2026-01-31", "31 January", "CHANGELOG.md:7: write"),
                ("2026-01-31", "not released yet", "CHANGELOG.md:7: only the "),
                ("1.2.2", "1.10.0", "CHANGELOG.md:7: 1.10.0 - 2026-01-31 is "),
                ("Fixed", "Bugs", 'CHANGELOG.md:11: "Bugs" is not one of'),
                ("Fixed", "Added", "CHANGELOG.md:11: this version has")):
            self.write("CHANGELOG.md", CHANGES.replace(old, new))
            self.assert_refused(said)

    def test_a_since_of_a_later_version_is_refused(self):
        for since in ("Since 1.3.", "Since\n * 2.0."):
            self.write("include/mcp/sys/b.h", f"/**\n * Runs. {since} */\n")
            self.assert_refused("include/mcp/sys/b.h: Since ")

    def test_revisions_of_the_protocol_are_no_versions(self):
        self.write("include/mcp/a.h", "/** Since 2025-06-18. Since 1.2. */\n")
        self.assertEqual(self.run_script(), (0, ""))

    def test_a_header_without_a_part_is_refused(self):
        self.write("include/mcp/version.h", HEADER.replace("PATCH", "FIX"))
        self.assert_refused("expected the three parts")


if __name__ == "__main__":
    unittest.main()
