/* SPDX-License-Identifier: MIT */
/* TLS between a connection's socket and its parser (tls/tls.h). */
#include "http1/conn.h"

#include <mcp/error.h>

static const mcpi_tls_engine *engine_of(const mcpi_http1_conn *conn) {
  return conn->http1->engine;
}

int mcpi_http1_tls_begin(mcpi_http1_conn *conn) {
  if (conn->http1->tls == NULL) {
    return 0;
  }
  conn->tls =
      engine_of(conn)->session_new(conn->http1->tls, &conn->tls_records);
  return conn->tls != NULL ? 0 : MCP_ERR_NOMEM;
}

void mcpi_http1_tls_deinit(mcpi_http1_conn *conn) {
  if (conn->tls != NULL) {
    engine_of(conn)->session_free(conn->tls);
    conn->tls = NULL;
  }
  if (conn->principal != NULL) {
    mcpi_free(&conn->http1->uv->allocator, conn->principal,
              strlen(conn->principal) + 1);
    conn->principal = NULL;
  }
}

/* --- writing ------------------------------------------------------------- */

size_t mcpi_http1_tls_output(mcpi_http1_conn *conn, char **bytes) {
  return engine_of(conn)->output(conn->tls, bytes);
}

void mcpi_http1_tls_forget_output(mcpi_http1_conn *conn, size_t len) {
  engine_of(conn)->forget_output(conn->tls, len);
}

int mcpi_http1_tls_encrypt(mcpi_http1_conn *conn, const struct iovec *parts,
                           int count) {
  for (int i = 0; i < count; i++) {
    if (parts[i].iov_len > 0 &&
        engine_of(conn)->write(conn->tls, parts[i].iov_base,
                               parts[i].iov_len) != 0) {
      return MCP_ERR_IO;
    }
  }
  return 0;
}

void mcpi_http1_tls_end(mcpi_http1_conn *conn) {
  if (conn->tls != NULL) {
    engine_of(conn)->end(conn->tls);
  }
}

/* --- reading ------------------------------------------------------------- */

/* A TLS record begins with a byte that is not a letter, an HTTP method with a
 * letter. */
int mcpi_http1_tls_is_plain(const mcpi_http1_conn *conn, const char *bytes) {
  return engine_of(conn)->is_fresh(conn->tls) && *bytes >= 'A' && *bytes <= 'Z';
}

int mcpi_http1_tls_is_ready(const mcpi_http1_conn *conn) {
  return conn->tls == NULL || engine_of(conn)->is_ready(conn->tls);
}

/* From here on the connection counts for the principal, and no longer for its
 * address. */
static int become_principal(void *userdata, const char *name, size_t len) {
  mcpi_http1_conn *conn = userdata;
  mcpi_http1 *http1 = conn->http1;
  mcp_error err;
  conn->principal = mcpi_strndup(&http1->uv->allocator, name, len);
  if (conn->principal == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_share_move(&conn->share, conn->principal, NULL);
  if (rc == 0) {
    rc = mcpi_share_connect(&conn->share, http1->limits.max_connections, &err);
  }
  if (rc == MCP_ERR_LIMIT && http1->app.on_refused != NULL) {
    http1->app.on_refused(http1->app.userdata, conn->peer, &err);
  }
  return rc;
}

/* After the handshake, stores the name in the client's certificate, if there is
 * one, and counts waiting bytes for that principal. Certificates without a name
 * are refused: they would all be the same principal. */
int mcpi_http1_tls_input(mcpi_http1_conn *conn, const char *bytes, size_t len) {
  int rc = engine_of(conn)->input(conn->tls, bytes, len);
  if (rc != 0 || mcpi_http1_tls_is_ready(conn)) {
    return rc;
  }
  rc = engine_of(conn)->handshake(conn->tls);
  return rc == 1 ? engine_of(conn)->peer_name(conn->tls, become_principal, conn)
                 : rc;
}

/* A read ends at each record without data, so that a client cannot keep the
 * server busy with them. */
int mcpi_http1_tls_read(mcpi_http1_conn *conn, char *to, size_t size,
                        size_t *len) {
  int rc = 0;
  *len = 0;
  while (rc == 0 && *len < size) {
    uint32_t before = conn->tls_records;
    size_t got = 0;
    rc = engine_of(conn)->read(conn->tls, to + *len, size - *len, &got);
    *len += got;
    if (conn->tls_records > MCPI_HTTP1_TLS_RECORDS) {
      return MCP_ERR_LIMIT;
    }
    if (rc == 0 && conn->tls_records == before) {
      break; /* the next record is not complete */
    }
    rc = rc == 1 ? 0 : rc;
  }
  if (*len > 0 && conn->tls_records > 0) {
    conn->tls_records--;
  }
  return rc;
}
