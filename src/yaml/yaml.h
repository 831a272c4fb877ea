/* SPDX-License-Identifier: MIT */
/* YAML, as events. libyaml is behind a table of functions, because only servers
 * with skills read YAML. libyaml/ fills the table. The build chooses which file
 * of this folder finds it:
 *
 *   module.c  libyaml/ is a library of its own, opened when it is first needed
 *   linked.c  libyaml/ is in the same library
 *   none.c    there is no YAML (MCP_SKILLS=OFF)
 */
#ifndef MCPI_YAML_YAML_H
#define MCPI_YAML_YAML_H

#include "module/module.h"
#include <stddef.h>

typedef enum mcpi_yaml_kind {
  MCPI_YAML_SCALAR,
  MCPI_YAML_MAP,  /* begins; keys and values follow in turn */
  MCPI_YAML_LIST, /* begins */
  MCPI_YAML_END,  /* of the innermost map or list */
  MCPI_YAML_ALIAS /* *name */
} mcpi_yaml_kind;

/* One event of a document. All is borrowed until on_event returns. */
typedef struct mcpi_yaml_event {
  mcpi_yaml_kind kind;
  size_t line;      /* where it begins, from 1 */
  int has_anchor;   /* &name */
  const char *tag;  /* such as "tag:yaml.org,2002:str"; NULL: none */
  const char *text; /* SCALAR: its bytes, UTF-8; may contain NUL */
  size_t len;
  int is_plain; /* SCALAR: without quotes, and not a block */
} mcpi_yaml_event;

enum { MCPI_YAML_WHY_SIZE = 160 };

/* Why a text is not YAML. */
typedef struct mcpi_yaml_fault {
  size_t line; /* from 1 */
  char why[MCPI_YAML_WHY_SIZE];
} mcpi_yaml_fault;

typedef struct mcpi_yaml {
  mcpi_module_head head;
  /* Reads a text of one document, which must be UTF-8, and calls on_event with
   * each event, in order. on_event returns 0, or an MCP_ERR_* that ends the
   * reading. The events are those of a text that is valid so far; a text
   * without a document has none. Returns 0; MCP_ERR_PARSE with the fault; what
   * on_event returned; MCP_ERR_NOMEM. On any thread. */
  int (*read)(const char *text, size_t len,
              int (*on_event)(void *owner, const mcpi_yaml_event *event),
              void *owner, mcpi_yaml_fault *fault);
} mcpi_yaml;

/* Returns the table, or NULL with err: MCP_ERR_UNSUPPORTED (MCP_SKILLS=OFF) or
 * MCP_ERR_PLATFORM. On any thread. */
const mcpi_yaml *mcpi_yaml_get(mcp_error *err);

/* libyaml/libyaml.c */
MCP_API const mcpi_yaml *mcpi_yaml_table(void);

#endif
