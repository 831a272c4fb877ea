/* SPDX-License-Identifier: MIT */
/* Messages of clients and a server on a session that stays, one a line. The
 * first byte says who sends the rest: "s" the server, "1" to "4" a client. "-"
 * and a number: that client leaves. */
#include "keep/route.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 4 };

typedef struct talk {
  ctl_route *route;
  int is_there[CLIENTS + 1];
} talk;

/* What the route sends is JSON. */
static void check_text(const char *text, size_t len) {
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  if (doc == NULL) {
    abort();
  }
  mcp_doc_free(doc);
}

static void to_server(const char *text, size_t len, const mcp_json *message,
                      void *userdata) {
  (void)userdata;
  check_text(text, len);
  if (message == NULL) {
    abort();
  }
}

static void to_client(uint64_t client, const char *text, size_t len,
                      void *userdata) {
  const talk *self = userdata;
  check_text(text, len);
  if (client < 1 || client > CLIENTS || !self->is_there[client]) {
    abort();
  }
}

static void leave(talk *self, int client) {
  if (client >= 1 && client <= CLIENTS) {
    self->is_there[client] = 0;
    ctl_route_leave(self->route, (uint64_t)client);
  }
}

static void from_client(talk *self, int client, const mcp_json *message) {
  if (!self->is_there[client] &&
      ctl_route_join(self->route, (uint64_t)client) == 0) {
    self->is_there[client] = 1;
  }
  ctl_route_from_client(self->route, (uint64_t)client, message);
}

static void take_line(talk *self, const char *line, size_t len) {
  if (len < 2) {
    return;
  }
  if (line[0] == '-') {
    leave(self, line[1] - '0');
    return;
  }
  mcp_doc *doc = mcp_doc_parse(line + 1, len - 1, NULL, NULL, NULL);
  if (doc != NULL && line[0] == 's') {
    ctl_route_from_server(self->route, mcp_doc_root(doc));
  } else if (doc != NULL && line[0] >= '1' && line[0] <= '0' + CLIENTS) {
    from_client(self, line[0] - '0', mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *stop = text + size;
  talk self = {0};
  const ctl_route_events events = {to_server, to_client, &self};
  self.route = ctl_route_new(&events, "{\"roots\":[]}");
  if (self.route == NULL) {
    return 0;
  }
  while (text < stop) {
    const char *end = memchr(text, '\n', (size_t)(stop - text));
    end = end != NULL ? end : stop;
    take_line(&self, text, (size_t)(end - text));
    text = end + 1;
  }
  ctl_route_free(self.route);
  return 0;
}
