/* SPDX-License-Identifier: MIT */
/* The C types and functions for a server's tools. */
#ifndef CTL_MODEL_H
#define CTL_MODEL_H

#include "generate/names.h"

#include <mcp/json.h>

typedef struct ctl_type ctl_type;

/* Bytes of a member's name. An enumerator has that of its type in front. */
enum { CTL_MEMBER_SIZE = 2 * CTL_NAME_SIZE };

typedef enum ctl_kind {
  CTL_KIND_STRING,
  CTL_KIND_INTEGER,
  CTL_KIND_NUMBER,
  CTL_KIND_BOOLEAN,
  CTL_KIND_ENUM,
  CTL_KIND_STRUCT,
  CTL_KIND_JSON /* JSON text: the schema has no C type */
} ctl_kind;

/* A member of a structure, or a value of an enumeration, whose `schema` is the
 * string. Strings of schemas are borrowed from the listing. */
typedef struct ctl_member {
  char name[CTL_MEMBER_SIZE];
  const char *json_name;
  const mcp_json *schema;
  const mcp_json *meant; /* the schema to which it leads, without null */
  ctl_kind kind;
  int is_array;
  int is_optional;
  int is_nullable; /* it is required, and may be null */
  ctl_type *type;  /* of an enumeration or a structure */
  const char *why; /* why it is JSON; NULL: any value is allowed */
} ctl_member;

/* A keyword of the member's schema, or of the one to which it leads. NULL: it
 * has none of that name. */
const mcp_json *ctl_member_keyword(const ctl_member *member,
                                   const char *keyword);

/* Whether `bool has_x` stands beside a member: it may be absent, and is not a
 * pointer. */
int ctl_member_has_flag(const ctl_member *member);

struct ctl_type {
  int is_enum;
  char *tag;           /* owned */
  ctl_member *members; /* owned */
  size_t member_count;
  size_t left_out; /* members whose names no C string can have */
  int is_open;     /* its members are being made */
  const mcp_json *schema;
  ctl_type *next; /* in the order in which they are defined */
};

/* What a tool takes or gives. */
typedef enum ctl_side {
  CTL_SIDE_NONE,
  CTL_SIDE_STRUCT,
  CTL_SIDE_JSON /* JSON text, or the whole result */
} ctl_side;

typedef struct ctl_function {
  const char *tool;
  char *name; /* owned */
  const mcp_json *entry;
  ctl_side takes;
  ctl_side gives;
  const char *why_takes; /* why it is JSON */
  const char *why_gives;
  ctl_type *args;
  ctl_type *result;
  ctl_type *types; /* of this tool; owned */
} ctl_function;

typedef struct ctl_model {
  char prefix[CTL_NAME_SIZE];
  ctl_names names; /* all global identifiers */
  ctl_function *functions;
  size_t count;
  size_t left_out; /* tools whose names no C string can have */
  size_t members;  /* of all structures */
} ctl_model;

/* Makes the model of these tools, which stay until ctl_model_deinit. Returns 0
 * or MCP_ERR_NOMEM; the caller calls ctl_model_deinit in both cases. */
int ctl_model_init(ctl_model *model, const char *prefix,
                   const mcp_json *const *tools, size_t count);
void ctl_model_deinit(ctl_model *model);

/* Makes a prefix of a server's name. */
void ctl_model_prefix(char out[CTL_NAME_SIZE], const char *server);

#endif
