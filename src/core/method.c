/* SPDX-License-Identifier: MIT */
/* The method table (MCP, Schema Reference). */
#include "core/method.h"

#include "json/inline.h"
#include "json/json.h"

/* --- the table ---------------------------------------------------------- */

#define RANGE(first, last)                                                     \
  { MCPI_REVISION_##first, MCPI_REVISION_##last }
#define ALL RANGE(OLDEST, NEWEST)
#define LEGACY RANGE(OLDEST, NEWEST_LEGACY)
#define MODERN RANGE(OLDEST_MODERN, NEWEST)
#define SINCE(id) RANGE(id, NEWEST)
#define ONLY(id) RANGE(id, id)

#define MEMBERS(...)                                                           \
  (const mcpi_member[]) {                                                      \
    __VA_ARGS__, {                                                             \
      {NULL, 0}, MCP_JSON_NONE, 0                                              \
    }                                                                          \
  }
#define MUST(name, type)                                                       \
  { {name, sizeof(name) - 1}, MCP_JSON_##type, 1 }
#define MAY(name, type)                                                        \
  { {name, sizeof(name) - 1}, MCP_JSON_##type, 0 }
#define ANY(name)                                                              \
  { {name, sizeof(name) - 1}, MCP_JSON_NONE, 1 }
#define MUST_C(name)                                                           \
  { {name, sizeof(name) - 1}, MCPI_C_STRING, 1 }
#define MAY_C(name)                                                            \
  { {name, sizeof(name) - 1}, MCPI_C_STRING, 0 }

const mcpi_method mcpi_methods[MCPI_M_COUNT] = {
#define METHOD(ID, NAME, FLAGS, ...)                                           \
  {.name = NAME, .id = ID, .flags = FLAGS, .revisions = __VA_ARGS__},
#include "core/methods.def"
};

/* --- look-up ------------------------------------------------------------ */

static const uint8_t lengths[MCPI_M_COUNT] = {
#define METHOD(id, name, ...) sizeof(name) - 1,
#include "core/methods.def"
};

/* Searching thirty lengths in a row is faster than computing a hash. */
const mcpi_method *mcpi_method_find(mcpi_str name) {
  for (size_t i = 0; i < MCPI_M_COUNT; i++) {
    if (lengths[i] == name.len &&
        mcpi_bytes_eq(name.ptr, mcpi_methods[i].name, name.len)) {
      return &mcpi_methods[i];
    }
  }
  return NULL;
}

const char *mcpi_method_mirrored(mcpi_str name) {
  /* The methods of tasks, of both generations. */
  static const char *const tasks[] = {"tasks/get", "tasks/update",
                                      "tasks/cancel", "tasks/result"};
  const mcpi_method *method = mcpi_method_find(name);
  if (method != NULL) {
    return method->mirrored;
  }
  for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
    if (mcpi_str_eq(name, mcpi_str_z(tasks[i]))) {
      return "taskId";
    }
  }
  return NULL;
}

/* --- checks ------------------------------------------------------------- */

/* Returns "an object", "null" and so on, as in a sentence. */
static const char *a_type(int type) {
  static const char *const words[] = {
      NULL,       "null",     "a boolean", "a number",
      "a string", "an array", "an object", "a string",
  };
  return words[type];
}

static int fail_missing(const mcpi_member *member, const char *of,
                        mcp_error *err) {
  if (member->type == MCP_JSON_NONE) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s.%s is missing", of,
                         member->name.ptr);
  }
  return mcp_error_set(err, MCP_ERR_INVALID, "%s.%s is missing: it must be %s",
                       of, member->name.ptr, a_type(member->type));
}

static int method_fail_type(const mcpi_member *member, const char *of, int type,
                            mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_INVALID, "%s.%s must be %s, not %s", of,
                       member->name.ptr, a_type(member->type), a_type(type));
}

static int check_c_string(const mcpi_member *member, const char *of,
                          const mcp_json *value, mcp_error *err) {
  if (!mcpi_str_has_nul(mcpi_json_text(value))) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "%s.%s must not contain NUL (\\u0000)", of,
                       member->name.ptr);
}

static int check_member(const mcpi_member *member, const char *of,
                        const mcp_json *object, mcp_error *err) {
  const mcp_json *value = mcpi_json_find(object, member->name);
  if (value == NULL) {
    return member->required ? fail_missing(member, of, err) : 0;
  }
  int type = mcpi_json_type(value);
  if (member->type == MCP_JSON_NONE || type == member->type ||
      (type == MCP_JSON_NULL && !member->required)) {
    return 0;
  }
  if (member->type == MCPI_C_STRING && type == MCP_JSON_STRING) {
    return check_c_string(member, of, value, err);
  }
  return method_fail_type(member, of, type, err);
}

int mcpi_members_check(const mcpi_member *members, const char *of,
                       const mcp_json *object, mcp_error *err) {
  if (members == NULL) {
    return 0;
  }
  for (; members->name.ptr != NULL; members++) {
    int rc = check_member(members, of, object, err);
    if (rc != 0) {
      return rc;
    }
  }
  return 0;
}
