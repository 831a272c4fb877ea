#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each tool, prompt and completion of our programs, with a string that contains
NUL in each of its arguments: mcp_call_string gives NULL for those. A handler
that does not check for it crashes, makes a text of "(null)", or takes the
argument for one that is missing.

usage: nul_bytes.py PROGRAM... [-- unittest's arguments]
"""
import sys
import unittest

sys.dont_write_bytecode = True  # the sources may lie in a read-only tree

from peer import MODERN, Answered, Peer  # noqa: E402

LEGACY = "2025-11-25"
NUL = "a\0b"
PROGRAMS = []
# Refused by the handler, by the schema, or an argument that nobody completes.
UNREAD = "must not contain NUL|Invalid arguments|'values': \\[\\]"


def value_of(schema):
    """A value for an argument that has such a schema."""
    if "enum" in schema:
        return schema["enum"][0]
    return {"integer": 1, "number": 1, "boolean": True, "array": [],
            "object": {}}.get(schema.get("type"), NUL)


def entries(peer, kind):
    """The whole list of a kind, page by page; empty where there is none."""
    method = "resources/templates/list" if kind == "resourceTemplates" \
        else f"{kind}/list"
    params = {}
    while True:
        try:
            result = peer.request(method, params)
        except Answered:
            return
        yield from result[kind]
        if "nextCursor" not in result:
            return
        params = {"cursor": result["nextCursor"]}


def requests(peer):
    for tool in entries(peer, "tools"):
        given = tool["inputSchema"].get("properties", {})
        strings = {name: value_of(schema) for name, schema in given.items()}
        if NUL in strings.values():
            yield "tools/call", {"name": tool["name"], "arguments": strings}
    for prompt in entries(peer, "prompts"):
        names = [one["name"] for one in prompt.get("arguments", [])]
        if names:
            yield "prompts/get", {"name": prompt["name"],
                                  "arguments": dict.fromkeys(names, NUL)}
        for name in names:
            yield "completion/complete", {
                "ref": {"type": "ref/prompt", "name": prompt["name"]},
                "argument": {"name": name, "value": NUL}}
    for template in entries(peer, "resourceTemplates"):
        uri = template["uriTemplate"]
        for name in [part.split("}")[0] for part in uri.split("{")[1:]]:
            yield "completion/complete", {
                "ref": {"type": "ref/resource", "uri": uri},
                "argument": {"name": name.strip("+#./;?&*"), "value": NUL}}


class Case(unittest.TestCase):
    def assert_no_handler_reads_null(self, program, revision):
        peer = Peer([program], revision)
        asked = 0
        for method, params in list(requests(peer)):
            with self.subTest(program=program, method=method, params=params):
                try:
                    answer = str(peer.request(method, params))
                except Answered as answered:
                    answer = str(answered)
                self.assertRegex(answer, UNREAD)
                asked += 1
        self.assertEqual(peer.end(), 0, program)
        self.assertGreater(asked, 0, program)

    def test_no_handler_reads_a_string_that_contains_nul(self):
        for program in PROGRAMS:
            self.assert_no_handler_reads_null(program, LEGACY)
            self.assert_no_handler_reads_null(program, MODERN)


if __name__ == "__main__":
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    PROGRAMS = words[:end]
    unittest.main(argv=[sys.argv[0], *words[end + 1:]])
