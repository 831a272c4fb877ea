/* SPDX-License-Identifier: MIT */
/* What waits in the connections of a loop: bodies and messages that are not whole,
 * what was sent ahead, answers that are not read. Each has a limit of its own; thousands
 * of them at theirs would be gigabytes, so all together have one too.
 *
 * A connection may have as much as is left of it: one alone half, and however
 * many take all that they can, as much again is left for the next. */
#include "transport/http1_conn.h"

#include <mcp/error.h>

static int has_room(const mcpi_http1_conn *conn, size_t len) {
  size_t max = conn->http1->limits.max_waiting;
  size_t all = conn->http1->waiting_bytes;
  size_t mine = conn->waiting_bytes;
  return len <= max && all <= max - len && mine + len <= max - len - all;
}

int mcpi_http1_keep(mcpi_http1_conn *conn, mcpi_blockbuf *buf,
                    const void *bytes, size_t len) {
  if (!has_room(conn, len)) {
    return MCP_ERR_LIMIT;
  }
  int rc = mcpi_blockbuf_put(buf, mcpi_http1_pool(conn), bytes, len);
  if (rc == 0) {
    conn->waiting_bytes += len;
    conn->http1->waiting_bytes += len;
  }
  return rc;
}

void mcpi_http1_take(mcpi_http1_conn *conn, mcpi_blockbuf *buf, size_t len) {
  mcpi_blockbuf_take(buf, len);
  conn->waiting_bytes -= len;
  conn->http1->waiting_bytes -= len;
}

int mcpi_http1_note_kept(mcpi_http1_conn *conn, size_t len) {
  size_t before = conn->kept_bytes;
  if (len > before && !has_room(conn, len - before)) {
    return MCP_ERR_LIMIT;
  }
  conn->kept_bytes = len;
  conn->waiting_bytes = conn->waiting_bytes - before + len;
  conn->http1->waiting_bytes = conn->http1->waiting_bytes - before + len;
  return 0;
}
