/* SPDX-License-Identifier: MIT */
/* Requests of clients about skills. The client completes each into a function
 * here, which checks the result before the program gets it:
 *
 *   request -> ask_on_done -> ask->check -> the program's completion */
#include "base/error.h"
#include "client/extension.h"
#include "skills/path.h"
#include "skills/verify.h"

#define CAPABILITY "extensions." MCP_SKILLS_EXTENSION
#define NAME(name)                                                             \
  { name, sizeof(name) - 1 }

enum { QUOTED = 80 };

/* --- methods -------------------------------------------------------------- */

static const mcpi_member list_members[] = {
    {NAME("skills"), MCP_JSON_ARRAY, 1},
    {NAME("nextCursor"), MCP_JSON_STRING, 0},
    {{NULL, 0}, MCP_JSON_NONE, 0}};
static const mcpi_member get_members[] = {{NAME("skill"), MCP_JSON_OBJECT, 1},
                                          {{NULL, 0}, MCP_JSON_NONE, 0}};
static const mcpi_member folder_members[] = {
    {NAME("resources"), MCP_JSON_ARRAY, 1},
    {NAME("nextCursor"), MCP_JSON_STRING, 0},
    {{NULL, 0}, MCP_JSON_NONE, 0}};

#define SKILLS_METHOD(method)                                                  \
  .name = (method), .id = MCPI_M_COUNT,                                        \
  .revisions = {MCPI_REVISION_OLDEST, MCPI_REVISION_NEWEST},                   \
  .flags = MCPI_TO_SERVER | MCPI_IS_REQUEST, .capability = CAPABILITY

static const mcpi_method list_method = {SKILLS_METHOD("skills/list"),
                                        .is_cacheable = 1, .items = "skills",
                                        .result = list_members};
static const mcpi_method get_method = {SKILLS_METHOD("skills/get"),
                                       .is_cacheable = 1, .items = "skill",
                                       .result = get_members};
static const mcpi_method folder_method = {
    SKILLS_METHOD("resources/directory/read"), .items = "resources",
    .result = folder_members};

/* --- an ask --------------------------------------------------------------- */

/* A request whose result is checked. The request holds it, and frees it when it
 * completes. */
typedef struct skill_ask {
  mcp_allocator allocator;
  mcp_skill *skill; /* NULL: the request is about none that is known */
  mcpi_buf uri;     /* with its NUL */
  const mcp_skill_file *listed;
  int (*check)(const struct skill_ask *ask, mcp_result *result, mcp_error *err);
  mcp_done_cb on_done;
  void *userdata;
} skill_ask;

static skill_ask *ask_new(mcp_client *client, const mcp_skill *skill,
                          mcp_done_cb on_done, void *userdata) {
  const mcp_allocator *allocator = &client->loop->allocator;
  skill_ask *ask = mcpi_calloc(allocator, 1, sizeof(*ask));
  if (ask == NULL) {
    return NULL;
  }
  ask->allocator = *allocator;
  mcpi_buf_init(&ask->uri, &ask->allocator, SIZE_MAX);
  ask->on_done = on_done;
  ask->userdata = userdata;
  /* The count is all that changes. */
  ask->skill = skill != NULL ? mcpi_listed_ref((mcp_skill *)skill) : NULL;
  return ask;
}

static void ask_free(skill_ask *ask) {
  mcp_allocator allocator = ask->allocator;
  mcpi_listed_unref(ask->skill);
  mcpi_buf_deinit(&ask->uri);
  mcpi_free(&allocator, ask, sizeof(*ask));
}

/* A file that is not what was listed must not come from the cache again, and
 * neither must the list. */
static int ask_check(mcp_client *client, const skill_ask *ask,
                     const mcp_outcome *outcome, mcp_error *err) {
  if (outcome->status != 0) {
    return 0;
  }
  int rc = ask->check(ask, outcome->result, err);
  if (rc != 0) {
    mcpi_extension_drop_cached(client, ask->uri.data);
  }
  return rc;
}

static void ask_on_done(mcp_client *client, const mcp_outcome *outcome,
                        void *userdata) {
  skill_ask *ask = userdata;
  mcp_error err = {0};
  mcp_outcome told = *outcome;
  mcp_done_cb on_done = ask->on_done;
  void *owner = ask->userdata;
  int rc = ask_check(client, ask, outcome, &err);
  if (rc != 0) {
    told.status = rc;
    told.result = NULL;
    told.error = &err;
  }
  ask_free(ask);
  if (on_done != NULL) {
    on_done(client, &told, owner);
  }
}

/* `rc` is what starting the request returned. */
static int ask_started(skill_ask *ask, int rc) {
  if (rc != 0) {
    ask_free(ask);
  }
  return rc;
}

/* --- lists and entries ---------------------------------------------------- */

int mcp_client_list_skills(mcp_client *client,
                           const mcp_request_options *options,
                           mcp_done_cb on_done, void *userdata,
                           mcp_error *err) {
  return mcpi_extension_list(client, &list_method, NULL, options, on_done,
                             userdata, err);
}

/* An entry of another skill could be one that the user has agreed to. */
static int check_entry(const skill_ask *ask, mcp_result *result,
                       mcp_error *err) {
  const char *wanted = ask->uri.data;
  const char *uri =
      mcp_json_string(mcp_json_get(mcp_result_item(result, 0), "uri"));
  if (uri != NULL && strcmp(uri, wanted) == 0) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_PROTOCOL,
                       "skills/get of %.*s: the server sent the skill %.*s",
                       QUOTED, wanted, QUOTED,
                       uri != NULL ? uri : "without uri");
}

int mcp_client_get_skill(mcp_client *client, const char *uri,
                         const mcp_request_options *options,
                         mcp_done_cb on_done, void *userdata, mcp_error *err) {
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  if (uri == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "uri is NULL");
  }
  skill_ask *ask = ask_new(client, NULL, on_done, userdata);
  if (ask == NULL) {
    return mcpi_no_memory(err);
  }
  ask->check = check_entry;
  mcpi_buf_put(&ask->uri, uri, strlen(uri) + 1);
  if (ask->uri.error != 0) {
    return ask_started(ask, mcpi_no_memory(err));
  }
  return ask_started(ask, mcpi_extension_get(client, &get_method, uri, options,
                                             ask_on_done, ask, err));
}

/* --- files ---------------------------------------------------------------- */

static mcpi_expected ask_expected(const skill_ask *ask) {
  return (mcpi_expected){.skill = ask->skill,
                         .uri = ask->uri.data,
                         .listed = ask->listed,
                         .is_main =
                             strcmp(ask->uri.data, ask->skill->uri) == 0};
}

static int check_file(const skill_ask *ask, mcp_result *result,
                      mcp_error *err) {
  mcpi_expected expected = ask_expected(ask);
  return mcpi_expected_check(&expected, result, err);
}

/* A URI that writes SKILL.md in another way is written as the skill's own, so
 * that its head is compared. */
static int find_dynamic(skill_ask *ask, const char *file, mcp_error *err) {
  const mcp_skill *skill = ask->skill;
  mcpi_str folder = mcpi_listed_folder(skill);
  mcpi_buf path;
  int rc = mcpi_listed_resolve(skill, file, &ask->uri, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_init(&path, &ask->allocator, SIZE_MAX);
  rc = mcpi_skill_path_read(&path, folder, mcpi_str_z(ask->uri.data));
  if (rc == 0 && mcpi_str_eq(mcpi_buf_str(&path), MCPI_STR("SKILL.md"))) {
    mcpi_buf_clear(&ask->uri);
    mcpi_buf_put(&ask->uri, skill->uri, strlen(skill->uri) + 1);
    rc = ask->uri.error;
  }
  mcpi_buf_deinit(&path);
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(err, rc, "the skill's folder is not a file");
  }
  return rc != 0 ? mcpi_no_memory(err) : 0;
}

static int refuse_unlisted(skill_ask *ask, const char *file, mcp_error *err) {
  int rc = mcpi_listed_resolve(ask->skill, file, &ask->uri, err);
  if (rc != 0) {
    return rc;
  }
  return mcp_error_set(err, MCP_ERR_NOT_FOUND,
                       "the skill %s does not list a file %.*s",
                       ask->skill->name, QUOTED, file);
}

/* Finds the file that the program wants. Writes its URI. */
static int find_file(skill_ask *ask, const char *file, mcp_error *err) {
  const mcp_skill *skill = ask->skill;
  if (skill->is_dynamic) {
    return find_dynamic(ask, file != NULL ? file : "SKILL.md", err);
  }
  ask->listed = mcp_skill_find(skill, file);
  if (ask->listed == NULL) {
    return refuse_unlisted(ask, file, err);
  }
  mcpi_buf_put(&ask->uri, ask->listed->uri, strlen(ask->listed->uri) + 1);
  return ask->uri.error != 0 ? mcpi_no_memory(err) : 0;
}

/* Makes an ask about a skill. */
static int ask_open(skill_ask **out, mcp_client *client, const mcp_skill *skill,
                    mcp_done_cb on_done, void *userdata, mcp_error *err) {
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  if (skill == NULL) {
    return mcpi_error_null(err, "skill");
  }
  *out = ask_new(client, skill, on_done, userdata);
  return *out != NULL ? 0 : mcpi_no_memory(err);
}

int mcp_client_read_skill(mcp_client *client, const mcp_skill *skill,
                          const char *file, const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata, mcp_error *err) {
  skill_ask *ask = NULL;
  int rc = ask_open(&ask, client, skill, on_done, userdata, err);
  if (ask == NULL) {
    return rc;
  }
  ask->check = check_file;
  rc = find_file(ask, file, err);
  if (rc == 0) {
    mcpi_expected expected = ask_expected(ask);
    rc = mcpi_expected_prepare(&expected, err);
  }
  if (rc == 0) {
    rc = mcp_client_read_resource(client, ask->uri.data, options, ask_on_done,
                                  ask, err);
  }
  return ask_started(ask, rc);
}

/* --- folders -------------------------------------------------------------- */

/* Each item must be directly in the folder: its path there is one part. */
static int check_child(const skill_ask *ask, const mcp_json *item,
                       mcp_error *err) {
  mcpi_buf path;
  const char *uri = mcp_json_string(mcp_json_get(item, "uri"));
  mcpi_buf_init(&path, &ask->allocator, SIZE_MAX);
  int rc = uri != NULL ? mcpi_skill_path_read(&path, mcpi_str_z(ask->uri.data),
                                              mcpi_str_z(uri))
                       : MCP_ERR_INVALID;
  if (rc == 0 && memchr(path.data, '/', path.len) != NULL) {
    rc = MCP_ERR_INVALID;
  }
  mcpi_buf_deinit(&path);
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "%.*s: the server lists %.*s, which is not directly "
                         "in this folder",
                         QUOTED, ask->uri.data, QUOTED,
                         uri != NULL ? uri : "a resource without uri");
  }
  return rc != 0 ? mcpi_no_memory(err) : 0;
}

static int check_folder(const skill_ask *ask, mcp_result *result,
                        mcp_error *err) {
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < mcp_result_count(result); i++) {
    rc = check_child(ask, mcp_result_item(result, i), err);
  }
  return rc;
}

/* A client that is not connected, or lacks the whole extension, is refused
 * later, as for other requests. */
static int check_setting(const mcp_client *client, mcp_error *err) {
  const mcp_json *settings = mcp_json_get(
      mcp_json_get(mcp_client_server_capabilities(client), "extensions"),
      MCP_SKILLS_EXTENSION);
  if (settings == NULL ||
      mcp_json_bool(mcp_json_get(settings, "directoryRead"))) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                       "the server does not list folders of skills: it has not "
                       "declared directoryRead");
}

int mcp_client_list_skill_folder(mcp_client *client, const mcp_skill *skill,
                                 const char *folder,
                                 const mcp_request_options *options,
                                 mcp_done_cb on_done, void *userdata,
                                 mcp_error *err) {
  skill_ask *ask = NULL;
  int rc = ask_open(&ask, client, skill, on_done, userdata, err);
  if (ask == NULL) {
    return rc;
  }
  ask->check = check_folder;
  rc = mcpi_listed_resolve(skill, folder, &ask->uri, err);
  if (rc == 0) {
    rc = check_setting(client, err);
  }
  if (rc == 0) {
    rc = mcpi_extension_list(client, &folder_method, ask->uri.data, options,
                             ask_on_done, ask, err);
  }
  return ask_started(ask, rc);
}
