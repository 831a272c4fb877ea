/* SPDX-License-Identifier: MIT */
/* Lists, shows and saves skills. The library compares each file with the
 * skill's entry. All files of a skill are read before the first is written, so
 * a skill with one wrong file leaves nothing behind. */
#include "skill.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/list.h"
#include "common/report.h"
#include "common/table.h"
#include "common/text.h"
#include "connection/session.h"
#include "platform/tree.h"
#include "show/show.h"

#include <errno.h>
#include <mcp/skills.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ctl_skill {
  mcp_skill *entry;
  mcp_doc *json;      /* the entry as the server sent it */
  const char *wanted; /* the file that is being read; NULL: SKILL.md */
  /* The files in the order of the entry, for --save. */
  mcp_result **files;
  size_t count;
};

void ctl_skill_free(ctl_skill *skill) {
  if (skill == NULL) {
    return;
  }
  for (size_t i = 0; i < skill->count; i++) {
    mcp_result_unref(skill->files[i]);
  }
  free(skill->files);
  mcp_skill_free(skill->entry);
  mcp_doc_free(skill->json);
  free(skill);
}

/* ---- skills ------------------------------------------------------------ */

int ctl_skills_start(ctl_session *session, const mcp_request_options *options) {
  return mcp_client_list_skills(session->client, options, ctl_session_done,
                                session, &session->error);
}

int ctl_skills_explain(ctl_session *session) {
  const mcp_json *can = mcp_client_server_capabilities(session->client);
  const mcp_json *extensions = mcp_json_get(can, "extensions");
  return mcp_json_get(extensions, MCP_SKILLS_EXTENSION) != NULL
             ? session->status
             : mcp_error_set(&session->error, MCP_ERR_UNSUPPORTED,
                             "the server has no skills: it does not offer the "
                             "extension " MCP_SKILLS_EXTENSION);
}

static size_t count_named(mcp_skill **skills, size_t count, const char *name) {
  size_t named = 0;
  for (size_t i = 0; i < count; i++) {
    named += strcmp(mcp_skill_name(skills[i]), name) == 0;
  }
  return named;
}

/* Skills of one name are told apart by their URIs. */
static void skills_add_row(ctl_table *table, mcp_skill **skills, size_t count,
                           const mcp_skill *skill) {
  char files[24] = "dynamic";
  const char *name = mcp_skill_name(skill);
  if (!mcp_skill_is_dynamic(skill)) {
    snprintf(files, sizeof(files), "%zu", mcp_skill_file_count(skill));
  }
  ctl_table_add(table, count_named(skills, count, name) == 1
                           ? name
                           : mcp_skill_uri(skill));
  ctl_table_add(table, files);
  ctl_table_add(table, mcp_skill_description(skill));
}

static int print_skills(mcp_skill **skills, size_t count) {
  static const char *const headings[] = {"NAME", "FILES", "DESCRIPTION", NULL};
  ctl_table table;
  if (count == 0) {
    fputs("The server lists no skills.\n", stderr);
    return CTL_OK;
  }
  ctl_table_init(&table, headings);
  for (size_t i = 0; i < count; i++) {
    skills_add_row(&table, skills, count, skills[i]);
  }
  return ctl_table_print(&table);
}

/* An entry that breaks the rules is reported and left out. */
int ctl_skills_show(ctl_session *session, const mcp_result *result) {
  size_t total = mcp_result_count(result);
  size_t count = 0;
  mcp_error err;
  mcp_skill **skills = calloc(total + 1, sizeof(mcp_skill *));
  (void)session;
  if (skills == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  for (size_t i = 0; i < total; i++) {
    skills[count] = mcp_skill_new(mcp_result_item(result, i), NULL, &err);
    if (skills[count] != NULL) {
      count++;
    } else {
      ctl_report(0, "left out, because it is not valid: %s", err.message);
    }
  }
  int code = print_skills(skills, count);
  for (size_t i = 0; i < count; i++) {
    mcp_skill_free(skills[i]);
  }
  free(skills);
  return code == CTL_OK && count < total ? CTL_FAILED : code;
}

/* ---- finding one ------------------------------------------------------- */

static int is_uri(const char *name) {
  return strchr(name, ':') != NULL;
}

int ctl_skill_start(ctl_session *session, const mcp_request_options *options) {
  const char *name = session->options->args[0];
  return is_uri(name)
             ? mcp_client_get_skill(session->client, name, options,
                                    ctl_session_done, session, &session->error)
             : ctl_skills_start(session, options);
}

static int entry_is_named(const mcp_json *entry, const char *name) {
  const char *found = mcp_json_string(mcp_json_pointer(entry, "/frontmatter/"
                                                              "name"));
  return found != NULL && strcmp(found, name) == 0;
}

/* Reports the URIs of the skills with the name, if there are several. */
static int refuse_several(ctl_session *session, const char *name) {
  for (size_t i = 0; i < mcp_result_count(session->result); i++) {
    const mcp_json *entry = mcp_result_item(session->result, i);
    const char *uri = ctl_json_member(entry, "uri");
    if (entry_is_named(entry, name)) {
      ctl_report(0, "the server lists %s", uri != NULL ? uri : "?");
    }
  }
  return mcp_error_set(&session->error, MCP_ERR_INVALID,
                       "the server has several skills '%s': give the URI of "
                       "one instead",
                       name);
}

/* Finds the entry in the answer to the first request. */
static int skill_find_entry(ctl_session *session, const mcp_json **out) {
  const char *name = session->options->args[0];
  const mcp_json *found = NULL;
  if (is_uri(name)) {
    *out = mcp_result_item(session->result, 0);
    return 0;
  }
  for (size_t i = 0; i < mcp_result_count(session->result); i++) {
    const mcp_json *entry = mcp_result_item(session->result, i);
    if (entry_is_named(entry, name)) {
      if (found != NULL) {
        return refuse_several(session, name);
      }
      found = entry;
    }
  }
  *out = found;
  return found != NULL
             ? 0
             : mcp_error_set(&session->error, MCP_ERR_NOT_FOUND,
                             "the server lists no skill '%s': mcpctl skills "
                             "lists them; give the URI of a skill that is not "
                             "listed",
                             name);
}

/* Keeps the entry: the next request replaces the session's result. */
static int skill_keep_entry(ctl_session *session, const mcp_json *entry) {
  ctl_skill *skill = calloc(1, sizeof(*skill));
  session->skill = skill;
  char *text = skill != NULL ? ctl_json_text(entry) : NULL;
  if (text == NULL) {
    return mcp_error_set(&session->error, MCP_ERR_NOMEM, "out of memory");
  }
  skill->json = mcp_doc_parse(text, strlen(text), NULL, NULL, &session->error);
  free(text);
  if (skill->json == NULL) {
    return session->error.code;
  }
  skill->entry =
      mcp_skill_new(mcp_doc_root(skill->json), NULL, &session->error);
  if (skill->entry == NULL && session->error.code == MCP_ERR_INVALID) {
    session->error.code = MCP_ERR_PROTOCOL; /* the user's words are right */
  }
  return skill->entry != NULL ? 0 : session->error.code;
}

/* ---- reading ----------------------------------------------------------- */

static int skill_start_file(ctl_session *session,
                            const mcp_request_options *options) {
  return mcp_client_read_skill(session->client, session->skill->entry,
                               session->skill->wanted, options,
                               ctl_session_done, session, &session->error);
}

static int skill_read_file(ctl_session *session, const char *file) {
  session->skill->wanted = file;
  return ctl_session_request(session, skill_start_file);
}

/* A file such as .git/config changes what other programs do in its folder. */
static int check_hidden(ctl_session *session) {
  const mcp_skill *entry = session->skill->entry;
  for (size_t i = 0; i < mcp_skill_file_count(entry); i++) {
    const char *path = mcp_skill_file_at(entry, i)->path;
    if (path[0] == '.' || strstr(path, "/.") != NULL) {
      return mcp_error_set(&session->error, MCP_ERR_PROTOCOL,
                           "nothing is saved: the skill has the file %s, and "
                           "mcpctl saves no names that begin with a dot",
                           path);
    }
  }
  return 0;
}

static int skill_read_all(ctl_session *session) {
  ctl_skill *skill = session->skill;
  size_t total = mcp_skill_file_count(skill->entry);
  int status = check_hidden(session);
  skill->files = calloc(total + 1, sizeof(mcp_result *));
  if (skill->files == NULL) {
    return mcp_error_set(&session->error, MCP_ERR_NOMEM, "out of memory");
  }
  for (size_t i = 0; status == 0 && i < total; i++) {
    status = skill_read_file(session, mcp_skill_file_at(skill->entry, i)->path);
    if (status == 0) {
      skill->files[skill->count++] = mcp_result_ref(session->result);
    }
  }
  return status;
}

static int warn_dynamic(const ctl_session *session) {
  return ctl_report(0, "the skill %s is dynamic: its files cannot be verified",
                    mcp_skill_name(session->skill->entry));
}

/* A dynamic skill does not list its files; SKILL.md is one of them. */
static int skill_follow_dynamic(ctl_session *session, const char *file) {
  warn_dynamic(session);
  int status = skill_read_file(session, file);
  ctl_skill *skill = session->skill;
  if (status == 0 && session->options->save != NULL) {
    skill->files = calloc(1, sizeof(mcp_result *));
    if (skill->files == NULL) {
      return mcp_error_set(&session->error, MCP_ERR_NOMEM, "out of memory");
    }
    skill->files[skill->count++] = mcp_result_ref(session->result);
  }
  return status;
}

static int skill_follow(ctl_session *session) {
  const ctl_options *options = session->options;
  const char *file = options->arg_count > 1 ? options->args[1] : NULL;
  const mcp_json *entry = NULL;
  int status = skill_find_entry(session, &entry);
  status = status == 0 ? skill_keep_entry(session, entry) : status;
  if (status != 0 || (options->is_json && file == NULL)) {
    return status;
  }
  if (mcp_skill_is_dynamic(session->skill->entry)) {
    return skill_follow_dynamic(session, file);
  }
  return options->save != NULL ? skill_read_all(session)
                               : skill_read_file(session, file);
}

int ctl_skill_follow(ctl_session *session) {
  session->status = skill_follow(session);
  return session->status;
}

/* ---- saving ------------------------------------------------------------ */

static const char *skill_file_path(const ctl_skill *skill, size_t index) {
  const mcp_skill_file *file = mcp_skill_file_at(skill->entry, index);
  return file != NULL ? file->path : "SKILL.md";
}

static int skill_save_file(const ctl_session *session, const ctl_tree *tree,
                           size_t index) {
  size_t len = 0;
  const ctl_skill *skill = session->skill;
  const char *dir = session->options->save;
  const char *name = mcp_skill_name(skill->entry);
  const char *path = skill_file_path(skill, index);
  const void *bytes = mcp_result_bytes(skill->files[index], &len);
  if (bytes == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  if (ctl_tree_write(tree, path, bytes, len, 0666) != 0) {
    return ctl_report(CTL_USAGE, "cannot write %s/%s/%s: %s", dir, name, path,
                      strerror(errno));
  }
  printf("%s/%s/", dir, name);
  ctl_text_put_line(stdout, path, SIZE_MAX);
  fputc('\n', stdout);
  return CTL_OK;
}

static int skill_save_files(const ctl_session *session) {
  const ctl_skill *skill = session->skill;
  const ctl_options *options = session->options;
  const char *name = mcp_skill_name(skill->entry);
  ctl_tree tree;
  int code = CTL_OK;
  if (ctl_tree_open(&tree, options->save, name, options->overwrites) != 0) {
    return errno == EEXIST
               ? ctl_report(CTL_USAGE,
                            "%s/%s is there already: --overwrite replaces its "
                            "files",
                            options->save, name)
               : ctl_report(CTL_USAGE, "cannot make %s/%s: %s", options->save,
                            name, strerror(errno));
  }
  for (size_t i = 0; code == CTL_OK && i < skill->count; i++) {
    code = skill_save_file(session, &tree, i);
  }
  ctl_tree_close(&tree);
  return code;
}

int ctl_skill_show(ctl_session *session, const mcp_result *result) {
  const ctl_options *options = session->options;
  if (options->save != NULL) {
    return skill_save_files(session);
  }
  if (!options->is_json) {
    return ctl_show_contents(session, result);
  }
  return ctl_json_print(options->arg_count > 1
                            ? mcp_result_json(result)
                            : mcp_doc_root(session->skill->json));
}
