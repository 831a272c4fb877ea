#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server (2025-11-25) that lists what a file says.

usage: fake_listing.py FILE [LOG]

FILE is JSON in the form that `mcpctl snapshot` writes. A list that it does not
have is unknown to the server; resourceTemplates may be missing where resources
are. Lists have pages of one entry, with a hint for caches. LOG gets a line for
each tool that is called.
"""
import json
import sys

LISTS = {"tools/list": "tools", "prompts/list": "prompts",
         "resources/list": "resources",
         "resources/templates/list": "resourceTemplates"}


def answer(listing, method, params):
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25",
                  "serverInfo": listing["server"],
                  "capabilities": {name: {} for name in
                                   ("tools", "prompts", "resources")
                                   if name in listing}}
        if "instructions" in listing:
            result["instructions"] = listing["instructions"]
        return result
    if LISTS.get(method) in listing:
        entries = listing[LISTS[method]]
        at = int(params.get("cursor", 0))
        page = {LISTS[method]: entries[at:at + 1], "ttlMs": 5000}
        if at + 1 < len(entries):
            page["nextCursor"] = str(at + 1)
        return page
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "called"}]}
    return {} if method == "ping" else None


def main():
    with open(sys.argv[1]) as file:
        listing = json.load(file)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(listing, message["method"], message.get("params", {}))
        if message["method"] == "tools/call" and len(sys.argv) > 2:
            with open(sys.argv[2], "a") as log:
                log.write(message["params"]["name"] + "\n")
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if result is not None:
            reply["result"] = result
        else:
            reply["error"] = {"code": -32601, "message": "no such method"}
        print(json.dumps(reply), flush=True)


main()
