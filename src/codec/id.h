/* SPDX-License-Identifier: MIT */
/* JSON-RPC request ids and progress tokens: a string or an integer of any size,
 * echoed exactly (MCP, Base Protocol: Messages). 1.0 and 1e2 are the same ids
 * as 1 and 100, as they are for peers in JavaScript. */
#ifndef MCPI_CODEC_ID_H
#define MCPI_CODEC_ID_H

#include "base/profile.h"
#include "json/json.h"

enum {
  MCPI_ID_NONE = 0, /* absent */
  MCPI_ID_NULL, /* the literal null, only in errors; belongs to no request */
  MCPI_ID_NUMBER,
  MCPI_ID_STRING,
  MCPI_ID_BAD /* anything else, or longer than MCPI_ID_MAX */
};

/* Bytes of the longest id that we accept. */
enum { MCPI_ID_MAX = MCPI_PROFILE_ID_MAX };

typedef struct mcpi_id {
  int kind;
  const mcp_json *value; /* borrowed from the message; NULL for NONE */
} mcpi_id;

MCP_API mcpi_id mcpi_id_read(const mcp_json *value);
/* Whether the id would be valid if it were shorter. Such an id can be echoed
 * but must not be kept. */
int mcpi_id_is_too_long(mcpi_id id);
/* Appends the id's JSON text. Two ids are the same exactly when these bytes
 * are. An id that is too long is written in full; a value that is not an id is
 * written as null. */
MCP_API void mcpi_id_put(mcpi_buf *buf, mcpi_id id);

#endif
