/* SPDX-License-Identifier: MIT */
/* The method table (MCP, Schema Reference), whose rows are core/methods.def:
 * which methods there are, in which revisions and which way, and what their
 * params and results must have. Both sides look up the same rows. */
#ifndef MCPI_CORE_METHOD_H
#define MCPI_CORE_METHOD_H

#include "core/revision.h"
#include <mcp/error.h>
#include <mcp/json.h>

typedef enum mcpi_method_id {
#define METHOD(id, ...) id,
#include "core/methods.def"
  MCPI_M_COUNT
} mcpi_method_id;

/* The direction of a method, and whether it is a request. */
enum {
  MCPI_TO_SERVER = 1 << 0,
  MCPI_TO_CLIENT = 1 << 1,
  MCPI_IS_REQUEST = 1 << 2
};

/* The type of names and URIs, which programs read as C strings: a string
 * without NUL. */
enum { MCPI_C_STRING = MCP_JSON_OBJECT + 1 };

/* A member that params or a result must have, or may have. */
typedef struct mcpi_member {
  mcpi_str name; /* NULL ends a list */
  int8_t type;   /* MCP_JSON_*, MCP_JSON_NONE for any, or MCPI_C_STRING */
  int8_t required;
} mcpi_member;

typedef struct mcpi_method {
  const char *name;
  mcpi_method_id id;
  mcpi_revision_range revisions;
  uint8_t flags;           /* MCPI_TO_... */
  int8_t is_cacheable;     /* a modern result carries ttlMs and cacheScope */
  int8_t may_ask;          /* a modern result may be input_required */
  int8_t needs_no_session; /* legacy: may come before initialize */
  int8_t is_idempotent;    /* two do no more than one; cacheable ones too */
  /* The capability that the receiver must have declared, a dotted path; NULL:
   * none. 2024-11-05 has no "completions" yet: check it only with
   * MCPI_HAS_COMPLETIONS_CAPABILITY. */
  const char *capability;
  const char
      *mirrored;     /* the member of params that Mcp-Name repeats, or NULL */
  const char *items; /* the array that a result lists, or NULL */
  const mcpi_member *params;
  const mcpi_member *result;
} mcpi_method;

extern const mcpi_method mcpi_methods[MCPI_M_COUNT];

/* Returns the row with that name, for any revision, or NULL. */
const mcpi_method *mcpi_method_find(mcpi_str name);

/* Returns the member of a method's params that HTTP repeats in Mcp-Name
 * (MCP 2026-07-28, Streamable HTTP: Request Metadata), or NULL. Methods of
 * extensions have one too. */
const char *mcpi_method_mirrored(mcpi_str name);

static inline int mcpi_method_in(const mcpi_method *method,
                                 const mcpi_revision *revision) {
  return mcpi_revision_in(revision, method->revisions);
}

/* Checks an object, called "params" or "result" in messages, against a list of
 * members. A NULL object stands for an empty one, and a NULL list too. An
 * optional member may be null, which some peers write for absent. Returns 0, or
 * MCP_ERR_INVALID with a message that names the member, what it must be, and
 * what it is. */
int mcpi_members_check(const mcpi_member *members, const char *of,
                       const mcp_json *object, mcp_error *err);

#endif
