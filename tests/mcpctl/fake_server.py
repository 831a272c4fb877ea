#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server that misbehaves on demand, for the tests of mcpctl.

usage: fake_server.py [MODE]

MODE is legacy (2025-11-25, the default), modern (2026-07-28), or a way to
fail: dies, talks, rambles, killed, garbage, flood, silent, deaf, chatty, fragile,
mute, lost, listless, discreet, noisy. Or long, cut, marked: it has other tools.
"""
import itertools
import json
import os
import signal
import sys
import threading
import time

MODERN = "2026-07-28"
INFO = {"name": "fake", "title": "The fake", "version": "7"}
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {"subscribe": True},
                "prompts": {}, "logging": {}, "completions": {}}
EVIL = "a\x1b[31mred\x1b[0m\x07 \u009b2J \u202eb\rc\x7f"
COLORS = {"type": "string", "oneOf": [{"const": "r", "title": "Red"},
                                      {"const": "g", "title": "Green"}]}
FORM = {"type": "object", "required": ["name", "color"], "properties": {
    "name": {"type": "string", "title": "Your name", "minLength": 2},
    "color": COLORS,
    "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
    "spam": {"type": "boolean", "description": "Send mail?"}}}
OPTIONAL = {"type": "object", "properties": {
    "sure": {"type": "boolean", "default": True}}}


def tool(name, description, properties=None, **more):
    schema = {"type": "object", "properties": properties or {}}
    return {"name": name, "description": description, "inputSchema": schema,
            **more}


TOOLS = [
    tool("echo", "Gives its arguments back"),
    tool("fail", "Reports an error"),
    tool("escape", EVIL),
    tool("described", "Has it all",
         {"path": {"type": "string", "description": "a file"},
          "operation": {"enum": ["sum", "count"], "default": "sum"},
          "numbers": {"type": "array", "items": {"type": "number"}}},
         title="A title", annotations={"readOnlyHint": True},
         outputSchema={"type": "array", "items": {"$ref": "#/$defs/row"},
                       "$defs": {"row": {
                           "type": "object", "required": ["size"],
                           "properties": {
                               "size": {"type": "object", "properties": {
                                   "width": {"type": "integer", "minimum": 0}}},
                               "like": {"$ref": "#/$defs/row"}}}}}),
    tool("wide", "日本語" * 40),
    tool("wordy", "\n".join(["many words " * 20, "Protocol      none"]),
         {"text": {"description": "it says " * 20}, "n": {}}),
    tool("slow", "Shows progress"),
    tool("optional", "Asks"),
    tool("strict", "Has an old schema", inputSchema={
        "$schema": "http://json-schema.org/draft-07/schema#",
        "required": ["pair"], "dependencies": {"a/b~c": ["pair"]},
        "properties": {"pair": {"items": [{"type": "integer"},
                                          {"enum": [EVIL]}]},
                       "a/b~c": {"type": "boolean"}}}),
    tool("mistaken", "Has schemas that are not valid",
         {"n": {"type": "nunber"}}, outputSchema={"type": "objct"}),
    tool("costly", "Has a schema that takes very long", inputSchema={
        "$ref": "#/$defs/d0", "$defs": {
            **{f"d{i}": {"anyOf": [{"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 9}]}
               for i in range(9)}, "d9": {}}}),
]
LONG = tool(
    "compare_two_folders_and_all_that_is_below_them", "With long names",
    {"the_folder_that_comes_first": {
        "type": "string", "description": "told at some length " * 3},
     "the_folder_that_comes_second": {
         "type": "string", "default": "/home", "description": "as long " * 9}})
DEEP = tool(
    "deep", "With a long path",
    {"settings_of_the_whole": {"type": "object", "properties": {
        "the_first_of_its_many_parts": {"type": "object", "properties": {
            "the_way_it_is_written": {
                "enum": ["as_it_is_in_the_file", "as_it_is_on_the_page"],
                "description": "told at some length " * 9}}}}}})
CUT = {"name": "a\0b", "inputSchema": {"type": "object"}}
STEPS = {"steps": {"type": "integer"}, "delay": {"type": "number"}}
NAMED = [
    tool("walk", "", STEPS),
    tool("open", "", inputSchema={"type": "object", "properties": STEPS,
                                  "additionalProperties": True}),
    tool("narrow", "", inputSchema={"type": "object", "properties": STEPS,
                                    "required": ["steps"],
                                    "additionalProperties": False})]
MARKED = [
    tool("plain", "", execution={"taskSupport": "forbidden"}),
    tool("may", "", execution={"taskSupport": "optional"}),
    tool("must", "", execution={"taskSupport": "required"}),
    tool("paged", "", _meta={"ui": {"resourceUri": "ui://fake/\x1b[1m"}}),
    tool("hidden", "", _meta={"ui": {"resourceUri": "ui://fake/page",
                                     "visibility": ["app"]}}),
    tool("modest", "", _meta={"ui": {"visibility": ["model"]}}),
    tool("lost", "", _meta={"ui": {"visibility": "app"}})]
TOOL_LISTS = {"long": [LONG, DEEP], "cut": [CUT], "marked": MARKED,  # by mode
              "named": NAMED}
QUESTIONS = {
    "form": {"method": "elicitation/create", "params": {
        "message": "Who are you?", "requestedSchema": FORM}},
    "optional": {"method": "elicitation/create", "params": {
        "message": "Really?", "requestedSchema": OPTIONAL}},
    "slashed": {"method": "elicitation/create", "params": {
        "message": "How many?", "requestedSchema": {
            "type": "object", "properties": {
                "a": {"type": "integer"}, "a/b~": {"type": "integer"}}}}},
    "visit": {"method": "elicitation/create", "params": {
        "mode": "url", "message": "Log in", "elicitationId": "e1",
        "url": "http://good.example@xn--evl-qla.example:81/login?x=1"}},
    "visit-far": {"method": "elicitation/create", "params": {
        "mode": "url", "message": "Log in", "elicitationId": "e1",
        "url": "https://good.example/?" + "x" * 5000 + "&to=evil.example"}},
    "think": {"method": "sampling/createMessage", "params": {
        "maxTokens": 100, "systemPrompt": "Be brief.",
        "messages": [{"role": "user", "content": {
            "type": "text", "text": "What is 6 times 7?"}}]}},
}


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


# One red pixel as PNG.
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAE"
         "hQGAhKmMIQAAAABJRU5ErkJggg==")


class Server:
    def __init__(self, mode):
        self.modern = mode == "modern"
        self.is_fragile = mode == "fragile"
        self.is_mute = mode == "mute"
        self.is_lost = mode == "lost"
        self.is_listless = mode == "listless"
        self.wants_roots = mode == "rooted"
        # It offers the list of tasks, and refuses it.
        self.more_capabilities = ({"tasks": {"list": {}}}
                                  if mode == "discreet" else {})
        self.first_roots = None
        self.tools = TOOL_LISTS.get(mode, TOOLS)
        self.level = None
        self.meta = {}
        self.calls_left = None
        self.counted = 0
        self.live = "first\nold\n"

    def send(self, **message):
        line = json.dumps({"jsonrpc": "2.0", **message})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def read(self):
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        return json.loads(line)

    def run(self):
        while True:
            message = self.read()
            if "method" in message and "id" in message:
                self.answer(message)
            elif (self.wants_roots
                  and message.get("method") == "notifications/initialized"):
                self.send(id="first", method="roots/list")
            elif message.get("id") == "first":
                self.first_roots = message["result"]["roots"]

    def answer(self, message):
        params = message.get("params", {})
        self.meta = params.get("_meta", {})
        name = message["method"].replace("/", "_")
        if self.is_fragile and name != "initialize":
            sys.exit("only initialize, please")
        self.is_fragile = False
        handler = getattr(self, name, None)
        foreign = ("server_discover",) if not self.modern else (
            "initialize", "ping", "logging_setLevel")
        if handler is None or name in foreign:
            self.send(id=message["id"], error={
                "code": -32601, "message": "no " + message["method"],
                "data": {"asked": message["method"]}})
            return
        result = handler(params)
        if result is None:
            return
        if "error" in result:
            self.send(id=message["id"], error=result["error"])
            return
        if self.modern:
            result = {"resultType": "complete", **result}
            if result["resultType"] == "complete":
                result.update(ttlMs=0, cacheScope="private",
                              _meta={"io.modelcontextprotocol/serverInfo": INFO})
        self.send(id=message["id"], result=result)

    # ---- the protocol's methods

    def initialize(self, params):
        return {"protocolVersion": "2025-11-25", "serverInfo": INFO,
                "capabilities": CAPABILITIES | self.more_capabilities,
                "instructions": "Be careful."}

    def server_discover(self, params):
        return {"supportedVersions": [MODERN], "capabilities": CAPABILITIES,
                "serverInfo": INFO, "instructions": "Be careful."}

    def ping(self, params):
        return {}

    def logging_setLevel(self, params):
        if self.is_mute:
            return {"error": {"code": -32603, "message": "mute"}}
        self.level = params["level"]
        return {}

    def tools_list(self, params):
        if self.is_lost:
            return None
        if self.is_listless:
            return {"error": {"code": -32603, "message": "no list today"}}
        at = int(params.get("cursor", 0))
        page = {"tools": self.tools[at:at + 2]}
        if at + 2 < len(self.tools):
            page["nextCursor"] = str(at + 2)
        else:
            page["tools"] = page["tools"] + self.others()
        return page

    def others(self):
        """The tools that no table describes."""
        listed = {entry["name"] for entry in self.tools}
        names = {name[5:] for name in dir(self) if name.startswith("tool_")}
        return [tool(name, "")
                for name in sorted((names | set(QUESTIONS)) - listed)]

    def resources_list(self, params):
        return {"resources": [
            {"uri": "fake://text", "name": "text", "mimeType": "text/plain",
             "size": 12, "description": "A text"},
            {"uri": "fake://blob", "name": "blob"}]}

    def resources_subscribe(self, params):
        """Changes the resource soon, and says so."""
        if params["uri"] != "fake://live":
            return {"error": {"code": -32602, "message": "it never changes"}}
        threading.Timer(0.5, self.change_live).start()
        return {}

    def change_live(self):
        self.live = "first\nsecond\x1b[1m\n"
        self.send(method="notifications/resources/updated",
                  params={"uri": "fake://live"})
        self.announce()
        self.send(method="notifications/fake", params={"last": True})

    def resources_templates_list(self, params):
        return {"resourceTemplates": []}

    def resources_read(self, params):
        uri = params["uri"]
        if uri == "fake://blob":
            return {"contents": [{"uri": uri, "blob": "AAECAwQ=",
                                  "mimeType": "application/x-x"}]}
        if uri == "fake://pixel":
            return {"contents": [{"uri": uri, "blob": PIXEL,
                                  "mimeType": "image/png"}]}
        if uri == "fake://bad":
            return {"contents": [{"uri": uri, "blob": "AA E"}]}
        if uri == "fake://nothing":
            return {"contents": [{"uri": uri}]}
        if uri == "fake://live":
            return {"contents": [{"uri": uri, "text": self.live}]}
        if uri == "fake://both":
            return {"contents": [{"uri": uri + "/1", "text": "one\n"},
                                 {"uri": uri + "/2", "text": "two"},
                                 {"uri": uri + "/3", "text": ""}]}
        if uri == "fake://text":
            return {"contents": [{"uri": uri, "text": "a\x1b[1mb"}]}
        code = -32602 if self.modern else -32002
        return {"error": {"code": code, "message": "no such resource",
                          "data": {"uri": uri}}}

    def prompts_list(self, params):
        if self.tools == TOOL_LISTS["long"]:
            return {"prompts": [{
                "name": "compare_them", "description": "compares " * 20,
                "arguments": [{"name": "the_folder_that_comes_first",
                               "required": True},
                              {"name": "the_folder_that_comes_second"}]}]}
        return {"prompts": [{"name": "greet", "description": "Greets",
                             "arguments": [{"name": "who", "required": True},
                                           {"name": "how"}]}]}

    def prompts_get(self, params):
        arguments = params.get("arguments", {})
        wrong = set(arguments) - {"who", "how"}
        if params["name"] != "greet" or wrong or arguments.get("how") == "mad":
            return {"error": {"code": -32602, "message": "not like this",
                              "data": {"prompt": params["name"]}}}
        who = arguments.get("who", "nobody")
        return {"messages": [
            {"role": "user", "content": {"type": "text",
                                         "text": "Greet " + who}},
            {"role": "assistant", "content": {
                "type": "resource", "resource": {
                    "uri": "fake://text", "mimeType": "text/plain",
                    "text": "embedded"}}}]}

    def completion_complete(self, params):
        start = params["argument"]["value"]
        known = params.get("context", {}).get("arguments", {})
        values = [v for v in ("alice", "albert", "bob") if v.startswith(start)]
        return {"completion": {"values": values + sorted(known)}}

    # ---- tools

    def tools_call(self, params):
        name = params["name"]
        if name in QUESTIONS:
            return self.ask(name, params)
        handler = getattr(self, "tool_" + name, None)
        if handler is None:
            return {"error": {"code": -32602, "message": "no tool " + name}}
        return handler(params.get("arguments", {}))

    def ask(self, name, params):
        question = QUESTIONS[name]
        if self.modern:
            answers = params.get("inputResponses")
            if answers is None:
                return {"resultType": "input_required", "requestState": "s",
                        "inputRequests": {"k": question}}
            return text(json.dumps(answers["k"], sort_keys=True))
        self.send(id="ask", **question)
        while True:
            message = self.read()
            if message.get("id") == "ask":
                answer = message.get("result", message.get("error"))
                return text(json.dumps(answer, sort_keys=True))

    def tool_echo(self, arguments):
        return text(json.dumps(arguments, sort_keys=True))

    tool_strict = tool_mistaken = tool_costly = tool_echo
    tool_walk = tool_open = tool_narrow = tool_echo

    def tool_fail(self, arguments):
        return text("it broke", isError=True)

    def tool_later(self, arguments):
        """Answers a number of calls, then acts as another tool."""
        if self.calls_left is None:
            self.calls_left = arguments["times"]
        self.calls_left -= 1
        return (text("well") if self.calls_left >= 0
                else getattr(self, "tool_" + arguments["then"])(arguments))

    def tool_often(self, arguments):
        """Succeeds at every other call, beginning with the first."""
        self.calls_left = not self.calls_left
        return text("well") if self.calls_left else self.tool_complain(arguments)

    def tool_escape(self, arguments):
        return text(EVIL)

    def tool_complain(self, arguments):
        return text(arguments["text"], isError=True)

    def tool_refuse(self, arguments):
        return {"error": {"code": -32602, "message": arguments["text"]}}

    def tool_structured(self, arguments):
        return {"content": [], "structuredContent": {
            "a": [1, {}, []], "s": EVIL, "n": 12345678901234567890123}}

    def tool_media(self, arguments):
        return {"content": [
            {"type": "image", "mimeType": "image/png", "data": "AAECAw=="},
            {"type": "audio", "mimeType": "audio/wav", "data": "AAEC"},
            {"type": "resource_link", "uri": "fake://text", "name": "text",
             "title": "The\x1b[1m text"},
            {"type": "resource", "resource": {"uri": "fake://blob",
                                              "blob": "AAE="}},
            {"type": "hologram"}]}

    def tool_draw(self, arguments):
        return {"content": [
            {"type": "text", "text": "A cat"},
            {"type": "image", "mimeType": "image/png",
             "data": arguments.get("data", PIXEL)}],
                "isError": arguments.get("fails", False)}

    def tool_several(self, arguments):
        return {"content": [
            {"type": "image", "mimeType": "IMAGE/PNG", "data": "AAECAw=="},
            {"type": "text", "text": "Both"},
            {"type": "audio", "mimeType": "../../etc/passwd", "data": "AAEC"},
            {"type": "resource", "resource": {
                "uri": "fake://text", "mimeType": "text/plain; charset=utf-8",
                "text": "embedded"}}]}

    def tool_slow(self, arguments):
        token = self.meta.get("progressToken")
        for i in range(1, 5):
            self.send(method="notifications/progress", params={
                "progressToken": token, "progress": i, "total": 4,
                "message": "step %d\x1b[1m" % i})
            time.sleep(arguments.get("seconds", 0))
        return text("done")

    def tool_endless(self, arguments):
        token = self.meta.get("progressToken")
        for i in itertools.count(1):
            self.send(method="notifications/progress", params={
                "progressToken": token, "progress": i})
            time.sleep(0.05)

    def tool_hang(self, arguments):
        return None

    def tool_log(self, arguments):
        level = self.meta.get("io.modelcontextprotocol/logLevel", self.level)
        if level is None:
            return text("nobody listens")
        self.send(method="notifications/message", params={
            "level": "warning", "logger": "it", "data": {"what": "smoke"}})
        return text("done")

    def tool_count(self, arguments):
        """Counts its calls."""
        self.counted += 1
        return text(str(self.counted))

    def announce(self):
        if self.level is not None:
            self.send(method="notifications/message", params={
                "level": "info", "logger": "fake", "data": "it has begun"})
        self.send(method="notifications/tools/list_changed")

    def tool_change(self, arguments):
        self.announce()
        return text("changed")

    def tool_alter_soon(self, arguments):
        threading.Timer(0.5, self.announce).start()
        return text("soon")

    def tool_exit_soon(self, arguments):
        threading.Timer(0.5, lambda: os._exit(7)).start()
        return text("soon")

    def tool_exit(self, arguments):
        os._exit(7)

    def tool_die(self, arguments):
        print("cannot go on:\x1b[31m disk full", file=sys.stderr)
        sys.exit(9)

    def tool_break(self, arguments):
        print("KeyError:\x1b[31m 'price'", file=sys.stderr)
        return {"error": {"code": arguments.get("code", -32603),
                          "message": "internal error"}}

    def tool_env(self, arguments):
        return text(json.dumps({"cwd": os.getcwd(), "env": dict(os.environ)}))

    def tool_impatient(self, arguments):
        """Cancels its question (legacy)."""
        self.send(id="ask", **QUESTIONS["form"])
        time.sleep(0.5)
        self.send(method="notifications/cancelled",
                  params={"requestId": "ask"})
        return text("never mind")

    def tool_roots(self, arguments):
        if self.wants_roots:
            return text(json.dumps(self.first_roots))
        if self.modern:
            return text("not here")
        self.send(id="ask", method="roots/list")
        while True:
            message = self.read()
            if message.get("id") == "ask":
                return text(json.dumps(message.get("result")))


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else "legacy"
    if mode == "dies":
        print("no licence\nno luck", file=sys.stderr)
        sys.exit(3)
    if mode == "noisy":
        print("listening\nready", file=sys.stderr, flush=True)
    if mode == "talks":
        sys.stderr.write("".join("line %d\n" % i for i in range(20)))
        sys.exit(1)
    if mode == "rambles":
        print("x" * 10000, file=sys.stderr)
        sys.exit(1)
    if mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode in ("garbage", "chatty"):
        print("Welcome to the fake server! token=abc", flush=True)
    if mode == "flood":
        sys.stdout.write("This is not a message.\n" * 20000)
        sys.stdout.flush()
    if mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if mode in ("garbage", "silent", "deaf"):
        while sys.stdin.readline():
            pass
        time.sleep(30 if mode == "deaf" else 0)
        sys.exit(0)
    Server(mode).run()


main()
