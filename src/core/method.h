/* SPDX-License-Identifier: MIT */
/* The method table (PROTOCOL 1.7): which methods there are, in which
 * revisions, in which direction, behind which capability, and what their
 * parameters and results must have. Both sides look up the same rows. */
#ifndef MCPI_CORE_METHOD_H
#define MCPI_CORE_METHOD_H

#include "core/revision.h"
#include <mcp/error.h>
#include <mcp/json.h>

typedef enum mcpi_method_id {
  MCPI_M_INITIALIZE,
  MCPI_M_INITIALIZED,
  MCPI_M_PING,
  MCPI_M_DISCOVER,
  MCPI_M_TOOLS_LIST,
  MCPI_M_TOOLS_CALL,
  MCPI_M_PROMPTS_LIST,
  MCPI_M_PROMPTS_GET,
  MCPI_M_RESOURCES_LIST,
  MCPI_M_TEMPLATES_LIST,
  MCPI_M_RESOURCES_READ,
  MCPI_M_RESOURCES_SUBSCRIBE,
  MCPI_M_RESOURCES_UNSUBSCRIBE,
  MCPI_M_COMPLETE,
  MCPI_M_SET_LEVEL,
  MCPI_M_LISTEN,
  MCPI_M_SAMPLE,
  MCPI_M_ROOTS_LIST,
  MCPI_M_ELICIT,
  MCPI_M_CANCELLED,
  MCPI_M_PROGRESS,
  MCPI_M_MESSAGE,
  MCPI_M_TOOLS_CHANGED,
  MCPI_M_PROMPTS_CHANGED,
  MCPI_M_RESOURCES_CHANGED,
  MCPI_M_RESOURCES_UPDATED,
  MCPI_M_ACKNOWLEDGED,
  MCPI_M_ROOTS_CHANGED,
  MCPI_M_ELICITATION_COMPLETE,
  MCPI_M_COUNT
} mcpi_method_id;

/* Directions, and whether a row is a request. */
enum {
  MCPI_TO_SERVER = 1 << 0,
  MCPI_TO_CLIENT = 1 << 1,
  MCPI_IS_REQUEST = 1 << 2,
  MCPI_IS_CACHEABLE = 1 << 3, /* modern results carry ttlMs and cacheScope */
  MCPI_MAY_ASK = 1 << 4       /* modern results may be input_required */
};

/* The type of names and URIs, which programs read as C strings: a string that
 * does not contain NUL. */
enum { MCPI_C_STRING = MCP_JSON_OBJECT + 1 };

/* A member that params or a result must or may have. */
typedef struct mcpi_member {
  const char *name; /* NULL ends a list */
  int8_t type;      /* MCP_JSON_*, MCP_JSON_NONE for any, or MCPI_C_STRING */
  int8_t required;
  const char *of; /* "params" or "result", for messages */
} mcpi_member;

typedef struct mcpi_method {
  const char *name;
  mcpi_method_id id;
  mcpi_revision_range revisions;
  uint16_t flags;
  /* Of the receiver, a dotted path; NULL: none. 2024-11-05 has no
   * "completions" yet: ask only where MCPI_HAS_COMPLETIONS_CAPABILITY. */
  const char *capability;
  const mcpi_member *params;
  const mcpi_member *result;
  const char *items; /* the array that a result lists, or NULL */
} mcpi_method;

extern const mcpi_method mcpi_methods[MCPI_M_COUNT];

/* The row of that name, whatever the revision, or NULL. Hashed: constant time.
 */
const mcpi_method *mcpi_method_find(mcpi_str name);

/* The member of a method's params that HTTP repeats in Mcp-Name (PROTOCOL 3.5),
 * or NULL. Extensions' methods have one too. */
const char *mcpi_method_mirrored(mcpi_str name);

static inline int mcpi_method_in(const mcpi_method *method,
                                 const mcpi_revision *revision) {
  return mcpi_revision_in(revision, method->revisions);
}

/* Checks an object against a list of members; a NULL object stands for an
 * empty one, a NULL list for an empty one too. An optional member may be null,
 * which some peers write for absent. 0, or MCP_ERR_INVALID with a message that
 * names the member, what it must be, and what it is. */
int mcpi_members_check(const mcpi_member *members, const mcp_json *object,
                       mcp_error *err);

#endif
