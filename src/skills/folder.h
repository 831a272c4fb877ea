/* SPDX-License-Identifier: MIT */
/* The files of a folder, and of no other: each part of a path is opened by
 * itself, and no part may be a symbolic link. So a file that somebody replaces
 * by a link, at any time, cannot be opened. On any thread. */
#ifndef MCPI_SKILLS_FOLDER_H
#define MCPI_SKILLS_FOLDER_H

#include "base/buf.h"
#include <mcp/error.h>

enum {
  MCPI_SKILL_MAX_FILES = 512,
  /* Files, folders and links of a skill. Without it, a tree of empty folders
   * would keep a scan busy for hours. */
  MCPI_SKILL_MAX_ENTRIES = 4096,
  MCPI_SKILL_MAX_BYTES = 16 * 1024 * 1024,
  MCPI_SKILL_MAX_DEPTH = 16,
  /* Bytes of a path below the folder of skills. */
  MCPI_SKILL_MAX_PATH = 1024,
  /* Skills in one folder. */
  MCPI_SKILLS_MAX = 4096
};

/* What tells that a file has changed without reading it. */
typedef struct mcpi_stamp {
  uint64_t device;
  uint64_t node;
  uint64_t size;
  int64_t modified_ns;
  int64_t changed_ns;
} mcpi_stamp;

int mcpi_stamp_eq(const mcpi_stamp *a, const mcpi_stamp *b);

/* Returns a descriptor of the folder, which may be named by a link; -1 with
 * err: MCP_ERR_IO. */
int mcpi_folder_open(const char *dir, mcp_error *err);

/* Appends a file's bytes. `path` is below the folder: parts with "/" between
 * them. The file must be a regular file of at most `max` bytes. *stamp is what
 * it was when it was opened. Returns 0; MCP_ERR_NOT_FOUND: there is no such
 * file, or a part of the path is a link; MCP_ERR_IO; MCP_ERR_LIMIT;
 * MCP_ERR_NOMEM. The message has the path. */
int mcpi_folder_read(int folder, const char *path, size_t max, mcpi_buf *out,
                     mcpi_stamp *stamp, mcp_error *err);

typedef struct mcpi_found {
  char *path; /* below the walk's folder */
  mcpi_stamp stamp;
} mcpi_found;

/* The files below a folder, sorted by their paths. */
typedef struct mcpi_walk {
  const mcp_allocator *allocator;
  mcpi_found *files;
  size_t count;
  size_t cap;
  uint64_t bytes;     /* of all files together */
  size_t entry_count; /* files, folders, links and the like */
  size_t other_count; /* links and the like, which were left out */
  char *other;        /* the path of the first of them */
} mcpi_walk;

/* Finds the files of the folder `name`. Returns 0; MCP_ERR_NOT_FOUND: it is not
 * a folder, or a link; MCP_ERR_LIMIT: it has too many files, entries or bytes,
 * or is too deep; MCP_ERR_INVALID: a name is not UTF-8; MCP_ERR_IO;
 * MCP_ERR_NOMEM. After success the caller deinitialises the walk. */
int mcpi_folder_walk(mcpi_walk *walk, int folder, const char *name,
                     const mcp_allocator *allocator, mcp_error *err);
void mcpi_walk_deinit(mcpi_walk *walk);

/* The names of a folder, sorted, without those that begin with ".". */
typedef struct mcpi_names {
  const mcp_allocator *allocator;
  char **names;
  size_t count;
  size_t cap;
} mcpi_names;

/* Returns 0; MCP_ERR_LIMIT: there are more than `max`; MCP_ERR_IO;
 * MCP_ERR_NOMEM. After success the caller deinitialises the names. */
int mcpi_folder_names(mcpi_names *names, int folder, size_t max,
                      const mcp_allocator *allocator, mcp_error *err);
void mcpi_names_deinit(mcpi_names *names);

#endif
