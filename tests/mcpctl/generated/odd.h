/* The tools of the server mcp-Odd Server!, version 1 * / 2 ? ?/.
 *
 * mcpctl generate c has written this file: do not edit it. It is C11 and
 * C++17, and needs libmcp. Each tool has a function that calls it and waits
 * (mcp/sync.h), and one with _start that calls on_done (mcp/client.h). These
 * headers say what the functions return. The functions borrow their
 * arguments until they return. */
/* clang-format off */
#ifndef ODD_SERVER_TOOLS_H
#define ODD_SERVER_TOOLS_H

#include <mcp/fields.h>
#include <mcp/sync.h>

struct odd_server_add_args {
  /* * / #error x / *. */
  const char *class_;
  /* It is absent unless has_has_n is true. */
  bool has_n;
  bool has_has_n;
  /* Default: 3. */
  int64_t n;
  /* NULL: absent. */
  const double *n_count;
  size_t n_count_count;
  /* NULL: absent. */
  const char *a_b;
  /* NULL: absent. */
  const char *a_b_2;
  /* NULL: absent. */
  const char *f_2fa;
  /* It is absent unless has_field is true. */
  int64_t field;
  bool has_field;
  /* It is absent unless has_field_2 is true. */
  int64_t field_2;
  bool has_field_2;
  /* It is absent unless has_f_mcp_self is true. */
  int64_t f_mcp_self;
  bool has_f_mcp_self;
  /* It is absent unless has_linux_ is true. */
  bool linux_;
  bool has_linux_;
  /* NULL: absent. */
  const char *quote;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(STRING, class_, "*/\012#error x\012/*", MCP_NAME("class")) \
  MCP_EACH_(OPTIONAL_BOOLEAN, has_n, "") \
  MCP_EACH_(INTEGER, n, "") \
  MCP_EACH_(OPTIONAL_NUMBERS, n_count, "") \
  MCP_EACH_(OPTIONAL_STRING, a_b, "", MCP_NAME("a-b")) \
  MCP_EACH_(OPTIONAL_STRING, a_b_2, "", MCP_NAME("a_b")) \
  MCP_EACH_(OPTIONAL_STRING, f_2fa, "", MCP_NAME("2fa")) \
  MCP_EACH_(OPTIONAL_INTEGER, field, "", MCP_NAME("")) \
  MCP_EACH_(OPTIONAL_INTEGER, field_2, "", MCP_NAME("\346\227\245\346\234\254")) \
  MCP_EACH_(OPTIONAL_INTEGER, f_mcp_self, "", MCP_NAME("mcp_self_")) \
  MCP_EACH_(OPTIONAL_BOOLEAN, linux_, "", MCP_NAME("linux")) \
  MCP_EACH_(OPTIONAL_STRING, quote, "", MCP_NAME("quote\"\\\?\?/"))
MCP_DESCRIBE_STRUCT(odd_server_add_args, MCP_LIST_);
#undef MCP_LIST_

/* Calls the tool add. Adds * / int x; / * and ? ?/ more ? [31m http://x // y
 * \.
 *
 * result: owned, drop it with mcp_result_unref; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_add(
    mcp_client *client,
    const struct odd_server_add_args *args,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_struct(
      client, "add",
      odd_server_add_args_type(), args, NULL, &answer, err);
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_add_start(
    mcp_client *client,
    const struct odd_server_add_args *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_struct(
      client, "add",
      odd_server_add_args_type(), args, options, on_done,
      userdata, err);
}

/* Calls the tool add_start.
 *
 * result: owned, drop it with mcp_result_unref; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_add_start_2(
    mcp_client *client,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_tool(
      client, "add_start", NULL, NULL, &answer, err);
  if (rc == 0) {
    rc = mcp_result_check(answer, err);
  }
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_add_start_2_start(
    mcp_client *client,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_tool(
      client, "add_start", NULL, options, on_done,
      userdata, err);
}

/* Calls the tool add_args.
 *
 * args: a JSON object as text, or NULL: an object with any members.
 * result: owned, drop it with mcp_result_unref; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_add_args_2(
    mcp_client *client,
    const char *args,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_tool(
      client, "add_args", args, NULL, &answer, err);
  if (rc == 0) {
    rc = mcp_result_check(answer, err);
  }
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_add_args_2_start(
    mcp_client *client,
    const char *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_tool(
      client, "add_args", args, options, on_done,
      userdata, err);
}

/* Calls the tool ...
 *
 * result: owned, drop it with mcp_result_unref; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_tool(
    mcp_client *client,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_tool(
      client, "...", NULL, NULL, &answer, err);
  if (rc == 0) {
    rc = mcp_result_check(answer, err);
  }
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_tool_start(
    mcp_client *client,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_tool(
      client, "...", NULL, options, on_done,
      userdata, err);
}

/* Calls the tool -.-.
 *
 * args: a JSON object as text, or NULL: alternatives.
 * result: owned, drop it with mcp_result_unref; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_tool_2(
    mcp_client *client,
    const char *args,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_tool(
      client, "-.-", args, NULL, &answer, err);
  if (rc == 0) {
    rc = mcp_result_check(answer, err);
  }
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_tool_2_start(
    mcp_client *client,
    const char *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_tool(
      client, "-.-", args, options, on_done,
      userdata, err);
}

enum odd_server_get_user_by_id_args_mode {
  ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_A,
  ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_A_2,
  ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_EMPTY,
  ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_A_B,
  ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_EMPTY_2
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_A, "a") \
  MCP_EACH_(ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_A_2, "A") \
  MCP_EACH_(ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_EMPTY, "") \
  MCP_EACH_(ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_A_B, "a b") \
  MCP_EACH_(ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_EMPTY_2, "\346\227\245\346\234\254")
MCP_DESCRIBE_ENUM(odd_server_get_user_by_id_args_mode, MCP_LIST_);
#undef MCP_LIST_

enum odd_server_get_user_by_id_args_sizes {
  ODD_SERVER_GET_USER_BY_ID_ARGS_SIZES_S,
  ODD_SERVER_GET_USER_BY_ID_ARGS_SIZES_M
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(ODD_SERVER_GET_USER_BY_ID_ARGS_SIZES_S, "s") \
  MCP_EACH_(ODD_SERVER_GET_USER_BY_ID_ARGS_SIZES_M, "m")
MCP_DESCRIBE_ENUM(odd_server_get_user_by_id_args_sizes, MCP_LIST_);
#undef MCP_LIST_

struct odd_server_get_user_by_id_args_tree {
  /* NULL: absent. */
  const char *name;
  /* JSON text: a value that contains its own kind. NULL: absent. */
  const char *kids;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(OPTIONAL_STRING, name, "") \
  MCP_EACH_(OPTIONAL_JSON, kids, "")
MCP_DESCRIBE_STRUCT(odd_server_get_user_by_id_args_tree, MCP_LIST_);
#undef MCP_LIST_

struct odd_server_get_user_by_id_args_p {
  double x;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(NUMBER, x, "")
MCP_DESCRIBE_STRUCT(odd_server_get_user_by_id_args_p, MCP_LIST_);
#undef MCP_LIST_

struct odd_server_get_user_by_id_args {
  /* It is null unless has_mode is true. */
  enum odd_server_get_user_by_id_args_mode mode;
  bool has_mode;
  /* NULL: absent. */
  const enum odd_server_get_user_by_id_args_sizes *sizes;
  size_t sizes_count;
  /* NULL: null. */
  const char *maybe;
  /* It is null unless has_num is true. */
  int64_t num;
  bool has_num;
  /* JSON text: several types. NULL: absent. */
  const char *either;
  /* JSON text: an object with any members. NULL: absent. */
  const char *free;
  /* JSON text: an array whose items have no type of C. NULL: absent. */
  const char *tuple;
  /* JSON text: an array whose items have no type of C. NULL: absent. */
  const char *deep;
  /* JSON text. NULL: absent. */
  const char *any;
  /* JSON text. NULL: absent. */
  const char *none;
  /* It is absent unless has_tree is true. */
  struct odd_server_get_user_by_id_args_tree tree;
  bool has_tree;
  struct odd_server_get_user_by_id_args_p p;
  /* It is absent unless has_p2 is true. */
  struct odd_server_get_user_by_id_args_p p2;
  bool has_p2;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(OPTIONAL_ENUM(odd_server_get_user_by_id_args_mode), mode, "", MCP_NULLABLE) \
  MCP_EACH_(OPTIONAL_ENUMS(odd_server_get_user_by_id_args_sizes), sizes, "") \
  MCP_EACH_(OPTIONAL_STRING, maybe, "", MCP_NULLABLE) \
  MCP_EACH_(OPTIONAL_INTEGER, num, "", MCP_NULLABLE) \
  MCP_EACH_(OPTIONAL_JSON, either, "") \
  MCP_EACH_(OPTIONAL_JSON, free, "") \
  MCP_EACH_(OPTIONAL_JSON, tuple, "") \
  MCP_EACH_(OPTIONAL_JSON, deep, "") \
  MCP_EACH_(OPTIONAL_JSON, any, "") \
  MCP_EACH_(OPTIONAL_JSON, none, "") \
  MCP_EACH_(OPTIONAL_STRUCT(odd_server_get_user_by_id_args_tree), tree, "") \
  MCP_EACH_(STRUCT(odd_server_get_user_by_id_args_p), p, "") \
  MCP_EACH_(OPTIONAL_STRUCT(odd_server_get_user_by_id_args_p), p2, "")
MCP_DESCRIBE_STRUCT(odd_server_get_user_by_id_args, MCP_LIST_);
#undef MCP_LIST_

struct odd_server_get_user_by_id_result_at {
  /* It is absent unless has_x is true. */
  double x;
  bool has_x;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(OPTIONAL_NUMBER, x, "")
MCP_DESCRIBE_STRUCT(odd_server_get_user_by_id_result_at, MCP_LIST_);
#undef MCP_LIST_

struct odd_server_get_user_by_id_result {
  bool ok;
  /* It is null unless has_at is true. */
  struct odd_server_get_user_by_id_result_at at;
  bool has_at;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(BOOLEAN, ok, "") \
  MCP_EACH_(OPTIONAL_STRUCT(odd_server_get_user_by_id_result_at), at, "", MCP_NULLABLE)
MCP_DESCRIBE_STRUCT(odd_server_get_user_by_id_result, MCP_LIST_);
#undef MCP_LIST_

/* Makes the structure of a result, as in the on_done of the function that
 * starts the call. Free it with mcp_struct_free. */
MCP_UNUSED_ static inline int odd_server_get_user_by_id_read(
    const mcp_result *answer,
    struct odd_server_get_user_by_id_result **result, mcp_error *err) {
  void *made = NULL;
  int rc = mcp_result_get_struct(
      answer, odd_server_get_user_by_id_result_type(), &made, err);
  if (rc == 0) {
    *result = (struct odd_server_get_user_by_id_result *)made;
  }
  return rc;
}

/* Calls the tool getUserById.
 *
 * result: owned, free it with mcp_struct_free; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_get_user_by_id(
    mcp_client *client,
    const struct odd_server_get_user_by_id_args *args,
    struct odd_server_get_user_by_id_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_struct(
      client, "getUserById",
      odd_server_get_user_by_id_args_type(), args, NULL, &answer, err);
  if (rc == 0 && result != NULL) {
    rc = odd_server_get_user_by_id_read(answer, result, err);
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_get_user_by_id_start(
    mcp_client *client,
    const struct odd_server_get_user_by_id_args *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_struct(
      client, "getUserById",
      odd_server_get_user_by_id_args_type(), args, options, on_done,
      userdata, err);
}

struct odd_server_free_out_args {
  /* It is absent unless has_a is true. */
  int64_t a;
  bool has_a;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(OPTIONAL_INTEGER, a, "")
MCP_DESCRIBE_STRUCT(odd_server_free_out_args, MCP_LIST_);
#undef MCP_LIST_

/* Calls the tool free_out.
 *
 * result: owned, drop it with mcp_result_unref; may be NULL. Its structured
 * content has no C type: an object with any members.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_free_out(
    mcp_client *client,
    const struct odd_server_free_out_args *args,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_struct(
      client, "free_out",
      odd_server_free_out_args_type(), args, NULL, &answer, err);
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_free_out_start(
    mcp_client *client,
    const struct odd_server_free_out_args *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_struct(
      client, "free_out",
      odd_server_free_out_args_type(), args, options, on_done,
      userdata, err);
}

struct odd_server_limits_args {
  /* Says "* /" ? ?/ %s, 日. NULL: absent. At least: 3. Pattern:
   * "^[a-z]\\d? ?/$". */
  const char *text;
  /* It is absent unless has_crossed is true. At least: 5. At most: 1. */
  int64_t crossed;
  bool has_crossed;
  /* It is absent unless has_wide is true. At least: -1e300. At most: 0.1. */
  double wide;
  bool has_wide;
  /* It is absent unless has_exact is true. At least: -9007199254740992. At
   * most: 12345678901234567890. */
  int64_t exact;
  bool has_exact;
  /* NULL: absent. */
  const char *const *list;
  size_t list_count;
  /* NULL: absent. */
  const int64_t *pair;
  size_t pair_count;
  /* Of one. It is absent unless has_maybe is true. At least: 1. */
  int64_t maybe;
  bool has_maybe;
  /* NULL: absent. */
  const char *half;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(OPTIONAL_STRING, text, "Says \"*/\" \?\?/ %s,\012\346\227\245", MCP_MIN_LENGTH(2), MCP_MAX_LENGTH(4294967295), MCP_PATTERN("^[a-z]\\d\?\?/$")) \
  MCP_EACH_(OPTIONAL_INTEGER, crossed, "") \
  MCP_EACH_(OPTIONAL_NUMBER, wide, "", MCP_MINIMUM(-1e300), MCP_MAXIMUM(0.1)) \
  MCP_EACH_(OPTIONAL_INTEGER, exact, "", MCP_MINIMUM(-9007199254740992.0)) \
  MCP_EACH_(OPTIONAL_STRINGS, list, "") \
  MCP_EACH_(OPTIONAL_INTEGERS, pair, "", MCP_MIN_ITEMS(2), MCP_MAX_ITEMS(2)) \
  MCP_EACH_(OPTIONAL_INTEGER, maybe, "Of one", MCP_MINIMUM(1)) \
  MCP_EACH_(OPTIONAL_STRING, half, "")
MCP_DESCRIBE_STRUCT(odd_server_limits_args, MCP_LIST_);
#undef MCP_LIST_

/* Calls the tool limits.
 *
 * result: owned, drop it with mcp_result_unref; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int odd_server_limits(
    mcp_client *client,
    const struct odd_server_limits_args *args,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_struct(
      client, "limits",
      odd_server_limits_args_type(), args, NULL, &answer, err);
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int odd_server_limits_start(
    mcp_client *client,
    const struct odd_server_limits_args *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_struct(
      client, "limits",
      odd_server_limits_args_type(), args, options, on_done,
      userdata, err);
}

#endif
