#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Its errors and ids are wrong, it asks what the client did not declare, and
it ends when a line is not JSON, or when it is asked for server/discover."""
import sys

from kit import Server, Wrong


class WrongServer(Server):
    capabilities = {"tools": {}, "logging": {}}

    def initialize(self, params):
        answer = super().initialize(params)
        if params["protocolVersion"] == "2024-11-05":
            answer["protocolVersion"] = "2026-07-28"
        del answer["serverInfo"]["version"]
        return answer

    def prompts_list(self, params):
        return {"prompts": []}

    def tools_call(self, params):
        if "name" not in params:
            raise Wrong(-32603, "'name'")
        return {"content": []}

    def on_notification(self, message):
        if message["method"] == "notifications/initialized":
            self.send({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})

    def on_request(self, message):
        if message["method"] == "server/discover":
            sys.exit("what is that?")
        if message["id"] == 0:
            return  # "no id"
        answer = self.answer(message)
        if "error" in answer and answer["error"]["code"] == -32601:
            answer["error"] = "unknown"
        if answer["id"] == "2":
            answer["id"] = 2
        self.send(answer)

    def on_broken_line(self):
        sys.exit("that is not JSON")

    def on_batch(self, batch):
        pass


WrongServer().serve()
