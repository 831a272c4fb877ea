/* SPDX-License-Identifier: MIT */
/* A listed skill: an entry of `skills/list` or `skills/get`, as a client holds
 * it: checked, and copied from the message. */
#ifndef MCPI_SKILLS_LISTED_H
#define MCPI_SKILLS_LISTED_H

#include "base/buf.h"
#include <mcp/skills.h>

/* A file, and the strings that `shown` points to, each with its NUL. */
typedef struct mcpi_listed_file {
  mcp_skill_file shown;
  mcpi_buf text;
} mcpi_listed_file;

/* The program and each read that is in flight hold it. The last of them frees
 * it. */
struct mcp_skill {
  mcp_allocator allocator;
  size_t refs;
  char *uri;         /* of SKILL.md */
  size_t folder_len; /* bytes of `uri` that are the folder's URI */
  mcp_doc *head;     /* `frontmatter` */
  const char *name;  /* in `head`, like the next one */
  const char *description;
  int is_dynamic;
  mcpi_listed_file *files;
  size_t count;
  size_t cap;
};

mcp_skill *mcpi_listed_ref(mcp_skill *skill);
void mcpi_listed_unref(mcp_skill *skill); /* NULL is accepted */

/* The URI of the skill's folder. */
mcpi_str mcpi_listed_folder(const mcp_skill *skill);

/* Appends the URI that a path or URI of the program's means, with a NUL. The
 * path leads to a file or a folder below the skill's folder; NULL: the folder
 * itself. Returns 0; MCP_ERR_INVALID: it leads out of the folder;
 * MCP_ERR_NOMEM. */
int mcpi_listed_resolve(const mcp_skill *skill, const char *path, mcpi_buf *uri,
                        mcp_error *err);

#endif
