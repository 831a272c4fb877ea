/* SPDX-License-Identifier: MIT */
/* One message from the peer: a counted block that holds its bytes, its parsed
 * values, and the JSON-RPC envelope read off them (PROTOCOL 1.1, 1.2).
 *
 *     block: [ mcpi_message | bytes ... 0000 | values ... ]
 *
 * Nothing in it moves while a reference is held. */
#ifndef MCPI_CODEC_MESSAGE_H
#define MCPI_CODEC_MESSAGE_H

#include "base/block.h"
#include "codec/id.h"

typedef struct mcpi_message {
  /* The one this structure lies in; holds the references. Aligned, as what
   * comes behind the structure must be. */
  _Alignas(max_align_t) mcpi_block *block;
  const mcp_json *root;
  size_t len; /* bytes of text it was parsed from */
  /* The server's: how many calls and sessions keep it, and with it its
   * bytes. */
  uint32_t keepers;
} mcpi_message;

typedef mcpi_json_limits mcpi_message_limits;

/* Copies and parses a message. *out has one reference. 0; MCP_ERR_LIMIT (too
 * long, too deep, too many values; err says which and the limit);
 * MCP_ERR_PARSE; MCP_ERR_NOMEM. */
int mcpi_message_parse(mcpi_message **out, mcpi_pool *pool, const char *bytes,
                       size_t len, const mcpi_message_limits *limits,
                       mcp_error *err);
void mcpi_message_ref(mcpi_message *message);
/* NULL is accepted. */
void mcpi_message_unref(mcpi_message *message);

/* Bytes of memory that a message takes, its values included. */
static inline size_t mcpi_message_size(const mcpi_message *message) {
  return sizeof(mcpi_block) + message->block->cap;
}

enum {
  MCPI_REQUEST,
  MCPI_NOTIFICATION,
  MCPI_RESULT,
  MCPI_ERROR,
  /* Not JSON-RPC; the id is a number or string when it could be read and else
   * NONE. With an id and no answer wanted it looks like a response. */
  MCPI_INVALID
};

/* One JSON-RPC message, or one element of a batch. All borrowed. */
typedef struct mcpi_envelope {
  int kind;
  mcpi_id id;
  mcpi_str method;        /* request, notification */
  const mcp_json *params; /* an object, or NULL */
  const mcp_json *meta;   /* params._meta, an object, or NULL */
  const mcp_json *result; /* MCPI_RESULT */
  const mcp_json *error;  /* MCPI_ERROR: an object */
  /* MCPI_INVALID: why, and whether to answer it at all: what looks like a
   * response or a notification (a method and no id) gets none. */
  const char *reason;
  int wants_answer;
  int is_call;    /* MCPI_INVALID: it has a method and a readable id */
  int has_double; /* a member occurs twice */
} mcpi_envelope;

/* Reads the envelope of an object. Invalid are: not an object; no "jsonrpc"
 * of "2.0"; a bad id (request: absent counts as notification, null is bad); a
 * method that is no string; params that are no object; _meta that is no
 * object; a method beside a result or error; both or neither of these; a result
 * without a valid id; an error without integer code and string message; a
 * member that occurs twice, at any depth. 0, or MCP_ERR_NOMEM. */
int mcpi_envelope_read(mcpi_envelope *out, const mcp_json *value,
                       const mcp_allocator *allocator, const uint64_t seed[2]);

/* Writers of the parts around what a message carries. The id text is what
 * mcpi_id_put wrote. */
/* {"jsonrpc":"2.0","id":ID,"method":METHOD and no end: put ,"params": and what
 * they are, or nothing, and a brace. An empty id_text makes a notification. */
void mcpi_put_request_head(mcpi_buf *buf, mcpi_str id_text, mcpi_str method);
/* {"jsonrpc":"2.0","id":ID,"result": and no end. */
void mcpi_put_result_head(mcpi_buf *buf, mcpi_str id_text);
/* A whole error reply; an empty id_text leaves the id out; data is JSON text
 * or empty. */
void mcpi_put_error(mcpi_buf *buf, mcpi_str id_text, int code, mcpi_str message,
                    mcpi_str data);

#endif
