/* SPDX-License-Identifier: MIT */
#include "skills/folder.h"

#include "base/error.h"
#include "platform/descriptors.h"
#include "platform/files.h"
#include "platform/folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int folder_error(mcp_error *err, int error, const char *path) {
  if (error == ENOMEM) {
    return mcpi_no_memory(err);
  }
  int is_missing = error == ENOENT || error == ENOTDIR || error == ELOOP ||
                   error == ENAMETOOLONG;
  return mcp_error_set(err, is_missing ? MCP_ERR_NOT_FOUND : MCP_ERR_IO,
                       "cannot read %s: %s", path, strerror(error));
}

int mcpi_stamp_eq(const mcpi_stamp *a, const mcpi_stamp *b) {
  return a->device == b->device && a->node == b->node && a->size == b->size &&
         a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

static void stamp_take(mcpi_stamp *stamp, const mcpi_entry *entry) {
  *stamp = (mcpi_stamp){.device = entry->device,
                        .node = entry->node,
                        .size = entry->size,
                        .modified_ns = entry->modified_ns,
                        .changed_ns = entry->changed_ns};
}

int mcpi_folder_open(const char *dir, mcp_error *err) {
  int fd = mcpi_folder_open_path(dir);
  if (fd < 0) {
    mcp_error_set(err, MCP_ERR_IO, "cannot read the folder %s: %s", dir,
                  strerror(-fd));
    return -1;
  }
  return fd;
}

/* --- one file ------------------------------------------------------------- */

static int is_safe_part(mcpi_str part) {
  return part.len > 0 && !mcpi_str_eq(part, MCPI_STR(".")) &&
         !mcpi_str_eq(part, MCPI_STR(".."));
}

/* Opens one part after the other, the last one by `open_last`. Returns a
 * descriptor, or a negative errno value. */
static int open_beneath(int folder, const char *path,
                        int (*open_last)(int folder, const char *name)) {
  char part[MCPI_SKILL_MAX_PATH + 1];
  int at = folder;
  for (;;) {
    size_t len = strcspn(path, "/");
    int is_last = path[len] == '\0';
    int next = -ENOENT;
    if (len < sizeof(part) && is_safe_part(mcpi_str_n(path, len))) {
      memcpy(part, path, len);
      part[len] = '\0';
      next = is_last ? open_last(at, part) : mcpi_entry_open_folder(at, part);
    }
    if (at != folder) {
      mcpi_fd_close(at);
    }
    if (next < 0 || is_last) {
      return next;
    }
    at = next;
    path += len + 1;
  }
}

static int too_long(mcp_error *err, const char *path, size_t max) {
  return mcp_error_set(err, MCP_ERR_LIMIT, "%s has more than %zu bytes", path,
                       max);
}

/* Reads to the end: the file may have grown since it was opened. */
static int folder_read_all(int fd, const char *path, size_t max, mcpi_buf *out,
                           mcp_error *err) {
  enum { CHUNK = 64 * 1024 };
  size_t begin = out->len;
  for (;;) {
    char *to = mcpi_buf_reserve(out, CHUNK);
    if (to == NULL) {
      return mcpi_no_memory(err);
    }
    ssize_t got = mcpi_file_read(fd, to, CHUNK);
    if (got < 0) {
      return folder_error(err, errno, path);
    }
    if (got == 0) {
      return 0;
    }
    mcpi_buf_commit(out, (size_t)got);
    if (out->len - begin > max) {
      return too_long(err, path, max);
    }
  }
}

int mcpi_folder_read(int folder, const char *path, size_t max, mcpi_buf *out,
                     mcpi_stamp *stamp, mcp_error *err) {
  mcpi_entry entry;
  int rc = 0;
  int fd = open_beneath(folder, path, mcpi_entry_open_file);
  if (fd < 0) {
    return folder_error(err, -fd, path);
  }
  int failed = mcpi_entry_look_fd(fd, &entry);
  if (failed != 0) {
    rc = folder_error(err, -failed, path);
  } else if (entry.kind != MCPI_ENTRY_FILE) {
    rc = mcp_error_set(err, MCP_ERR_NOT_FOUND, "%s is not a file", path);
  } else if (entry.size > max) {
    rc = too_long(err, path, max);
  }
  if (rc == 0) {
    stamp_take(stamp, &entry);
    rc = folder_read_all(fd, path, max, out, err);
  }
  mcpi_fd_close(fd);
  return rc;
}

/* --- names ---------------------------------------------------------------- */

static int names_add(mcpi_names *names, const char *name) {
  const mcp_allocator *allocator = names->allocator;
  if (names->count == names->cap) {
    size_t cap = names->cap > 0 ? names->cap * 2 : 16;
    char **larger =
        mcpi_realloc(allocator, names->names, names->cap * sizeof(char *),
                     cap * sizeof(char *));
    if (larger == NULL) {
      return MCP_ERR_NOMEM;
    }
    names->names = larger;
    names->cap = cap;
  }
  char *copy = mcpi_strdup(allocator, name);
  if (copy == NULL) {
    return MCP_ERR_NOMEM;
  }
  names->names[names->count++] = copy;
  return 0;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct listing {
  mcpi_names *names;
  size_t max;
  int rc; /* MCP_ERR_* that has ended it; else 0 */
} listing;

static int listing_take(const char *name, void *userdata) {
  listing *self = userdata;
  if (name[0] == '.') {
    return 0;
  }
  self->rc = self->names->count < self->max ? names_add(self->names, name)
                                            : MCP_ERR_LIMIT;
  return self->rc != 0;
}

static int listing_tell(const listing *self, mcp_error *err) {
  return self->rc == MCP_ERR_LIMIT
             ? mcp_error_set(err, MCP_ERR_LIMIT,
                             "the folder has more than %zu entries", self->max)
             : mcpi_no_memory(err);
}

int mcpi_folder_names(mcpi_names *names, int folder, size_t max,
                      const mcp_allocator *allocator, mcp_error *err) {
  listing self = {.names = names, .max = max};
  *names = (mcpi_names){.allocator = allocator};
  int rc = mcpi_folder_each(folder, listing_take, &self);
  if (rc < 0) {
    rc = folder_error(err, -rc, "the folder");
  } else if (rc > 0) {
    rc = listing_tell(&self, err);
  }
  if (rc != 0) {
    mcpi_names_deinit(names);
  } else if (names->count > 1) {
    qsort(names->names, names->count, sizeof(char *), compare_names);
  }
  return rc;
}

void mcpi_names_deinit(mcpi_names *names) {
  for (size_t i = 0; i < names->count; i++) {
    mcpi_strfree(names->allocator, names->names[i]);
  }
  mcpi_free(names->allocator, names->names, names->cap * sizeof(char *));
  *names = (mcpi_names){.allocator = names->allocator};
}

/* --- walking -------------------------------------------------------------- */

static int walk_folder(mcpi_walk *walk, int folder, const char *prefix,
                       int depth, mcp_error *err);

static int walk_room(mcpi_walk *walk) {
  if (walk->count < walk->cap) {
    return 0;
  }
  size_t cap = walk->cap > 0 ? walk->cap * 2 : 16;
  mcpi_found *files =
      mcpi_realloc(walk->allocator, walk->files, walk->cap * sizeof(*files),
                   cap * sizeof(*files));
  if (files == NULL) {
    return MCP_ERR_NOMEM;
  }
  walk->files = files;
  walk->cap = cap;
  return 0;
}

static int add_found(mcpi_walk *walk, const char *path, const mcpi_entry *entry,
                     mcp_error *err) {
  walk->bytes += entry->size;
  if (walk->count == MCPI_SKILL_MAX_FILES) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "it has more than %d files",
                         MCPI_SKILL_MAX_FILES);
  }
  if (walk->bytes > MCPI_SKILL_MAX_BYTES) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "its files have more than %d bytes",
                         MCPI_SKILL_MAX_BYTES);
  }
  char *copy = walk_room(walk) == 0 ? mcpi_strdup(walk->allocator, path) : NULL;
  if (copy == NULL) {
    return mcpi_no_memory(err);
  }
  walk->files[walk->count].path = copy;
  stamp_take(&walk->files[walk->count].stamp, entry);
  walk->count++;
  return 0;
}

/* Only the first one is named. */
static int leave_out(mcpi_walk *walk, const char *path, mcp_error *err) {
  if (walk->other_count++ > 0) {
    return 0;
  }
  walk->other = mcpi_strdup(walk->allocator, path);
  return walk->other != NULL ? 0 : mcpi_no_memory(err);
}

static int walk_into(mcpi_walk *walk, int folder, const char *name,
                     const char *path, int depth, mcp_error *err) {
  if (depth == MCPI_SKILL_MAX_DEPTH) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "%s is more than %d folders deep",
                         path, MCPI_SKILL_MAX_DEPTH);
  }
  int fd = mcpi_entry_open_folder(folder, name);
  if (fd < 0) {
    return folder_error(err, -fd, path);
  }
  int rc = walk_folder(walk, fd, path, depth + 1, err);
  mcpi_fd_close(fd);
  return rc;
}

static int walk_one(mcpi_walk *walk, int folder, const char *prefix,
                    const char *name, int depth, mcp_error *err) {
  mcpi_entry entry;
  char path[MCPI_SKILL_MAX_PATH + 1];
  if (walk->entry_count++ == MCPI_SKILL_MAX_ENTRIES) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "it has more than %d files, folders and links",
                         MCPI_SKILL_MAX_ENTRIES);
  }
  int len = snprintf(path, sizeof(path), "%s%s%s", prefix,
                     prefix[0] != '\0' ? "/" : "", name);
  if (len < 0 || (size_t)len >= sizeof(path)) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "a path has more than %d bytes",
                         MCPI_SKILL_MAX_PATH);
  }
  if (!mcpi_str_is_utf8(mcpi_str_z(name))) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the name of %s is not UTF-8",
                         path);
  }
  int failed = mcpi_entry_look(folder, name, &entry);
  if (failed != 0) {
    return folder_error(err, -failed, path);
  }
  if (entry.kind == MCPI_ENTRY_FILE) {
    return add_found(walk, path, &entry, err);
  }
  return entry.kind == MCPI_ENTRY_FOLDER
             ? walk_into(walk, folder, name, path, depth, err)
             : leave_out(walk, path, err);
}

/* Recurses at most MCPI_SKILL_MAX_DEPTH deep. */
static int walk_folder(mcpi_walk *walk, int folder, const char *prefix,
                       int depth, mcp_error *err) {
  mcpi_names names;
  int rc = mcpi_folder_names(&names, folder, MCPI_SKILL_MAX_ENTRIES,
                             walk->allocator, err);
  if (rc != 0) {
    return rc;
  }
  for (size_t i = 0; rc == 0 && i < names.count; i++) {
    rc = walk_one(walk, folder, prefix, names.names[i], depth, err);
  }
  mcpi_names_deinit(&names);
  return rc;
}

static int compare_found(const void *a, const void *b) {
  return strcmp(((const mcpi_found *)a)->path, ((const mcpi_found *)b)->path);
}

int mcpi_folder_walk(mcpi_walk *walk, int folder, const char *name,
                     const mcp_allocator *allocator, mcp_error *err) {
  *walk = (mcpi_walk){.allocator = allocator};
  int fd = open_beneath(folder, name, mcpi_entry_open_folder);
  if (fd < 0) {
    return folder_error(err, -fd, name);
  }
  int rc = walk_folder(walk, fd, "", 1, err);
  mcpi_fd_close(fd);
  if (rc != 0) {
    mcpi_walk_deinit(walk);
  } else if (walk->count > 1) {
    qsort(walk->files, walk->count, sizeof(*walk->files), compare_found);
  }
  return rc;
}

void mcpi_walk_deinit(mcpi_walk *walk) {
  for (size_t i = 0; i < walk->count; i++) {
    mcpi_strfree(walk->allocator, walk->files[i].path);
  }
  mcpi_free(walk->allocator, walk->files, walk->cap * sizeof(*walk->files));
  mcpi_strfree(walk->allocator, walk->other);
  *walk = (mcpi_walk){.allocator = walk->allocator};
}
