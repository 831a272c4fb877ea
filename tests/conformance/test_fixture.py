#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speaks with the conformance server over stdio, in both eras: each thing that
the suite's scenarios call for is there, and answers as they want it. What needs
HTTP is left to the suite (tests/conformance/run).

usage: test_fixture.py SERVER [unittest's arguments]
"""
import base64
import hashlib
import json
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True  # the sources may lie in a read-only tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "examples"))

from peer import META, MODERN, Answered, Peer  # noqa: E402

LEGACY = "2025-11-25"
SERVER = None
ALL = {"elicitation": {}, "sampling": {}, "roots": {"listChanged": True}}

TOOLS = [
    "test_simple_text", "test_image_content", "test_audio_content",
    "test_embedded_resource", "test_multiple_content_types",
    "test_error_handling", "json_schema_2020_12_tool", "test_x_mcp_header",
    "test_tool_with_progress", "test_tool_with_logging", "test_reconnection",
    "test_logging_tool", "test_trigger_tool_change",
    "test_trigger_prompt_change", "test_sampling", "test_elicitation",
    "test_missing_capability", "test_streaming_elicitation",
    "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "greet", "slow_compute", "failing_job", "protocol_error_job",
    "confirm_delete", "multi_input", "test_tool_with_task",
]
SKILL_FILES = [
    "skill://git-workflow/SKILL.md",
    "skill://git-workflow/references/COMMITS.md",
    "skill://git-workflow/scripts/check.sh", "skill://pdf-forms/SKILL.md"]
PROMPTS = {
    "test_simple_prompt": [], "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [], "test_input_required_result_prompt": [],
}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {
        "$anchor": "addressDef", "type": "object",
        "properties": {"street": {"type": "string"},
                       "city": {"type": "string"}}}},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}},
           "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
MODEL = {"role": "assistant", "content": {"type": "text", "text": "Paris"},
         "model": "test", "stopReason": "endTurn"}
ROOTS = {"roots": [{"uri": "file:///test/root", "name": "Test Root"}]}


def accept(**content):
    return {"action": "accept", "content": content}


def error_of(run):
    """The JSON-RPC error that a request ends in."""
    try:
        result = run()
    except Answered as answered:
        return answered
    raise AssertionError(f"no error but {result}")


class Case(unittest.TestCase):
    revision = None

    def connect(self, capabilities=None):
        """Each server must end well, whatever was done to it."""
        peer = Peer([SERVER], self.revision,
                    ALL if capabilities is None else capabilities)
        self.addCleanup(lambda: self.assertEqual(peer.end(), 0))
        return peer

    def setUp(self):
        self.peer = self.connect()

    # ---- questions

    def ask(self, method, params, answers):
        """Runs a request to its end. `answers` has an answer for each question,
        by its method. Returns the result, and all questions by round."""
        if self.revision == MODERN:
            return self.ask_modern(method, params, answers)
        return self.ask_legacy(method, params, answers)

    def ask_legacy(self, method, params, answers):
        number = self.peer.start(method, params)
        asked = []
        while "method" in (message := self.peer.read()):
            asked.append(message)
            self.peer.write(json.dumps({
                "jsonrpc": "2.0", "id": message["id"],
                "result": answers[message["method"]]}))
        self.assertEqual(message["id"], number)
        if "error" in message:
            raise Answered(message["error"])
        return message["result"], asked

    def ask_modern(self, method, params, answers):
        asked = []
        again = params
        while True:
            result = self.peer.request(method, again)
            if result["resultType"] == "complete":
                return result, asked
            self.assertEqual(result["resultType"], "input_required")
            asked.extend(result["inputRequests"].values())
            again = {**params, "requestState": result["requestState"],
                     "inputResponses": {
                         key: answers[question["method"]] for key, question
                         in result["inputRequests"].items()}}

    def ask_tool(self, name, answers, **arguments):
        result, asked = self.ask("tools/call", {
            "name": name, "arguments": arguments}, answers)
        self.assertFalse(result.get("isError"), result)
        return result["content"][0]["text"], asked


def both_eras(case):
    """Makes two test classes of one."""
    for name, revision in (("Legacy", LEGACY), ("Modern", MODERN)):
        made = type(case.__name__ + name, (case, Case), {"revision": revision})
        made.__module__ = __name__
        globals()[made.__name__] = made
    return case


# ---- what is listed

@both_eras
class Lists:
    def check_hints(self, result):
        """2026-07-28 says of its lists how long they hold."""
        hints = {"ttlMs", "cacheScope", "resultType"} & set(result)
        if self.revision == MODERN:
            self.assertEqual(len(hints), 3)
            self.assertGreaterEqual(result["ttlMs"], 0)
            self.assertIn(result["cacheScope"], ("public", "private"))
        else:
            self.assertEqual(hints, set())

    def test_tools(self):
        result = self.peer.request("tools/list")
        self.check_hints(result)
        for tool in result["tools"]:
            self.assertRegex(tool["name"], r"^[A-Za-z0-9_.-]{1,128}$")
            self.assertTrue(tool["description"])
            self.assertEqual(tool["inputSchema"]["type"], "object")
        self.assertEqual([tool["name"] for tool in result["tools"]], TOOLS)

    def test_order_stays(self):
        first = self.peer.request("tools/list")["tools"]
        self.peer.call("test_trigger_tool_change")
        self.assertEqual(self.peer.request("tools/list")["tools"], first)

    def test_schema_comes_word_for_word(self):
        tools = self.peer.request("tools/list")["tools"]
        tool = tools[TOOLS.index("json_schema_2020_12_tool")]
        self.assertEqual(tool["inputSchema"], SCHEMA)

    def test_header_annotation(self):
        tools = self.peer.request("tools/list")["tools"]
        tool = tools[TOOLS.index("test_x_mcp_header")]
        region = tool["inputSchema"]["properties"]["region"]
        self.assertEqual(region["type"], "string")
        self.assertEqual(region["x-mcp-header"], "Region")

    def test_resources(self):
        result = self.peer.request("resources/list")
        self.check_hints(result)
        self.assertEqual([each["uri"] for each in result["resources"]], [
            "test://static-text", "test://static-binary",
            "test://watched-resource", *SKILL_FILES])
        for each in result["resources"]:
            self.assertTrue(each["name"] and each["mimeType"])
            self.assertTrue(each.get("description")
                            or each["uri"] in SKILL_FILES)

    def test_skills(self):
        result = self.peer.request("skills/list")
        self.check_hints(result)
        files = [each["uri"] for skill in result["skills"]
                 for each in skill["resources"]]
        self.assertEqual(files, SKILL_FILES)
        for skill in result["skills"]:
            one = self.peer.request("skills/get", {"uri": skill["uri"]})
            self.check_hints(one)
            self.assertEqual(one["skill"], skill)
            for each in skill["resources"]:
                content, = self.peer.read_resource(each["uri"])
                text = content["text"].encode()
                self.assertEqual(each["size"], len(text))
                self.assertEqual(each["digest"], "sha256:"
                                 + hashlib.sha256(text).hexdigest())

    def test_skill_folders(self):
        result = self.peer.request("resources/directory/read",
                                   {"uri": "skill://git-workflow"})
        self.check_hints(result)
        self.assertEqual(
            [(each["name"], each["mimeType"]) for each in result["resources"]],
            [("SKILL.md", "text/markdown"), ("references", "inode/directory"),
             ("scripts", "inode/directory")])

    def test_templates(self):
        result = self.peer.request("resources/templates/list")
        self.check_hints(result)
        (template,) = result["resourceTemplates"]
        self.assertEqual(template["uriTemplate"], "test://template/{id}/data")
        self.assertEqual(template["mimeType"], "application/json")

    def test_prompts(self):
        result = self.peer.request("prompts/list")
        self.check_hints(result)
        listed = {}
        for prompt in result["prompts"]:
            self.assertTrue(prompt["description"])
            arguments = prompt.get("arguments", [])
            self.assertTrue(all(each["required"] for each in arguments))
            listed[prompt["name"]] = [each["name"] for each in arguments]
        self.assertEqual(listed, PROMPTS)

    def test_capabilities(self):
        if self.revision == MODERN:
            result = self.peer.request("server/discover")
            self.check_hints(result)
            self.assertIn(MODERN, result["supportedVersions"])
            info = result["_meta"][META + "serverInfo"]
        else:
            peer = Peer([SERVER], MODERN)  # which opens no session itself
            self.addCleanup(lambda: self.assertEqual(peer.end(), 0))
            peer.revision = LEGACY
            result = peer.request("initialize", {
                "protocolVersion": LEGACY, "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}})
            info = result["serverInfo"]
        self.assertEqual(info["name"], "conformance-server")
        offers = result["capabilities"]
        self.assertTrue(offers["tools"]["listChanged"])
        self.assertTrue(offers["prompts"]["listChanged"])
        self.assertTrue(offers["resources"]["subscribe"])
        self.assertIn("completions", offers)
        self.assertIn("logging", offers)


# ---- tools that answer at once

@both_eras
class Content:
    def content(self, name):
        result = self.peer.call(name)
        self.assertFalse(result.get("isError"), result)
        return result["content"]

    def check_image(self, image):
        self.assertEqual((image["type"], image["mimeType"]),
                         ("image", "image/png"))
        self.assertTrue(base64.b64decode(image["data"], validate=True)
                        .startswith(b"\x89PNG"))

    def test_text_without_arguments_member(self):
        result = self.peer.request("tools/call", {"name": "test_simple_text"})
        self.assertEqual(result["content"], [{
            "type": "text",
            "text": "This is a simple text response for testing."}])

    def test_the_first_tool_needs_nothing(self):
        first = self.peer.request("tools/list")["tools"][0]["name"]
        self.assertNotIn("isError", self.peer.call(first))

    def test_image(self):
        (image,) = self.content("test_image_content")
        self.check_image(image)

    def test_audio(self):
        (audio,) = self.content("test_audio_content")
        self.assertEqual((audio["type"], audio["mimeType"]),
                         ("audio", "audio/wav"))
        data = base64.b64decode(audio["data"], validate=True)
        self.assertEqual((data[:4], data[8:12]), (b"RIFF", b"WAVE"))
        self.assertEqual(int.from_bytes(data[4:8], "little"), len(data) - 8)

    def test_embedded_resource(self):
        self.assertEqual(self.content("test_embedded_resource"), [{
            "type": "resource", "resource": {
                "uri": "test://embedded-resource", "mimeType": "text/plain",
                "text": "This is an embedded resource content."}}])

    def test_mixed(self):
        text, image, resource = self.content("test_multiple_content_types")
        self.assertEqual(text["text"], "Multiple content types test:")
        self.check_image(image)
        self.assertEqual(resource["resource"]["uri"],
                         "test://mixed-content-resource")
        self.assertEqual(resource["resource"]["mimeType"], "application/json")
        self.assertEqual(json.loads(resource["resource"]["text"]),
                         {"test": "data", "value": 123})

    def test_failure_is_a_result(self):
        result = self.peer.call("test_error_handling")
        self.assertIs(result["isError"], True)
        self.assertEqual(result["content"][0]["text"],
                         "This tool intentionally returns an error for testing")

    def test_any_region_is_accepted(self):
        for region in ("Hello", "", "Zürich", " =?base64?SGVsbG8=?= "):
            self.assertEqual(self.peer.text("test_x_mcp_header", region=region),
                             f"Region: {region}")

    def test_schema_tool_answers(self):
        text = self.peer.text("json_schema_2020_12_tool", email="a@b")
        self.assertEqual(text, 'Arguments: {"email":"a@b"}')
        self.assertIn("street", self.peer.failure(
            "json_schema_2020_12_tool", email="a@b", street="x"))

    def test_the_polled_tool_answers_where_nobody_polls(self):
        self.assertTrue(self.peer.text("test_reconnection"))


# ---- tools that say something before their result

@both_eras
class Meanwhile:
    def notes(self, method):
        return [note["params"] for note in self.peer.notes
                if note.get("method") == method]

    def test_progress(self):
        self.peer.call("test_tool_with_progress",
                       {"progressToken": "progress-test-1"})
        told = self.notes("notifications/progress")
        self.assertEqual([note["progress"] for note in told], [0, 50, 100])
        for note in told:
            self.assertEqual(note["progressToken"], "progress-test-1")
            self.assertEqual(note["total"], 100)

    def test_no_progress_without_token(self):
        self.peer.call("test_tool_with_progress")
        self.assertEqual(self.peer.notes, [])

    def test_messages(self):
        meta = None
        if self.revision == MODERN:
            meta = {META + "logLevel": "debug"}
        else:
            self.assertEqual(
                self.peer.request("logging/setLevel", {"level": "debug"}), {})
        self.peer.call("test_tool_with_logging", meta)
        told = self.notes("notifications/message")
        self.assertEqual([(note["level"], note["data"]) for note in told], [
            ("info", "Tool execution started"),
            ("info", "Tool processing data"),
            ("info", "Tool execution completed")])

    def test_no_message_unasked(self):
        if self.revision == LEGACY:
            self.peer.request("logging/setLevel", {"level": "error"})
        self.assertTrue(self.peer.text("test_logging_tool"))
        self.assertEqual(self.peer.notes, [])


# ---- tools that ask

@both_eras
class Questions:
    def check_form(self, question, **types):
        """A form's fields and their types; returns the fields."""
        self.assertEqual(question["method"], "elicitation/create")
        self.assertTrue(question["params"]["message"])
        form = question["params"]["requestedSchema"]
        self.assertEqual(form["type"], "object")
        self.assertEqual({name: field["type"] for name, field
                          in form["properties"].items()}, types)
        return form["properties"]

    def test_sampling(self):
        text, (asked,) = self.ask_tool(
            "test_sampling", {"sampling/createMessage": MODEL},
            prompt="Which city?")
        self.assertEqual(text, "LLM response: Paris")
        self.assertEqual(asked["params"]["messages"], [{
            "role": "user", "content": {"type": "text",
                                        "text": "Which city?"}}])
        self.assertEqual(asked["params"]["maxTokens"], 100)

    def test_sampling_answered_in_pieces(self):
        answer = {**MODEL, "content": [MODEL["content"]]}
        text, _ = self.ask_tool("test_sampling",
                                {"sampling/createMessage": answer}, prompt="?")
        self.assertEqual(text, "LLM response: Paris")

    def test_elicitation(self):
        text, (asked,) = self.ask_tool(
            "test_elicitation", {"elicitation/create": accept(
                username="testuser", email="test@example.com")},
            message="Who are you?")
        self.assertEqual(asked["params"]["message"], "Who are you?")
        self.check_form(asked, username="string", email="string")
        self.assertEqual(asked["params"]["requestedSchema"]["required"],
                         ["username", "email"])
        self.assertRegex(text, r"^User response: action=accept, content="
                               r".*test@example\.com")

    def test_elicitation_declined(self):
        text, _ = self.ask_tool(
            "test_elicitation", {"elicitation/create": {"action": "decline"}},
            message="Who are you?")
        self.assertEqual(text, "User response: action=decline, content={}")

    def test_defaults(self):
        content = {"name": "Jane Smith", "age": 25, "score": 88,
                   "status": "inactive", "verified": False}
        text, (asked,) = self.ask_tool(
            "test_elicitation_sep1034_defaults",
            {"elicitation/create": accept(**content)})
        fields = self.check_form(asked, name="string", age="integer",
                                 score="number", status="string",
                                 verified="boolean")
        self.assertEqual(
            {name: field["default"] for name, field in fields.items()},
            {"name": "John Doe", "age": 30, "score": 95.5, "status": "active",
             "verified": True})
        self.assertEqual(fields["status"]["enum"],
                         ["active", "inactive", "pending"])
        said = re.match("Elicitation completed: action=accept, content=(.*)",
                        text)
        self.assertEqual(json.loads(said[1]), content)

    def test_choices(self):
        text, (asked,) = self.ask_tool(
            "test_elicitation_sep1330_enums", {"elicitation/create": accept(
                untitledSingle="option1", titledSingle="value1",
                legacyEnum="opt1", untitledMulti=["option1", "option2"],
                titledMulti=["value1", "value2"])})
        fields = self.check_form(
            asked, untitledSingle="string", titledSingle="string",
            legacyEnum="string", untitledMulti="array", titledMulti="array")
        self.check_choices(fields)
        self.assertTrue(text.startswith("Elicitation completed: action=accept"))

    def check_choices(self, fields):
        options = ["option1", "option2", "option3"]
        values = ["value1", "value2", "value3"]
        single = fields["untitledSingle"]
        self.assertEqual(single["enum"], options)
        self.assertFalse({"oneOf", "enumNames"} & set(single))
        titled = fields["titledSingle"]
        self.assertEqual([each["const"] for each in titled["oneOf"]], values)
        self.assertTrue(all(each["title"] for each in titled["oneOf"]))
        self.assertNotIn("enum", titled)
        old = fields["legacyEnum"]
        self.assertEqual(old["enum"], ["opt1", "opt2", "opt3"])
        self.assertEqual(len(old["enumNames"]), 3)
        many = fields["untitledMulti"]["items"]
        self.assertEqual((many["type"], many["enum"]), ("string", options))
        self.assertNotIn("anyOf", many)
        many = fields["titledMulti"]["items"]
        self.assertEqual([each["const"] for each in many["anyOf"]], values)
        self.assertNotIn("enum", many)

    def test_a_choice_that_was_not_offered(self):
        answer = accept(untitledSingle="option9")
        error = error_of(lambda: self.ask_tool(
            "test_elicitation_sep1330_enums", {"elicitation/create": answer}))
        self.assertEqual(error.code, -32602)

    def test_confirmation(self):
        text, (asked,) = self.ask_tool(
            "test_streaming_elicitation",
            {"elicitation/create": accept(confirmed=True)})
        self.check_form(asked, confirmed="boolean")
        self.assertIn("action=accept", text)


# What each input_required tool asks, and says in the end.
NAME = {"elicitation/create": accept(name="Alice")}
ROUND_TOOLS = {
    "elicitation": (NAME, ["elicitation/create"], "Hello, Alice!"),
    "sampling": ({"sampling/createMessage": MODEL},
                 ["sampling/createMessage"], "Paris"),
    "list_roots": ({"roots/list": ROOTS}, ["roots/list"],
                   "file:///test/root"),
    "request_state": ({"elicitation/create": accept(ok=True)},
                      ["elicitation/create"], "state-ok"),
    "multiple_inputs": (
        {**NAME, "sampling/createMessage": MODEL, "roots/list": ROOTS},
        ["elicitation/create", "sampling/createMessage", "roots/list"],
        "Paris (to Alice, who works in file:///test/root)"),
    "tampered_state": ({"elicitation/create": accept(ok=True)},
                       ["elicitation/create"], "action=accept"),
    "capabilities": ({"sampling/createMessage": MODEL},
                     ["sampling/createMessage"], "Paris"),
}


@both_eras
class RoundTools:
    """The handlers cannot tell the eras apart, so both are tried."""

    def test_one_round(self):
        for name, (answers, methods, said) in ROUND_TOOLS.items():
            with self.subTest(name):
                text, asked = self.ask_tool(
                    f"test_input_required_result_{name}", answers)
                self.assertEqual([each["method"] for each in asked], methods)
                self.assertIn(said, text)

    def test_one_question_after_another(self):
        """Each form takes its own field alone."""
        steps = iter([accept(name="Alice"), accept(color="blue")])

        class InTurn(dict):
            def __missing__(self, key):
                return next(steps)

        text, asked = self.ask_tool("test_input_required_result_multi_round",
                                    InTurn())
        self.assertEqual(len(asked), 2)
        self.assertEqual(text, "Alice likes blue")

    def test_prompt(self):
        result, (asked,) = self.ask(
            "prompts/get", {"name": "test_input_required_result_prompt"},
            {"elicitation/create": accept(context="tests")})
        self.assertEqual(asked["method"], "elicitation/create")
        self.assertEqual(result["messages"][0]["content"]["text"],
                         "Use this context: tests")

    def test_missing_capability(self):
        self.peer = self.connect({})
        error = error_of(lambda: self.peer.call("test_missing_capability"))
        if self.revision == MODERN:
            self.assertEqual(error.code, -32021)
            self.assertEqual(error.data["requiredCapabilities"],
                             {"sampling": {}})
        else:
            self.assertEqual(error.code, -32603)
            self.assertIn("sampling", str(error))


class Rounds(Case):
    """What only 2026-07-28 has: questions as results."""
    revision = MODERN

    def call(self, name, **params):
        return self.peer.request("tools/call", {
            "name": f"test_input_required_result_{name}", "arguments": {},
            **params})

    def ask_first(self, name, *keys):
        """The first round: its questions by key, and its state."""
        result = self.call(name)
        self.assertEqual(result["resultType"], "input_required")
        self.assertEqual(list(result["inputRequests"]), list(keys))
        self.assertIsInstance(result["requestState"], str)
        return result["inputRequests"], result["requestState"]

    def test_keys_and_questions(self):
        asked, _ = self.ask_first("elicitation", "user_name")
        params = asked["user_name"]["params"]
        self.assertEqual(params["message"], "What is your name?")
        self.assertEqual(params["requestedSchema"]["required"], ["name"])
        asked, _ = self.ask_first("sampling", "capital_question")
        params = asked["capital_question"]["params"]
        self.assertEqual(params["messages"][0]["content"]["text"],
                         "What is the capital of France?")
        self.assertEqual(params["maxTokens"], 100)
        asked, _ = self.ask_first("list_roots", "client_roots")
        self.assertEqual(asked["client_roots"].get("params", {}), {})
        asked, _ = self.ask_first("request_state", "confirm")
        self.assertEqual(asked["confirm"]["params"]["requestedSchema"]
                         ["properties"]["ok"]["type"], "boolean")
        asked, _ = self.ask_first("multiple_inputs", "user_name", "greeting",
                                  "client_roots")
        self.assertEqual(asked["greeting"]["params"]["maxTokens"], 50)

    def test_answers_without_the_state(self):
        """A client that gives the state back is not the only one."""
        result = self.call("elicitation", inputResponses={
            "user_name": accept(name="Alice")})
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual(result["content"][0]["text"], "Hello, Alice!")

    def test_wrong_key_is_asked_again(self):
        _, state = self.ask_first("elicitation", "user_name")
        again = self.call("elicitation", requestState=state, inputResponses={
            "wrong_key": accept(name="Alice")})
        self.assertEqual(again["resultType"], "input_required")
        self.assertIn("user_name", again["inputRequests"])

    def test_unknown_keys_are_ignored(self):
        _, state = self.ask_first("elicitation", "user_name")
        done = self.call("elicitation", requestState=state, inputResponses={
            "user_name": accept(name="Alice"), "extra": accept(foo="bar"),
            "more": accept(baz=123)})
        self.assertEqual(done["content"][0]["text"], "Hello, Alice!")

    def test_malformed_answers(self):
        _, state = self.ask_first("elicitation", "user_name")
        for answer in (12345, {"action": "accept", "content": {"name": 1}},
                       {"action": "maybe"}, accept()):
            with self.subTest(answer):
                error = error_of(lambda: self.call(
                    "elicitation", requestState=state,
                    inputResponses={"user_name": answer}))
                self.assertEqual(error.code, -32602)

    def test_null_answers(self):
        try:
            result = self.call("elicitation", inputResponses=None)
        except Answered as error:
            self.assertEqual(error.code, -32602)
        else:
            self.assertEqual(result["resultType"], "input_required")

    def test_tampered_state(self):
        _, state = self.ask_first("tampered_state", "confirm")
        error = error_of(lambda: self.call(
            "tampered_state", requestState=state + "-TAMPERED",
            inputResponses={"confirm": accept(ok=True)}))
        self.assertEqual(error.code, -32602)

    def test_a_state_of_another_tool(self):
        _, state = self.ask_first("tampered_state", "confirm")
        error = error_of(lambda: self.call(
            "request_state", requestState=state,
            inputResponses={"confirm": accept(ok=True)}))
        self.assertEqual(error.code, -32602)

    def test_states_differ_from_round_to_round(self):
        _, first = self.ask_first("multi_round", "step1")
        result = self.call("multi_round", requestState=first, inputResponses={
            "step1": accept(name="Alice")})
        self.assertEqual(list(result["inputRequests"]), ["step2"])
        self.assertNotEqual(result["requestState"], first)
        # The second round's answer alone: the first one's is in the state.
        done = self.call(
            "multi_round", requestState=result["requestState"],
            inputResponses={"step2": accept(color="blue")})
        self.assertEqual(done["content"][0]["text"], "Alice likes blue")

    def test_asks_only_what_the_client_can_answer(self):
        self.peer = self.connect({"sampling": {}})
        asked, _ = self.ask_first("capabilities", "greeting")
        self.assertEqual(asked["greeting"]["method"], "sampling/createMessage")
        self.peer = self.connect({"elicitation": {}})
        asked, _ = self.ask_first("capabilities", "user_name")
        self.assertEqual(asked["user_name"]["method"], "elicitation/create")

    def test_lists_never_ask(self):
        for method in ("tools/list", "prompts/list"):
            self.assertEqual(self.peer.request(method)["resultType"],
                             "complete")


# ---- resources, prompts, completion

@both_eras
class Others:
    def test_read_text(self):
        self.assertEqual(self.peer.read_resource("test://static-text"), [{
            "uri": "test://static-text", "mimeType": "text/plain",
            "text": "This is the content of the static text resource."}])

    def test_read_bytes(self):
        (content,) = self.peer.read_resource("test://static-binary")
        self.assertEqual(content["mimeType"], "image/png")
        self.assertTrue(base64.b64decode(content["blob"], validate=True)
                        .startswith(b"\x89PNG"))

    def test_read_template(self):
        uri = "test://template/123/data"
        (content,) = self.peer.read_resource(uri)
        self.assertEqual((content["uri"], content["mimeType"]),
                         (uri, "application/json"))
        self.assertEqual(json.loads(content["text"]), {
            "id": "123", "templateTest": True, "data": "Data for ID: 123"})

    def test_template_writes_json(self):
        (content,) = self.peer.read_resource("test://template/a%22b/data")
        self.assertEqual(json.loads(content["text"])["id"], 'a"b')

    def test_unknown_resource(self):
        uri = "test://nonexistent-resource-for-conformance-testing"
        error = error_of(lambda: self.peer.read_resource(uri))
        self.assertEqual(error.code,
                         -32602 if self.revision == MODERN else -32002)
        self.assertEqual(error.data["uri"], uri)

    def test_prompts(self):
        def get(name, **arguments):
            return [(message["role"], message["content"]) for message in
                    self.peer.request("prompts/get", {
                        "name": name, "arguments": arguments})["messages"]]

        def text(words):
            return ("user", {"type": "text", "text": words})

        self.assertEqual(get("test_simple_prompt"), [
            text("This is a simple prompt for testing.")])
        self.assertEqual(
            get("test_prompt_with_arguments", arg1="one", arg2="two"), [
                text("Prompt with arguments: arg1='one', arg2='two'")])
        uri = "test://example-resource"
        self.assertEqual(
            get("test_prompt_with_embedded_resource", resourceUri=uri), [
                ("user", {"type": "resource", "resource": {
                    "uri": uri, "mimeType": "text/plain",
                    "text": "Embedded resource content for testing."}}),
                text("Please process the embedded resource above.")])
        (role, image), last = get("test_prompt_with_image")
        self.assertEqual((role, image["type"], image["mimeType"]),
                         ("user", "image", "image/png"))
        self.assertEqual(last, text("Please analyze the image above."))

    def test_prompt_without_its_arguments(self):
        error = error_of(lambda: self.peer.request("prompts/get", {
            "name": "test_prompt_with_arguments", "arguments": {}}))
        self.assertEqual(error.code, -32602)

    def test_completion(self):
        def complete(typed):
            return self.peer.request("completion/complete", {
                "ref": {"type": "ref/prompt",
                        "name": "test_prompt_with_arguments"},
                "argument": {"name": "arg1", "value": typed}})["completion"]

        self.assertEqual(complete("test")["values"],
                         ["test-value", "testing"])
        self.assertEqual(complete("nothing")["values"], [])

    def test_methods_that_2026_has_not(self):
        uri = {"uri": "test://watched-resource"}
        for method, params in (("ping", {}),
                               ("logging/setLevel", {"level": "info"}),
                               ("resources/subscribe", uri),
                               ("resources/unsubscribe", uri)):
            with self.subTest(method):
                if self.revision == LEGACY:
                    self.assertEqual(self.peer.request(method, params), {})
                else:
                    error = error_of(lambda m=method, p=params:
                                     self.peer.request(m, p))
                    self.assertEqual(error.code, -32601)

    def test_unknown_method(self):
        error = error_of(lambda: self.peer.request("unknown/method"))
        self.assertEqual(error.code, -32601)


# ---- changes

class ChangesLegacy(Case):
    revision = LEGACY

    def test_lists(self):
        for kind in ("tool", "prompt"):
            self.peer.call(f"test_trigger_{kind}_change")
            self.peer.wait_note(f"notifications/{kind}s/list_changed")


class ChangesModern(Case):
    revision = MODERN

    def listen(self, **notifications):
        """Opens a stream; returns its id, and what was granted."""
        number = self.peer.start("subscriptions/listen",
                                 {"notifications": notifications})
        first = self.peer.read()
        self.assertEqual(first["method"],
                         "notifications/subscriptions/acknowledged")
        self.check_tag(first["params"], number)
        return number, first["params"]["notifications"]

    def check_tag(self, params, number):
        self.assertEqual(params["_meta"][META + "subscriptionId"], number)

    def test_lists(self):
        for kind in ("tool", "prompt"):
            with self.subTest(kind):
                self.peer = self.connect({})
                name = f"{kind}sListChanged"
                number, granted = self.listen(**{name: True})
                self.assertEqual(granted, {name: True})
                self.peer.call(f"test_trigger_{kind}_change")
                self.check_tag(self.peer.wait_note(
                    f"notifications/{kind}s/list_changed"), number)

    def test_only_what_was_asked_for(self):
        self.listen(promptsListChanged=True)
        self.peer.call("test_trigger_tool_change")
        self.peer.call("test_trigger_prompt_change")
        self.peer.wait_note("notifications/prompts/list_changed")
        self.assertEqual(self.peer.notes, [])

    def test_a_resource_to_watch(self):
        uris = ["test://watched-resource"]
        _, granted = self.listen(resourceSubscriptions=uris)
        self.assertEqual(granted, {"resourceSubscriptions": uris})

    def test_nothing_without_a_stream(self):
        self.peer.call("test_trigger_tool_change")
        self.peer.request("tools/list")
        self.assertEqual(self.peer.notes, [])


class Envelope(Case):
    revision = MODERN

    def test_unknown_revision(self):
        meta = {META + "protocolVersion": "v999.0.0"}
        error = error_of(lambda: self.peer.request("server/discover",
                                                   meta=meta))
        self.assertEqual(error.code, -32022)
        self.assertEqual(error.data["requested"], "v999.0.0")
        known = self.peer.request("server/discover")["supportedVersions"]
        self.assertTrue(error.data["supported"])
        self.assertLessEqual(set(error.data["supported"]), set(known))

    def test_no_handshake(self):
        error = error_of(lambda: self.peer.request("initialize", {
            "protocolVersion": LEGACY, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}))
        self.assertEqual(error.code, -32601)

    def test_client_info_is_optional(self):
        info = {META + "clientInfo": {"name": "test", "version": "1"}}
        for meta in (None, info):
            self.assertIn("capabilities", self.peer.request("server/discover",
                                                            meta=meta))

    def test_every_result_says_what_it_is(self):
        for method, params in (
                ("server/discover", {}), ("tools/list", {}),
                ("tools/call", {"name": "test_simple_text"}),
                ("resources/read", {"uri": "test://static-text"}),
                ("prompts/get", {"name": "test_simple_prompt"})):
            self.assertEqual(self.peer.request(method, params)["resultType"],
                             "complete")


if __name__ == "__main__":
    SERVER = sys.argv.pop(1)
    unittest.main()
