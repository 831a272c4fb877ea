# SPDX-License-Identifier: MIT
"""Logging in with OAuth."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from fake_login import FakeLogin, NamedProxy
from support import BIN, Case, LIMIT, NoRedirect, ROOT, Served, Terminal


class Logins(Case):
    """Logins, with a folder of their own."""

    def setUp(self):
        self.needs_urls()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tokens = self.folder / "mcp" / "auth"
        self.printed = ""
        self.secrets = set()

    def tearDown(self):
        """Looks for secrets in all that was printed, except for the page that
        the user opens, which has the state."""
        shown = re.sub(r".*/authorize\?.*", "", self.printed)
        for secret in self.secrets:
            self.assertNotIn(secret, shown)

    def run_ctl(self, *words, stdin=subprocess.DEVNULL, **more):
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder), **more}
        run = subprocess.run([BIN / "mcpctl", *words], text=True, stdin=stdin,
                             capture_output=True, timeout=LIMIT, env=env,
                             start_new_session=True)
        self.printed += run.stdout + run.stderr
        return run

    def start(self, fake, *words, **more):
        """Runs `login` until it shows the page, which it returns, too."""
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder), **more}
        run = subprocess.Popen(
            [BIN / "mcpctl", *(words or ["--no-browser"]), fake.url, "login"],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=env, start_new_session=True)
        return run, self.next_page(run)

    def next_page(self, run):
        """Waits for a page that the user is to open. Returns its address."""
        line = ""
        while "/authorize?" not in line:
            line = run.stderr.readline()
            self.assertNotEqual(line, "", "mcpctl has shown no page")
            self.printed += line
        return line.removeprefix("mcpctl: ").strip()

    def end(self, fake, run, pasted):
        """Pastes, and waits for the end. Returns what mcpctl says."""
        out, err = run.communicate(pasted, timeout=LIMIT)
        self.printed += out + err
        self.assertEqual(run.returncode, 0, err)
        self.assertEqual(out, "")
        self.assertTrue(err.endswith(f"mcpctl: logged in to {fake.url}\n"), err)
        return err

    def visit(self, page):
        """Opens the page as a browser on another machine would. Returns the
        address to which it leads."""
        opener = urllib.request.build_opener(NoRedirect)
        with self.assertRaises(urllib.error.HTTPError) as found:
            opener.open(page, timeout=LIMIT)
        return found.exception.headers["Location"]

    def log_in(self, fake):
        run, page = self.start(fake)
        self.end(fake, run, self.visit(page) + "\n")

    def test_what_is_pasted(self):
        with FakeLogin(self.secrets) as fake:
            run, page = self.start(fake)
            address = self.visit(page)
            said = self.end(fake, run, "wrong?code=x&state=y\n\n" + address +
                            "x" * 5000 + f"\n {address} ")
            self.assertIn('the URL belongs to another login (its "state" '
                          "differs); paste the whole address\n", said)
            self.assertIn("the line has more than 4094 bytes, which is too "
                          "long: paste only what follows the question mark\n",
                          said)
            run, page = self.start(fake)
            self.end(fake, run, self.visit(page).partition("?")[2])

    def test_a_token_that_cannot_be_stored(self):
        with FakeLogin(self.secrets) as fake:
            run, page = self.start(fake)
            self.tokens.rename(self.folder / "elsewhere")
            self.tokens.write_text("not a folder")
            out, err = run.communicate(self.visit(page) + "\n", timeout=LIMIT)
            self.printed += out + err
            self.assertEqual(run.returncode, 4, err)
            self.assertIn(f"mcpctl: logged in to {fake.url}, but the token is "
                          "not stored: ", err)

    def test_a_browser_ends_the_login_after_the_input_has_ended(self):
        with FakeLogin(self.secrets) as fake:
            run, page = self.start(fake)
            run.stdin.close()
            line = ""
            while "standard input has ended" not in line:
                line = run.stderr.readline()
                self.assertNotEqual(line, "")
            with urllib.request.urlopen(page, timeout=LIMIT) as shown:
                self.printed += shown.read().decode()
            run.stdin = None
            self.end(fake, run, None)

    def test_one_login_serves_all_runs(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            self.check(self.run_ctl("--era", "legacy", fake.url, "tools"), 0,
                       "NAME\nguarded\n")
            self.assertEqual(len(fake.forms), 1)
            self.assertLessEqual({"secret-code", "secret-token-1",
                                  "secret-refresh-1"}, self.secrets)
            self.assertEqual(self.tokens.stat().st_mode & 0o777, 0o700)
            for file in self.tokens.iterdir():
                self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            shown = self.check(self.run_ctl("--json", "auth"))
            found, = json.loads(shown)
            self.assertEqual(found["server"], fake.url)
            self.assertEqual(found["issuer"], fake.base)
            self.assertEqual(found["scope"], "mcp:use")
            self.assertTrue(found["renewable"])
            left_ms = found["expires_at_ms"] - time.time() * 1000
            self.assertTrue(0 < left_ms <= fake.lifetime * 1000, left_ms)
            self.assertIn(fake.url, self.check(self.run_ctl("auth")))

    def test_auth_says_until_when_a_token_is_valid(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            file, = self.tokens.glob("*.json")
            record = json.loads(file.read_text())
            token = record["token"]
            refresh = token["refresh_token"]
            for expires_ms, is_renewable, shown in (
                    (4102444800000, True, "2100-01-01 00:00 UTC"),
                    (4102444800000, False, "2100-01-01 00:00 UTC"),
                    (1000, True, "will be renewed"),
                    (1000, False, "expired"),
                    (None, False, "not known")):
                token["expires_at_ms"] = expires_ms
                token["refresh_token"] = refresh
                if expires_ms is None:
                    del token["expires_at_ms"]
                if not is_renewable:
                    del token["refresh_token"]
                file.write_text(json.dumps(record))
                for words in ("auth",), (fake.url, "auth"):
                    heading, row = self.check(
                        self.run_ctl(*words)).splitlines()
                    self.assertEqual(heading.split(), [
                        "SERVER", "ISSUER", "GRANT", "SCOPES", "EXPIRES"])
                    self.assertEqual(row.split(), [
                        fake.url, fake.base, "code", "mcp:use",
                        *shown.split()])
                found, = json.loads(self.check(
                    self.run_ctl("--json", fake.url, "auth")))
                self.assertEqual(found.get("expires_at_ms"), expires_ms)
                self.assertEqual(found["renewable"], is_renewable)
            self.check(self.run_ctl(fake.url + "2", "auth"), 0, "",
                       f"there is no login for {fake.url}2\n")

    def test_a_token_that_has_expired_is_renewed(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            self.expire(-1)
            self.check(self.run_ctl("--era", "legacy", fake.url, "tools"))
            self.assertEqual(fake.forms[1]["grant_type"], "refresh_token")

    def expire(self, left_s):
        """Changes the stored token, which expires in that time. Returns its
        file."""
        file, = self.tokens.glob("*.json")
        record = json.loads(file.read_text())
        record["token"]["expires_at_ms"] = int((time.time() + left_s) * 1000)
        file.write_text(json.dumps(record))
        return file

    def test_a_run_that_is_over_waits_for_a_renewal(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            file = self.expire(30)
            fake.renewal_s = 1
            self.check(self.run_ctl("--era", "legacy", fake.url, "tools"))
            self.assertEqual(fake.forms[1]["refresh_token"], "secret-refresh-1")
            self.assertIn("secret-refresh-2", file.read_text())

    def test_an_interrupt_waits_for_a_renewal(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            file = self.expire(-1)
            fake.renewal_s = 1
            env = {**os.environ, "XDG_STATE_HOME": str(self.folder)}
            run = subprocess.Popen(
                [BIN / "mcpctl", "--era", "legacy", fake.url, "tools"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                start_new_session=True)
            while len(fake.forms) < 2:
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=LIMIT)
            self.assertEqual(run.returncode, 130)
            self.assertIn("secret-refresh-2", file.read_text())

    def test_a_run_without_the_client_id_loses_no_token(self):
        with FakeLogin(self.secrets) as fake:
            words = ("--client-id", "static")
            run, page = self.start(fake, "--no-browser", *words)
            self.end(fake, run, self.visit(page) + "\n")
            self.expire(-1)
            fake.tokens = set()
            self.check(self.run_ctl("--era", "legacy", fake.url, "tools"), 3,
                       "", "demands a login (HTTP 401)")
            self.assertEqual(len(fake.forms), 1)
            self.check(self.run_ctl(*words, "--era", "legacy", fake.url,
                                    "tools"))
            self.assertEqual(fake.forms[1]["refresh_token"], "secret-refresh-1")

    def test_a_user_and_a_machine_have_their_own_tokens(self):
        with FakeLogin(self.secrets) as fake:
            machine = ("--client-id", "machine", "--client-secret-env",
                       "SECRET", "--client-credentials", "--era", "legacy")
            self.log_in(fake)
            both = set(fake.tokens)
            self.check(self.run_ctl(*machine, fake.url, "tools",
                                    SECRET="hidden"))
            self.assertEqual(fake.forms[1]["grant_type"], "client_credentials")
            both |= fake.tokens
            fake.tokens = both
            self.check(self.run_ctl("--era", "legacy", fake.url, "tools"))
            self.assertEqual(len(fake.forms), 2)
            listed = json.loads(self.check(self.run_ctl("--json", "auth")))
            self.assertEqual({login["grant"] for login in listed},
                             {"code", "client_credentials"})
            self.assertEqual({login["server"] for login in listed}, {fake.url})
            self.check(self.run_ctl(*machine[:5], fake.url, "logout",
                                    SECRET="hidden"), 0, "", "logged out")
            self.assertEqual({form["token"] for form in fake.revoked},
                             {"secret-refresh-1", "secret-token-2"})
            self.check(self.run_ctl("auth"), 0, "", "there is no login")

    def test_a_logout_revokes(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            self.check(self.run_ctl(fake.url, "logout"), 0, "",
                       f"logged out of {fake.url}")
            self.assertEqual(fake.revoked[0]["token"], "secret-refresh-1")
            self.assertEqual(
                [file.read_text() for file in self.tokens.glob("*.json")
                 if "secret" in file.read_text()], [])
            self.check(self.run_ctl("auth"), 0, "", "there is no login")
            self.check(self.run_ctl(fake.url, "logout"), 0, "",
                       "there was no login")

    def test_records_that_cannot_be_read_are_reported(self):
        with FakeLogin(self.secrets) as fake, FakeLogin(self.secrets) as other:
            self.log_in(fake)
            file, = self.tokens.glob("*.json")
            text = file.read_text()
            file.chmod(0o644)
            self.check(self.run_ctl("auth"), 4, "", "run chmod 600 on it")
            self.log_in(other)
            run = self.run_ctl("auth")
            self.assertIn(other.url, self.check(run, 4, None,
                                                "run chmod 600 on it"))
            file.chmod(0o600)
            file.write_text(text[:-1])
            self.check(self.run_ctl("auth"), 4, None,
                       "is not the record of a login: remove it")
            self.check(self.run_ctl(fake.url, "logout"), 4, "",
                       "is removed, but was not revoked: its stored record is "
                       "not valid")
            self.assertFalse(file.exists())
            self.assertIn(other.url, self.check(self.run_ctl("auth")))

    def test_one_login_is_for_all_transports(self):
        with FakeLogin(self.secrets) as fake:
            place = fake.url.removeprefix("http") + "?a=b"
            words = ("--client-id", "machine", "--client-secret-env", "SECRET",
                     "--client-credentials")
            self.check(self.run_ctl(*words, "sse+http" + place, "login",
                                    SECRET="hidden"), 0, "",
                       f"mcpctl: logged in to sse+{fake.url}\n")
            for scheme in "http", "ws", "sse+http":
                self.assertIn(fake.url, self.check(
                    self.run_ctl(scheme + place, "auth")))
            self.check(self.run_ctl("--json", "https" + place, "auth"), 0,
                       "[]\n")
            self.check(self.run_ctl(*words, "ws" + place, "logout",
                                    SECRET="hidden"), 0, "", "logged out")
            self.assertEqual(fake.revoked[0]["token"], "secret-token-1")

    def test_a_server_that_demands_no_login(self):
        with Served() as url:
            self.check(self.run_ctl(url, "login"), 3, "",
                       "and perhaps needs no login: ")

    def test_a_browser_on_this_machine_comes_back(self):
        opener = self.folder / "xdg-open"
        opener.write_text("#!/bin/sh\n" + f"exec {sys.executable} -c "
                          "'import sys, urllib.request as r; "
                          "print(r.urlopen(sys.argv[1]).read().decode())' "
                          f"\"$1\" >{self.folder}/page\n")
        opener.chmod(0o700)
        with FakeLogin(self.secrets) as fake:
            path = f"{self.folder}:{os.environ['PATH']}"
            run = self.run_ctl(fake.url, "login", PATH=path)
            self.check(run, 0, "", f"mcpctl: logged in to {fake.url}\n")
            self.assertIn(f"mcpctl: log in at {fake.base} in your browser; if "
                          "it does not open, open this page:\n", run.stderr)
            self.assertIn("code_verifier", fake.forms[0])

    def test_a_machine_without_a_browser(self):
        with FakeLogin(self.secrets) as fake:
            run, page = self.start(fake, "--color", "never",
                                   PATH=str(self.folder))
            self.assertIn("mcpctl: cannot open a browser here: open the "
                          "page yourself, on this machine, or use "
                          "--no-browser\nmcpctl: open this page to log in at "
                          f"{fake.base}:\n", self.printed)
            with urllib.request.urlopen(page, timeout=LIMIT) as shown:
                self.printed += shown.read().decode()
            self.end(fake, run, "")

    def test_a_server_that_has_forgotten_the_client_asks_twice(self):
        """Once the browser brings what the user pastes, once it does not."""
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            for pastes in False, True:
                fake.refuses = "invalid_client"
                run, page = self.start(fake)
                if pastes:
                    run.stdin.write(self.visit(page) + "\n")
                    run.stdin.flush()
                else:
                    with urllib.request.urlopen(page, timeout=LIMIT) as shown:
                        self.assertIn("One more step", shown.read().decode())
                second = self.next_page(run)
                self.assertNotEqual(second, page)
                fake.refuses = None
                self.end(fake, run, self.visit(second) + "\n")

    def test_without_a_terminal_nobody_is_asked(self):
        with FakeLogin(self.secrets) as fake:
            fake.said = (', error="invalid_token", '
                         'error_description="The token has expired"')
            for words in ("tools",), ("--trace", "--json", "tools"):
                run = self.run_ctl(fake.url, *words)
                self.check(run, 3)
                self.assertIn(
                    f"mcpctl: {fake.url} demands a login (HTTP 401): "
                    "invalid_token: The token has expired; run mcpctl "
                    f"{fake.url} login, or give a token with --token-env "
                    "VAR or a header with --header 'NAME: VALUE'\n",
                    run.stderr)
                self.assertEqual(re.findall("^mcpctl: ([A-Z].*?:)", run.stderr,
                                            re.M), ["WWW-Authenticate:"])
            self.assertEqual(fake.forms, [])
            self.assertEqual(list(self.tokens.glob("*.json")), [])

    def on_terminal(self, *words):
        return Terminal("--no-browser", "--era", "legacy", "--color", "never",
                        *words, server=None, XDG_STATE_HOME=str(self.folder))

    def finish(self, terminal):
        code, out = terminal.finish()
        self.printed += out
        return code, out

    def test_on_a_terminal_each_verb_offers_to_log_in(self):
        with FakeLogin(self.secrets) as fake:
            terminal = self.on_terminal(fake.url, "tools")
            terminal.expect("demands a login. Log in now? (yes/no) ")
            terminal.send("yes\n")
            page = terminal.expect("then paste the address").split()
            page, = [word for word in page if "/authorize?" in word]
            terminal.expect("press Enter:")
            terminal.send(self.visit(page) + "\n")
            # The terminal echoes what is pasted.
            terminal.expect("NAME")
            self.assertEqual(self.finish(terminal), (0, "\nguarded\n"))

    def test_without_a_folder_a_login_is_for_one_run(self):
        with FakeLogin(self.secrets) as fake:
            self.folder = pathlib.Path("/proc")  # nobody makes folders there
            terminal = self.on_terminal(fake.url, "tools")
            terminal.expect("(yes/no) ")
            terminal.send("yes\n")
            page = terminal.expect("the login ends with this run: cannot make "
                                   "the folder /proc/mcp").split()
            page, = [word for word in page if "/authorize?" in word]
            terminal.expect("press Enter:")
            terminal.send(self.visit(page) + "\n")
            terminal.expect("NAME")
            self.assertEqual(self.finish(terminal), (0, "\nguarded\n"))
            self.check(self.run_ctl(fake.url, "login"), 1, "",
                       "cannot make the folder /proc/mcp")

    def test_a_user_may_refuse_to_log_in(self):
        with FakeLogin(self.secrets) as fake:
            for answers in ("no\n",), ("\4",), ("yes\n", "\4"):
                terminal = self.on_terminal(fake.url, "tools")
                terminal.expect("Log in now? (yes/no) ")
                terminal.send(answers[0])
                if len(answers) > 1:
                    terminal.expect("press Enter:")
                    terminal.send(answers[1])
                code, out = self.finish(terminal)
                self.assertEqual(code, 3)
                self.assertIn("you have not logged in\n", out)
                self.assertNotIn("another user", out)
            self.assertEqual(fake.forms, [])
            terminal = self.on_terminal(fake.url, "login")
            terminal.expect("press Enter:")
            terminal.send("\3")
            code, out = self.finish(terminal)
            self.assertEqual(code, 130)
            self.assertIn("interrupted\n", out)

    def test_machines_bring_what_they_have(self):
        with FakeLogin(self.secrets) as fake:
            fake.tokens = {"Bearer own-token"}
            words = ("--era", "legacy", fake.url, "tools")
            self.check(self.run_ctl("--token-env", "TOKEN", *words,
                                    TOKEN="own-token"))
            self.check(self.run_ctl("--token-env", "TOKEN", *words,
                                    TOKEN="wrong-token"), 3, "",
                       f"mcpctl: {fake.url} refuses the program's token; check "
                       "the token in the variable TOKEN (--token-env)\n")
            self.secrets |= {"own-token", "wrong-token"}
            self.check(self.run_ctl("--token-env", "NO_TOKEN", *words), 1, "",
                       "NO_TOKEN: this variable of the environment is empty "
                       "or not set")
            self.check(self.run_ctl(
                "--client-id", "machine", "--client-secret-env", "SECRET",
                "--client-credentials", *words, SECRET="hidden"))
            self.assertEqual(fake.forms[0]["grant_type"], "client_credentials")
            self.assertIn("hidden", self.secrets)

    def test_credentials_go_only_to_their_issuer(self):
        with FakeLogin(self.secrets) as fake:
            file = self.folder / "identity"
            file.write_text("head.secret-claims.signature\n")
            machine = ("--client-id", "machine", "--client-secret-env",
                       "SECRET", "--client-credentials")
            for words, why in ((machine, "client_id belongs to"),
                               (("--identity", str(file)), "client_issuer is"),
                               (("--no-browser",), "client_issuer is")):
                run = self.run_ctl(
                    *words, "--client-issuer", "https://login.example.com",
                    fake.url, "login", SECRET="hidden")
                self.check(run, 3, "", f"the authorization server is "
                           f"{fake.base}, but {why} https://login.example.com")
            self.assertEqual(fake.forms, [])
            for words in machine, ("--identity", str(file)):
                self.check(self.run_ctl(
                    *words, "--client-issuer", fake.base, fake.url, "login",
                    SECRET="hidden"), 0, "", f"logged in to {fake.url}")

    def test_a_public_server_with_a_private_authorization_server(self):
        named = str(ROOT / "tests/http/certs/named.pem")
        words = ("--client-id", "machine", "--client-secret-env", "SECRET",
                 "--client-credentials", "--cacert", named)
        with FakeLogin(self.secrets) as fake, NamedProxy(fake, named) as proxy:
            fake.url = "https://mcp.example/mcp"
            more = {"SECRET": "hidden", "https_proxy": proxy,
                    "no_proxy": "127.0.0.1"}
            for verb in "login", "tools":
                run = self.run_ctl(*words, fake.url, verb, **more)
                self.check(run, 3, "", f"{fake.base}/.well-known/oauth-"
                           "authorization-server: its address is not public "
                           "(allows_private_addresses is 0); if you trust the "
                           "server, give --allow-private-addresses\n")
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            self.assertEqual(fake.forms, [])
            self.check(self.run_ctl(*words, "--allow-private-addresses",
                                    fake.url, "tools", **more), 0,
                       "NAME\nguarded\n")

    def test_the_example_logs_in(self):
        """examples/login-client.c, as a machine and as a user."""
        opener = self.folder / "xdg-open"
        opener.write_text("#!/bin/sh\n" + f"exec {sys.executable} -c 'import "
                          "sys, urllib.request as r; r.urlopen(sys.argv[1])' "
                          "\"$1\"\n")
        opener.chmod(0o700)
        with FakeLogin(self.secrets) as fake:
            user = {**os.environ, "XDG_STATE_HOME": str(self.folder),
                    "PATH": f"{self.folder}:{os.environ['PATH']}"}
            machine = {**user, "CLIENT_ID": "machine", "CLIENT_SECRET": "hidden",
                       "CLIENT_ISSUER": fake.base}
            for env, grant in ((machine, "client_credentials"),
                               (user, "authorization_code")):
                run = subprocess.run([BIN / "login-client", fake.url], text=True,
                                     capture_output=True, timeout=LIMIT,
                                     env=env)
                self.printed += run.stdout + run.stderr
                self.assertEqual((run.returncode, run.stdout, run.stderr),
                                 (0, "guarded\n", ""))
                self.assertEqual(fake.forms[-1]["grant_type"], grant)
            machine["CLIENT_ISSUER"] = "https://login.example.com"
            run = subprocess.run([BIN / "login-client", fake.url], text=True,
                                 capture_output=True, timeout=LIMIT,
                                 env=machine)
            self.assertEqual(run.returncode, 1)
            self.assertIn("client_id belongs to https://login.example.com",
                          run.stderr)
            self.assertEqual(len(fake.forms), 2)

    def test_a_token_that_the_server_no_longer_accepts(self):
        with FakeLogin(self.secrets) as fake:
            self.secrets.add("own-token")
            fake.tokens = {"Bearer own-token"}
            fake.uses = 1
            run = self.run_ctl("--token-env", "TOKEN", fake.url, "tools",
                               TOKEN="own-token")
            self.check(run, 3, "")
            self.assertEqual(
                run.stderr, f"mcpctl: {fake.url} no longer accepts the token; "
                "check the token in the variable TOKEN (--token-env)\n"
                "mcpctl: WWW-Authenticate: Bearer resource_metadata=\""
                f"{fake.url.removesuffix('/mcp')}/.well-known/"
                "oauth-protected-resource/mcp\"\n")

    def test_a_workload_has_the_identity_of_its_platform(self):
        with FakeLogin(self.secrets) as fake:
            words = ("--era", "legacy", fake.url, "tools", "--identity")
            file = self.folder / "identity"
            file.write_text("head.secret-claims.signature\n")
            self.check(self.run_ctl(*words, str(file)), 0, "NAME\nguarded\n")
            form, = fake.forms
            self.assertEqual(form["grant_type"],
                             "urn:ietf:params:oauth:grant-type:jwt-bearer")
            self.assertEqual(form["assertion"], "head.secret-claims.signature")
            self.assertEqual(form["resource"], fake.url)
            self.assertIn(form["assertion"], self.secrets)
            fake.refuses = "invalid_grant"
            self.check(self.run_ctl(fake.url, "login", "--identity",
                                    str(file)), 3, "", "invalid_grant: not "
                       "['....']\n")
            for text in "", "\n":
                file.write_text(text)
                run = self.run_ctl(*words, str(file))
                self.check(run, 1, "")
                self.assertEqual(run.stderr, f"mcpctl: --identity {file}: the "
                                 "file does not begin with a JWT\n")
            run = self.run_ctl(*words, str(self.folder))
            self.check(run, 1, "", "cannot read")
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_an_authorization_server_that_refuses_a_machine(self):
        """Its answer is not one of the MCP server, for which there are
        hints."""
        with FakeLogin(self.secrets) as fake:
            fake.refuses = "invalid_client"
            run = self.run_ctl(
                "--client-id", "machine", "--client-secret-env", "SECRET",
                "--client-credentials", fake.url, "tools", SECRET="hidden")
            self.check(run, 3, "", "mcpctl: getting a token: "
                       f"{fake.base}/token answered HTTP 400: invalid_client: "
                       "not ['....']\n")
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_without_a_keyring_the_error_says_what_to_do(self):
        """tests/keyring has keyrings."""
        gone = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
        run = self.run_ctl("--keyring", "auth", **gone)
        if run.returncode == 1:  # this build or this machine has no libsecret
            self.check(run, 1, "", "libsecret")
        else:
            self.check(run, 4, "", "there is no D-Bus session bus")
        self.assertIn("keyring", run.stderr)

    def test_options_that_do_not_go_together(self):
        url = "http://127.0.0.1:1/mcp"
        for words, why in (
                (("login",), "needs an HTTP or WebSocket URL"),
                ((url, "login", "--client-credentials"), "needs --client-id"),
                ((url, "tools", "--token-env", "A", "--client-id", "b"),
                 "--token-env"),
                ((url, "tools", "--token-env", "A", "--client-issuer", url),
                 "--token-env"),
                ((url, "auth", "--client-issuer", url), "no effect on auth"),
                ((url, "auth", "--allow-private-addresses"),
                 "no effect on auth"),
                (("tools", "--allow-private-addresses", "--", "cat"),
                 "--allow-private-addresses"),
                (("tools", "--client-issuer", url, "--", "cat"), "--client-*"),
                (("--header", "Authorization: Bearer x", url, "login"),
                 "--header, --plain, --insecure and --cert have no effect on "
                 "login"),
                (("--insecure", url, "auth"), "have no effect on auth"),
                (("--token-env", "A", url, "login"),
                 "--token-env has no effect on login"),
                (("--scope", "a", url, "logout"), "no effect on logout"),
                (("--no-browser", url, "auth"), "no effect on auth"),
                (("http://me:secret@127.0.0.1:1/mcp", "login"),
                 "the URL has a user, which is not a login"),
                (("tools", "--scope", "a", "--", "cat"), "--scope"),
                (("--keyring", "tools", "--", "cat"), "--keyring"),
                ((url, "tools", "--token-env", "A", "--keyring"),
                 "--keyring")):
            self.check(self.run_ctl(*words), 1, "", why)
