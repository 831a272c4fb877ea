/* SPDX-License-Identifier: MIT */
/* JSON-RPC request ids and progress tokens: a string or an integer of any
 * size, echoed exactly (PROTOCOL 1.1). An integer may be written 1.0 or 1e2;
 * that is the same id as 1 or 100, as it is for peers in JavaScript. */
#ifndef MCPI_CODEC_ID_H
#define MCPI_CODEC_ID_H

#include "codec/json.h"

enum {
  MCPI_ID_NONE = 0, /* absent */
  MCPI_ID_NULL, /* the literal null: only on errors, correlates to nothing */
  MCPI_ID_NUMBER,
  MCPI_ID_STRING,
  MCPI_ID_BAD /* anything else, or longer than MCPI_ID_MAX */
};

/* Bytes of the longest id we take: an id is echoed and kept while its request
 * runs, and no peer needs more. */
enum { MCPI_ID_MAX = 1024 };

typedef struct mcpi_id {
  int kind;
  const mcp_json *value; /* borrowed from the message; NULL for NONE */
} mcpi_id;

MCP_API mcpi_id mcpi_id_read(const mcp_json *value);
/* Appends the id's JSON text: two ids are the same exactly when these bytes
 * are. NONE and NULL put null. */
MCP_API void mcpi_id_put(mcpi_buf *buf, mcpi_id id);

#endif
