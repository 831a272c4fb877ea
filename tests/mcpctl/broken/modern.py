#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""It speaks 2026-07-28 only, and as if that were an older revision."""
from kit import Server, Wrong


class Modern(Server):
    def server_discover(self, params):
        return {"supportedVersions": ["2025-11-25"], "resultType": "complete",
                "capabilities": {"tools": {}, "resources": {}},
                "ttlMs": -1, "cacheScope": "private"}

    def tools_list(self, params):
        self.send({"jsonrpc": "2.0", "id": "s1", "method":
                   "elicitation/create", "params": {}})
        self.send({"jsonrpc": "2.0", "method": "notifications/message",
                   "params": {"level": "info", "data": "listed"}})
        return super().tools_list(params)

    def ping(self, params):
        return {"resultType": "complete"}

    def resources_list(self, params):
        if "cursor" in params:
            raise Wrong(-32602, "no such cursor")
        return {"resources": [], "resultType": "complete",
                "ttlMs": 0, "cacheScope": "public"}

    def resources_templates_list(self, params):
        raise Wrong(-32601, "unknown method")

    def resources_read(self, params):
        raise Wrong(-32002, "no such resource")

    def answer(self, message):
        if message["method"] == "initialize":
            return {"jsonrpc": "2.0", "id": message["id"], "error": {
                "code": -32022, "message": "unsupported",
                "data": {"supported": ["2026-07-28"]}}}
        return super().answer(message)


Modern().serve()
