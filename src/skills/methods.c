/* SPDX-License-Identifier: MIT */
/* `skills/list`, `skills/get` and `resources/directory/read` (SEP-2640). A
 * cursor of `skills/list` is the name of the next skill, so it stays right when
 * skills come and go. */
#include "base/error.h"
#include "server/server.h"
#include "skills/head.h"
#include "skills/skills.h"
#include <mcp/call.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what the three have in common ---------------------------------------- */

static int refuse_param(mcp_call *call, const char *why) {
  return mcp_call_reply_error(call, MCP_RPC_INVALID_PARAMS, why, NULL);
}

/* Refuses a value of the client, which may be NULL. */
static int refuse_param_value(mcp_call *call, const char *why,
                              const char *value) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_INVALID, "%s \"%s\"", why,
                value != NULL ? value : "");
  return refuse_param(call, err.message);
}

/* Returns a member of the params as a C string; NULL: it is missing, or is not
 * such a string. */
static const char *param_string(const mcp_call *call, const char *name) {
  return mcp_json_string(mcp_json_get(mcp_call_params(call), name));
}

/* Whether the params have the member, with a value other than null. */
static int has_param(const mcp_call *call, const char *name) {
  const mcp_json *value = mcp_json_get(mcp_call_params(call), name);
  return value != NULL && mcp_json_type(value) != MCP_JSON_NULL;
}

/* What is in the page, and whether more fits in. */
typedef struct page {
  uint32_t max_count; /* 0: no limit */
  uint32_t max_bytes;
  uint32_t count;
  size_t bytes;
} page;

static void page_init(page *self, const mcpi_skills *skills) {
  const mcp_server_options *options = &skills->server->options;
  *self = (page){.max_count = options->page_count,
                 .max_bytes = options->page_bytes};
}

/* A page has at least one entry. */
static int page_takes(page *self, size_t len) {
  int is_full = (self->max_count > 0 && self->count == self->max_count) ||
                (self->count > 0 && self->bytes + len > self->max_bytes);
  if (!is_full) {
    self->count++;
    self->bytes += len;
  }
  return !is_full;
}

/* Replies with a text of JSON; NULL: there was no memory for it. */
static int methods_reply(mcp_call *call, const mcpi_skills *skills,
                         const char *json) {
  if (json == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcp_call_set_cache(call, skills->options.cache_ttl_ms,
                              skills->server->options.cache_is_public);
  if (rc == 0) {
    rc = mcp_call_reply_json(call, json);
  }
  return rc;
}

/* Replies with what was written, and frees it. */
static int reply_written(mcp_call *call, const mcpi_skills *skills,
                         mcpi_buf *json) {
  mcpi_buf_putc(json, '\0');
  int rc = methods_reply(call, skills, json->error == 0 ? json->data : NULL);
  mcpi_buf_deinit(json);
  return rc;
}

/* --- skills/list ---------------------------------------------------------- */

/* Entries are JSON already, so they are copied. Returns the name of the first
 * skill that did not fit, or NULL. */
static const char *put_skills(page *self, const mcpi_skill_list *list,
                              size_t first, mcpi_buf *json) {
  for (size_t i = first; i < list->count; i++) {
    const mcpi_skill *skill = list->skills[i];
    if (!mcpi_skill_is_valid(skill)) {
      continue;
    }
    if (!page_takes(self, skill->entry.len)) {
      return skill->name;
    }
    if (self->count > 1) {
      mcpi_buf_putc(json, ',');
    }
    mcpi_buf_puts(json, mcpi_buf_str(&skill->entry));
  }
  return NULL;
}

static int reply_list(mcp_call *call, const mcpi_skills *skills,
                      const mcpi_skill_list *list, size_t first) {
  page listed;
  mcpi_buf json;
  page_init(&listed, skills);
  mcpi_buf_init(&json, &skills->allocator, SIZE_MAX);
  mcpi_buf_lit(&json, "{\"skills\":[");
  const char *next = put_skills(&listed, list, first, &json);
  mcpi_buf_putc(&json, ']');
  if (next != NULL) { /* a name needs no escapes */
    mcpi_buf_lit(&json, ",\"nextCursor\":\"");
    mcpi_buf_puts(&json, mcpi_str_z(next));
    mcpi_buf_putc(&json, '"');
  }
  mcpi_buf_putc(&json, '}');
  return reply_written(call, skills, &json);
}

static int on_list(mcp_call *call, void *userdata) {
  mcpi_skills *skills = userdata;
  const char *cursor = "";
  if (has_param(call, "cursor")) {
    cursor = param_string(call, "cursor");
    if (!mcpi_skill_name_is_valid(mcpi_str_z(cursor))) {
      return refuse_param_value(call, "unknown cursor", cursor);
    }
  }
  mcpi_skill_list *list = mcpi_skills_list(skills);
  int rc = reply_list(call, skills, list,
                      mcpi_skill_list_seek(list, mcpi_str_z(cursor)));
  mcpi_skill_list_unref(list);
  return rc;
}

/* --- skills/get ----------------------------------------------------------- */

/* Returns the skill in whose folder the URI is; NULL: there is none. */
static const mcpi_skill *find_skill(const mcpi_skill_list *list, mcpi_str uri) {
  if (uri.ptr == NULL || !mcpi_str_starts_with(uri, MCPI_STR("skill://"))) {
    return NULL;
  }
  mcpi_str_take(&uri, sizeof("skill://") - 1);
  const char *slash = uri.len > 0 ? memchr(uri.ptr, '/', uri.len) : NULL;
  size_t len = slash != NULL ? (size_t)(slash - uri.ptr) : uri.len;
  const mcpi_skill *skill = mcpi_skill_list_get(list, mcpi_str_n(uri.ptr, len));
  return skill != NULL && mcpi_skill_is_valid(skill) ? skill : NULL;
}

static int reply_skill(mcp_call *call, const mcpi_skills *skills,
                       const mcpi_skill *skill) {
  mcpi_buf json;
  mcpi_buf_init(&json, &skills->allocator, SIZE_MAX);
  mcpi_buf_lit(&json, "{\"skill\":");
  mcpi_buf_puts(&json, mcpi_buf_str(&skill->entry));
  mcpi_buf_putc(&json, '}');
  return reply_written(call, skills, &json);
}

static int on_get(mcp_call *call, void *userdata) {
  mcpi_skills *skills = userdata;
  const char *uri = param_string(call, "uri");
  if (uri == NULL) {
    return refuse_param(call, "uri: expected a string");
  }
  mcpi_skill_list *list = mcpi_skills_list(skills);
  const mcpi_skill *skill = find_skill(list, mcpi_str_z(uri));
  const mcpi_skill_file *file =
      skill != NULL ? mcpi_skill_find(skill, mcpi_str_z(uri)) : NULL;
  int rc = file != NULL && mcpi_skill_file_is_main(file)
               ? reply_skill(call, skills, skill)
               : refuse_param_value(call, "there is no skill", uri);
  mcpi_skill_list_unref(list);
  return rc;
}

/* --- resources/directory/read --------------------------------------------- */

/* A folder of a skill. Its children are files with URIs that begin with
 * `prefix`, and folders of such files. */
typedef struct folder_view {
  const mcpi_skill *skill;
  mcpi_str prefix; /* with a slash at its end */
  size_t depth;    /* slashes in the path of its files */
} folder_view;

/* Returns what follows the prefix in the file's URI; {NULL, 0}: the file is
 * elsewhere. */
static mcpi_str rest_of(const folder_view *view, const mcpi_skill_file *file) {
  mcpi_str uri = mcpi_str_z(file->uri);
  if (!mcpi_str_starts_with(uri, view->prefix)) {
    return (mcpi_str){NULL, 0};
  }
  mcpi_str_take(&uri, view->prefix.len);
  return uri;
}

/* The bytes of the child's name in what rest_of returned. */
static size_t child_len(mcpi_str rest) {
  const char *slash = memchr(rest.ptr, '/', rest.len);
  return slash != NULL ? (size_t)(slash - rest.ptr) : rest.len;
}

/* The name without %XX: the same part of the path. */
static mcpi_str child_name(const folder_view *view,
                           const mcpi_skill_file *file) {
  const char *at = file->path;
  for (size_t i = 0; i < view->depth; i++) {
    at = strchr(at, '/') + 1;
  }
  return mcpi_str_n(at, strcspn(at, "/"));
}

static void put_child(mcp_builder *builder, const folder_view *view,
                      const mcpi_skill_file *file) {
  mcpi_str rest = rest_of(view, file);
  mcpi_str name = child_name(view, file);
  size_t len = child_len(rest);
  int is_folder = len < rest.len;
  mcp_builder_object(builder, NULL);
  mcp_builder_string_n(builder, "uri", file->uri, view->prefix.len + len);
  mcp_builder_string_n(builder, "name", name.ptr, name.len);
  mcp_builder_string(builder, "mimeType",
                     is_folder ? "inode/directory" : file->mime_type);
  if (!is_folder) {
    mcp_builder_int(builder, "size", (int64_t)file->stamp.size);
  }
  mcp_builder_end(builder);
}

/* Files are sorted by path, so those of one child follow each other. */
static int is_same_child(mcpi_str a, mcpi_str b) {
  size_t len = child_len(a);
  return b.ptr != NULL && child_len(b) == len && len < a.len && len < b.len &&
         memcmp(a.ptr, b.ptr, len) == 0;
}

/* Returns the place of the first file whose child did not fit; the number of
 * files: all did. */
static size_t put_children(page *self, const folder_view *view, size_t first,
                           mcp_builder *builder) {
  mcpi_str last = {NULL, 0};
  size_t i = first;
  for (; i < view->skill->count; i++) {
    const mcpi_skill_file *file = &view->skill->files[i];
    mcpi_str rest = rest_of(view, file);
    if (rest.ptr == NULL || is_same_child(rest, last)) {
      continue;
    }
    if (!page_takes(self, 2 * strlen(file->uri))) {
      break;
    }
    put_child(builder, view, file);
    last = rest;
  }
  return i;
}

static int reply_folder(mcp_call *call, const mcpi_skills *skills,
                        const folder_view *view, size_t first) {
  page listed;
  char cursor[24];
  mcp_builder *builder = mcp_builder_new(&skills->allocator, NULL);
  page_init(&listed, skills);
  mcp_builder_object(builder, NULL);
  mcp_builder_array(builder, "resources");
  size_t next = put_children(&listed, view, first, builder);
  mcp_builder_end(builder);
  if (next < view->skill->count) {
    snprintf(cursor, sizeof(cursor), "%zu", next);
    mcp_builder_string(builder, "nextCursor", cursor);
  }
  mcp_builder_end(builder);
  int rc = methods_reply(call, skills, mcp_builder_text(builder, NULL));
  mcp_builder_free(builder);
  return rc;
}

/* A cursor is the place of the next file. Returns 0, or MCP_ERR_INVALID. */
static int read_place(const mcp_call *call, size_t count, size_t *out) {
  *out = 0;
  if (!has_param(call, "cursor")) {
    return 0;
  }
  const char *text = param_string(call, "cursor");
  if (text == NULL || text[0] < '1' || text[0] > '9' || strlen(text) > 6) {
    return MCP_ERR_INVALID;
  }
  char *end;
  size_t place = (size_t)strtoul(text, &end, 10);
  if (*end != '\0' || place >= count) {
    return MCP_ERR_INVALID;
  }
  *out = place;
  return 0;
}

static int folder_has_files(const folder_view *view) {
  for (size_t i = 0; i < view->skill->count; i++) {
    if (rest_of(view, &view->skill->files[i]).ptr != NULL) {
      return 1;
    }
  }
  return 0;
}

static int reply_directory(mcp_call *call, const mcpi_skills *skills,
                           folder_view *view) {
  size_t first;
  if (view->skill == NULL || !folder_has_files(view)) {
    return refuse_param_value(call, "there is no folder",
                              param_string(call, "uri"));
  }
  if (read_place(call, view->skill->count, &first) != 0) {
    return refuse_param_value(call, "unknown cursor",
                              param_string(call, "cursor"));
  }
  /* The first slash ends the name of the skill. */
  size_t root_len = strlen("skill://") + strlen(view->skill->name) + 1;
  for (size_t i = root_len; i < view->prefix.len; i++) {
    view->depth += view->prefix.ptr[i] == '/';
  }
  return reply_folder(call, skills, view, first);
}

static int on_directory(mcp_call *call, void *userdata) {
  mcpi_skills *skills = userdata;
  mcpi_buf prefix;
  const char *uri = param_string(call, "uri");
  if (uri == NULL) {
    return refuse_param(call, "uri: expected a string");
  }
  mcpi_buf_init(&prefix, &skills->allocator, SIZE_MAX);
  mcpi_buf_puts(&prefix, mcpi_str_z(uri));
  if (uri[0] == '\0' || uri[strlen(uri) - 1] != '/') {
    mcpi_buf_putc(&prefix, '/');
  }
  int rc = prefix.error;
  if (rc == 0) {
    mcpi_skill_list *list = mcpi_skills_list(skills);
    folder_view view = {.prefix = mcpi_buf_str(&prefix)};
    view.skill = find_skill(list, view.prefix);
    rc = reply_directory(call, skills, &view);
    mcpi_skill_list_unref(list);
  }
  mcpi_buf_deinit(&prefix);
  return rc;
}

/* --- adding --------------------------------------------------------------- */

static void methods_release(void *userdata) {
  mcpi_skills *skills = userdata;
  uv_mutex_lock(&skills->lock);
  skills->server = NULL;
  uv_mutex_unlock(&skills->lock);
  mcpi_skills_unref(skills);
}

static int methods_add(mcpi_skills *skills, const char *name,
                       mcp_call_cb handler, mcp_error *err) {
  mcpi_skills_ref(skills);
  int rc = mcp_server_add_method(skills->server,
                                 &(mcp_method){.size = sizeof(mcp_method),
                                               .name = name,
                                               .handler = handler,
                                               .userdata = skills,
                                               .release = methods_release},
                                 err);
  if (rc != 0) {
    mcpi_skills_unref(skills);
  }
  return rc;
}

int mcpi_skills_add_methods(mcpi_skills *skills, mcp_error *err) {
  int rc = methods_add(skills, "skills/list", on_list, err);
  if (rc == 0) {
    rc = methods_add(skills, "skills/get", on_get, err);
  }
  if (rc == 0 && skills->options.directory_read) {
    rc = methods_add(skills, "resources/directory/read", on_directory, err);
  }
  return rc;
}
