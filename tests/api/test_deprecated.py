#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""MCP_DEPRECATED warns of calls, and MCP_NO_DEPRECATED_WARNINGS turns that off.

usage: test_deprecated.py CC CXX     (at the top of the tree)
"""
import subprocess
import sys
import unittest

COMPILERS = {"-xc": sys.argv[1], "-xc++": sys.argv[2]}
STANDARDS = [("-xc", "c99"), ("-xc", "c11"), ("-xc++", "c++11"),
             ("-xc++", "c++17")]
DECLARATION = """#include <mcp/mcp.h>
MCP_BEGIN_DECLS
MCP_DEPRECATED("0.3", "mcp_new_way")
MCP_API int mcp_old_way(int number);
MCP_END_DECLS
int run(void);
"""
NO_CALL = DECLARATION + "int run(void) { return 1; }\n"
CALL = DECLARATION + "int run(void) { return mcp_old_way(1); }\n"
OFF = "#define MCP_NO_DEPRECATED_WARNINGS\n"


def warnings(language, standard, text):
    """The exit code with -Werror, and what the compiler says."""
    done = subprocess.run(
        [COMPILERS[language], language, f"-std={standard}", "-fsyntax-only",
         "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Iinclude", "-"],
        input=text, text=True, capture_output=True, check=False)
    return done.returncode, done.stderr


class Deprecated(unittest.TestCase):
    def each(self):
        for language, standard in STANDARDS:
            with self.subTest(standard=standard):
                yield language, standard

    def test_a_call_is_warned_of_with_version_and_successor(self):
        for where in self.each():
            code, said = warnings(*where, CALL)
            self.assertNotEqual(code, 0)
            self.assertIn("since libmcp 0.3: use mcp_new_way", said)

    def test_a_declaration_alone_does_not_warn(self):
        for where in self.each():
            self.assertEqual(warnings(*where, NO_CALL), (0, ""))

    def test_one_switch_turns_the_warnings_off(self):
        for where in self.each():
            self.assertEqual(warnings(*where, OFF + CALL), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
