/* SPDX-License-Identifier: MIT */
/* The skills of a folder at one time. A list is counted and does not change. */
#ifndef MCPI_SKILLS_LIST_H
#define MCPI_SKILLS_LIST_H

#include "skills/skill.h"

typedef struct mcpi_skill_list {
  atomic_uint refs;
  mcp_allocator allocator;
  mcpi_skill **skills; /* sorted by name; those that are not valid too */
  size_t count;
  size_t cap;
} mcpi_skill_list;

/* How a folder is scanned. */
typedef struct mcpi_skill_scan {
  const char *dir;
  /* The list before, or NULL: skills that have not changed are taken over from
   * it. */
  const mcpi_skill_list *before;
  /* A skill with a file that was changed after this time, in nanoseconds since
   * 1970, stays as it was, because somebody may still write it. INT64_MAX:
   * each skill is read. */
  int64_t quiet_since_ns;
  size_t unquiet_count; /* set: how many skills stayed so */
} mcpi_skill_scan;

/* Returns 0; MCP_ERR_IO: the folder cannot be read; MCP_ERR_LIMIT: it has too
 * many skills; MCP_ERR_UNSUPPORTED, MCP_ERR_PLATFORM; MCP_ERR_NOMEM. On any
 * thread. */
int mcpi_skill_list_scan(mcpi_skill_list **out, mcpi_skill_scan *scan,
                         const mcp_allocator *allocator, mcp_error *err);

mcpi_skill_list *mcpi_skill_list_ref(mcpi_skill_list *list);
void mcpi_skill_list_unref(mcpi_skill_list *list); /* NULL is accepted */

/* Whether both have the same skills, each with the same files. */
int mcpi_skill_list_eq(const mcpi_skill_list *a, const mcpi_skill_list *b);
/* Returns the place of the first skill whose name is not before `name`; count:
 * there is none. */
size_t mcpi_skill_list_seek(const mcpi_skill_list *list, mcpi_str name);
/* Returns the skill of this name, or NULL. */
mcpi_skill *mcpi_skill_list_get(const mcpi_skill_list *list, mcpi_str name);

#endif
