/* SPDX-License-Identifier: MIT */
/** @file
 * Error codes, and the detail that comes with them.
 *
 * A function that can fail returns 0 (or a count) on success, and one of the
 * negative MCP_ERR_* codes on failure. Functions that can say more have an
 * `mcp_error *` as last parameter. It may be NULL.
 *
 * If the peer answers a request with a JSON-RPC error, the request fails with
 * MCP_ERR_REMOTE. The code of the peer (MCP_RPC_* or another) is in
 * mcp_error.status.
 */
#ifndef MCP_ERROR_H
#define MCP_ERROR_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** Every code: X(NAME, value, text). Values never change. */
#define MCP_ERROR_LIST(X)                                                      \
  /* An argument is NULL or not valid, or the state forbids the call. */       \
  X(INVALID, -1, "invalid argument")                                           \
  /* Out of memory. Most functions then leave the object unchanged. */         \
  X(NOMEM, -2, "out of memory")                                                \
  /* There is no object with this name, URI or id. */                          \
  X(NOT_FOUND, -3, "not found")                                                \
  /* There is already an object with this name or URI. */                      \
  X(EXISTS, -4, "already exists")                                              \
  /* Not possible now: inside a callback, in progress, or a queue is full. */  \
  X(BUSY, -5, "busy")                                                          \
  /* A limit was exceeded: of bytes, depth, values, entries and others. */     \
  X(LIMIT, -6, "limit exceeded")                                               \
  /* The input is malformed: it is not valid JSON, UTF-8, base64 or a URI. */  \
  X(PARSE, -7, "malformed input")                                              \
  /* The peer violated the protocol. */                                        \
  X(PROTOCOL, -8, "protocol violation")                                        \
  /* A value does not satisfy its JSON Schema, or a schema is not valid. */    \
  X(SCHEMA, -9, "schema violation")                                            \
  /* The peer did not declare the capability that this needs. */               \
  X(CAPABILITY, -10, "capability not declared")                                \
  /* The revision, the peer or this build lacks the method or feature. */      \
  X(UNSUPPORTED, -11, "not supported")                                         \
  /* The client has disconnected or no longer waits, or was freed. */          \
  X(GONE, -12, "gone")                                                         \
  /* The connection, the loop or the server is closed or closing. */           \
  X(CLOSED, -13, "closed")                                                     \
  /* There was no answer within the time limit. */                             \
  X(TIMEOUT, -14, "timed out")                                                 \
  /* This program or the peer cancelled the request. */                        \
  X(CANCELLED, -15, "cancelled")                                               \
  /* The peer answered with a JSON-RPC error. */                               \
  X(REMOTE, -16, "the peer answered with an error")                            \
  /* Input or output failed (system or HTTP). The message has the reason. */   \
  X(IO, -17, "input/output error")                                             \
  /* The platform table lacks the function that this needs. */                 \
  X(PLATFORM, -18, "platform function missing")                                \
  /* There is no revision of the protocol that both sides accept. */           \
  X(VERSION, -19, "no common protocol version")                                \
  /* Encrypted state is forged, expired, or belongs to another request. */     \
  X(SEAL, -20, "sealed state refused")                                         \
  /* Refused by on_request, or by the server (HTTP status 401 or 403). */      \
  X(REFUSED, -21, "refused")                                                   \
  /* A question to the client (its user, model or roots) was not answered. */  \
  X(UNANSWERED, -22, "unanswered")                                             \
  /* A file is not the one that was listed: size, digest or head differ. */    \
  X(MISMATCH, -23, "not what was listed")

enum {
#define MCP_ERROR_VALUE(name, value, text) MCP_ERR_##name = value,
  MCP_ERROR_LIST(MCP_ERROR_VALUE)
#undef MCP_ERROR_VALUE
  /** Success. */
  MCP_OK = 0,
  /** Not a failure: the result comes later (mcp_call_ask_*,
   * mcp_event_store). */
  MCP_PENDING = 1
};

/** Codes of JSON-RPC errors that peers send. */
enum {
  MCP_RPC_PARSE_ERROR = -32700,
  MCP_RPC_INVALID_REQUEST = -32600,
  MCP_RPC_METHOD_NOT_FOUND = -32601,
  MCP_RPC_INVALID_PARAMS = -32602,
  MCP_RPC_INTERNAL_ERROR = -32603,
  /** Legacy revisions only. */
  MCP_RPC_RESOURCE_NOT_FOUND = -32002,
  /** 2026-07-28: a header contradicts the body. */
  MCP_RPC_HEADER_MISMATCH = -32020,
  /** 2026-07-28: the request does not declare a capability that it needs. */
  MCP_RPC_MISSING_CAPABILITY = -32021,
  /** 2026-07-28: the server does not serve the request's protocol version. */
  MCP_RPC_UNSUPPORTED_VERSION = -32022,
  /** 2025-11-25: the user must visit URLs before the request can succeed. */
  MCP_RPC_URL_ELICITATION_REQUIRED = -32042,
  /** Legacy: the user refused a sampling request. */
  MCP_RPC_USER_REJECTED = -1
};

/** The size of an error's text in bytes, including the NUL at its end. */
#define MCP_ERROR_TEXT_SIZE 240

/** Describes a failure. A program may copy it, and need not free it. This
 * structure does not grow. */
typedef struct mcp_error {
  /** One of MCP_ERR_*, or 0. */
  int32_t code;
  /** More about the failure:
   * - `code` is MCP_ERR_REMOTE: the peer's JSON-RPC code;
   * - another failure of a request over HTTP: the HTTP status of the answer, or
   *   0 without an answer;
   * - `code` is MCP_ERR_IO: the error number of the system (errno);
   * - `code` is MCP_ERR_CLOSED or MCP_ERR_REFUSED, because a connection ended:
   *   the status of the failure that ended it, as above;
   * - otherwise 0. */
  int32_t status;
  /** The byte offset of the fault in the input; 0 if there is no input. */
  uint64_t offset;
  /** The reason, for people: one line of UTF-8 without a full stop at its end,
   * NUL-terminated. */
  char message[MCP_ERROR_TEXT_SIZE];
} mcp_error;

/** Returns the general text of a code, such as "out of memory". Static; never
 * NULL. */
MCP_API const char *mcp_error_text(int code);

/** Returns the name of a code, such as "MCP_ERR_NOMEM". Static; never NULL. */
MCP_API const char *mcp_error_name(int code);

/**
 * Fills an error and returns its code, so that a function can end in
 * `return mcp_error_set(err, MCP_ERR_LIMIT, "...", ...)`.
 *
 * @param err    NULL: the function only returns the code
 * @param code   one of MCP_ERR_*
 * @param format as for printf. A text that is too long is cut at the end of a
 *               UTF-8 character. Control characters and bytes that are not
 *               UTF-8 become "?"
 * @return code
 */
MCP_API int mcp_error_set(mcp_error *err, int code, const char *format, ...)
    MCP_PRINTF(3, 4);

MCP_END_DECLS

#endif
