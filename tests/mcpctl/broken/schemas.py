#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Its tools, resources and prompts are wrong: names, schemas, results."""
from kit import Server, Wrong

READS = {"readOnlyHint": True}
OUTPUT = {"type": "object", "required": ["n"],
          "properties": {"n": {"type": "integer"}}}
NONE = {"type": "object"}


def tool(name, **more):
    return {"name": name, "description": "Does it", "inputSchema": NONE, **more}


class Schemas(Server):
    capabilities = {"tools": {}, "prompts": {}, "resources": {}}
    tools = [
        tool("with blank"), tool("files.read"), tool("x" * 65),
        tool("twice"), tool("twice"),
        {"name": "mute", "inputSchema": NONE},
        tool("hints", annotations={"readOnlyHint": "yes"}),
        tool("array", inputSchema={"type": "array"}),
        tool("typo", inputSchema={"type": "object",
                                  "properties": {"n": {"type": "nunber"}}}),
        tool("list", outputSchema={"type": "array"}),
        tool("regex", outputSchema={"type": "object", "properties": {
            "a": {"pattern": "("}}}),
        tool("lies", outputSchema=OUTPUT, annotations=READS),
        tool("forgets", outputSchema=OUTPUT, annotations=READS),
        tool("draws", annotations=READS),
        tool("fails", outputSchema=OUTPUT, annotations=READS),
        tool("writes"),
        tool("needs", annotations=READS, inputSchema={
            "type": "object", "required": ["a"]}),
        {"description": "nameless", "inputSchema": NONE}]
    results = {
        "lies": {"content": [], "structuredContent": {"n": "one"}},
        "forgets": {"content": [{"type": "text", "text": "1"}]},
        "draws": {"content": [{"type": "image", "data": "?",
                               "mimeType": "image/png"}]},
        "fails": {"content": [], "isError": True},
        "writes": {"content": 7}}

    def tools_call(self, params):
        if params.get("name") in ("writes", "needs") and not params.get(
                "arguments"):
            open("/dev/full", "w").write("called\n")  # it must not be called
        result = self.results.get(params.get("name"))
        if result is None:
            raise Wrong(-32602, "unknown tool")
        return result

    def prompts_list(self, params):
        if "cursor" in params:
            raise Wrong(-32602, "no such cursor")
        return {"prompts": [
            {"name": "greet"}, {"name": "greet"}, {"name": "secret"},
            {"name": "ask", "arguments": [{"name": "q", "required": True}]}]}

    def prompts_get(self, params):
        if params["name"] != "greet":
            raise Wrong(-32603, "KeyError")
        return {"messages": [{"role": "system", "content": {
            "type": "text", "text": "hello"}}]}

    def resources_list(self, params):
        return {"resources": [{"uri": "/etc/hosts", "name": "hosts"},
                              {"uri": "note:1", "name": "gone"}],
                "nextCursor": None}

    def resources_templates_list(self, params):
        if "cursor" in params:
            raise Wrong(-32602, "no such cursor")
        return {"resourceTemplates": [{"uriTemplate": "note:{id", "name": "n"}]}

    def resources_read(self, params):
        if params["uri"] == "/etc/hosts":
            return {"contents": [{"uri": "/etc/hosts", "blob": "?"}]}
        raise Wrong(-32000, "gone")


Schemas().serve()
