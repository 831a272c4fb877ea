/* SPDX-License-Identifier: MIT */
/* What may be wrong with a URL.
 *
 * The library tells in libcurl's and OpenSSL's words what happened. What to do
 * about it is not in them. */
#include "hint.h"
#include "report.h"

#include <string.h>

/* What the message has in it, or the HTTP status that it tells of. */
typedef struct symptom {
  const char *scheme; /* of the URL; NULL: any */
  const char *words;  /* NULL: `status` */
  int status;
  const char *hint;
} symptom;

/* The first that fits counts. */
static const symptom symptoms[] = {
    {NULL, NULL, 404,
     "there is no MCP server at this path: many are at /mcp, and each says its "
     "own"},
    {"http:", NULL, 400,
     "perhaps it does not speak MCP, or speaks TLS there: try https://"},
    {NULL, NULL, 405,
     "there is something else at this path: many servers are at /mcp, and "
     "those "
     "of HTTP+SSE, which came before, at /sse"},
    {"sse+", "where to post", 0,
     "there is something else at this path, or HTTP without SSE: try the URL "
     "without sse+"},
    {"sse+", "no stream of events", 0,
     "there is something else at this path, or HTTP without SSE: try the URL "
     "without sse+"},
    {NULL, NULL, 501,
     "that is another kind of web server: is it the right port?"},
    {NULL, "Failed to connect", 0, "is the server running, and this its port?"},
    {NULL, "Could not resolve host", 0, "is the name right?"},
    {"https:", "wrong version number", 0,
     "the server does not speak TLS there: try http://"},
    {"http:", "Empty reply", 0, "it may speak TLS there: try https://"},
    {"http:", "Connection reset", 0, "it may speak TLS there: try https://"},
    {"http:", "HTTP/0.9", 0,
     "what is there does not speak HTTP: is it the right port? Or try "
     "https://"},
    {"https:", "certificate problem", 0,
     "--cacert FILE trusts its certificate or authority, --insecure any "
     "certificate"},
    {"https:", "no alternative certificate subject name", 0,
     "its certificate is for another name: use that, or --insecure"},
    {"https:", "certificate file", 0, "--cacert wants certificates in PEM"},
    {"https:", "PEM client certificate", 0,
     "--cert wants a certificate in PEM, and its key in the same file"},
    {"https:", "certificate required", 0, "--cert FILE shows it one"},
    {"https:", "select/poll", 0,
     "it has broken the connection off: it may want a certificate, --cert "
     "FILE, "
     "or another one"},
    {NULL, "neither JSON nor events", 0,
     "that is no MCP server: a web page, perhaps? Is the path right?"},
};

static int fits(const symptom *known, const char *url, const mcp_error *err) {
  size_t len = known->scheme != NULL ? strlen(known->scheme) : 0;
  if (len > 0 && strncmp(url, known->scheme, len) != 0) {
    return 0;
  }
  return known->words != NULL ? strstr(err->message, known->words) != NULL
                              : err->status == known->status;
}

void ctl_hint_url(const char *url, const mcp_error *err) {
  for (size_t i = 0; i < sizeof(symptoms) / sizeof(*symptoms); i++) {
    if (fits(&symptoms[i], url, err)) {
      ctl_report(0, "%s", symptoms[i].hint);
      return;
    }
  }
}
