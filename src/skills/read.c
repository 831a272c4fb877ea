/* SPDX-License-Identifier: MIT */
/* `resources/read` of a skill's file. */
#include "base/error.h"
#include "platform/descriptors.h"
#include "skills/skills.h"
#include <mcp/call.h>

#include <stdio.h>

/* The name of the skill in "skill://NAME/...". */
static mcpi_str skill_name_of(mcpi_str uri) {
  static const char scheme[] = "skill://";
  if (!mcpi_str_starts_with(uri, mcpi_str_z(scheme))) {
    return MCPI_STR("");
  }
  mcpi_str_take(&uri, sizeof(scheme) - 1);
  const char *slash = uri.len > 0 ? memchr(uri.ptr, '/', uri.len) : NULL;
  return mcpi_str_n(uri.ptr, slash != NULL ? (size_t)(slash - uri.ptr) : 0);
}

static int load_file(const mcpi_skills *skills, const mcpi_skill *skill,
                     const mcpi_skill_file *file, mcpi_buf *bytes,
                     mcp_error *err) {
  mcpi_stamp stamp;
  char path[2 * MCPI_SKILL_MAX_PATH];
  int folder = mcpi_folder_open(skills->dir, err);
  if (folder < 0) {
    return MCP_ERR_IO;
  }
  snprintf(path, sizeof(path), "%s/%s", skill->name, file->path);
  int rc =
      mcpi_folder_read(folder, path, MCPI_SKILL_MAX_BYTES, bytes, &stamp, err);
  mcpi_fd_close(folder);
  return rc;
}

/* The bytes may be newer than the list. The client sees that by the digest, and
 * the next scan reads the skill again. */
static int note_change(mcpi_skill *skill, const mcpi_skill_file *file,
                       const mcpi_buf *bytes) {
  char digest[MCPI_DIGEST_SIZE];
  int rc = mcpi_skill_digest(digest, bytes->data, bytes->len);
  if (rc == 0 && strcmp(digest, file->digest) != 0) {
    atomic_store(&skill->is_stale, 1);
  }
  return rc;
}

static int reply_bytes(mcp_call *call, const mcpi_skill_file *file,
                       mcpi_buf *bytes) {
  int is_text = mcpi_skill_is_text(bytes->data, bytes->len);
  size_t len = bytes->len;
  mcpi_buf_putc(bytes, '\0');
  int rc = bytes->error;
  if (rc == 0) {
    rc = is_text ? mcp_call_add_resource_text(call, NULL, file->mime_type,
                                              bytes->data)
                 : mcp_call_add_resource_data(call, NULL, file->mime_type,
                                              bytes->data, len);
  }
  if (rc == 0) {
    rc = mcp_call_reply(call);
  }
  return rc;
}

/* A client cannot tell a file that has gone, or became a link, from one that
 * never was. */
static int reply_file(mcp_call *call, const mcpi_skills *skills,
                      mcpi_skill *skill, const mcpi_skill_file *file) {
  mcp_error why;
  mcpi_buf bytes;
  mcpi_buf_init(&bytes, &skills->allocator, SIZE_MAX);
  int rc = load_file(skills, skill, file, &bytes, &why);
  if (rc == 0) {
    rc = note_change(skill, file, &bytes);
  } else if (rc != MCP_ERR_NOMEM) {
    atomic_store(&skill->is_stale, 1);
  }
  if (rc == 0) {
    rc = reply_bytes(call, file, &bytes);
  } else if (rc != MCP_ERR_NOT_FOUND) {
    rc = mcp_call_reply_error(call, MCP_RPC_INTERNAL_ERROR,
                              "the file cannot be read", NULL);
  }
  mcpi_buf_deinit(&bytes);
  return rc;
}

int mcpi_skills_on_read(mcp_call *call, void *userdata) {
  mcpi_skills *skills = userdata;
  mcpi_str uri = mcpi_str_z(mcp_call_uri(call));
  mcpi_skill_list *list = mcpi_skills_list(skills);
  mcpi_skill *skill = mcpi_skill_list_get(list, skill_name_of(uri));
  const mcpi_skill_file *file = skill != NULL && mcpi_skill_is_valid(skill)
                                    ? mcpi_skill_find(skill, uri)
                                    : NULL;
  int rc =
      file != NULL ? reply_file(call, skills, skill, file) : MCP_ERR_NOT_FOUND;
  mcpi_skill_list_unref(list);
  return rc;
}
