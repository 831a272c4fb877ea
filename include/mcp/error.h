/* SPDX-License-Identifier: MIT */
/** @file
 * Error codes, and the detail that comes with them.
 *
 * A function that can fail returns 0 (or a count) on success and one of the
 * negative MCP_ERR_* codes otherwise. Where more can be said than the code
 * says, the last parameter is an optional `mcp_error *`, which may be NULL.
 *
 * An error that the *peer* answered is not one of these: it is data, with a
 * JSON-RPC code (MCP_RPC_*), and reaches the program where the reply does.
 */
#ifndef MCP_ERROR_H
#define MCP_ERROR_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** Every code: X(NAME, value, text). Values never change. */
#define MCP_ERROR_LIST(X)                                                      \
  /* An argument is NULL, malformed or out of range. */                        \
  X(INVALID, -1, "invalid argument")                                           \
  /* The allocator gave nothing. The object is as it was before the call. */   \
  X(NOMEM, -2, "out of memory")                                                \
  /* Nothing by that name, URI or id. */                                       \
  X(NOT_FOUND, -3, "not found")                                                \
  /* That name or URI is taken. */                                             \
  X(EXISTS, -4, "already exists")                                              \
  /* Not now: inside a callback that forbids it, or already under way. */      \
  X(BUSY, -5, "busy")                                                          \
  /* A limit was passed: bytes, depth, values, entries. */                     \
  X(LIMIT, -6, "limit exceeded")                                               \
  /* The bytes are not what they should be: JSON, UTF-8, base64, a URI. */     \
  X(PARSE, -7, "malformed input")                                              \
  /* The peer broke the protocol. */                                           \
  X(PROTOCOL, -8, "protocol violation")                                        \
  /* The value does not satisfy its JSON Schema. */                            \
  X(SCHEMA, -9, "schema violation")                                            \
  /* The peer did not declare the capability that this needs. */               \
  X(CAPABILITY, -10, "capability not declared")                                \
  /* The revision in use has no such method or feature. */                     \
  X(UNSUPPORTED, -11, "not supported")                                         \
  /* The call's client, or its connection, is no longer there. */              \
  X(GONE, -12, "gone")                                                         \
  /* The connection closed before the answer came. */                          \
  X(CLOSED, -13, "closed")                                                     \
  /* No answer within the time limit. */                                       \
  X(TIMEOUT, -14, "timed out")                                                 \
  /* Cancelled by this program or by the peer. */                              \
  X(CANCELLED, -15, "cancelled")                                               \
  /* The peer answered with a JSON-RPC error. */                               \
  X(REMOTE, -16, "the peer answered with an error")                            \
  /* The operating system refused; the message names the call and reason. */   \
  X(IO, -17, "input/output error")                                             \
  /* The platform table lacks the function that this needs. */                 \
  X(PLATFORM, -18, "platform function missing")                                \
  /* No revision of the protocol that both sides accept. */                    \
  X(VERSION, -19, "no common protocol version")                                \
  /* Sealed state was forged, expired, or belongs to another request. */       \
  X(SEAL, -20, "sealed state refused")                                         \
  /* Refused by the program's own hook. */                                     \
  X(REFUSED, -21, "refused")                                                   \
  /* A question to the user had no answer. */                                  \
  X(UNANSWERED, -22, "unanswered")

enum {
#define MCP_ERROR_VALUE(name, value, text) MCP_ERR_##name = value,
  MCP_ERROR_LIST(MCP_ERROR_VALUE)
#undef MCP_ERROR_VALUE
  /** Success. */
  MCP_OK = 0,
  /** Not a failure: the answer will come later (see mcp/call.h, asking). */
  MCP_PENDING = 1
};

/** JSON-RPC and MCP error codes on the wire. */
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
  /** 2026-07-28: the request's capabilities lack what is needed. */
  MCP_RPC_MISSING_CAPABILITY = -32021,
  /** 2026-07-28: the request's protocol version is not served. */
  MCP_RPC_UNSUPPORTED_VERSION = -32022,
  /** 2025-11-25: the user must visit URLs first. */
  MCP_RPC_URL_ELICITATION_REQUIRED = -32042,
  /** Legacy: the user refused a sampling request. */
  MCP_RPC_USER_REJECTED = -1
};

/** Bytes of an error's text, the closing NUL included. */
#define MCP_ERROR_TEXT_SIZE 240

/** What went wrong. Plain data: copy it freely, nothing to free. This structure
 * does not grow. */
typedef struct mcp_error {
  /** One of MCP_ERR_*, or 0. */
  int32_t code;
  /** With MCP_ERR_REMOTE the peer's JSON-RPC code; of a request over HTTP
   * otherwise the HTTP status of its answer, 0 where none came; else with
   * MCP_ERR_IO the system's error number; else 0. */
  int32_t status;
  /** Byte offset in the input that was at fault; 0 where that says nothing. */
  uint64_t offset;
  /** One line of UTF-8 without a full stop, NUL-terminated. */
  char message[MCP_ERROR_TEXT_SIZE];
} mcp_error;

/** A code's general text, such as "out of memory". Static; never NULL. */
MCP_API const char *mcp_error_text(int code);

/** A code's name, such as "MCP_ERR_NOMEM". Static; never NULL. */
MCP_API const char *mcp_error_name(int code);

/**
 * Fills an error and returns its code, so that a function can end in
 * `return mcp_error_set(err, MCP_ERR_LIMIT, "...", ...)`.
 *
 * @param err  may be NULL: then only the code is returned
 * @param code one of MCP_ERR_*
 * @param format printf's; a text that does not fit is cut at a character
 */
MCP_API int mcp_error_set(mcp_error *err, int code, const char *format, ...)
    MCP_PRINTF(3, 4);

MCP_END_DECLS

#endif
