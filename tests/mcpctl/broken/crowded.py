#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""It lists very many tools, and one of them twice; all else is right. With the
answer to initialize it writes a log message, in the same bytes."""
import json
import sys

from kit import Server


class Crowded(Server):
    capabilities = {"tools": {}, "logging": {}}
    tools = [{"name": f"tool-{i % 19999}", "description": "Adds",
              "inputSchema": {"type": "object"}} for i in range(20000)]

    def logging_setLevel(self, params):
        return {}

    def on_request(self, message):
        log = {"jsonrpc": "2.0", "method": "notifications/message",
               "params": {"level": "info", "data": "started"}}
        lines = [self.answer(message)]
        if message["method"] == "initialize":
            lines.append(log)
        sys.stdout.write("".join(json.dumps(one) + "\n" for one in lines))
        sys.stdout.flush()


Crowded().serve()
