/* SPDX-License-Identifier: MIT */
#include "skills/skill.h"

#include "base/error.h"
#include "platform/platform.h"
#include "skills/head.h"
#include "skills/mime.h"
#include "skills/path.h"
#include <mcp/json.h>

#include <stdio.h>

#define MAIN_FILE "SKILL.md"

/* --- bytes ---------------------------------------------------------------- */

int mcpi_skill_digest(char out[MCPI_DIGEST_SIZE], const void *bytes,
                      size_t len) {
  static const char digits[] = "0123456789abcdef";
  uint8_t hash[MCP_SHA256_SIZE];
  int rc = mcpi_platform_crypto.sha256(NULL, bytes, len, hash);
  if (rc != 0) {
    return rc;
  }
  char *to = out + snprintf(out, MCPI_DIGEST_SIZE, "sha256:");
  for (size_t i = 0; i < sizeof(hash); i++) {
    *to++ = digits[hash[i] >> 4];
    *to++ = digits[hash[i] & 15];
  }
  *to = '\0';
  return 0;
}

int mcpi_skill_is_text(const char *bytes, size_t len) {
  mcpi_str text = mcpi_str_n(bytes, len);
  return len == 0 || (!mcpi_str_has_nul(text) && mcpi_str_is_utf8(text));
}

void mcpi_skill_put_uri(mcpi_buf *out, const char *name, mcpi_str path) {
  mcpi_buf_lit(out, "skill://");
  mcpi_buf_puts(out, mcpi_str_z(name));
  if (path.len > 0) {
    mcpi_buf_putc(out, '/');
  }
  mcpi_skill_path_encode(out, path);
}

/* --- life ----------------------------------------------------------------- */

static mcpi_skill *skill_new(const char *name, const mcp_allocator *allocator) {
  mcpi_skill *skill = mcpi_calloc(allocator, 1, sizeof(*skill));
  if (skill == NULL) {
    return NULL;
  }
  skill->allocator = *allocator;
  atomic_init(&skill->refs, 1);
  mcpi_buf_init(&skill->entry, &skill->allocator, SIZE_MAX);
  skill->name = mcpi_strdup(allocator, name);
  if (skill->name == NULL) {
    mcpi_skill_unref(skill);
    return NULL;
  }
  return skill;
}

static int skill_set_fault(mcpi_skill *skill, const mcp_error *why) {
  skill->fault_code = why->code;
  skill->fault = mcpi_strdup(&skill->allocator, why->message);
  return skill->fault != NULL ? 0 : MCP_ERR_NOMEM;
}

mcpi_skill *mcpi_skill_faulty(const char *name, const mcp_error *why,
                              const mcp_allocator *allocator) {
  mcpi_skill *skill = skill_new(name, allocator);
  if (skill != NULL && skill_set_fault(skill, why) != 0) {
    mcpi_skill_unref(skill);
    return NULL;
  }
  return skill;
}

mcpi_skill *mcpi_skill_ref(mcpi_skill *skill) {
  atomic_fetch_add_explicit(&skill->refs, 1, memory_order_relaxed);
  return skill;
}

void mcpi_skill_unref(mcpi_skill *skill) {
  if (skill == NULL || atomic_fetch_sub(&skill->refs, 1) != 1) {
    return;
  }
  mcp_allocator allocator = skill->allocator;
  for (size_t i = 0; i < skill->count; i++) {
    mcpi_strfree(&allocator, skill->files[i].path);
    mcpi_strfree(&allocator, skill->files[i].uri);
  }
  mcpi_free(&allocator, skill->files, skill->cap * sizeof(*skill->files));
  mcpi_strfree(&allocator, skill->name);
  mcpi_strfree(&allocator, skill->fault);
  mcpi_strfree(&allocator, skill->other);
  mcpi_strfree(&allocator, skill->description);
  mcpi_buf_deinit(&skill->entry);
  mcpi_free(&allocator, skill, sizeof(*skill));
}

/* --- asking --------------------------------------------------------------- */

int mcpi_skill_matches(const mcpi_skill *skill, const mcpi_walk *walk) {
  if (atomic_load(&skill->is_stale) || skill->count != walk->count ||
      skill->other_count != walk->other_count) {
    return 0;
  }
  for (size_t i = 0; i < skill->count; i++) {
    if (strcmp(skill->files[i].path, walk->files[i].path) != 0 ||
        !mcpi_stamp_eq(&skill->files[i].stamp, &walk->files[i].stamp)) {
      return 0;
    }
  }
  return 1;
}

const mcpi_skill_file *mcpi_skill_find(const mcpi_skill *skill, mcpi_str uri) {
  for (size_t i = 0; i < skill->count; i++) {
    if (mcpi_str_eq(mcpi_str_z(skill->files[i].uri), uri)) {
      return &skill->files[i];
    }
  }
  return NULL;
}

int mcpi_skill_file_is_main(const mcpi_skill_file *file) {
  return strcmp(file->path, MAIN_FILE) == 0;
}

/* --- reading -------------------------------------------------------------- */

/* A skill while it is read. */
typedef struct skill_reader {
  mcpi_skill *skill;
  int folder;
  mcpi_buf bytes; /* of one file */
  mcpi_skill_head head;
  int has_head;
  uint64_t total; /* bytes of the files so far */
} skill_reader;

static int skill_read_head(skill_reader *self, mcp_error *err) {
  mcpi_skill *skill = self->skill;
  mcp_error why;
  if (!mcpi_skill_is_text(self->bytes.data, self->bytes.len)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         MAIN_FILE " is not UTF-8, or has a NUL");
  }
  int rc = mcpi_skill_head_read(&self->head, self->bytes.data, self->bytes.len,
                                &skill->allocator, &why);
  if (rc != 0) {
    return mcp_error_set(err, rc, MAIN_FILE ": %s", why.message);
  }
  self->has_head = 1;
  if (strcmp(self->head.name, skill->name) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         MAIN_FILE ": the name \"%s\" is not the name of the "
                                   "folder: rename one of them",
                         self->head.name);
  }
  return 0;
}

static char *make_uri(const mcpi_skill *skill, const char *path) {
  mcpi_buf uri;
  mcpi_buf_init(&uri, &skill->allocator, SIZE_MAX);
  mcpi_skill_put_uri(&uri, skill->name, mcpi_str_z(path));
  return mcpi_buf_take_string(&uri);
}

/* The room is there. A half-made file is freed with the skill. */
static int add_file(skill_reader *self, const char *path,
                    const mcpi_stamp *stamp, mcp_error *err) {
  mcpi_skill *skill = self->skill;
  const mcpi_buf *bytes = &self->bytes;
  mcpi_skill_file *file = &skill->files[skill->count++];
  file->stamp = *stamp;
  file->stamp.size = bytes->len;
  file->mime_type =
      mcpi_skill_mime_type(path, mcpi_skill_is_text(bytes->data, bytes->len));
  file->path = mcpi_strdup(&skill->allocator, path);
  file->uri = make_uri(skill, path);
  if (file->path == NULL || file->uri == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = mcpi_skill_digest(file->digest, bytes->data, bytes->len);
  return rc == 0 ? 0
                 : mcp_error_set(err, rc, "no SHA-256: %s", mcp_error_text(rc));
}

static int read_file(skill_reader *self, const mcpi_found *found,
                     mcp_error *err) {
  mcpi_stamp stamp;
  char path[2 * MCPI_SKILL_MAX_PATH];
  snprintf(path, sizeof(path), "%s/%s", self->skill->name, found->path);
  mcpi_buf_clear(&self->bytes);
  int rc = mcpi_folder_read(self->folder, path,
                            (size_t)(MCPI_SKILL_MAX_BYTES - self->total),
                            &self->bytes, &stamp, err);
  if (rc == 0) {
    self->total += self->bytes.len;
    rc = add_file(self, found->path, &stamp, err);
  }
  if (rc == 0 && strcmp(found->path, MAIN_FILE) == 0) {
    rc = skill_read_head(self, err);
  }
  return rc;
}

static int read_files(skill_reader *self, const mcpi_walk *walk,
                      mcp_error *err) {
  mcpi_skill *skill = self->skill;
  int rc = 0;
  skill->files =
      mcpi_calloc(&skill->allocator, walk->count, sizeof(*skill->files));
  if (walk->count > 0 && skill->files == NULL) {
    return mcpi_no_memory(err);
  }
  skill->cap = walk->count;
  for (size_t i = 0; rc == 0 && i < walk->count; i++) {
    rc = read_file(self, &walk->files[i], err);
  }
  if (rc == 0 && !self->has_head) {
    rc = mcp_error_set(err, MCP_ERR_INVALID, "it has no file " MAIN_FILE);
  }
  return rc;
}

/* --- what lists show ------------------------------------------------------ */

static void put_file(mcp_builder *builder, const mcpi_skill_file *file) {
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "uri", file->uri);
  mcp_builder_string(builder, "digest", file->digest);
  mcp_builder_int(builder, "size", (int64_t)file->stamp.size);
  mcp_builder_end(builder);
}

static void skill_put_entry(mcp_builder *builder, const skill_reader *self,
                            const char *uri) {
  const mcpi_skill *skill = self->skill;
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "uri", uri);
  mcp_builder_json(builder, "frontmatter", self->head.json.data);
  mcp_builder_array(builder, "resources");
  for (size_t i = 0; i < skill->count; i++) {
    put_file(builder, &skill->files[i]);
  }
  mcp_builder_end(builder);
  mcp_builder_end(builder);
}

static int skill_describe(skill_reader *self, mcp_error *err) {
  mcpi_skill *skill = self->skill;
  mcpi_str text;
  char *uri = make_uri(skill, MAIN_FILE);
  mcp_builder *builder = mcp_builder_new(&skill->allocator, NULL);
  mcpi_buf_putc(&self->head.json, '\0');
  if (uri == NULL || builder == NULL || self->head.json.error != 0) {
    mcpi_strfree(&skill->allocator, uri);
    mcp_builder_free(builder);
    return mcpi_no_memory(err);
  }
  skill_put_entry(builder, self, uri);
  text.ptr = mcp_builder_text(builder, &text.len);
  mcpi_buf_puts(&skill->entry, text);
  mcpi_buf_putc(&skill->entry, '\0');
  skill->description = mcpi_strdup(&skill->allocator, self->head.description);
  int is_done =
      text.ptr != NULL && skill->entry.error == 0 && skill->description != NULL;
  if (is_done) {
    mcpi_buf_rewind(&skill->entry, text.len);
  }
  mcpi_strfree(&skill->allocator, uri);
  mcp_builder_free(builder);
  return is_done ? 0 : mcpi_no_memory(err);
}

/* --- the whole ------------------------------------------------------------ */

static int note_others(mcpi_skill *skill, const mcpi_walk *walk,
                       mcp_error *err) {
  skill->other_count = walk->other_count;
  if (walk->other == NULL) {
    return 0;
  }
  skill->other = mcpi_strdup(&skill->allocator, walk->other);
  return skill->other != NULL ? 0 : mcpi_no_memory(err);
}

/* Keeps the stamps of all files, so that a skill that is not valid is read
 * again only when a file has changed. */
static int keep_stamps(mcpi_skill *skill, const mcpi_walk *walk) {
  for (size_t i = skill->count; i < walk->count && i < skill->cap; i++) {
    char *path = mcpi_strdup(&skill->allocator, walk->files[i].path);
    if (path == NULL) {
      return MCP_ERR_NOMEM;
    }
    skill->files[i].path = path;
    skill->files[i].stamp = walk->files[i].stamp;
    skill->count = i + 1;
  }
  return 0;
}

/* Failures that are not the skill's. */
static int is_ours(int code) {
  return code == MCP_ERR_NOMEM || code == MCP_ERR_UNSUPPORTED ||
         code == MCP_ERR_PLATFORM;
}

int mcpi_skill_read(mcpi_skill **out, int folder, const char *name,
                    const mcpi_walk *walk, const mcp_allocator *allocator,
                    mcp_error *err) {
  mcp_error why = {0};
  skill_reader self = {.skill = skill_new(name, allocator), .folder = folder};
  if (self.skill == NULL) {
    return mcpi_no_memory(err);
  }
  mcpi_buf_init(&self.bytes, allocator, SIZE_MAX);
  int rc = note_others(self.skill, walk, &why);
  if (rc == 0) {
    rc = read_files(&self, walk, &why);
  }
  if (rc == 0) {
    rc = skill_describe(&self, &why);
  }
  if (rc != 0 && !is_ours(rc)) {
    rc = skill_set_fault(self.skill, &why);
    if (rc == 0) {
      rc = keep_stamps(self.skill, walk);
    }
    if (rc != 0) {
      mcpi_no_memory(&why);
    }
  }
  if (self.has_head) {
    mcpi_skill_head_deinit(&self.head);
  }
  mcpi_buf_deinit(&self.bytes);
  if (rc != 0) {
    mcpi_skill_unref(self.skill);
    return mcp_error_set(err, rc, "%s", why.message);
  }
  *out = self.skill;
  return 0;
}
