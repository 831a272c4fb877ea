/* SPDX-License-Identifier: MIT */
/* How an entry is made: a draft points at the data that the program passed, and
 * at texts made from these data. When everything has been checked, the draft is
 * copied into one piece of memory. */
#ifndef MCPI_SERVER_ENTRY_H
#define MCPI_SERVER_ENTRY_H

#include "server/registry.h"

typedef struct mcpi_draft {
  mcpi_entry entry; /* borrowed pointers; validators and template are owned */
  mcp_annotations annotations;
  mcpi_buf icons; /* texts that the entry will hold */
  mcpi_buf meta;
  mcpi_buf content_meta;
  mcpi_buf plain_input;
  mcpi_buf plain_output;
  mcp_builder *input;
  mcp_builder *output;
  mcp_error *err;
} mcpi_draft;

/* `key` is the name by which the entry is found. */
void mcpi_draft_init(mcpi_draft *draft, int kind, const char *key,
                     const mcp_allocator *allocator, mcp_error *err);
void mcpi_draft_deinit(mcpi_draft *draft);

/* Fills the error: "tool "add": ..." with what the format says. */
int mcpi_draft_fail(mcpi_draft *draft, int code, const char *format, ...)
    MCP_PRINTF(3, 4);

/* Checks the members of the entry that all kinds have, makes the texts of icons
 * and meta, and takes the scopes. */
int mcpi_draft_common(mcpi_draft *draft, const mcp_icon *icons,
                      size_t icon_count, const char *meta, const char *scopes);

/* Checks that `meta` (NULL: nothing to do) is a JSON object, and makes the
 * entry's text of it in `text`. `member` is its name in the program's
 * structure. */
int mcpi_draft_meta(mcpi_draft *draft, const char *member, const char *meta,
                    mcpi_buf *text, const char **out);

/* Copies the draft into *out, with one reference. */
int mcpi_draft_finish(mcpi_draft *draft, mcpi_entry **out);

#endif
