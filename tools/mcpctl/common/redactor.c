/* SPDX-License-Identifier: MIT */
/* Only the library knows what is secret, and shows that in a trace. So the text
 * is sent through a traced transport that leads nowhere. */
#include "common/redactor.h"
#include "common/copy.h"

#include <mcp/transport.h>
#include <stdlib.h>
#include <string.h>

struct ctl_redactor {
  mcp_transport nowhere;
  mcp_transport *trace; /* around `nowhere` */
  char *text;           /* the last one, owned; NULL: there is none */
};

static int nowhere_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  (void)err;
  return 0;
}

static int nowhere_send(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  (void)transport;
  (void)message;
  (void)len;
  (void)info;
  return 0;
}

static void nowhere_close(mcp_transport *transport) {
  (void)transport;
}

static void on_text(mcp_transport *transport, const mcp_traced_message *message,
                    void *userdata) {
  ctl_redactor *redactor = userdata;
  (void)transport;
  redactor->text = ctl_copy(message->text, message->len);
}

ctl_redactor *ctl_redactor_new(mcp_loop *loop, mcp_error *err) {
  ctl_redactor *redactor = calloc(1, sizeof(*redactor));
  if (redactor == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  redactor->nowhere = (mcp_transport){
      .size = sizeof(mcp_transport),
      .start = nowhere_start,
      .send = nowhere_send,
      .close = nowhere_close,
  };
  redactor->trace =
      mcp_transport_trace(loop, &redactor->nowhere, on_text, redactor, err);
  if (redactor->trace == NULL) {
    free(redactor);
    return NULL;
  }
  return redactor;
}

void ctl_redactor_free(ctl_redactor *redactor) {
  if (redactor == NULL) {
    return;
  }
  mcp_transport_free(redactor->trace);
  free(redactor->text);
  free(redactor);
}

/* For a text that is not JSON, or too long, a trace only says how long it is:
 * "[12 bytes that are ...". */
static int is_note(const char *text) {
  size_t digits = text[0] == '[' ? strspn(text + 1, "0123456789") : 0;
  return digits > 0 && strncmp(text + 1 + digits, " bytes that are ", 16) == 0;
}

const char *ctl_redact(ctl_redactor *redactor, const char *text, size_t len) {
  free(redactor->text);
  redactor->text = NULL;
  redactor->trace->send(redactor->trace, text, len, NULL);
  const char *shown = redactor->text;
  return shown == NULL || is_note(shown) ? NULL : shown;
}
