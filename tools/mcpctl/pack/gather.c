/* SPDX-License-Identifier: MIT */
#include "pack/gather.h"
#include "bundle/manifest.h"
#include "common/file.h"
#include "pack/ignore.h"
#include "platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

typedef struct gathering {
  ctl_gathered *gathered;
  const char *folder; /* absolute, without links */
  char *ignored;      /* what .mcpbignore says; NULL: it is not there */
  mcp_error *err;
} gathering;

static int fail_no_memory(mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
}

/* Adds an entry with a name. NULL: err says why. */
static ctl_gathered_file *add_named(ctl_gathered *gathered, const char *name,
                                    mcp_error *err) {
  if (gathered->count >= CTL_ZIP_MAX_FILES) {
    mcp_error_set(err, MCP_ERR_LIMIT, "there are more than %d files",
                  (int)CTL_ZIP_MAX_FILES);
    return NULL;
  }
  ctl_gathered_file *grown =
      realloc(gathered->files, (gathered->count + 1) * sizeof(*grown));
  if (grown == NULL) {
    fail_no_memory(err);
    return NULL;
  }
  gathered->files = grown;
  ctl_gathered_file *file = &grown[gathered->count++];
  *file = (ctl_gathered_file){.name = strdup(name)};
  if (file->name == NULL) {
    fail_no_memory(err);
    return NULL;
  }
  return file;
}

int ctl_gather_file(ctl_gathered *gathered, const char *name, const char *path,
                    int is_executable, mcp_error *err) {
  ctl_gathered_file *file = add_named(gathered, name, err);
  if (file == NULL) {
    return err->code;
  }
  file->path = strdup(path);
  file->is_executable = is_executable;
  return file->path != NULL ? 0 : fail_no_memory(err);
}

int ctl_gather_bytes(ctl_gathered *gathered, const char *name, char *bytes,
                     size_t len, mcp_error *err) {
  ctl_gathered_file *file = add_named(gathered, name, err);
  if (file == NULL) {
    free(bytes);
    return err->code;
  }
  file->bytes = bytes;
  file->len = len;
  return 0;
}

/* ---- a folder ---------------------------------------------------------- */

static int gather_in(const gathering *self, const char *inside, int depth);

/* Whether an absolute path without links is in the folder. */
static int is_inside(const gathering *self, const char *real) {
  size_t len = strlen(self->folder);
  return strncmp(real, self->folder, len) == 0 && real[len] == '/';
}

static int gather_link(const gathering *self, const char *name,
                       const char *path) {
  ctl_path_state state;
  char *real = ctl_path_real(path);
  const char *why = real == NULL             ? "which leads nowhere"
                    : !is_inside(self, real) ? "which leads out of the folder"
                    : ctl_path_look(real, &state) != 0 ? "which cannot be read"
                    : state.kind != CTL_PATH_FILE
                        ? "which does not lead to a file"
                        : NULL;
  int rc = why != NULL
               ? mcp_error_set(self->err, MCP_ERR_INVALID,
                               "%.150s is a symbolic link %s: put the file in "
                               "its place, or name it in .mcpbignore",
                               path, why)
               : ctl_gather_file(self->gathered, name, real,
                                 state.is_executable, self->err);
  free(real);
  return rc;
}

/* `name` is the path in the bundle. */
static int gather_entry(const gathering *self, const char *name,
                        const char *path, int depth) {
  ctl_path_state state;
  if (ctl_path_look(path, &state) != 0) {
    return mcp_error_set(self->err, MCP_ERR_IO, "cannot read %.150s: %s", path,
                         strerror(errno));
  }
  if (ctl_ignore(self->ignored, name, state.kind == CTL_PATH_FOLDER)) {
    return 0;
  }
  if (state.kind == CTL_PATH_FOLDER) {
    return gather_in(self, name, depth + 1);
  }
  if (state.kind == CTL_PATH_LINK) {
    return gather_link(self, name, path);
  }
  if (state.kind != CTL_PATH_FILE) {
    return mcp_error_set(self->err, MCP_ERR_INVALID,
                         "%.150s is not a file or a folder", path);
  }
  return ctl_gather_file(self->gathered, name, path, state.is_executable,
                         self->err);
}

/* A folder of the folder that is being gathered. */
typedef struct inner {
  const gathering *all;
  const char *inside; /* its path in the bundle; "" for the folder itself */
  int depth;
} inner;

static int gather_name(void *userdata, const char *name) {
  const inner *self = userdata;
  const gathering *all = self->all;
  char *path = NULL;
  int len = asprintf(&path, "%s/%s%s%s", all->folder, self->inside,
                     self->inside[0] != '\0' ? "/" : "", name);
  if (len < 0) {
    return fail_no_memory(all->err);
  }
  int rc = gather_entry(all, path + strlen(all->folder) + 1, path, self->depth);
  free(path);
  return rc;
}

static int gather_in(const gathering *self, const char *inside, int depth) {
  inner here = {self, inside, depth};
  char *path = NULL;
  if (depth > MAX_DEPTH) {
    return mcp_error_set(self->err, MCP_ERR_LIMIT,
                         "%.150s: folders are nested too deeply", inside);
  }
  if (asprintf(&path, "%s/%s", self->folder, inside) < 0) {
    return fail_no_memory(self->err);
  }
  self->err->code = 0;
  int rc = ctl_folder_list(path, gather_name, &here);
  if (rc != 0 && self->err->code == 0) {
    rc = mcp_error_set(self->err, MCP_ERR_IO, "cannot read %.150s: %s", path,
                       strerror(errno));
  }
  free(path);
  return rc;
}

int ctl_gather_folder(ctl_gathered *gathered, const char *folder,
                      mcp_error *err) {
  char *real = ctl_path_real(folder);
  gathering self = {gathered, real, NULL, err};
  char *path = NULL;
  size_t len = 0;
  int rc = 0;
  if (real == NULL) {
    return mcp_error_set(err, MCP_ERR_IO, "cannot read %.150s: %s", folder,
                         strerror(errno));
  }
  if (asprintf(&path, "%s/.mcpbignore", real) < 0) {
    free(real);
    return fail_no_memory(err);
  }
  if (ctl_path_is_there(path)) {
    self.ignored = ctl_file_read(path, &len, err);
    rc = self.ignored != NULL ? 0 : err->code;
  }
  rc = rc == 0 ? gather_in(&self, "", 0) : rc;
  free(self.ignored);
  free(path);
  free(real);
  return rc;
}

/* ---- the archive ------------------------------------------------------- */

int ctl_gathered_has(const ctl_gathered *gathered, const char *name) {
  for (size_t i = 0; i < gathered->count; i++) {
    if (strcmp(gathered->files[i].name, name) == 0) {
      return 1;
    }
  }
  return 0;
}

static int compare_files(const void *a, const void *b) {
  const ctl_gathered_file *one = a;
  const ctl_gathered_file *other = b;
  int is_manifest = strcmp(one->name, CTL_MANIFEST_FILE) == 0;
  int other_is_manifest = strcmp(other->name, CTL_MANIFEST_FILE) == 0;
  return is_manifest != other_is_manifest ? other_is_manifest - is_manifest
                                          : strcmp(one->name, other->name);
}

static int pack_file(ctl_zip_writer *writer, const ctl_gathered_file *file,
                     mcp_error *err) {
  size_t len = 0;
  if (file->path == NULL) {
    return ctl_zip_add(writer, file->name, file->bytes, file->len, 0, err);
  }
  char *bytes = ctl_file_read(file->path, &len, err);
  if (bytes == NULL) {
    return err->code;
  }
  int rc =
      ctl_zip_add(writer, file->name, bytes, len, file->is_executable, err);
  free(bytes);
  return rc;
}

int ctl_gathered_pack(ctl_gathered *gathered, const char *manifest,
                      char **bytes, size_t *len, mcp_error *err) {
  ctl_zip_writer writer = {0};
  int rc = 0;
  if (gathered->count > 0) {
    qsort(gathered->files, gathered->count, sizeof(*gathered->files),
          compare_files);
  }
  if (manifest != NULL) {
    rc = ctl_zip_add(&writer, CTL_MANIFEST_FILE, manifest, strlen(manifest), 0,
                     err);
  }
  for (size_t i = 0; rc == 0 && i < gathered->count; i++) {
    const ctl_gathered_file *file = &gathered->files[i];
    if (manifest == NULL || strcmp(file->name, CTL_MANIFEST_FILE) != 0) {
      rc = pack_file(&writer, file, err);
    }
  }
  if (rc == 0) {
    rc = ctl_zip_finish(&writer, err);
  }
  if (rc == 0) {
    *bytes = writer.bytes;
    *len = writer.len;
    writer.bytes = NULL;
  }
  ctl_zip_writer_deinit(&writer);
  return rc;
}

void ctl_gathered_deinit(ctl_gathered *gathered) {
  for (size_t i = 0; i < gathered->count; i++) {
    free(gathered->files[i].name);
    free(gathered->files[i].path);
    free(gathered->files[i].bytes);
  }
  free(gathered->files);
  *gathered = (ctl_gathered){0};
}
