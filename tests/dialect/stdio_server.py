#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A server of the mcp-core dialect over its standard input and output: as the
package's client expects it ("code": bare requests, answers in their order), as
the document says ("document": tools/call and answers by id), or with the frames
that WebSocket has ("frame"). Tools: echo, environment, and broken, nope, exit."""
import json
import os
import sys

KIND = sys.argv[1]


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def result_of(name, arguments):
    if name == "environment":
        return {"COLOUR": os.environ.get("COLOUR")}
    return arguments or {}


def answer_bare(request):
    if request["name"] == "broken":
        say("oh no")
    else:
        say(json.dumps(result_of(request["name"], request.get("arguments"))))


def answer_with_id(number, name, arguments):
    if name == "nope":
        answer = {"error": {"code": 404, "message": "no tool named nope"}}
    else:
        answer = {"result": {"content": [{"type": "text", "text": "x"}],
                             "structuredContent": result_of(name, arguments)}}
    say(json.dumps({"jsonrpc": "2.0", "id": number, **answer}))


def main():
    held = []  # answered in the opposite order, as ids allow
    print("a diagnosis", file=sys.stderr)
    for line in sys.stdin:
        request = json.loads(line)
        if KIND == "code":
            assert sorted(request) in (["arguments", "name"], ["name"])
            answer_bare(request)
            continue
        if KIND == "document":
            assert sorted(request) == ["id", "jsonrpc", "method", "params"]
            params = request["params"]
        else:
            assert sorted(request) == ["arguments", "id", "name"]
            params = request
        if params["name"] == "exit":
            return
        held.append((request["id"], params["name"], params.get("arguments")))
        if len(held) == (3 if KIND == "document" else 2):
            say('{"type":"notification","event":"tick"}')
            while held:
                answer_with_id(*held.pop())


main()
