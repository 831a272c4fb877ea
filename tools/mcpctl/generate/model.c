/* SPDX-License-Identifier: MIT */
#include "generate/model.h"

#include "common/format.h"
#include "common/json.h"
#include "generate/typing.h"

#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* Structures within structures. */
  MAX_DEPTH = 16,
  /* A schema may grow as it is unfolded: what comes later is JSON. */
  MAX_MEMBERS = 20000,
  /* Of one structure; more are left out. Finding names takes longer the more
   * of them are the same in C. */
  MAX_FIELDS = 1000,
  MAX_TOOLS = 5000,
  /* Compilers need not take longer strings. */
  MAX_NAME = 1000,
  /* A type's tag has at most 150 bytes of that of the type around it, and a
   * part of its own. */
  MAX_IDENTIFIER = 512
};

/* What mcp/fields.h and the functions add to the name of a tool or a type. */
static const char *const endings[] = {
    "",      "_type",  "_schema",    "_get",     "_reply", "_enum",
    "_name", "_start", "_from_json", "_to_text", "_read",  "_handler"};
enum { ENDINGS = sizeof(endings) / sizeof(endings[0]) };

typedef struct maker {
  ctl_model *model;
  ctl_function *function;
  const mcp_json *root; /* the schema of the arguments or the result */
  ctl_type *open;       /* types in the making, the innermost first */
  ctl_type **end;       /* where the next type goes */
} maker;

/* ---- global names ------------------------------------------------------ */

/* What take_stem takes for a type, and for a tool: NULL at the end. */
static const char *const type_stems[] = {"", NULL};
static const char *const tool_stems[] = {"", "_args", "_result", NULL};

/* Calls `visit` for each identifier that is made of a stem. Returns 0, or the
 * first other number that it returns. */
static int each_name(ctl_names *names, const char *stem,
                     const char *const *more,
                     int (*visit)(ctl_names *names, const char *name)) {
  char name[MAX_IDENTIFIER];
  int found = 0;
  for (; *more != NULL; more++) {
    for (size_t i = 0; i < ENDINGS && found == 0; i++) {
      snprintf(name, sizeof(name), "%s%s%s", stem, *more, endings[i]);
      found = visit(names, name);
    }
  }
  return found;
}

static int is_taken(ctl_names *names, const char *name) {
  return ctl_names_has(names, name) || ctl_name_is_reserved(name);
}

/* Takes a stem, or the stem with a number after it if the stem is taken.
 * Returns it, owned; NULL: out of memory. */
static char *take_stem(ctl_names *names, const char *wanted,
                       const char *const *more) {
  char *stem = strdup(wanted);
  while (stem != NULL && each_name(names, stem, more, is_taken)) {
    unsigned number = ctl_names_number(names, wanted);
    free(stem);
    stem = number > 0 ? ctl_format("%s_%u", wanted, number) : NULL;
  }
  if (stem != NULL && each_name(names, stem, more, ctl_names_add) != 0) {
    free(stem);
    stem = NULL;
  }
  return stem;
}

/* ---- types ------------------------------------------------------------- */

static void type_free(ctl_type *type) {
  free(type->tag);
  free(type->members);
  free(type);
}

/* A type that is in the making is in the list `open`, linked by `next`. */
static ctl_type *type_new(maker *m, const mcp_json *schema, size_t count,
                          int is_enum, char *tag) {
  ctl_type *type = calloc(1, sizeof(*type));
  ctl_member *members =
      calloc((count < MAX_FIELDS ? count : MAX_FIELDS) + 1, sizeof(*members));
  if (type == NULL || members == NULL || tag == NULL) {
    free(type);
    free(members);
    free(tag);
    return NULL;
  }
  *type = (ctl_type){.is_enum = is_enum,
                     .tag = tag,
                     .members = members,
                     .is_open = 1,
                     .schema = schema,
                     .next = m->open};
  m->open = type;
  return type;
}

/* The type is complete: it is defined after all that it needs. */
static void type_close(maker *m, ctl_type *type) {
  m->open = type->next;
  type->is_open = 0;
  type->next = NULL;
  *m->end = type;
  m->end = &type->next;
}

static ctl_type *type_find(ctl_type *list, const mcp_json *schema) {
  while (list != NULL && list->schema != schema) {
    list = list->next;
  }
  return list;
}

static char *type_tag(maker *m, const ctl_type *outer, const char *name) {
  char part[CTL_NAME_SIZE];
  ctl_name_lower(part, name);
  char *wanted =
      ctl_format("%.150s_%s", outer->tag, part[0] != '\0' ? part : "value");
  char *tag =
      wanted != NULL ? take_stem(&m->model->names, wanted, type_stems) : NULL;
  free(wanted);
  return tag;
}

/* ---- enumerations ------------------------------------------------------ */

static int enum_has(const ctl_type *type, const char *value) {
  for (size_t i = 0; i < type->member_count; i++) {
    if (strcmp(type->members[i].json_name, value) == 0) {
      return 1;
    }
  }
  return 0;
}

static int enum_add(maker *m, ctl_type *type, const mcp_json *value) {
  ctl_names *names = &m->model->names;
  char upper[CTL_NAME_SIZE];
  char stem[CTL_NAME_SIZE];
  char wanted[CTL_MEMBER_SIZE];
  const char *string = mcp_json_string(value);
  if (string == NULL || enum_has(type, string)) {
    return 0;
  }
  ctl_member *member = &type->members[type->member_count];
  ctl_name_upper(upper, string);
  ctl_name_upper(stem, type->tag);
  snprintf(wanted, sizeof(wanted), "%s_%.50s", stem,
           upper[0] != '\0' ? upper : "EMPTY");
  snprintf(member->name, sizeof(member->name), "%s", wanted);
  while (ctl_names_has(names, member->name)) {
    unsigned number = ctl_names_number(names, wanted);
    if (number == 0) {
      return MCP_ERR_NOMEM;
    }
    snprintf(member->name, sizeof(member->name), "%.114s_%u", wanted, number);
  }
  member->json_name = string;
  type->member_count++;
  return ctl_names_add(names, member->name);
}

/* NULL: out of memory. */
static ctl_type *make_enum(maker *m, const ctl_type *outer, const char *name,
                           const mcp_json *schema) {
  mcp_json_iter iter;
  const mcp_json *value;
  const mcp_json *values = mcp_json_get(schema, "enum");
  int rc = 0;
  ctl_type *type =
      type_new(m, schema, mcp_json_size(values), 1, type_tag(m, outer, name));
  if (type == NULL) {
    return NULL;
  }
  mcp_json_iter_init(&iter, values);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = enum_add(m, type, value);
  }
  type_close(m, type);
  return rc == 0 ? type : NULL;
}

/* ---- structures -------------------------------------------------------- */

static int make_members(maker *m, ctl_type *type, int depth);

static int is_required(const mcp_json *schema, const mcp_json *name) {
  mcp_json_iter iter;
  const mcp_json *one;
  size_t left = 2 * MAX_FIELDS;
  mcp_json_iter_init(&iter, mcp_json_get(schema, "required"));
  while (left-- > 0 && (one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_equal(one, name)) {
      return 1;
    }
  }
  return 0;
}

/* The member that stands beside it, has_x or x_count; "": there is none. */
static void member_beside(char out[CTL_MEMBER_SIZE], const ctl_member *member) {
  out[0] = '\0';
  if (member->is_array) {
    snprintf(out, CTL_MEMBER_SIZE, "%.80s_count", member->name);
  } else if (ctl_member_has_flag(member)) {
    snprintf(out, CTL_MEMBER_SIZE, "has_%.80s", member->name);
  }
}

/* Takes names for the member and what stands beside it. */
static int member_take_name(ctl_names *names, ctl_member *member) {
  char name[CTL_NAME_SIZE];
  char beside[CTL_MEMBER_SIZE];
  ctl_name_member(name, member->json_name);
  snprintf(member->name, sizeof(member->name), "%s", name);
  member_beside(beside, member);
  while (ctl_names_has(names, member->name) || ctl_names_has(names, beside)) {
    unsigned number = ctl_names_number(names, name);
    if (number == 0) {
      return MCP_ERR_NOMEM;
    }
    snprintf(member->name, sizeof(member->name), "%s_%u", name, number);
    member_beside(beside, member);
  }
  int rc = ctl_names_add(names, member->name);
  return rc == 0 && beside[0] != '\0' ? ctl_names_add(names, beside) : rc;
}

static void member_be_json(ctl_member *member, const char *why) {
  member->kind = CTL_KIND_JSON;
  member->is_array = 0;
  member->why = why;
}

/* Finds or makes the structure or the enumeration of a member. */
static int member_make_type(maker *m, const ctl_type *outer, ctl_member *member,
                            const mcp_json *schema, int depth) {
  if (type_find(m->open, schema) != NULL) {
    member_be_json(member, "a value that contains its own kind");
    return 0;
  }
  member->type = type_find(m->function->types, schema);
  if (member->type != NULL) {
    if (member->type->member_count == 0) {
      member_be_json(member, "members whose names are too long");
    }
    return 0;
  }
  if (member->kind == CTL_KIND_ENUM) {
    member->type = make_enum(m, outer, member->json_name, schema);
    return member->type != NULL ? 0 : MCP_ERR_NOMEM;
  }
  if (depth == MAX_DEPTH || m->model->members > MAX_MEMBERS) {
    member_be_json(member, "an object that is nested too deep");
    return 0;
  }
  ctl_type *type =
      type_new(m, schema, mcp_json_size(mcp_json_get(schema, "properties")), 0,
               type_tag(m, outer, member->json_name));
  member->type = type;
  int rc = type != NULL ? make_members(m, type, depth + 1) : MCP_ERR_NOMEM;
  if (type != NULL) {
    type_close(m, type);
  }
  if (rc == 0 && type->member_count == 0) {
    member_be_json(member, "members whose names are too long");
  }
  return rc;
}

static int make_member(maker *m, const ctl_type *outer, ctl_member *member,
                       int depth) {
  ctl_typing typing = ctl_typing_of(m->root, member->schema);
  ctl_typing items;
  member->kind = typing.kind;
  member->why = typing.why;
  member->meant = typing.schema;
  if (typing.kind == CTL_KIND_JSON &&
      ctl_typing_is_array(m->root, typing.schema, &items)) {
    member->kind = items.kind;
    member->is_array = 1;
    member->why = NULL;
    typing.schema = items.schema;
  }
  /* JSON text has null itself. */
  int is_nullable = typing.is_nullable && member->kind != CTL_KIND_JSON;
  member->is_nullable = is_nullable && !member->is_optional;
  member->is_optional = member->is_optional || is_nullable;
  return member->kind == CTL_KIND_ENUM || member->kind == CTL_KIND_STRUCT
             ? member_make_type(m, outer, member, typing.schema, depth)
             : 0;
}

static int has_member(const ctl_type *type, const char *name) {
  for (size_t i = 0; i < type->member_count; i++) {
    if (strcmp(type->members[i].json_name, name) == 0) {
      return 1;
    }
  }
  return 0;
}

static int make_members(maker *m, ctl_type *type, int depth) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *schema;
  ctl_names names = {0};
  int rc = 0;
  mcp_json_iter_init(&iter, mcp_json_get(type->schema, "properties"));
  while (rc == 0 && (schema = mcp_json_iter_next(&iter, &name)) != NULL) {
    const char *json_name = mcp_json_string(name);
    if (json_name == NULL || strlen(json_name) > MAX_NAME ||
        type->member_count == MAX_FIELDS || has_member(type, json_name)) {
      type->left_out++;
      continue;
    }
    ctl_member *member = &type->members[type->member_count++];
    m->model->members++;
    member->json_name = json_name;
    member->schema = schema;
    member->is_optional = !is_required(type->schema, name);
    rc = make_member(m, type, member, depth);
    rc = rc == 0 ? member_take_name(&names, member) : rc;
  }
  ctl_names_deinit(&names);
  return rc;
}

/* ---- functions --------------------------------------------------------- */

/* Sets *out to the structure of a schema, or leaves it NULL. `ending` is
 * "_args" or "_result", whose names are taken. */
static int make_side(maker *m, const mcp_json *schema, const char *ending,
                     ctl_type **out, const char **why) {
  m->root = schema;
  ctl_typing typing = ctl_typing_of(schema, schema);
  *why = typing.why;
  if (typing.kind != CTL_KIND_STRUCT || typing.is_nullable) {
    return 0;
  }
  ctl_type *type =
      type_new(m, typing.schema,
               mcp_json_size(mcp_json_get(typing.schema, "properties")), 0,
               ctl_format("%s%s", m->function->name, ending));
  int rc = type != NULL ? make_members(m, type, 1) : MCP_ERR_NOMEM;
  if (type != NULL) {
    type_close(m, type);
    *out = type->member_count > 0 ? type : NULL;
  }
  return rc;
}

/* No arguments are wanted if the schema names none, and says so by
 * `properties` or `additionalProperties`. */
static int takes_nothing(const mcp_json *schema) {
  const mcp_json *more = mcp_json_get(schema, "additionalProperties");
  const mcp_json *properties = mcp_json_get(schema, "properties");
  return mcp_json_size(properties) == 0 &&
         mcp_json_get(schema, "$ref") == NULL &&
         mcp_json_get(schema, "anyOf") == NULL &&
         mcp_json_get(schema, "oneOf") == NULL &&
         mcp_json_get(schema, "allOf") == NULL &&
         mcp_json_get(schema, "patternProperties") == NULL &&
         mcp_json_type(more) != MCP_JSON_OBJECT && !mcp_json_bool(more) &&
         (properties != NULL || more != NULL);
}

static int make_sides(maker *m) {
  ctl_function *f = m->function;
  const mcp_json *input = mcp_json_get(f->entry, "inputSchema");
  const mcp_json *output = mcp_json_get(f->entry, "outputSchema");
  int rc = 0;
  if (!takes_nothing(input)) {
    rc = make_side(m, input, "_args", &f->args, &f->why_takes);
    f->takes = f->args != NULL ? CTL_SIDE_STRUCT : CTL_SIDE_JSON;
  }
  if (rc == 0 && mcp_json_type(output) == MCP_JSON_OBJECT) {
    rc = make_side(m, output, "_result", &f->result, &f->why_gives);
    f->gives = f->result != NULL ? CTL_SIDE_STRUCT : CTL_SIDE_JSON;
  }
  return rc;
}

static int make_function(ctl_model *model, ctl_function *function) {
  maker m = {.model = model, .function = function, .end = &function->types};
  char part[CTL_NAME_SIZE];
  ctl_name_lower(part, function->tool);
  char *wanted =
      ctl_format("%s_%s", model->prefix, part[0] != '\0' ? part : "tool");
  if (wanted != NULL) {
    function->name = take_stem(&model->names, wanted, tool_stems);
  }
  free(wanted);
  int rc = function->name != NULL ? make_sides(&m) : MCP_ERR_NOMEM;
  while (m.open != NULL) { /* after a failure */
    type_close(&m, m.open);
  }
  return rc;
}

const mcp_json *ctl_member_keyword(const ctl_member *member,
                                   const char *keyword) {
  const mcp_json *value = mcp_json_get(member->schema, keyword);
  return value != NULL ? value : mcp_json_get(member->meant, keyword);
}

int ctl_member_has_flag(const ctl_member *member) {
  return member->is_optional && !member->is_array &&
         member->kind != CTL_KIND_STRING && member->kind != CTL_KIND_JSON;
}

int ctl_model_init(ctl_model *model, const char *prefix,
                   const mcp_json *const *tools, size_t count) {
  int rc = 0;
  *model = (ctl_model){0};
  snprintf(model->prefix, sizeof(model->prefix), "%s", prefix);
  model->functions = calloc(count + 1, sizeof(ctl_function));
  if (model->functions == NULL) {
    return MCP_ERR_NOMEM;
  }
  for (size_t i = 0; rc == 0 && i < count; i++) {
    const char *name = ctl_json_member(tools[i], "name");
    if (name == NULL || strlen(name) > MAX_NAME || model->count == MAX_TOOLS) {
      model->left_out++;
      continue;
    }
    ctl_function *function = &model->functions[model->count++];
    function->tool = name;
    function->entry = tools[i];
    rc = make_function(model, function);
  }
  return rc;
}

void ctl_model_deinit(ctl_model *model) {
  for (size_t i = 0; i < model->count; i++) {
    ctl_type *type = model->functions[i].types;
    while (type != NULL) {
      ctl_type *next = type->next;
      type_free(type);
      type = next;
    }
    free(model->functions[i].name);
  }
  free(model->functions);
  ctl_names_deinit(&model->names);
}

void ctl_model_prefix(char out[CTL_NAME_SIZE], const char *server) {
  char part[CTL_NAME_SIZE];
  ctl_name_lower(part, server);
  char *at = part;
  while (strncmp(at, "mcp_", 4) == 0) {
    at += 4;
  }
  if (at[0] == '\0' || strcmp(at, "mcp") == 0) {
    at = strcpy(part, "server");
  }
  snprintf(out, CTL_NAME_SIZE, "%s%.40s",
           at[0] >= '0' && at[0] <= '9' ? "server_" : "", at);
  size_t len = strlen(out);
  if (out[len - 1] == '_') { /* it was cut */
    out[len - 1] = '\0';
  }
}
