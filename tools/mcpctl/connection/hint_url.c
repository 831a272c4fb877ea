/* SPDX-License-Identifier: MIT */
/* Suggests what may be wrong with a URL.
 *
 * The library reports what happened in the words of libcurl and OpenSSL. These
 * hints add what the user can do about it. */
#include "common/report.h"
#include "connection/hint.h"
#include "platform/environment.h"

#include <stdlib.h>
#include <string.h>

/* The transports that a scheme or a symptom is about. */
enum {
  HTTP = 1,
  WEBSOCKET = 2,
  SSE = 4,
  LINES = 8,
  WEB = HTTP | WEBSOCKET | SSE,
  OTHER = WEBSOCKET | SSE, /* over HTTP, but not Streamable HTTP */
  ALL = WEB | LINES,
  /* Only with TLS, or only without. */
  TLS = 16,
  PLAIN = 32,
  /* Only where the environment names a proxy. */
  PROXY = 64
};

/* What the hint proposes to try instead. */
enum { SECURITY = 1, WIRE = 2 };

static const struct scheme {
  const char *begins;
  int spoken;
  const char *security; /* the same transport with TLS, or without */
  const char *wire;     /* the next likely transport */
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

/* An error that has a hint: by words of its message, or by its HTTP status. */
typedef struct symptom {
  int spoken;
  const char *words; /* NULL: `status` */
  int status;
  const char *hint;
  int instead; /* SECURITY, WIRE; 0: nothing */
} symptom;

/* The first one that matches is reported. */
static const symptom symptoms[] = {
    {WEB, NULL, 404,
     "there is no MCP server at this path: many servers use /mcp, older ones "
     "/sse; see the server's documentation",
     0},
    {HTTP | PLAIN, NULL, 400,
     "the server may not speak MCP, or it may require TLS", SECURITY},
    {OTHER | PLAIN, NULL, 400,
     "the server speaks another transport, or requires TLS", WIRE | SECURITY},
    {HTTP | SSE, NULL, 426,
     "the server speaks WebSocket at this path: try ws:// or wss://", 0},
    {HTTP, NULL, 405,
     "something else answers at this path (many MCP servers use /mcp, those "
     "with HTTP+SSE use /sse), or the server speaks only WebSocket",
     WIRE},
    {OTHER, NULL, 200, "the server speaks another transport", WIRE},
    {OTHER, NULL, 400, "the server speaks another transport", WIRE},
    {OTHER, NULL, 405, "the server speaks another transport", WIRE},
    {OTHER, NULL, 406, "the server speaks another transport", WIRE},
    {SSE, "where to post", 0,
     "something else answers at this path, or the server speaks HTTP without "
     "SSE",
     WIRE},
    {SSE, "not a stream of events", 0,
     "something else answers at this path, or the server speaks HTTP without "
     "SSE",
     WIRE},
    {WEB, NULL, 501, "another kind of web server answers: is the port right?",
     0},
    {WEB | PROXY, "Failed to connect", 0,
     "is the server running, and is this its port? Or does http_proxy or "
     "https_proxy name a wrong proxy?",
     0},
    {WEB, "Failed to connect", 0,
     "is the server running, and is this its port?", 0},
    {LINES, "connection refused", 0,
     "is the server running, and is this its address?", 0},
    {LINES, "no such file", 0,
     "is the server running, and is this its address?", 0},
    {WEB, "Could not resolve host", 0, "is the host's name right?", 0},
    {LINES, "unknown node", 0, "is the host's name right?", 0},
    {LINES, "closed the connection", 0, "the server may not speak MCP in lines",
     WIRE},
    {WEB | TLS, "wrong version number", 0,
     "the server does not speak TLS at this port", SECURITY},
    {WEB | PLAIN, "Empty reply", 0, "the server may require TLS", SECURITY},
    {WEB | PLAIN, "Connection reset", 0, "the server may require TLS",
     SECURITY},
    {WEB | PLAIN, "HTTP/0.9", 0,
     "the server does not speak HTTP: is the port right? Is it a port for "
     "tcp://?",
     SECURITY},
    {WEBSOCKET, "answered nothing", 0,
     "the server may not speak HTTP: is the port right?", 0},
    {WEB | TLS, "certificate problem", 0,
     "--cacert FILE trusts the server's certificate or its authority; "
     "--insecure trusts any certificate",
     0},
    {WEB | TLS, "no alternative certificate subject name", 0,
     "the server's certificate is for another name: use that name, or "
     "--insecure",
     0},
    {WEB | TLS, "certificate file", 0, "--cacert needs certificates in PEM", 0},
    {WEB | TLS, "PEM client certificate", 0,
     "--cert needs a certificate in PEM, and its key in the same file", 0},
    {WEB | TLS, "certificate required", 0,
     "--cert FILE shows the server a certificate", 0},
    {WEB | TLS, "Connection reset", 0,
     "the server closed the connection: it may require a certificate, or "
     "another one; show it with --cert FILE",
     0},
    {HTTP, "neither JSON nor events", 0,
     "this is not an MCP server; is it a web page? Is the path right?", 0},
};

static const struct scheme *find_scheme(const char *url) {
  for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
    if (strncmp(url, schemes[i].begins, strlen(schemes[i].begins)) == 0) {
      return &schemes[i];
    }
  }
  return NULL;
}

static int environment_has_proxy(void) {
  static const char *const names[] = {"http_proxy", "https_proxy",
                                      "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    if (ctl_env(names[i]) != NULL) {
      return 1;
    }
  }
  return 0;
}

/* The message of a refusal has the server's words: only its status counts. */
static int is_refusal(const mcp_error *err) {
  return err->status >= 300;
}

static int symptom_matches(const symptom *known, const struct scheme *scheme,
                           const mcp_error *err) {
  int security = known->spoken & (TLS | PLAIN);
  if ((known->spoken & scheme->spoken & ALL) == 0 ||
      (security != 0 && (security & scheme->spoken) == 0) ||
      ((known->spoken & PROXY) != 0 && !environment_has_proxy())) {
    return 0;
  }
  return known->words != NULL
             ? !is_refusal(err) && strstr(err->message, known->words) != NULL
             : err->status == known->status;
}

static void symptom_report(const symptom *known, const struct scheme *scheme) {
  int has_wire = (known->instead & WIRE) != 0 && scheme->wire[0] != '\0';
  int has_security = (known->instead & SECURITY) != 0;
  int is_question = known->hint[strlen(known->hint) - 1] == '?';
  const char *or_try = is_question ? " Or try " : ": try ";
  ctl_report(
      0, "%s%s%s%s%s", known->hint, has_wire || has_security ? or_try : "",
      has_wire ? scheme->wire : "", has_wire && has_security ? " or " : "",
      has_security ? scheme->security : "");
}

void ctl_hint_url(const ctl_options *options, const mcp_error *err) {
  const struct scheme *scheme = find_scheme(options->url);
  for (size_t i = 0; scheme != NULL && i < sizeof(symptoms) / sizeof(*symptoms);
       i++) {
    if (symptom_matches(&symptoms[i], scheme, err)) {
      symptom_report(&symptoms[i], scheme);
      return;
    }
  }
}
