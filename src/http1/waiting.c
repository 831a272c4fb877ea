/* SPDX-License-Identifier: MIT */
/* Bytes that wait in the connections of a loop: unfinished bodies and messages,
 * requests that clients sent early, answers that they do not read. Each
 * connection has its own limit. Thousands of connections at their limits would
 * be gigabytes, so all together have a limit too. Each client has a share of
 * it, and each of its connections a share of that. The bytes that the endpoint
 * keeps count as well (http_listener.c). */
#include "http1/conn.h"

#include <mcp/error.h>

int mcpi_http1_keep(mcpi_http1_conn *conn, mcpi_blockbuf *buf,
                    const void *bytes, size_t len) {
  if (!mcpi_share_count(&conn->share, len)) {
    return MCP_ERR_LIMIT;
  }
  int rc = mcpi_blockbuf_put(buf, mcpi_http1_pool(conn), bytes, len);
  if (rc != 0) {
    mcpi_share_discount(&conn->share, len);
  }
  return rc;
}

void mcpi_http1_drop(mcpi_http1_conn *conn, mcpi_blockbuf *buf, size_t len) {
  mcpi_blockbuf_take(buf, len);
  mcpi_share_discount(&conn->share, len);
}

int mcpi_http1_note_kept(mcpi_http1_conn *conn, size_t len) {
  if (!mcpi_share_change(&conn->share, conn->kept_bytes, len)) {
    return MCP_ERR_LIMIT;
  }
  conn->kept_bytes = len;
  return 0;
}
