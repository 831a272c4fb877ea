# SPDX-License-Identifier: MIT
"""What the broken servers share: a small server over standard input and output
that is right, and whose parts a broken one replaces."""
import json
import sys


class Wrong(Exception):
    """An error to answer with: its code and its message."""


class Server:
    name = "broken"
    capabilities = {"tools": {}}
    tools = [{"name": "add", "description": "Adds",
              "inputSchema": {"type": "object"}}]

    def send(self, message):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    def initialize(self, params):
        return {"protocolVersion": params["protocolVersion"],
                "capabilities": self.capabilities,
                "serverInfo": {"name": self.name, "version": "1"}}

    def ping(self, params):
        return {}

    def tools_list(self, params):
        if "cursor" in params:
            raise Wrong(-32602, "no such cursor")
        return {"tools": self.tools}

    def tools_call(self, params):
        raise Wrong(-32602, "unknown tool")

    def answer(self, message):
        """The message that answers a request."""
        name = message["method"].replace("/", "_")
        method = getattr(self, name, None)
        head = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            if method is None or name in ("send", "answer", "serve"):
                raise Wrong(-32601, "unknown method")
            return {**head, "result": method(message.get("params", {}))}
        except Wrong as wrong:
            code, text = wrong.args
            return {**head, "error": {"code": code, "message": text}}

    def on_notification(self, message):
        pass

    def on_request(self, message):
        self.send(self.answer(message))

    def on_broken_line(self):
        self.send({"jsonrpc": "2.0", "id": None, "error": {
            "code": -32700, "message": "not JSON"}})

    def on_batch(self, batch):
        self.send([self.answer(one) for one in batch if "id" in one])

    def serve(self):
        for line in sys.stdin:
            try:
                message = json.loads(line)
            except ValueError:
                self.on_broken_line()
                continue
            if isinstance(message, list):
                self.on_batch(message)
            elif "method" not in message:
                pass  # an answer
            elif "id" in message:
                self.on_request(message)
            else:
                self.on_notification(message)
