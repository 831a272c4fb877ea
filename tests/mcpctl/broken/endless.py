#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Its lists do not end, repeat themselves or fail; it answers notifications; it
stays when its input ends."""
import time

from kit import Server, Wrong


class Endless(Server):
    capabilities = {"tools": {}, "prompts": {}, "resources": {}}

    def tools_list(self, params):
        """Each page has a new tool and a new cursor."""
        page = int(params.get("cursor", "0")) if params.get(
            "cursor", "0").isdigit() else 0
        return {"tools": [{**self.tools[0], "name": f"add{page}"}],
                "nextCursor": str(page + 1)}

    def prompts_list(self, params):
        """The same page again and again."""
        return {"prompts": [{"name": "hello"}], "nextCursor": "more"}

    def prompts_get(self, params):
        if params["name"] != "hello":
            raise Wrong(-32602, "unknown prompt")
        return {"messages": [{"role": "user", "content": {
            "type": "text", "text": "hello"}}]}

    def resources_list(self, params):
        if "cursor" in params:
            return {"resources": []}
        return {"resources": [], "nextCursor": "next"}

    def resources_templates_list(self, params):
        raise Wrong(-32603, "not now")

    def resources_read(self, params):
        raise Wrong(-32002, "no such resource")

    def on_notification(self, message):
        self.send({"jsonrpc": "2.0", "id": None, "error": {
            "code": -32601, "message": "unknown notification"}})


Endless().serve()
time.sleep(30)
