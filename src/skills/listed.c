/* SPDX-License-Identifier: MIT */
/* Checks an entry of a list of skills (SEP-2640, Skill Entries). */
#include "skills/listed.h"

#include "base/ascii.h"
#include "base/error.h"
#include "skills/folder.h"
#include "skills/head.h"
#include "skills/path.h"
#include "skills/skill.h"

#define MAIN_FILE "SKILL.md"
#define MAIN_END "/" MAIN_FILE

/* Bytes of a text of the server's that a message quotes. */
enum { QUOTED = 80 };

/* --- life ----------------------------------------------------------------- */

static mcp_skill *listed_new(const mcp_allocator *allocator) {
  mcp_skill *skill = mcpi_calloc(allocator, 1, sizeof(*skill));
  if (skill != NULL) {
    skill->allocator = *allocator;
    skill->refs = 1;
  }
  return skill;
}

mcp_skill *mcpi_listed_ref(mcp_skill *skill) {
  skill->refs++;
  return skill;
}

void mcpi_listed_unref(mcp_skill *skill) {
  if (skill == NULL || --skill->refs > 0) {
    return;
  }
  mcp_allocator allocator = skill->allocator;
  for (size_t i = 0; i < skill->count; i++) {
    mcpi_buf_deinit(&skill->files[i].text);
  }
  mcpi_free(&allocator, skill->files, skill->cap * sizeof(*skill->files));
  mcpi_strfree(&allocator, skill->uri);
  mcp_doc_free(skill->head);
  mcpi_free(&allocator, skill, sizeof(*skill));
}

void mcp_skill_free(mcp_skill *skill) {
  mcpi_listed_unref(skill);
}

/* --- the URI -------------------------------------------------------------- */

mcpi_str mcpi_listed_folder(const mcp_skill *skill) {
  return mcpi_str_n(skill->uri, skill->folder_len);
}

/* Returns the length of "SCHEME:", or 0. */
static size_t scheme_len(const char *uri) {
  size_t len = mcpi_is_letter(uri[0]);
  while (len > 0 && (mcpi_is_alnum(uri[len]) || uri[len] == '+' ||
                     uri[len] == '-' || uri[len] == '.')) {
    len++;
  }
  return len > 0 && uri[len] == ':' ? len + 1 : 0;
}

/* Checks that a URI is SCHEME:[//].../NAME/SKILL.md, and that its parts are
 * like those of a path. */
static int check_uri(const mcp_allocator *allocator, mcpi_str uri) {
  mcpi_buf path;
  size_t root = scheme_len(uri.ptr);
  size_t slashes = strspn(uri.ptr + root, "/");
  if (root == 0 || slashes == 0) {
    return MCP_ERR_INVALID;
  }
  root += slashes - 1;
  mcpi_buf_init(&path, allocator, SIZE_MAX);
  int rc = mcpi_skill_path_read(&path, mcpi_str_n(uri.ptr, root), uri);
  mcpi_buf_deinit(&path);
  size_t len = uri.len - root;
  if (rc == 0 &&
      (len <= sizeof(MAIN_END) ||
       strcmp(uri.ptr + uri.len - strlen(MAIN_END), MAIN_END) != 0)) {
    rc = MCP_ERR_INVALID;
  }
  return rc;
}

static int listed_read_uri(mcp_skill *skill, const mcp_json *entry,
                           mcp_error *err) {
  const char *uri = mcp_json_string(mcp_json_get(entry, "uri"));
  if (uri == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "a skill without uri, a string without NUL");
  }
  skill->uri = mcpi_strdup(&skill->allocator, uri);
  if (skill->uri == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = check_uri(&skill->allocator, mcpi_str_z(uri));
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(err, rc, "the URI is not SCHEME://.../NAME" MAIN_END);
  }
  if (rc != 0) {
    return mcpi_no_memory(err);
  }
  skill->folder_len = strlen(uri) - strlen(MAIN_END);
  return 0;
}

/* --- the head ------------------------------------------------------------- */

static int listed_copy_head(mcp_skill *skill, const mcp_json *head,
                            mcp_error *err) {
  size_t len;
  mcp_builder *builder = mcp_builder_new(&skill->allocator, err);
  if (builder == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcp_builder_value(builder, NULL, head);
  const char *text = mcp_builder_text(builder, &len);
  int rc = 0;
  if (text == NULL) {
    *err = *mcp_builder_error(builder);
    rc = err->code;
  } else {
    skill->head = mcp_doc_parse(text, len, NULL, &skill->allocator, err);
    rc = skill->head != NULL ? 0 : err->code;
  }
  mcp_builder_free(builder);
  return rc;
}

/* The last part of the folder's URI must be the name. */
static int listed_check_name(const mcp_skill *skill, mcp_error *err) {
  mcpi_str folder = mcpi_listed_folder(skill);
  mcpi_str name = mcpi_str_z(skill->name);
  if (skill->name == NULL || !mcpi_skill_name_is_valid(name)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the name \"%.*s\" is not valid: 1 to %d small "
                         "letters, digits and single hyphens",
                         QUOTED, skill->name != NULL ? skill->name : "",
                         MCPI_SKILL_NAME_MAX);
  }
  if (folder.len <= name.len || folder.ptr[folder.len - name.len - 1] != '/' ||
      memcmp(folder.ptr + folder.len - name.len, name.ptr, name.len) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the name \"%s\" is not the last part of the folder",
                         skill->name);
  }
  return 0;
}

static int listed_read_head(mcp_skill *skill, const mcp_json *entry,
                            mcp_error *err) {
  const mcp_json *listed = mcp_json_get(entry, "frontmatter");
  if (mcp_json_type(listed) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_INVALID, "frontmatter is not an object");
  }
  int rc = listed_copy_head(skill, listed, err);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *head = mcp_doc_root(skill->head);
  skill->name = mcp_json_string(mcp_json_get(head, "name"));
  skill->description = mcp_json_string(mcp_json_get(head, "description"));
  rc = listed_check_name(skill, err);
  if (rc == 0 &&
      (skill->description == NULL || skill->description[0] == '\0')) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "the description is not a text, or it is empty");
  }
  return rc;
}

/* --- the files ------------------------------------------------------------ */

static int is_digest(const char *text) {
  static const char prefix[] = "sha256:";
  if (text == NULL || strlen(text) != MCPI_DIGEST_SIZE - 1 ||
      strncmp(text, prefix, sizeof(prefix) - 1) != 0) {
    return 0;
  }
  text += sizeof(prefix) - 1;
  return strspn(text, "0123456789abcdef") == strlen(text);
}

/* Writes the file's strings one after the other. */
static int put_listed(mcpi_listed_file *file, const mcp_skill *skill,
                      const char *uri, const char *digest, mcp_error *err) {
  mcpi_buf *text = &file->text;
  int rc =
      mcpi_skill_path_read(text, mcpi_listed_folder(skill), mcpi_str_z(uri));
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(
        err, rc, "it lists %.*s, which is not inside its folder", QUOTED, uri);
  }
  mcpi_buf_putc(text, '\0');
  size_t uri_at = text->len;
  mcpi_buf_put(text, uri, strlen(uri) + 1);
  size_t digest_at = text->len;
  mcpi_buf_put(text, digest, strlen(digest) + 1);
  if (text->error != 0) {
    return mcpi_no_memory(err);
  }
  file->shown.path = text->data;
  file->shown.uri = text->data + uri_at;
  file->shown.digest = text->data + digest_at;
  return 0;
}

static int listed_add_file(mcp_skill *skill, const mcp_json *item,
                           mcp_error *err) {
  const char *uri = mcp_json_string(mcp_json_get(item, "uri"));
  const char *digest = mcp_json_string(mcp_json_get(item, "digest"));
  int64_t len = 0;
  if (uri == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "it lists a file without uri");
  }
  if (!is_digest(digest)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "it lists %.*s without a digest of \"sha256:\" and 64 "
                         "small hexadecimal digits",
                         QUOTED, uri);
  }
  if (mcp_json_try_int(mcp_json_get(item, "size"), &len) != 0 || len < 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "it lists %.*s without a size in bytes", QUOTED, uri);
  }
  mcpi_listed_file *file = &skill->files[skill->count];
  *file = (mcpi_listed_file){
      .shown = {.size = sizeof(mcp_skill_file), .len = (uint64_t)len}};
  mcpi_buf_init(&file->text, &skill->allocator, SIZE_MAX);
  skill->count++;
  return put_listed(file, skill, uri, digest, err);
}

/* Two URIs of one file may differ in what they encode. */
static int listed_check_once(const mcp_skill *skill, mcp_error *err) {
  const char *last = skill->files[skill->count - 1].shown.path;
  for (size_t i = 0; i + 1 < skill->count; i++) {
    if (strcmp(skill->files[i].shown.path, last) == 0) {
      return mcp_error_set(err, MCP_ERR_INVALID, "it lists %.*s twice", QUOTED,
                           last);
    }
  }
  return 0;
}

static int listed_read_files(mcp_skill *skill, const mcp_json *files,
                             mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *item;
  uint64_t total = 0;
  int rc = 0;
  mcp_json_iter_init(&iter, files);
  while (rc == 0 && (item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = listed_add_file(skill, item, err);
    if (rc == 0) {
      rc = listed_check_once(skill, err);
    }
    if (rc == 0) {
      uint64_t len = skill->files[skill->count - 1].shown.len;
      total = len <= MCPI_SKILL_MAX_BYTES ? total + len : UINT64_MAX;
    }
    if (rc == 0 && total > MCPI_SKILL_MAX_BYTES) {
      rc = mcp_error_set(err, MCP_ERR_LIMIT,
                         "its files have more than %d bytes together",
                         MCPI_SKILL_MAX_BYTES);
    }
  }
  return rc;
}

static int listed_read_list(mcp_skill *skill, const mcp_json *files,
                            mcp_error *err) {
  size_t count = mcp_json_size(files);
  if (count > MCPI_SKILL_MAX_FILES) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "it has %zu files, more than %d",
                         count, MCPI_SKILL_MAX_FILES);
  }
  skill->files = mcpi_calloc(&skill->allocator, count, sizeof(*skill->files));
  if (count > 0 && skill->files == NULL) {
    return mcpi_no_memory(err);
  }
  skill->cap = count;
  int rc = listed_read_files(skill, files, err);
  if (rc == 0 && mcp_skill_find(skill, skill->uri) == NULL) {
    rc = mcp_error_set(err, MCP_ERR_INVALID, "it does not list its " MAIN_FILE);
  }
  return rc;
}

static int listed_read_resources(mcp_skill *skill, const mcp_json *entry,
                                 mcp_error *err) {
  const mcp_json *files = mcp_json_get(entry, "resources");
  const char *word = mcp_json_string(files);
  if (mcp_json_type(files) == MCP_JSON_ARRAY) {
    return listed_read_list(skill, files, err);
  }
  skill->is_dynamic = word != NULL && strcmp(word, "dynamic") == 0;
  return skill->is_dynamic ? 0
                           : mcp_error_set(err, MCP_ERR_INVALID,
                                           "resources is neither an array nor "
                                           "\"dynamic\"");
}

/* --- the whole ------------------------------------------------------------ */

static int listed_read(mcp_skill *skill, const mcp_json *entry,
                       mcp_error *err) {
  int rc = listed_read_uri(skill, entry, err);
  if (rc == 0) {
    rc = listed_read_head(skill, entry, err);
  }
  if (rc == 0) {
    rc = listed_read_resources(skill, entry, err);
  }
  return rc;
}

mcp_skill *mcp_skill_new(const mcp_json *entry, const mcp_allocator *allocator,
                         mcp_error *err) {
  mcp_error why = {0};
  if (mcp_json_type(entry) != MCP_JSON_OBJECT) {
    mcp_error_set(err, MCP_ERR_INVALID, "a skill that is not an object");
    return NULL;
  }
  mcp_skill *skill =
      listed_new(allocator != NULL ? allocator : mcp_allocator_default());
  if (skill == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  if (listed_read(skill, entry, &why) == 0) {
    return skill;
  }
  if (skill->uri != NULL && why.code != MCP_ERR_NOMEM) {
    mcp_error_set(err, why.code, "%.*s: %s", QUOTED, skill->uri, why.message);
  } else {
    mcp_error_set(err, why.code, "%s", why.message);
  }
  mcpi_listed_unref(skill);
  return NULL;
}

/* --- looking at one ------------------------------------------------------- */

const char *mcp_skill_name(const mcp_skill *skill) {
  return skill != NULL ? skill->name : NULL;
}

const char *mcp_skill_description(const mcp_skill *skill) {
  return skill != NULL ? skill->description : NULL;
}

const char *mcp_skill_uri(const mcp_skill *skill) {
  return skill != NULL ? skill->uri : NULL;
}

const mcp_json *mcp_skill_frontmatter(const mcp_skill *skill) {
  return skill != NULL ? mcp_doc_root(skill->head) : NULL;
}

int mcp_skill_is_dynamic(const mcp_skill *skill) {
  return skill != NULL && skill->is_dynamic;
}

size_t mcp_skill_file_count(const mcp_skill *skill) {
  return skill != NULL ? skill->count : 0;
}

const mcp_skill_file *mcp_skill_file_at(const mcp_skill *skill, size_t index) {
  return index < mcp_skill_file_count(skill) ? &skill->files[index].shown
                                             : NULL;
}

const mcp_skill_file *mcp_skill_find(const mcp_skill *skill, const char *file) {
  const char *wanted = file != NULL ? file : MAIN_FILE;
  for (size_t i = 0; i < mcp_skill_file_count(skill); i++) {
    const mcp_skill_file *shown = &skill->files[i].shown;
    if (strcmp(shown->path, wanted) == 0 || strcmp(shown->uri, wanted) == 0) {
      return shown;
    }
  }
  return NULL;
}

/* Writes the URI for a path that is below the folder, or is a URI there. */
static int listed_put_uri(const mcp_skill *skill, mcpi_str path,
                          mcpi_buf *uri) {
  mcpi_buf decoded;
  mcpi_str folder = mcpi_listed_folder(skill);
  mcpi_buf_init(&decoded, &skill->allocator, SIZE_MAX);
  int rc = mcpi_skill_path_read(&decoded, folder, path);
  mcpi_buf_deinit(&decoded);
  if (rc == 0) {
    mcpi_buf_puts(uri, path);
  } else if (rc == MCP_ERR_INVALID && mcpi_skill_path_is_safe(path)) {
    mcpi_buf_puts(uri, folder);
    mcpi_buf_putc(uri, '/');
    mcpi_skill_path_encode(uri, path);
    rc = 0;
  }
  return rc;
}

int mcpi_listed_resolve(const mcp_skill *skill, const char *path, mcpi_buf *uri,
                        mcp_error *err) {
  mcpi_str folder = mcpi_listed_folder(skill);
  mcpi_str wanted = mcpi_str_z(path);
  int rc = 0;
  if (path == NULL || mcpi_str_eq(wanted, folder)) {
    mcpi_buf_puts(uri, folder);
  } else {
    rc = listed_put_uri(skill, wanted, uri);
  }
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(err, rc,
                         "\"%.*s\" is not below the folder of the skill %s",
                         QUOTED, path, skill->name);
  }
  mcpi_buf_putc(uri, '\0');
  return rc != 0 || uri->error != 0 ? mcpi_no_memory(err) : 0;
}
