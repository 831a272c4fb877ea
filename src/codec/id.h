/* SPDX-License-Identifier: MIT */
/* JSON-RPC request ids and progress tokens: a string or an integer of any
 * size, echoed exactly (PROTOCOL 1.1). An integer may be written 1.0 or 1e2;
 * that is the same id as 1 or 100, as it is for peers in JavaScript. */
#ifndef MCPI_CODEC_ID_H
#define MCPI_CODEC_ID_H

#include "json/json.h"

enum {
  MCPI_ID_NONE = 0, /* absent */
  MCPI_ID_NULL, /* the literal null: only on errors, correlates to nothing */
  MCPI_ID_NUMBER,
  MCPI_ID_STRING,
  MCPI_ID_BAD /* anything else, or longer than MCPI_ID_MAX */
};

/* Bytes of the longest id we take. An id is echoed and kept while its request
 * runs; peers put whole tokens of their own into ids, which have some KB. */
enum { MCPI_ID_MAX = 64 * 1024 };

typedef struct mcpi_id {
  int kind;
  const mcp_json *value; /* borrowed from the message; NULL for NONE */
} mcpi_id;

MCP_API mcpi_id mcpi_id_read(const mcp_json *value);
/* Whether the id would be valid if it were shorter. It can be echoed, and must
 * not be kept. */
int mcpi_id_is_too_long(mcpi_id id);
/* Appends the id's JSON text: two ids are the same exactly when these bytes
 * are. An id that is too long is put whole; all else that is not an id is put
 * as null. */
MCP_API void mcpi_id_put(mcpi_buf *buf, mcpi_id id);

#endif
