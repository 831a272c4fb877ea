/* SPDX-License-Identifier: MIT */
/* The header has all in it: a program adds one file, and nothing to its build.
 * The functions are small and inline, since the library walks the tables that
 * mcp/fields.h makes of the lists of fields. */
#include "generate/write_c.h"

#include "common/json.h"
#include "generate/bounds.h"
#include "generate/text.h"
#include "platform/memory.h"

#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a server's text in one comment. */
enum { MAX_TEXT = 2000, MAX_VALUE = 60 };

/* ---- comments ---------------------------------------------------------- */

/* A comment that is made piece by piece. */
typedef struct remark {
  FILE *text;
  char *bytes;
  size_t len;
} remark;

static int remark_begin(remark *r) {
  *r = (remark){0};
  r->text = ctl_memory_open(&r->bytes, &r->len);
  return r->text != NULL ? 0 : MCP_ERR_NOMEM;
}

/* Writes the comment, unless it is empty. */
static int remark_end(remark *r, FILE *out, int indent) {
  int rc =
      ctl_memory_close(r->text, &r->bytes, &r->len) == 0 ? 0 : MCP_ERR_NOMEM;
  if (rc == 0 && r->len > 0) {
    ctl_c_comment(out, indent, r->bytes);
  }
  free(r->bytes);
  return rc;
}

/* Adds a keyword's value as JSON, such as "Default: 3. ". */
static int remark_value(remark *r, const ctl_member *member,
                        const char *keyword, const char *label) {
  const mcp_json *value = ctl_member_keyword(member, keyword);
  char *text = value != NULL ? ctl_json_text(value) : NULL;
  if (value == NULL) {
    return 0;
  }
  if (text == NULL) {
    return MCP_ERR_NOMEM;
  }
  fprintf(r->text, "%s: ", label);
  ctl_c_sentence(r->text, text, MAX_VALUE);
  free(text);
  return 0;
}

static void remark_kind(remark *r, const ctl_member *member) {
  if (member->kind == CTL_KIND_JSON) {
    fprintf(r->text, "JSON text%s%s. ", member->why != NULL ? ": " : "",
            member->why != NULL ? member->why : "");
  }
  if (!member->is_optional) {
    return;
  }
  const char *what = member->is_nullable ? "null" : "absent";
  if (ctl_member_has_flag(member)) {
    fprintf(r->text, "It is %s unless has_%s is true. ", what, member->name);
  } else {
    fprintf(r->text, "NULL: %s. ", what);
  }
}

static const char *description_of(const ctl_member *member) {
  const char *text = mcp_json_string(ctl_member_keyword(member, "description"));
  return text != NULL ? text : "";
}

static int put_member_comment(FILE *out, const ctl_member *member) {
  static const char *const keywords[][2] = {{"default", "Default"},
                                            {"minimum", "At least"},
                                            {"maximum", "At most"},
                                            {"pattern", "Pattern"}};
  remark r;
  int rc = remark_begin(&r);
  if (rc != 0) {
    return rc;
  }
  ctl_c_sentence(r.text, description_of(member), MAX_TEXT);
  remark_kind(&r, member);
  for (size_t i = 0; rc == 0 && i < sizeof(keywords) / sizeof(keywords[0]);
       i++) {
    rc = remark_value(&r, member, keywords[i][0], keywords[i][1]);
  }
  int ended = remark_end(&r, out, 2);
  return rc == 0 ? ended : rc;
}

/* ---- types ------------------------------------------------------------- */

static const char *member_c_type(const ctl_member *member) {
  static const char *const one[] = {"const char *", "int64_t ", "double ",
                                    "bool ",        "enum ",    "struct ",
                                    "const char *"};
  static const char *const many[] = {"const char *const *",
                                     "const int64_t *",
                                     "const double *",
                                     "const bool *",
                                     "const enum ",
                                     "const struct ",
                                     ""};
  return member->is_array ? many[member->kind] : one[member->kind];
}

static int has_type(const ctl_member *member) {
  return member->kind == CTL_KIND_ENUM || member->kind == CTL_KIND_STRUCT;
}

static int put_member(FILE *out, const ctl_member *member) {
  int rc = put_member_comment(out, member);
  fprintf(out, "  %s", member_c_type(member));
  if (has_type(member)) {
    fprintf(out, "%s %s", member->type->tag, member->is_array ? "*" : "");
  }
  fprintf(out, "%s;\n", member->name);
  if (member->is_array) {
    fprintf(out, "  size_t %s_count;\n", member->name);
  } else if (ctl_member_has_flag(member)) {
    fprintf(out, "  bool has_%s;\n", member->name);
  }
  return rc;
}

/* The kind as mcp/fields.h names it. */
static void put_kind(FILE *out, const ctl_member *member) {
  static const char *const names[] = {"STRING", "INTEGER", "NUMBER", "BOOLEAN",
                                      "ENUM",   "STRUCT",  "JSON"};
  fprintf(out, "%s%s%s", member->is_optional ? "OPTIONAL_" : "",
          names[member->kind], member->is_array ? "S" : "");
  if (has_type(member)) {
    fprintf(out, "(%s)", member->type->tag);
  }
}

static int put_field(FILE *out, const ctl_member *member) {
  fputs(" \\\n  MCP_EACH_(", out);
  put_kind(out, member);
  fprintf(out, ", %s, ", member->name);
  ctl_c_string_cut(out, description_of(member), MAX_TEXT);
  if (strcmp(member->name, member->json_name) != 0) {
    fputs(", MCP_NAME(", out);
    ctl_c_string(out, member->json_name);
    fputc(')', out);
  }
  if (member->is_nullable) {
    fputs(", MCP_NULLABLE", out);
  }
  int rc = ctl_write_bounds(out, member);
  fputc(')', out);
  return rc;
}

static int put_struct(FILE *out, const ctl_type *type) {
  int rc = 0;
  fprintf(out, "struct %s {\n", type->tag);
  for (size_t i = 0; rc == 0 && i < type->member_count; i++) {
    rc = put_member(out, &type->members[i]);
  }
  if (type->left_out > 0) {
    fprintf(out,
            "  /* Not here: %zu members, whose names are too long, or more "
            "than C\n   * programs can use. */\n",
            type->left_out);
  }
  fprintf(out, "};\n#define MCP_LIST_(MCP_EACH_)");
  for (size_t i = 0; rc == 0 && i < type->member_count; i++) {
    rc = put_field(out, &type->members[i]);
  }
  fprintf(out, "\nMCP_DESCRIBE_STRUCT(%s, MCP_LIST_);\n#undef MCP_LIST_\n\n",
          type->tag);
  return rc;
}

static void put_enum(FILE *out, const ctl_type *type) {
  fprintf(out, "enum %s {\n", type->tag);
  for (size_t i = 0; i < type->member_count; i++) {
    fprintf(out, "  %s%s\n", type->members[i].name,
            i + 1 < type->member_count ? "," : "");
  }
  fprintf(out, "};\n#define MCP_LIST_(MCP_EACH_)");
  for (size_t i = 0; i < type->member_count; i++) {
    fprintf(out, " \\\n  MCP_EACH_(%s, ", type->members[i].name);
    ctl_c_string(out, type->members[i].json_name);
    fputc(')', out);
  }
  fprintf(out, "\nMCP_DESCRIBE_ENUM(%s, MCP_LIST_);\n#undef MCP_LIST_\n\n",
          type->tag);
}

/* ---- functions --------------------------------------------------------- */

static int put_function_comment(FILE *out, const ctl_function *f) {
  remark r;
  int rc = remark_begin(&r);
  const char *text = ctl_json_member(f->entry, "description");
  if (rc != 0) {
    return rc;
  }
  fputs("Calls the tool ", r.text);
  ctl_c_sentence(r.text, f->tool, MAX_VALUE);
  ctl_c_sentence(r.text, text != NULL ? text : "", MAX_TEXT);
  fputc('\n', r.text);
  if (f->takes == CTL_SIDE_JSON) {
    fprintf(r.text, "\nargs: a JSON object as text, or NULL%s%s.",
            f->why_takes != NULL ? ": " : "",
            f->why_takes != NULL ? f->why_takes : "");
  }
  fputs(f->gives == CTL_SIDE_STRUCT
            ? "\nresult: owned, free it with mcp_struct_free; may be NULL."
            : "\nresult: owned, drop it with mcp_result_unref; may be NULL.",
        r.text);
  if (f->gives == CTL_SIDE_JSON) {
    fprintf(r.text, " Its structured content has no C type%s%s.",
            f->why_gives != NULL ? ": " : "",
            f->why_gives != NULL ? f->why_gives : "");
  }
  fputs("\nReturns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails.",
        r.text);
  return remark_end(&r, out, 0);
}

/* The parameter for the arguments, after the client. */
static void put_args_parameter(FILE *out, const ctl_function *f) {
  if (f->takes == CTL_SIDE_STRUCT) {
    fprintf(out, ",\n    const struct %s *args", f->args->tag);
  } else if (f->takes == CTL_SIDE_JSON) {
    fputs(",\n    const char *args", out);
  }
}

/* The function that sends, up to its options. */
static void put_send(FILE *out, const ctl_function *f, const char *side) {
  fprintf(out, "mcp_%s_call_%s(\n      client, ", side,
          f->takes == CTL_SIDE_STRUCT ? "struct" : "tool");
  ctl_c_string(out, f->tool);
  if (f->takes == CTL_SIDE_STRUCT) {
    fprintf(out, ",\n      %s_type(), args, ", f->args->tag);
  } else {
    fputs(f->takes == CTL_SIDE_JSON ? ", args, " : ", NULL, ", out);
  }
}

static void put_read(FILE *out, const ctl_function *f) {
  const char *tag = f->result->tag;
  ctl_c_comment(out, 0,
                "Makes the structure of a result, as in the on_done of the "
                "function that starts the call. Free it with mcp_struct_free.");
  fprintf(out,
          "MCP_UNUSED_ static inline int %s_read(\n"
          "    const mcp_result *answer,\n"
          "    struct %s **result, mcp_error *err) {\n"
          "  void *made = NULL;\n"
          "  int rc = mcp_result_get_struct(\n"
          "      answer, %s_type(), &made, err);\n"
          "  if (rc == 0) {\n"
          "    *result = (struct %s *)made;\n"
          "  }\n"
          "  return rc;\n"
          "}\n\n",
          f->name, tag, tag, tag);
}

static void put_sync(FILE *out, const ctl_function *f) {
  int is_typed = f->gives == CTL_SIDE_STRUCT;
  fprintf(out, "MCP_UNUSED_ static inline int %s(\n    mcp_client *client",
          f->name);
  put_args_parameter(out, f);
  if (is_typed) {
    fprintf(out, ",\n    struct %s **result", f->result->tag);
  } else {
    fputs(",\n    mcp_result **result", out);
  }
  fputs(", mcp_error *err) {\n"
        "  mcp_result *answer = NULL;\n"
        "  int rc = ",
        out);
  put_send(out, f, "sync");
  fputs("NULL, &answer, err);\n", out);
  if (f->takes != CTL_SIDE_STRUCT && !is_typed) {
    fputs("  if (rc == 0) {\n"
          "    rc = mcp_result_check(answer, err);\n"
          "  }\n",
          out);
  }
  fputs("  if (rc == 0 && result != NULL) {\n", out);
  if (is_typed) {
    fprintf(out, "    rc = %s_read(answer, result, err);\n  }\n", f->name);
  } else {
    fputs("    *result = answer;\n    return 0;\n  }\n", out);
  }
  fputs("  mcp_result_unref(answer);\n  return rc;\n}\n\n", out);
}

static void put_start(FILE *out, const ctl_function *f) {
  ctl_c_comment(out, 0,
                "Starts the call, and calls on_done when it has ended.");
  fprintf(out,
          "MCP_UNUSED_ static inline int %s_start(\n    mcp_client *client",
          f->name);
  put_args_parameter(out, f);
  fputs(",\n    const mcp_request_options *options, mcp_done_cb on_done,\n"
        "    void *userdata, mcp_error *err) {\n"
        "  return ",
        out);
  put_send(out, f, "client");
  fputs("options, on_done,\n      userdata, err);\n}\n\n", out);
}

static int put_function(FILE *out, const ctl_function *f) {
  int rc = 0;
  for (const ctl_type *type = f->types; rc == 0 && type != NULL;
       type = type->next) {
    if (type->is_enum) {
      put_enum(out, type);
    } else if (type->member_count > 0) {
      rc = put_struct(out, type);
    }
  }
  if (f->gives == CTL_SIDE_STRUCT) {
    put_read(out, f);
  }
  rc = rc == 0 ? put_function_comment(out, f) : rc;
  put_sync(out, f);
  put_start(out, f);
  return rc;
}

/* ---- the header -------------------------------------------------------- */

static int put_head(FILE *out, const ctl_model *model, const char *server) {
  remark r;
  int rc = remark_begin(&r);
  if (rc != 0) {
    return rc;
  }
  fputs("The tools of the server ", r.text);
  ctl_c_sentence(r.text, server, MAX_TEXT);
  fputs(
      "\n\nmcpctl generate c has written this file: do not edit it. It is C11 "
      "and C++17, and needs libmcp. Each tool has a function that calls it "
      "and waits (mcp/sync.h), and one with _start that calls on_done "
      "(mcp/client.h). These headers say what the functions return. The "
      "functions borrow their arguments until they return.",
      r.text);
  if (model->left_out > 0) {
    fprintf(
        r.text,
        " %zu tools are not here: they are too many, or their names are too "
        "long.",
        model->left_out);
  }
  return remark_end(&r, out, 0);
}

int ctl_write_c(FILE *out, const ctl_model *model, const char *server) {
  char guard[CTL_NAME_SIZE];
  int rc = put_head(out, model, server);
  ctl_name_upper(guard, model->prefix);
  fprintf(out,
          "/* clang-format off */\n#ifndef %s_TOOLS_H\n#define "
          "%s_TOOLS_H\n\n#include <mcp/fields.h>\n"
          "#include <mcp/sync.h>\n\n",
          guard, guard);
  for (size_t i = 0; rc == 0 && i < model->count; i++) {
    rc = put_function(out, &model->functions[i]);
  }
  fputs("#endif\n", out);
  return rc;
}
