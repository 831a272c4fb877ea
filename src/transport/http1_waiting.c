/* SPDX-License-Identifier: MIT */
/* What waits in the connections of a loop: bodies and messages that are not whole,
 * what was sent ahead, answers that are not read. Each has a limit of its own; thousands
 * of them at theirs would be gigabytes, so all together have one too. What the
 * endpoint above keeps counts there as well (http_listen.c). */
#include "transport/http1_conn.h"

#include <mcp/error.h>

int mcpi_http1_keep(mcpi_http1_conn *conn, mcpi_blockbuf *buf,
                    const void *bytes, size_t len) {
  mcpi_quota *waiting = conn->http1->waiting;
  if (!mcpi_quota_count(waiting, conn->waiting_bytes, len)) {
    return MCP_ERR_LIMIT;
  }
  int rc = mcpi_blockbuf_put(buf, mcpi_http1_pool(conn), bytes, len);
  if (rc == 0) {
    conn->waiting_bytes += len;
  } else {
    mcpi_quota_discount(waiting, len);
  }
  return rc;
}

void mcpi_http1_take(mcpi_http1_conn *conn, mcpi_blockbuf *buf, size_t len) {
  mcpi_blockbuf_take(buf, len);
  conn->waiting_bytes -= len;
  mcpi_quota_discount(conn->http1->waiting, len);
}

int mcpi_http1_note_kept(mcpi_http1_conn *conn, size_t len) {
  size_t before = conn->kept_bytes;
  if (!mcpi_quota_change(conn->http1->waiting, conn->waiting_bytes, before,
                         len)) {
    return MCP_ERR_LIMIT;
  }
  conn->kept_bytes = len;
  conn->waiting_bytes = conn->waiting_bytes - before + len;
  return 0;
}
