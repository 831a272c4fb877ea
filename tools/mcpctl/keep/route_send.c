/* SPDX-License-Identifier: MIT */
#include "common/envelope.h"
#include "common/format.h"
#include "common/json.h"
#include "keep/route_state.h"

#include <stdlib.h>
#include <string.h>

static void to_server(ctl_route *route, const char *text) {
  size_t len = strlen(text);
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  if (doc != NULL) {
    route->events.to_server(text, len, mcp_doc_root(doc),
                            route->events.userdata);
  }
  mcp_doc_free(doc);
}

void ctl_route_to_client(ctl_route *route, uint64_t client, const char *text) {
  if (client != CTL_KEEP_NOBODY) {
    route->events.to_client(client, text, strlen(text), route->events.userdata);
  }
}

void ctl_route_give_server(ctl_route *route, char *text) {
  if (text != NULL) {
    to_server(route, text);
  }
  free(text);
}

void ctl_route_give_client(ctl_route *route, uint64_t client, char *text) {
  if (text != NULL) {
    ctl_route_to_client(route, client, text);
  }
  free(text);
}

char *ctl_route_error(const mcp_json *id, int code, const char *message) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  char *copy = NULL;
  if (out != NULL) {
    ctl_envelope_put_error(out, id, code, message);
    const char *text = mcp_builder_text(out, NULL);
    copy = text != NULL ? strdup(text) : NULL;
  }
  mcp_builder_free(out);
  return copy;
}

char *ctl_route_answer(const mcp_json *id, const char *member) {
  char *id_text = ctl_json_text(id);
  char *text =
      id_text != NULL
          ? ctl_format("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}", id_text, member)
          : NULL;
  free(id_text);
  return text;
}
