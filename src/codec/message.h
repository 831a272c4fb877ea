/* SPDX-License-Identifier: MIT */
/* Messages from the peer, and their JSON-RPC envelope (MCP, Base Protocol:
 * Messages). A message is a counted block that holds its bytes and its parsed
 * values:
 *
 *     block: [ mcpi_message | bytes ... 0000 | values ... ]
 *
 * A transport may lend the bytes; then they are not in the block. Nothing moves
 * while any code holds a reference. */
#ifndef MCPI_CODEC_MESSAGE_H
#define MCPI_CODEC_MESSAGE_H

#include "base/block.h"
#include "codec/id.h"
#include <mcp/transport.h>

typedef struct mcpi_message {
  /* The block that this structure is in; counts the references. Aligned, and so
   * are the bytes after the structure. */
  _Alignas(max_align_t) mcpi_block *block;
  const mcp_json *root;
  size_t len;             /* bytes of its text */
  mcp_lent_message *lent; /* whose bytes it uses; NULL: it has its own */
  /* The server's: how many calls and sessions keep the message. */
  uint32_t keepers;
} mcpi_message;

typedef mcpi_json_limits mcpi_message_limits;

/* Copies and parses a message. *out has one reference. 0; MCP_ERR_LIMIT (too
 * long, too deep, or too many values; err names the limit); MCP_ERR_PARSE;
 * MCP_ERR_NOMEM. */
int mcpi_message_parse(mcpi_message **out, mcpi_pool *pool, const char *bytes,
                       size_t len, const mcpi_message_limits *limits,
                       mcp_error *err);
/* Parses a lent message in place. The message is taken, on failure too. The
 * rest is as above; on failure the bytes have changed. */
int mcpi_message_parse_lent(mcpi_message **out, mcpi_pool *pool,
                            mcp_lent_message *lent,
                            const mcpi_message_limits *limits, mcp_error *err);
static inline void mcpi_message_ref(mcpi_message *message) {
  mcpi_block_ref(message->block);
}

/* NULL is accepted. */
void mcpi_message_unref(mcpi_message *message);

/* Returns the bytes of memory that a message takes, with its values, and
 * without lent bytes. */
static inline size_t mcpi_message_size(const mcpi_message *message) {
  return sizeof(mcpi_block) + message->block->cap;
}

enum {
  MCPI_REQUEST,
  MCPI_NOTIFICATION,
  MCPI_RESULT,
  MCPI_ERROR,
  /* Not valid JSON-RPC. The id is a number, a string, or NONE if it could not
   * be read. With an id, and without an answer wanted, it looks like a
   * response. */
  MCPI_INVALID
};

/* The envelope of a message, or of an element of a batch. Everything is
 * borrowed from the message. */
typedef struct mcpi_envelope {
  int kind;
  mcpi_id id;
  mcpi_str method;        /* request, notification */
  const mcp_json *params; /* an object, or NULL */
  const mcp_json *meta;   /* params._meta, an object, or NULL */
  const mcp_json *result; /* MCPI_RESULT */
  const mcp_json *error;  /* MCPI_ERROR: an object */
  /* MCPI_INVALID: why, and whether it gets an answer. A message that looks like
   * a response or a notification (a method without id) gets none. */
  const char *reason;
  int wants_answer;
  int is_call; /* MCPI_INVALID: it has a method and a readable id */
  /* MCPI_INVALID: the name of a member that occurs twice, or NULL. */
  const mcp_json *duplicate;
} mcpi_envelope;

/* Reads the envelope of a message. These are MCPI_INVALID:
 * - a value that is not an object, or has no "jsonrpc" of "2.0";
 * - a method that is not a string, or stands beside a result or error;
 * - params or _meta that are not objects;
 * - an id that is not a string or integer, in a request also null;
 * - a result and an error, or neither, without a method;
 * - a result without a valid id;
 * - an error without an integer code and a string message;
 * - a member that occurs twice, at any depth.
 * 0, or MCP_ERR_NOMEM. */
int mcpi_envelope_read(mcpi_envelope *out, const mcp_json *value,
                       const mcp_allocator *allocator, const uint64_t seed[2]);

/* Writers of the parts around a message's contents. id_text is what mcpi_id_put
 * wrote. */
/* Writes {"jsonrpc":"2.0","id":ID,"method":METHOD without an end: append
 * ,"params": and an object, or nothing, and a brace. An empty id_text makes a
 * notification. */
void mcpi_put_request_head(mcpi_buf *buf, mcpi_str id_text, mcpi_str method);
/* Writes {"jsonrpc":"2.0","id":ID,"result": without an end. */
void mcpi_put_result_head(mcpi_buf *buf, mcpi_str id_text);
/* Writes a whole error reply. An empty id_text leaves the id out. data is JSON
 * text or empty. */
void mcpi_put_error(mcpi_buf *buf, mcpi_str id_text, int code, mcpi_str message,
                    mcpi_str data);

#endif
