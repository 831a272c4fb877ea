# SPDX-License-Identifier: MIT
"""A client that writes JSON-RPC lines by hand, in either era."""
import json
import queue
import subprocess
import threading

LIMIT = 60  # seconds for one answer: sanitizers and busy machines are slow
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"


class Answered(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data")


class Peer:
    """A server program, and the lines that go each way."""

    def __init__(self, command, revision=MODERN, capabilities=None):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.revision = revision
        self.capabilities = capabilities or {}
        self.lines = queue.Queue()
        self.notes = []  # what else was read on the way
        self.next_id = 1
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if not self.is_modern:
            self._initialize()

    @property
    def is_modern(self):
        return self.revision == MODERN

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _initialize(self):
        result = self.request("initialize", {
            "protocolVersion": self.revision,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "test", "version": "1"}})
        assert result["protocolVersion"] == self.revision, result
        self.notify("notifications/initialized")

    # ---- lines

    def write(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self, limit=LIMIT):
        """The next message; None at the end."""
        line = self.lines.get(timeout=limit)
        return None if line is None else json.loads(line)

    # ---- messages

    def _envelope(self, params, meta):
        if self.is_modern:
            meta = {META + "protocolVersion": self.revision,
                    META + "clientCapabilities": self.capabilities,
                    **(meta or {})}
        return {**params, "_meta": meta} if meta else params

    def start(self, method, params=None, meta=None):
        """Sends a request, and returns its id."""
        number, self.next_id = self.next_id, self.next_id + 1
        self.write(json.dumps({
            "jsonrpc": "2.0", "id": number, "method": method,
            "params": self._envelope(params or {}, meta)}))
        return number

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = self._envelope(params, None)
        self.write(json.dumps(message))

    def wait(self, number):
        """The answer to a request; what else comes is put aside."""
        while (message := self.read()) is not None:
            if message.get("id") != number or "method" in message:
                self.notes.append(message)
            else:
                if "error" in message:
                    raise Answered(message["error"])
                return message["result"]
        raise AssertionError("the server ended without an answer")

    def wait_note(self, method, limit=LIMIT):
        """The params of the next notification of a kind."""
        for i, message in enumerate(self.notes):
            if message.get("method") == method:
                return self.notes.pop(i).get("params")
        while (message := self.read(limit)) is not None:
            if message.get("method") == method:
                return message.get("params")
            self.notes.append(message)
        raise AssertionError(f"the server ended without {method}")

    def request(self, method, params=None, meta=None):
        return self.wait(self.start(method, params, meta))

    # ---- what tests do most

    def call(self, tool, meta=None, **arguments):
        return self.request(
            "tools/call", {"name": tool, "arguments": arguments}, meta)

    def text(self, tool, **arguments):
        """A tool's text; fails when the tool did."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        return result["content"][0]["text"]

    def failure(self, tool, **arguments):
        """What a tool says that failed."""
        result = self.call(tool, **arguments)
        assert result.get("isError"), result
        return result["content"][-1]["text"]

    def read_resource(self, uri):
        return self.request("resources/read", {"uri": uri})["contents"]

    def ask(self, method, params, answer):
        """A request that asks back once: its result, and the question.

        `answer` makes the answer from the question's params."""
        if self.is_modern:
            return self._ask_modern(method, params, answer)
        number = self.start(method, params)
        question = self.read()
        self.write(json.dumps({"jsonrpc": "2.0", "id": question["id"],
                               "result": answer(question["params"])}))
        return self.wait(number), question

    def _ask_modern(self, method, params, answer):
        result = self.request(method, params)
        assert result["resultType"] == "input_required", result
        (key, question), = result["inputRequests"].items()
        again = {**params, "requestState": result["requestState"],
                 "inputResponses": {key: answer(question["params"])}}
        return self.request(method, again), question

    # ---- the end

    def end(self):
        """Closes standard input, and returns the exit code."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(LIMIT)
        finally:
            self.process.kill()  # unless it has ended
            self.reader.join()
            self.process.stdout.close()
