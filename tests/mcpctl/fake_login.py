# SPDX-License-Identifier: MIT
"""An MCP server that demands a token, and the authorization server that gives
it, at one address, for tests of logins."""
import base64
import http.server
import json
import socket
import ssl
import threading
import time
import urllib.parse

METADATA = "/.well-known/oauth-protected-resource/mcp"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, value=None, **headers):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def demand(self):
        place = urllib.parse.urljoin(self.server.url, METADATA)
        self.reply(401, WWW_Authenticate="Bearer resource_metadata="
                   f'"{place}"{self.server.said}')

    def do_GET(self):
        base = self.server.base
        url = urllib.parse.urlparse(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == METADATA:
            self.reply(200, {"resource": self.server.url,
                             "authorization_servers": [base],
                             "scopes_supported": ["mcp:use"]})
        elif url.path == "/.well-known/oauth-authorization-server":
            self.reply(200, {
                "issuer": base, "authorization_endpoint": base + "/authorize",
                "token_endpoint": base + "/token",
                "registration_endpoint": base + "/register",
                "revocation_endpoint": base + "/revoke",
                "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": [
                    "authorization_code", "refresh_token",
                    "client_credentials",
                    "urn:ietf:params:oauth:grant-type:jwt-bearer"],
                "token_endpoint_auth_methods_supported":
                    ["none", "client_secret_basic"],
                "authorization_response_iss_parameter_supported": True})
        elif url.path == "/authorize":
            self.server.secrets |= {"secret-code", query["state"]}
            back = urllib.parse.urlencode({
                "code": "secret-code", "state": query["state"], "iss": base})
            self.reply(302, Location=query["redirect_uri"] + "?" + back)
        elif url.path == "/mcp" and self.is_authorized():
            self.reply(405)
        else:
            self.demand()

    def is_authorized(self):
        is_known = self.headers.get("Authorization") in self.server.tokens
        if is_known and self.server.uses is not None:
            self.server.uses -= 1
            return self.server.uses >= 0
        return is_known

    def note_secrets(self, form):
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        secrets = {form[name] for name in ("code_verifier", "assertion",
                                           "refresh_token") if name in form}
        if kind == "Basic":
            password = base64.b64decode(value).decode().partition(":")[2]
            secrets.add(urllib.parse.unquote(password))
        self.server.secrets |= secrets
        return secrets

    def give_token(self, form):
        self.server.forms.append(form)
        secrets = self.note_secrets(form)
        if form["grant_type"] == "refresh_token":
            time.sleep(self.server.renewal_s)
        if self.server.refuses:
            self.reply(400, {"error": self.server.refuses,
                             "error_description": f"not {sorted(secrets)}"})
            return
        number = len(self.server.forms)
        access, refresh = f"secret-token-{number}", f"secret-refresh-{number}"
        self.server.secrets |= {access, refresh}
        self.server.tokens = {f"Bearer {access}"}
        token = {"access_token": access, "token_type": "Bearer",
                 "expires_in": self.server.lifetime}
        if form["grant_type"] in ("authorization_code", "refresh_token"):
            token["refresh_token"] = refresh
        self.reply(200, token)

    def answer(self, message):
        results = {
            "initialize": {"protocolVersion": "2025-11-25",
                           "capabilities": {"tools": {}},
                           "serverInfo": {"name": "fake", "version": "1"}},
            "tools/list": {"tools": [{"name": "guarded",
                                      "inputSchema": {"type": "object"}}]}}
        if "id" not in message:
            self.reply(202)
        elif message["method"] == "server/discover":  # a server of 2025-11-25
            self.reply(200, {"jsonrpc": "2.0", "id": message["id"],
                             "error": {"code": -32601, "message": "unknown"}})
        else:
            self.reply(200, {"jsonrpc": "2.0", "id": message["id"],
                             "result": results.get(message["method"], {})})

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length).decode()
        if self.path == "/register":
            self.reply(201, {**json.loads(body), "client_id": "registered"})
        elif self.path == "/token":
            self.give_token(dict(urllib.parse.parse_qsl(body)))
        elif self.path == "/revoke":
            self.server.revoked.append(dict(urllib.parse.parse_qsl(body)))
            self.reply(200)
        elif self.is_authorized():
            self.answer(json.loads(body))
        else:
            self.demand()

    def do_DELETE(self):
        self.reply(405)


class FakeLogin:
    """Gives the server. `url` is the MCP server's, `said` is the end of its
    challenges, and `uses` is for how many requests a token is good, or None.
    `forms` are those of the token endpoint, `renewal_s` is how long
    it takes to renew a token, and `refuses` is the error that
    this endpoint answers, or None. The server adds to `secrets` each secret
    that it gives or gets."""

    def __init__(self, secrets):
        self.secrets = secrets

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.base = f"http://127.0.0.1:{self.server.server_port}"
        self.server.url = self.server.base + "/mcp"
        self.server.secrets = self.secrets
        self.server.said = ""
        self.server.refuses = None
        self.server.tokens = set()
        self.server.uses = None
        self.server.forms = []
        self.server.revoked = []
        self.server.lifetime = 3600
        self.server.renewal_s = 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class NamedProxy:
    """A proxy in front of a server that speaks http: by any name, it shows the
    server's clients a certificate of that name. Gives its own URL."""

    def __init__(self, server, pem):
        self.port = server.server_port
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(pem)

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()
        return "http://127.0.0.1:%d" % self.listener.getsockname()[1]

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        try:
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(client,),
                                 daemon=True).start()
        except OSError:
            pass  # __exit__

    def serve(self, client):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        client = self.context.wrap_socket(client, server_side=True)
        server = socket.create_connection(("127.0.0.1", self.port))
        threading.Thread(target=copy, args=(server, client),
                         daemon=True).start()
        copy(client, server)


def copy(source, to):
    try:
        while data := source.recv(65536):
            to.sendall(data)
        to.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the other side has ended
