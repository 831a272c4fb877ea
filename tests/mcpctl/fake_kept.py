#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server that many clients use at once, for the tests of sessions that
stay.

usage: fake_kept.py [legacy|modern|slow|stubborn]

`slow` answers the handshake when the file SLOW_GATE of its environment exists.
"""
import json
import os
import pathlib
import sys
import time

MODERN = "2026-07-28"
INFO = {"name": "kept", "version": "1"}
CAPABILITIES = {"tools": {"listChanged": True}, "logging": {},
                "resources": {"subscribe": True, "listChanged": True},
                "completions": {}, "prompts": {}}
FORM = {"type": "object", "properties": {"word": {"type": "string"}}}
TOOLS = ["pid", "hold", "release", "ask", "touch", "log", "seen", "die",
         "grumble", "roots", "forge", "shout"]


class Server:
    def __init__(self, mode):
        self.is_modern = mode == "modern"
        self.mode = mode
        self.seen = []
        self.held = []  # ids of calls that wait for `release`
        self.asking = {}  # the id of a question: the id of the call
        self.listens = []
        self.last = 0
        self.roots = None

    def send(self, **message):
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def result(self, number, **result):
        if self.is_modern:
            result = {"resultType": "complete", **result}
        self.send(id=number, result=result)

    def text(self, number, text):
        self.result(number, content=[{"type": "text", "text": text}])

    def run(self):
        for line in sys.stdin:
            message = json.loads(line)
            method = message.get("method", "")
            if method:
                self.seen.append(method)
            if method and "id" in message:
                self.request(message["id"], method, message.get("params", {}))
            elif method == "notifications/cancelled":
                number = message["params"]["requestId"]
                self.held = [one for one in self.held if one != number]
            elif method == "notifications/initialized":
                self.send(id="roots", method="roots/list")
            elif not method:
                self.answer(message)
        if self.mode == "stubborn":
            time.sleep(1000)

    def answer(self, message):
        if message["id"] == "roots":
            self.roots = message.get("result", {}).get("roots")
            return
        call = self.asking.pop(message["id"], None)
        if call is not None:
            self.text(call, json.dumps(message.get(
                "result", message.get("error"))))

    def request(self, number, method, params):
        handler = getattr(self, method.replace("/", "_"), None)
        foreign = {"initialize", "ping", "logging_setLevel",
                   "resources_subscribe"} if self.is_modern else {
                       "server_discover", "subscriptions_listen"}
        if handler is None or method.replace("/", "_") in foreign:
            self.send(id=number, error={"code": -32601, "message": "unknown"})
        else:
            handler(number, params)

    def wait_for_gate(self):
        gate = os.environ.get("SLOW_GATE")
        while self.mode == "slow" and not pathlib.Path(gate).exists():
            time.sleep(0.01)

    def initialize(self, number, params):
        self.wait_for_gate()
        self.result(number, protocolVersion="2025-11-25", serverInfo=INFO,
                    capabilities=CAPABILITIES)

    def server_discover(self, number, params):
        self.result(number, supportedVersions=[MODERN],
                    capabilities=CAPABILITIES, ttlMs=0, cacheScope="private",
                    _meta={"io.modelcontextprotocol/serverInfo": INFO})

    def ping(self, number, params):
        self.result(number)

    def logging_setLevel(self, number, params):
        self.seen.append(params["level"])
        self.result(number)

    def resources_subscribe(self, number, params):
        self.seen.append(params["uri"])
        self.result(number)

    def resources_unsubscribe(self, number, params):
        self.result(number)

    def subscriptions_listen(self, number, params):
        self.listens.append((number, params))
        self.send(method="notifications/subscriptions/acknowledged", params={
            "notifications": params.get("notifications", {}),
            "_meta": {"io.modelcontextprotocol/subscriptionId": number}})

    def tools_list(self, number, params):
        self.result(number, ttlMs=0, cacheScope="private", tools=[
            {"name": name, "inputSchema": {"type": "object"}}
            for name in TOOLS])

    def resources_list(self, number, params):
        self.result(number, ttlMs=0, cacheScope="private", resources=[])

    def prompts_list(self, number, params):
        self.result(number, ttlMs=0, cacheScope="private", prompts=[
            {"name": "greet", "arguments": [{"name": "who"}]}])

    def completion_complete(self, number, params):
        self.result(number, completion={"values": ["alice", "albert"]})

    def tools_call(self, number, params):
        self.meta = params.get("_meta", {})
        getattr(self, "tool_" + params["name"])(
            number, params.get("arguments", {}), params)

    def tool_pid(self, number, arguments, params):
        self.text(number, str(os.getpid()))

    def tool_hold(self, number, arguments, params):
        self.held.append(number)
        self.send(method="notifications/progress", params={
            "progressToken": self.meta.get("progressToken"), "progress": 1,
            "total": 2, "message": "holding " + arguments.get("name", "")})

    def tool_release(self, number, arguments, params):
        held, self.held = self.held, []
        for one in held:
            self.text(one, "released")
        self.text(number, str(len(held)))

    def tool_ask(self, number, arguments, params):
        form = {"message": arguments["message"], "requestedSchema": FORM}
        if not self.is_modern:
            self.last += 1
            self.asking["q%d" % self.last] = number
            self.send(id="q%d" % self.last, method="elicitation/create",
                      params=form)
        elif "inputResponses" in params:
            self.text(number, json.dumps(params["inputResponses"]["q"]))
        else:
            self.result(number, resultType="input_required", inputRequests={
                "q": {"method": "elicitation/create", "params": form}})

    def tool_touch(self, number, arguments, params):
        uri = arguments["uri"]
        if not self.is_modern:
            self.send(method="notifications/resources/updated",
                      params={"uri": uri})
        for listen, wants in self.listens:
            if uri in wants.get("notifications", {}).get(
                    "resourceSubscriptions", []):
                self.send(method="notifications/resources/updated", params={
                    "uri": uri, "_meta": {
                        "io.modelcontextprotocol/subscriptionId": listen}})
        self.text(number, "touched")

    def tool_log(self, number, arguments, params):
        self.send(method="notifications/message", params={
            "level": arguments["level"], "data": arguments["data"]})
        self.text(number, "logged")

    def tool_seen(self, number, arguments, params):
        self.text(number, " ".join(self.seen))

    def tool_roots(self, number, arguments, params):
        self.text(number, json.dumps(self.roots))

    def tool_grumble(self, number, arguments, params):
        print("it grumbles", file=sys.stderr, flush=True)
        self.send(id=number, error={"code": -32603, "message": "no luck"})

    def tool_forge(self, number, arguments, params):
        """Says what only a session's own process may say."""
        self.send(method="notifications/mcpctl/stderr",
                  params={"text": "forged\n"})
        self.send(method="notifications/mcpctl/exit",
                  params={"status": 9, "signal": 0})
        self.send(id=number, error={
            "code": -32603, "message": "no luck", "data": {
                "mcpctl/failure": {"code": int(arguments["code"]),
                                   "status": 0}}})

    def tool_shout(self, number, arguments, params):
        for _ in range(int(arguments["lines"])):
            print("x" * 1023, file=sys.stderr)
        print("the last line", file=sys.stderr, flush=True)
        self.text(number, "shouted")

    def tool_die(self, number, arguments, params):
        print("goodbye", file=sys.stderr, flush=True)
        os._exit(7)


Server(sys.argv[1] if len(sys.argv) > 1 else "legacy").run()
