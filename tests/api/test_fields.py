#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compilers say of mistakes in lists of mcp/fields.h (docs/FIELDS.md).

usage: test_fields.py CC CXX     (at the top of the tree)
"""
import re
import subprocess
import sys
import unittest

COMPILERS = {"c11": [sys.argv[1], "-xc", "-std=c11"],
             "c++17": [sys.argv[2], "-xc++", "-std=c++17"]}
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         "-Iinclude", "-"]
# One in a list, and what the first error says. The second text is for C++, if
# it differs there. -Wpedantic speaks first of some.
MISTAKES = {
    "a kind": ('STRNG, a, "A"', "MCP_TYPE_STRNG"),
    "an enumeration": ('ENUM(colour), a, "A"', "colour|incomplete type|enum"),
    "a comma": ('STRING, a "A"', "expected .*;|at least one argument"),
    "a name twice": ('STRING, b, "A"', "duplicate member|redeclaration"),
    "a description": ("STRING, a", "variadic|expected (primary-)?expression"),
    "a fraction": ('INTEGER_OR(1.5), a, "A"', "is not whole"),
    "a string": ('INTEGER_OR("1"), a, "A"', "is not whole|makes integer"),
    "a flag": ('BOOLEAN_OR("yes"), a, "A"', "is not whole|makes integer"),
    "a text": ('STRING_OR(5), a, "A"', "generic|_Generic",
               "invalid conversion|incompatible integer"),
    "a number": ('NUMBER_OR("x"), a, "A"', "double"),
    "a bound": ('NUMBER, a, "A", MCP_MINIMUM("1")', "double"),
    "an option": ('NUMBER, a, "A", MCP_MINIMAL(1)', "MCP_MINIMAL"),
}


def first_error(standard, text):
    """None: there is none."""
    done = subprocess.run(COMPILERS[standard] + FLAGS, input=text, text=True,
                          capture_output=True, check=False)
    found = re.search(r"error: (.*)", done.stderr)
    return found and found[1]


def with_fields(fields):
    return ("#include <mcp/mcp.h>\n"
            "#define A(FIELD) \\\n"
            f"  {fields}FIELD(INTEGER_OR(-1), b, \"B\")\n"
            "MCP_DEFINE_STRUCT(a, A);\n")


class Fields(unittest.TestCase):
    def test_a_list_without_mistakes_compiles(self):
        for standard in COMPILERS:
            self.assertIsNone(first_error(standard, with_fields("")))

    def test_each_mistake_has_a_message(self):
        for name, (fields, *said) in MISTAKES.items():
            for standard, words in zip(COMPILERS, (said[0], said[-1])):
                with self.subTest(mistake=name, standard=standard):
                    text = with_fields(f"FIELD({fields}) ")
                    self.assertRegex(str(first_error(standard, text)), words)

    def test_a_structure_of_the_program_has_its_types_checked(self):
        text = ("#include <mcp/fields.h>\n"
                "struct a { int port; };\n"
                "#define A(FIELD) FIELD(INTEGER, port, \"P\")\n"
                "MCP_DESCRIBE_STRUCT(a, A);\n")
        for standard in COMPILERS:
            self.assertIn("the member port does not have the type of INTEGER",
                          first_error(standard, text))

    def test_older_standards_can_include_the_header(self):
        for command in ([sys.argv[1], "-xc", "-std=c99"],
                        [sys.argv[2], "-xc++", "-std=c++11"]):
            subprocess.run(command + FLAGS, input="#include <mcp/mcp.h>\n",
                           text=True, check=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
