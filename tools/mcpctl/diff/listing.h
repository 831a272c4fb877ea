/* SPDX-License-Identifier: MIT */
/* What a server lists, in one JSON object: `server`, `protocolVersion`,
 * `instructions`, `tools`, `prompts`, `resources` and `resourceTemplates`. A
 * list that the server does not have is not there. Entries are sorted, so that
 * a listing in a file changes only where the server has. */
#ifndef CTL_LISTING_H
#define CTL_LISTING_H

#include <mcp/json.h>

enum { CTL_LISTING_LISTS = 4 };

/* A list, and the member by which its entries are told apart. */
typedef struct ctl_listing_list {
  const char *name; /* "tools" */
  const char *key;  /* "name" */
} ctl_listing_list;

extern const ctl_listing_list ctl_listing_lists[CTL_LISTING_LISTS];

/* Parses a listing that a file has.
 *
 * @param out owned; NULL on failure
 * @return 0, or MCP_ERR_* as in err */
int ctl_listing_parse(mcp_doc **out, const char *text, size_t len,
                      mcp_error *err);

/* Reads a file with a listing. Returns CTL_OK; else an exit code, after a
 * report. */
int ctl_listing_read(mcp_doc **out, const char *path);

/* Checks that an object is a listing. Returns 0; or MCP_ERR_INVALID, as in
 * err. */
int ctl_listing_check(const mcp_json *root, mcp_error *err);

/* Sorts entries by their keys, in place; those with the same key stay in their
 * order. Returns 0 or MCP_ERR_NOMEM. */
int ctl_listing_sort(const mcp_json **entries, size_t count, const char *key);

/* The entries of a list, sorted. */
typedef struct ctl_sorted {
  const mcp_json **entries; /* owned array of borrowed entries */
  size_t count;
} ctl_sorted;

/* Returns 0 or MCP_ERR_NOMEM. */
int ctl_sorted_init(ctl_sorted *sorted, const mcp_json *list, const char *key);
void ctl_sorted_deinit(ctl_sorted *sorted);
/* Compares two entries by their keys. An entry that is NULL comes last. */
int ctl_sorted_compare(const char *key, const mcp_json *a, const mcp_json *b);

#endif
