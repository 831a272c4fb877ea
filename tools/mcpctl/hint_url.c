/* SPDX-License-Identifier: MIT */
/* What may be wrong with a URL.
 *
 * The library tells in libcurl's and OpenSSL's words what happened. What to do
 * about it is not in them. */
#include "hint.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* What is spoken at a URL. */
enum {
  HTTP = 1,
  WEBSOCKET = 2,
  SSE = 4,
  LINES = 8,
  WEB = HTTP | WEBSOCKET | SSE,
  OLD = WEBSOCKET | SSE, /* or new: what a server of HTTP need not have */
  ALL = WEB | LINES,
  /* With TLS alone, or without alone. */
  TLS = 16,
  PLAIN = 32,
  /* Where there is one, as far as the environment says. */
  PROXY = 64
};

/* What may be tried instead. */
enum { SECURITY = 1, WIRE = 2 };

static const struct scheme {
  const char *begins;
  int spoken;
  const char *security; /* the same with TLS, or without */
  const char *wire;     /* the next likely wire */
} schemes[] = {
    {"http:", HTTP | PLAIN, "https://", "ws://"},
    {"https:", HTTP | TLS, "http://", "wss://"},
    {"ws:", WEBSOCKET | PLAIN, "wss://", "http://"},
    {"wss:", WEBSOCKET | TLS, "ws://", "https://"},
    {"sse+http:", SSE | PLAIN, "sse+https://", "http://"},
    {"sse+https:", SSE | TLS, "sse+http://", "https://"},
    {"tcp:", LINES, "", "http:// or ws://"},
    {"unix:", LINES, "", ""},
};

/* What the message has in it, or the HTTP status that it tells of. */
typedef struct symptom {
  int spoken;
  const char *words; /* NULL: `status` */
  int status;
  const char *hint;
  int instead; /* SECURITY, WIRE; 0: nothing */
} symptom;

/* The first that fits counts. */
static const symptom symptoms[] = {
    {WEB, NULL, 404,
     "there is no MCP server at this path: many are at /mcp, and each says its "
     "own",
     0},
    {HTTP | PLAIN, NULL, 400,
     "perhaps it does not speak MCP, or speaks TLS there", SECURITY},
    {OLD | PLAIN, NULL, 400, "what is there speaks another wire, or TLS",
     WIRE | SECURITY},
    {HTTP | SSE, NULL, 426, "a WebSocket is there: try ws:// or wss://", 0},
    {HTTP, NULL, 405,
     "there is something else at this path (many servers are at /mcp, those of "
     "HTTP+SSE at /sse), or a WebSocket alone",
     WIRE},
    {OLD, NULL, 200, "what is there speaks another wire", WIRE},
    {OLD, NULL, 400, "what is there speaks another wire", WIRE},
    {OLD, NULL, 405, "what is there speaks another wire", WIRE},
    {OLD, NULL, 406, "what is there speaks another wire", WIRE},
    {SSE, "where to post", 0,
     "there is something else at this path, or HTTP without SSE", WIRE},
    {SSE, "no stream of events", 0,
     "there is something else at this path, or HTTP without SSE", WIRE},
    {WEB, NULL, 501,
     "that is another kind of web server: is it the right port?", 0},
    {WEB | PROXY, "Failed to connect", 0,
     "is the server running, and this its port? Or is it the proxy's, of "
     "http_proxy or https_proxy?",
     0},
    {WEB, "Failed to connect", 0, "is the server running, and this its port?",
     0},
    {LINES, "connection refused", 0,
     "is the server running, and this its place?", 0},
    {LINES, "no such file", 0, "is the server running, and this its place?", 0},
    {WEB, "Could not resolve host", 0, "is the name right?", 0},
    {LINES, "unknown node", 0, "is the name right?", 0},
    {LINES, "closed the connection", 0,
     "perhaps it does not speak MCP by lines", WIRE},
    {WEB | TLS, "wrong version number", 0,
     "the server does not speak TLS there", SECURITY},
    {WEB | PLAIN, "Empty reply", 0, "it may speak TLS there", SECURITY},
    {WEB | PLAIN, "Connection reset", 0, "it may speak TLS there", SECURITY},
    {WEB | PLAIN, "HTTP/0.9", 0,
     "what is there does not speak HTTP: is it the right port? Or one for "
     "tcp://?",
     SECURITY},
    {WEBSOCKET, "answered nothing", 0,
     "what is there may not speak HTTP: is it the right port?", 0},
    {WEB | TLS, "certificate problem", 0,
     "--cacert FILE trusts its certificate or authority, --insecure any "
     "certificate",
     0},
    {WEB | TLS, "no alternative certificate subject name", 0,
     "its certificate is for another name: use that, or --insecure", 0},
    {WEB | TLS, "certificate file", 0, "--cacert wants certificates in PEM", 0},
    {WEB | TLS, "PEM client certificate", 0,
     "--cert wants a certificate in PEM, and its key in the same file", 0},
    {WEB | TLS, "certificate required", 0, "--cert FILE shows it one", 0},
    {WEB | TLS, "Connection reset", 0,
     "it has broken the connection off: it may want a certificate, --cert "
     "FILE, or another one",
     0},
    {HTTP, "neither JSON nor events", 0,
     "that is no MCP server: a web page, perhaps? Is the path right?", 0},
};

static const struct scheme *find_scheme(const char *url) {
  for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
    if (strncmp(url, schemes[i].begins, strlen(schemes[i].begins)) == 0) {
      return &schemes[i];
    }
  }
  return NULL;
}

static int has_proxy(void) {
  static const char *const names[] = {"http_proxy", "https_proxy",
                                      "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    if (getenv(names[i]) != NULL) {
      return 1;
    }
  }
  return 0;
}

static int fits(const symptom *known, const struct scheme *scheme,
                const mcp_error *err) {
  int security = known->spoken & (TLS | PLAIN);
  if ((known->spoken & scheme->spoken & ALL) == 0 ||
      (security != 0 && (security & scheme->spoken) == 0) ||
      ((known->spoken & PROXY) != 0 && !has_proxy())) {
    return 0;
  }
  return known->words != NULL ? strstr(err->message, known->words) != NULL
                              : err->status == known->status;
}

static void report(const symptom *known, const struct scheme *scheme) {
  int has_wire = (known->instead & WIRE) != 0 && scheme->wire[0] != '\0';
  int has_security = (known->instead & SECURITY) != 0;
  int is_question = known->hint[strlen(known->hint) - 1] == '?';
  const char *or_try = is_question ? " Or try " : ": try ";
  ctl_report(
      0, "%s%s%s%s%s", known->hint, has_wire || has_security ? or_try : "",
      has_wire ? scheme->wire : "", has_wire && has_security ? " or " : "",
      has_security ? scheme->security : "");
}

void ctl_hint_url(const char *url, const mcp_error *err) {
  const struct scheme *scheme = find_scheme(url);
  for (size_t i = 0; scheme != NULL && i < sizeof(symptoms) / sizeof(*symptoms);
       i++) {
    if (fits(&symptoms[i], scheme, err)) {
      report(&symptoms[i], scheme);
      return;
    }
  }
}
