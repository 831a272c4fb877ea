# SPDX-License-Identifier: MIT
"""Questions of a server, and what a terminal shows."""
import base64
import json
import os
import re
import time

from support import Case, ESCAPED, FAKE, Terminal, ctl, fake_pixel


class Questions(Case):
    """Each kind of question in both eras, without a terminal."""

    def ask(self, tool, *answers, code=0, err=None):
        outs = []
        for mode in ("legacy", "modern"):
            words = [word for answer in answers
                     for word in ("--answer", answer)]
            run = ctl("call", tool, *words, server=FAKE + [mode])
            outs.append(self.check(run, code, None, err))
        self.assertEqual(outs[0], outs[1])
        return json.loads(outs[0]) if code == 0 else outs[0]

    def test_a_form(self):
        self.assertEqual(
            self.ask("form", "name=Ann", "color=Green", "spam=no"),
            {"action": "accept", "content": {
                "name": "Ann", "color": "g", "count": 3, "spam": False}})
        self.assertEqual(
            self.ask("form", "name=Ann", "color:=\"r\"", "count=9"),
            {"action": "accept", "content": {
                "name": "Ann", "color": "r", "count": 9}})

    def test_a_form_without_all_answers(self):
        out = self.ask("form", "name=Ann", code=6, err="unanswered: color")
        self.assertEqual(out, "")
        self.ask("form", code=6, err="The fake asks: Who are you?")
        self.ask("form", code=6, err="unanswered: name;")
        self.ask("form", "nmae=Ann", "text=x", code=6, err=(
            "unanswered: name; answer on a terminal or with --answer "
            "name=VALUE\n"
            "mcpctl: --answer nmae was not used: no question asked for it; did "
            "you mean 'name'?\n"
            "mcpctl: --answer text was not used: no question asked for it\n"))

    def test_an_answer_that_is_not_used(self):
        unused = "mcpctl: --answer {} was not used: no question asked for it\n"
        for mode in ("legacy", "modern"):
            server = FAKE + [mode]
            for tool, answers, wrong in (
                    ("echo", ["a=1", "action=accept"], ["a", "action"]),
                    ("form", ["name=Ann", "color=r", "qqq=2"], ["qqq"]),
                    ("form", ["name=Bob", "name=Ann", "color=r"], []),
                    ("optional", ["action=accept", "text=x"], ["text"]),
                    ("visit", ["action=accept", "confirm=yes"], ["confirm"]),
                    ("think", ["text=42", "model=abacus"], [])):
                with self.subTest(mode=mode, tool=tool, answers=answers):
                    words = [f"--answer={answer}" for answer in answers]
                    run = ctl("call", tool, *words, server=server)
                    self.check(run)
                    said = re.sub(".*visit a page.*\n.*host.*\n.*address.*\n",
                                  "", run.stderr)
                    self.assertEqual(said, "".join(map(unused.format, wrong)))
            for words in (["tools"], ["call", "fail"]):
                run = ctl(*words, "--answer", "x=1", server=server)
                self.assertIn(unused.format("x"), run.stderr)
            run = ctl("call", "form", "--answer=name=A", "--answer=color=r",
                      server=server)
            self.check(run, 6, "", "unanswered: name: at least 2")
            self.assertNotIn("not used", run.stderr)
            run = ctl("call", "die", "--answer", "x=1", server=server)
            self.assertNotIn("not used", run.stderr)

    def test_wrong_answers(self):
        self.ask("form", "name=A", "color=r", code=6,
                 err="unanswered: name: at least 2")
        self.ask("form", "name=Ann", "color=blue", code=6,
                 err="unanswered: color: 'blue' is not one of the choices")
        self.ask("form", "name=Ann", "color=r", "count=x", code=6,
                 err="unanswered: count: 'x' is not a whole number")
        self.ask("form", "name=Ann", "color=r", "count=1.5", code=6,
                 err="unanswered: count: '1.5' is not a whole number")
        self.ask("form", "name=Ann", "color=r", "count:=\"x\"", code=6,
                 err="unanswered: count: /count: expected")
        self.ask("slashed", "a/b~:=\"x\"", code=6,
                 err="unanswered: a/b~: /a~1b~0: expected")

    def test_silence_is_no_consent(self):
        self.ask("optional", code=6, err="unanswered: sure")
        self.assertEqual(self.ask("optional", "sure=no"),
                         {"action": "accept", "content": {"sure": False}})
        self.assertEqual(self.ask("optional", "action=accept"),
                         {"action": "accept", "content": {"sure": True}})

    def test_refusals(self):
        for tool in ("form", "visit"):
            for action in ("decline", "cancel"):
                self.assertEqual(self.ask(tool, "action=" + action),
                                 {"action": action})

    def test_a_page(self):
        self.assertEqual(
            self.ask("visit", "action=accept",
                     err="its host: xn--evl-qla.example:81\n"
                         "mcpctl: its address: http://good.example@xn--evl-qla."
                         "example:81/login?x=1\n"),
            {"action": "accept"})
        self.ask("visit", code=6, err="unanswered: action")

    def test_a_long_address_is_shown_whole(self):
        self.assertEqual(
            self.ask("visit-far", "action=accept",
                     err="its address: https://good.example/?" + "x" * 5000 +
                         "&to=evil.example\n"),
            {"action": "accept"})

    def test_sampling(self):
        self.assertEqual(
            self.ask("think", "text=42", "model=abacus"),
            {"role": "assistant", "content": {"type": "text", "text": "42"},
             "model": "abacus", "stopReason": "endTurn"})
        self.ask("think", code=6, err="unanswered: text")


class OnATerminal(Case):
    def end(self, terminal, code=0):
        found, out = terminal.finish()
        self.assertEqual(found, code, out)
        return out

    def test_tables_are_cut_and_neutralised(self):
        for columns in (40, 60, 100):
            out = self.end(Terminal("tools", columns=columns))
            plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
            for line in plain.splitlines():
                wide = sum(c in "日本語" for c in line)
                self.assertLessEqual(len(line) + wide, columns)
            self.assertIn("…", plain)
            self.assertNotIn("\x1b[31m", out)
        self.assertIn("a\\x1b[31mred", self.end(Terminal("tools", columns=200)))

    def test_long_text_is_wrapped(self):
        for columns in (40, 80):
            out = self.end(Terminal("tools", "wordy", columns=columns))
            plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
            lines = plain.splitlines()
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertEqual(plain.split().count("words"), 20)
            self.assertEqual(plain.split().count("says"), 20)
            self.assertIn("n", [line.split(" ")[0] for line in lines])
            self.assertNotIn("\nProtocol", plain)
            self.assertIn("\n" + " " * 14 + "Protocol      none\n", plain)
        piped = self.check(ctl("tools", "wordy"))
        self.assertIn(" words  Protocol      none\n", piped)

    def test_one_tool_is_cut(self):
        for columns in (40, 60, 100):
            out = self.end(Terminal("tools", "described", columns=columns))
            plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
            self.assertLessEqual(max(map(len, plain.splitlines())), columns)
        self.assertIn("\nnumbers    array of number  no\n", plain)

    def test_names_to_type_are_whole(self):
        name = "compare_two_folders_and_all_that_is_below_them"
        server = FAKE + ["long"]
        out = self.end(Terminal("tools", columns=80, server=server))
        self.assertIn(name + " ", re.sub(r"\x1b\[[0-9;]*m", "", out))
        for columns in (40, 80):
            out = self.end(Terminal("tools", name, columns=columns,
                                    server=server))
            for argument in ("first", "second"):
                self.assertIn("the_folder_that_comes_" + argument, out)
                self.assertNotIn("…", out)

    def drawn(self, *words, **variables):
        terminal = Terminal(*words, **{"TERM_PROGRAM": "", **variables})
        return self.end(terminal).replace("\r\n", "\n")

    def test_images(self):
        pixel = fake_pixel()
        text = "A cat\n"
        size = len(base64.b64decode(pixel))
        plain = "[image image/png, %d bytes]" % size
        kitty = f"\x1b_Ga=T,f=100,q=2,m=0;{pixel}\x1b\\\n"
        iterm = f"\x1b]1337;File=inline=1;size={size}:{pixel}\x07\n"
        for variables, shown in (
                ({"KITTY_WINDOW_ID": "1"}, kitty),
                ({"TERM": "xterm-kitty"}, kitty),
                ({"TERM_PROGRAM": "iTerm.app"}, iterm),
                ({"TERM_PROGRAM": "WezTerm"}, iterm)):
            with self.subTest(variables=variables):
                self.assertEqual(self.drawn("call", "draw", **variables),
                                 text + shown)
                self.assertEqual(self.drawn("read", "fake://pixel",
                                            **variables), shown)
        for variables in (
                {}, {"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"},
                {"TMUX": "x", "TERM_PROGRAM": "iTerm.app"},
                {"TERM": "dumb", "KITTY_WINDOW_ID": "1"}):
            with self.subTest(variables=variables):
                self.assertIn(plain, self.drawn("call", "draw", **variables))
        run = ctl("call", "draw", env={**os.environ, "TERM": "xterm-kitty"})
        self.check(run, 0, text + plain + "\n")

    def test_a_long_image_is_sent_in_parts(self):
        data = base64.b64encode(base64.b64decode(fake_pixel())
                                + bytes(6000)).decode()
        out = self.drawn("call", "draw", "data=" + data, KITTY_WINDOW_ID="1")
        parts = re.findall("\x1b_G(.*?);(.*?)\x1b\\\\", out)
        self.assertEqual([head for head, _ in parts],
                         ["a=T,f=100,q=2,m=1", "m=0"])
        self.assertEqual("".join(part for _, part in parts), data)

    def test_what_is_no_image_is_not_sent(self):
        for data in ("AAEC", "\x1b]0;x\x07", fake_pixel() + "\n", ""):
            for variables in ({"KITTY_WINDOW_ID": "1"},
                              {"TERM_PROGRAM": "WezTerm"}):
                out = self.drawn("call", "draw", "data=" + data, **variables)
                self.assertIn("[image image/png, ", out)
                self.assertNotRegex(out, "\x1b[^\\[]")
        jpeg = base64.b64encode(b"\xff\xd8\xff\xe0xxx").decode()
        self.assertIn("[image", self.drawn("call", "draw", "data=" + jpeg,
                                           KITTY_WINDOW_ID="1"))
        self.assertIn("]1337;", self.drawn("call", "draw", "data=" + jpeg,
                                           TERM_PROGRAM="WezTerm"))

    def test_names_of_arguments_are_whole(self):
        names = ["the_folder_that_comes_first", "[the_folder_that_comes_second]"]
        for columns in (20, 40, 80, 120):
            out = self.end(Terminal("prompts", columns=columns,
                                    server=FAKE + ["long"]))
            plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
            self.assertIn("compare_them  " + " ".join(names), plain)
            self.assertIn("…", plain)  # the description
        for columns in range(60, 140, 7):
            out = self.end(Terminal("tools", columns=columns,
                                    server=FAKE + ["long"]))
            plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
            row = next(line for line in plain.splitlines()
                       if line.startswith("compare"))
            shown = row.split("  ")[1].split(" ")
            self.assertIn(shown, ([names[0].join("[]"), names[1]],
                                  [names[0].join("[]"), "…"], ["…"]), row)

    def test_a_name_with_nul_is_not_a_blank_line(self):
        out = self.check(ctl("tools", server=FAKE + ["cut"]))
        self.assertEqual(out.splitlines()[1].split("  ")[0], "(contains NUL)")

    def test_cells_without_room_stand_below_the_name(self):
        out = self.end(Terminal("tools", "deep", columns=80,
                                server=FAKE + ["long"]))
        lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
        at = lines.index("settings_of_the_whole.the_first_of_its_many_parts"
                         ".the_way_it_is_written")
        self.assertEqual(lines[at + 1:at + 3], ["  TYPE         string",
                                                "  REQUIRED     no"])
        self.assertIn("as_it_is_in_the_file", lines[at + 3])
        self.assertIn("as_it_is_on_the_page", lines[at + 3])
        self.assertTrue(lines[at + 4].startswith("  DESCRIPTION  told at"))
        self.assertEqual(len(lines), at + 7)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_text_is_neutralised(self):
        out = self.end(Terminal("call", "escape"))
        self.assertEqual(out, ESCAPED + "\n")
        out = self.end(Terminal("read", "fake://text"))
        self.assertEqual(out, "a\\x1b[1mb\n")
        out = self.end(Terminal("--json", "call", "escape"))
        self.assertNotIn("\x1b", out)
        self.assertIn('\\u001b[31m', out)
        self.assertIn('\n  "content": [\n', out)
        self.assertEqual(json.loads(out)["content"][0]["text"],
                         "a\x1b[31mred\x1b[0m\x07 \u009b2J \u202eb\rc\x7f")

    def test_bytes_are_not_for_a_terminal(self):
        out = self.end(Terminal("read", "fake://blob"), 1)
        self.assertIn("[resource fake://blob, application/x-x, 5 bytes]", out)
        self.assertIn("--output FILE saves it", out)
        self.assertNotIn("\0", out)

    def test_progress(self):
        out = self.end(Terminal("call", "slow", "seconds:=0.05"))
        self.assertIn("2/4 step 2\\x1b[1m", out)
        self.assertIn("█", out)
        self.assertTrue(out.endswith("\r\x1b[Kdone\n"), out)

    def test_a_form(self):
        terminal = Terminal("call", "form")
        terminal.expect("The fake")
        terminal.expect("asks: Who are you?")
        terminal.expect("Your name")
        terminal.expect("> ")
        terminal.send("\n")
        terminal.expect("This field is required")
        terminal.send("A\n")
        terminal.expect("at least 2")
        terminal.send("Ann\n")
        terminal.expect("2. g: Green")
        terminal.send("7\n")
        terminal.expect("not one of the choices")
        terminal.send("2\n")
        terminal.expect("Enter alone means 3")
        terminal.send("\n")
        terminal.expect("Send mail?")
        terminal.send("\n")
        terminal.expect("Send this?")
        terminal.send("perhaps\n")
        terminal.expect("Type one of these words, or its beginning.")
        terminal.expect("Send this?")
        terminal.send("yes\n")
        terminal.expect("{")
        out = self.end(terminal)
        self.assertIn('"content": {"color": "g", "count": 3, "name": "Ann"}',
                      out)

    def test_a_form_that_is_edited_and_declined(self):
        terminal = Terminal("--answer", "color=r", "--answer", "count=1",
                            "--answer", "spam=no", "call", "form")
        terminal.expect("Your name")
        terminal.send("Ann\n")
        terminal.expect("Send this?")
        terminal.send("e\n")
        terminal.expect("Your name")
        terminal.send("Bob\n")
        for _ in range(3):
            terminal.expect("> ")
            terminal.send("1\n")
        terminal.expect("Send this?")
        terminal.send("d\n")
        terminal.expect('{"action": "decline"}')
        self.end(terminal)

    def test_ctrl_d_cancels(self):
        terminal = Terminal("call", "form")
        terminal.expect("> ")
        terminal.send("\x04")
        terminal.expect('{"action": "cancel"}')
        self.end(terminal)

    def test_a_question_that_is_taken_back(self):
        terminal = Terminal("call", "impatient")
        terminal.expect("> ")
        terminal.expect("never mind")
        self.end(terminal)

    def test_ctrl_c_interrupts(self):
        terminal = Terminal("call", "form")
        terminal.expect("> ")
        terminal.send("\x03")
        terminal.expect("interrupted")
        self.end(terminal, 130)

    def test_thinking_takes_no_time(self):
        for mode in ("legacy", "modern"):
            terminal = Terminal("--timeout", "3", "call", "optional",
                                server=FAKE + [mode])
            terminal.expect("> ")
            time.sleep(3.5)
            terminal.send("no\n")
            terminal.expect("Send this?")
            terminal.send("yes\n")
            terminal.expect('"sure": false')
            self.end(terminal)

    def test_a_page(self):
        terminal = Terminal("call", "visit")
        terminal.expect("asks you to visit a page")
        host = terminal.expect("Page")
        self.assertIn("xn--evl-qla.example:81", host)
        self.assertNotIn("good.example", host)
        terminal.expect("http://good.example@xn--evl-qla.example:81/login?x=1")
        terminal.expect("not https")
        terminal.expect("may look like others")
        terminal.expect("Do you consent")
        terminal.send("y\n")
        terminal.expect('{"action": "accept"}')
        self.end(terminal)

    def test_sampling(self):
        terminal = Terminal("call", "think")
        terminal.expect("asks a model, for at most 100 tokens")
        terminal.expect("Be brief.")
        terminal.expect("What is 6 times 7?")
        terminal.expect("type only")
        terminal.send("Forty\ntwo\n.\n")
        terminal.expect('"Forty\\ntwo"')
        self.end(terminal)

    def test_answers_need_no_terminal(self):
        out = self.end(Terminal("--answer", "sure=yes", "call", "optional"))
        self.assertEqual(out, '{"action": "accept", "content": '
                              '{"sure": true}}\n')
