/* SPDX-License-Identifier: MIT */
/* From the events of YAML to JSON:
 *
 *   lines "---" -> events (yaml/yaml.h) -> builder -> the object's own rules
 *
 * An alias is refused where it stands, so nothing can grow beyond the text. */
#include "skills/head.h"

#include "base/error.h"
#include "skills/scalar.h"
#include "yaml/yaml.h"
#include "json/json.h"

#define RESERVED_PREFIX "io.modelcontextprotocol/"

typedef struct head_reader {
  mcp_builder *builder;
  mcpi_buf scratch; /* a plain scalar as JSON */
  const mcp_allocator *allocator;
  size_t depth;
  size_t values;
  uint8_t is_map[MCPI_HEAD_MAX_DEPTH]; /* what is open at each depth */
  uint8_t wants_key[MCPI_HEAD_MAX_DEPTH];
  mcp_error *err;
} head_reader;

/* --- where it is ---------------------------------------------------------- */

/* Takes a line off the text. Without a line break it is the rest. */
static mcpi_str take_line(mcpi_str *text) {
  const char *lf = text->len > 0 ? memchr(text->ptr, '\n', text->len) : NULL;
  if (lf == NULL) {
    return mcpi_str_take(text, text->len);
  }
  return mcpi_str_take(text, (size_t)(lf - text->ptr) + 1);
}

static int is_fence(mcpi_str line) {
  if (!mcpi_str_starts_with(line, MCPI_STR("---"))) {
    return 0;
  }
  for (size_t i = 3; i < line.len; i++) {
    if (!mcpi_json_is_blank(line.ptr[i])) {
      return 0;
    }
  }
  return 1;
}

/* Finds the lines between the two fences. */
static int head_find(mcpi_str text, mcpi_str *out, mcp_error *err) {
  if (mcpi_str_starts_with(text, MCPI_STR("\xEF\xBB\xBF"))) {
    mcpi_str_take(&text, 3);
  }
  if (!is_fence(take_line(&text))) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "line 1: expected \"---\", which begins the head");
  }
  mcpi_str head = mcpi_str_n(text.ptr, 0);
  while (text.len > 0) {
    mcpi_str line = take_line(&text);
    if (is_fence(line)) {
      *out = head;
      return 0;
    }
    head.len += line.len;
    if (head.len > MCPI_HEAD_MAX_BYTES) {
      return mcp_error_set(err, MCP_ERR_LIMIT,
                           "the head has more than %d bytes",
                           MCPI_HEAD_MAX_BYTES);
    }
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "no line \"---\" ends the head that line 1 begins");
}

/* --- events --------------------------------------------------------------- */

/* The head begins in the file's second line. */
static size_t file_line(size_t line) {
  return line + 1;
}

static int head_refuse(const head_reader *self, const mcpi_yaml_event *event,
                       int code, const char *why) {
  return mcp_error_set(self->err, code, "line %zu: %s", file_line(event->line),
                       why);
}

static int builder_result(const head_reader *self, int rc) {
  return rc == 0 ? 0
                 : mcp_error_set(self->err, rc, "%s",
                                 mcp_builder_error(self->builder)->message);
}

static int has_tag(const mcpi_yaml_event *event, const char *name) {
  static const char prefix[] = "tag:yaml.org,2002:";
  return strncmp(event->tag, prefix, sizeof(prefix) - 1) == 0 &&
         strcmp(event->tag + sizeof(prefix) - 1, name) == 0;
}

/* Tags that say no more than the form does. "!" makes a scalar a string. */
static int is_known_tag(const mcpi_yaml_event *event) {
  switch (event->kind) {
  case MCPI_YAML_SCALAR:
    return has_tag(event, "str") || strcmp(event->tag, "!") == 0;
  case MCPI_YAML_MAP:
    return has_tag(event, "map");
  default:
    return has_tag(event, "seq");
  }
}

static int head_check_event(head_reader *self, const mcpi_yaml_event *event) {
  if (event->kind == MCPI_YAML_ALIAS || event->has_anchor) {
    return head_refuse(self, event, MCP_ERR_INVALID,
                       "anchors (&) and aliases (*) are not allowed; write the "
                       "value again, or quote the text");
  }
  if (event->tag != NULL && !is_known_tag(event)) {
    return head_refuse(self, event, MCP_ERR_INVALID,
                       "the only tags allowed are !!str, !!map and !!seq");
  }
  if (event->kind != MCPI_YAML_END && ++self->values > MCPI_HEAD_MAX_VALUES) {
    return head_refuse(self, event, MCP_ERR_LIMIT, "too many values");
  }
  if (self->depth == 0 && event->kind != MCPI_YAML_MAP) {
    return head_refuse(self, event, MCP_ERR_INVALID,
                       "the head must have lines \"name: value\"");
  }
  return 0;
}

static int expects_key(const head_reader *self) {
  return self->depth > 0 && self->is_map[self->depth - 1] &&
         self->wants_key[self->depth - 1];
}

/* A key or a value has come. */
static void head_turn(head_reader *self) {
  if (self->depth > 0) {
    self->wants_key[self->depth - 1] ^= 1;
  }
}

/* What a scalar means. A tag or quotes make it a string. */
static mcpi_scalar read_scalar(head_reader *self,
                               const mcpi_yaml_event *event) {
  mcpi_buf_clear(&self->scratch);
  return event->is_plain && event->tag == NULL
             ? mcpi_scalar_read(mcpi_str_n(event->text, event->len),
                                &self->scratch)
             : MCPI_SCALAR_TEXT;
}

static int head_put_key(head_reader *self, const mcpi_yaml_event *event) {
  if (event->kind != MCPI_YAML_SCALAR) {
    return head_refuse(self, event, MCP_ERR_INVALID,
                       "a list or a map cannot be a name");
  }
  if (read_scalar(self, event) != MCPI_SCALAR_TEXT) {
    return head_refuse(self, event, MCP_ERR_INVALID,
                       "a name must be text: put it in quotes");
  }
  return builder_result(
      self, mcp_builder_name_n(self->builder, event->text, event->len));
}

static int head_put_scalar(head_reader *self, const mcpi_yaml_event *event) {
  mcpi_scalar meaning = read_scalar(self, event);
  if (self->scratch.error != 0) {
    return mcpi_no_memory(self->err);
  }
  if (meaning == MCPI_SCALAR_FOREIGN) {
    return head_refuse(self, event, MCP_ERR_INVALID,
                       "JSON has no such number: put it in quotes");
  }
  if (meaning == MCPI_SCALAR_TEXT) {
    return builder_result(self, mcp_builder_string_n(self->builder, NULL,
                                                     event->text, event->len));
  }
  mcpi_buf_putc(&self->scratch, '\0');
  return self->scratch.error != 0
             ? mcpi_no_memory(self->err)
             : builder_result(self, mcp_builder_json(self->builder, NULL,
                                                     self->scratch.data));
}

static int open_level(head_reader *self, const mcpi_yaml_event *event) {
  int is_map = event->kind == MCPI_YAML_MAP;
  if (self->depth == MCPI_HEAD_MAX_DEPTH) {
    return head_refuse(self, event, MCP_ERR_LIMIT, "too many levels");
  }
  self->is_map[self->depth] = (uint8_t)is_map;
  self->wants_key[self->depth] = 1;
  self->depth++;
  return builder_result(self, is_map ? mcp_builder_object(self->builder, NULL)
                                     : mcp_builder_array(self->builder, NULL));
}

static int close_level(head_reader *self) {
  self->depth--;
  head_turn(self);
  return builder_result(self, mcp_builder_end(self->builder));
}

static int head_on_event(void *owner, const mcpi_yaml_event *event) {
  head_reader *self = owner;
  int rc = head_check_event(self, event);
  if (rc != 0) {
    return rc;
  }
  if (event->kind == MCPI_YAML_END) {
    return close_level(self);
  }
  if (expects_key(self)) {
    head_turn(self);
    return head_put_key(self, event);
  }
  if (event->kind != MCPI_YAML_SCALAR) {
    return open_level(self, event);
  }
  head_turn(self);
  return head_put_scalar(self, event);
}

static int head_read_events(head_reader *self, mcpi_str head, mcp_error *err) {
  mcpi_yaml_fault fault;
  const mcpi_yaml *yaml = mcpi_yaml_get(err);
  if (yaml == NULL) {
    return err->code;
  }
  int rc = yaml->read(head.ptr, head.len, head_on_event, self, &fault);
  if (rc == MCP_ERR_PARSE && err->code != rc) {
    return mcp_error_set(err, rc, "line %zu: not YAML: %s",
                         file_line(fault.line), fault.why);
  }
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  if (rc == 0 && self->values == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the head is empty");
  }
  return rc;
}

/* --- the object's rules --------------------------------------------------- */

int mcpi_skill_name_is_valid(mcpi_str name) {
  if (name.len == 0 || name.len > MCPI_SKILL_NAME_MAX ||
      name.ptr[name.len - 1] == '-') {
    return 0;
  }
  for (size_t i = 0; i < name.len; i++) {
    char c = name.ptr[i];
    int is_hyphen = c == '-';
    if (is_hyphen && (i == 0 || name.ptr[i - 1] == '-')) {
      return 0;
    }
    if (!is_hyphen && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
      return 0;
    }
  }
  return 1;
}

/* The builder compares names only in a text that it gets whole. */
static int head_check_duplicates(const char *json,
                                 const mcp_allocator *allocator,
                                 mcp_error *err) {
  mcp_builder *checker = mcp_builder_new(allocator, err);
  if (checker == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcp_builder_json(checker, NULL, json);
  if (rc != 0) {
    mcp_error_set(err, rc, "the head: %s", mcp_builder_error(checker)->message);
  }
  mcp_builder_free(checker);
  return rc;
}

/* A string without NUL that is not empty. */
static int check_text(const mcp_json *object, const char *member,
                      mcp_error *err) {
  const mcp_json *value = mcp_json_get(object, member);
  if (value == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the head has no %s", member);
  }
  const char *text = mcp_json_string(value);
  if (text == NULL || text[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s must be text that is not empty, without NUL",
                         member);
  }
  return 0;
}

static int check_name(const char *name, mcp_error *err) {
  return mcpi_skill_name_is_valid(mcpi_str_z(name))
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "the name \"%.80s\" is not valid: use 1 to %d "
                             "small letters, digits and single hyphens",
                             name, MCPI_SKILL_NAME_MAX);
}

static int check_metadata(const mcp_json *object, mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *metadata = mcp_json_get(object, "metadata");
  if (mcp_json_type(metadata) != MCP_JSON_OBJECT) {
    return 0;
  }
  mcp_json_iter_init(&iter, metadata);
  while (mcp_json_iter_next(&iter, &key) != NULL) {
    mcpi_str name;
    name.ptr = mcp_json_string_n(key, &name.len);
    if (mcpi_str_starts_with(name, MCPI_STR(RESERVED_PREFIX))) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "metadata has \"%.*s\": names that begin with "
                           "\"" RESERVED_PREFIX "\" are reserved",
                           (int)(name.len < 80 ? name.len : 80), name.ptr);
    }
  }
  return 0;
}

static int head_check_object(const mcp_json *object, mcp_error *err) {
  int rc = check_text(object, "name", err);
  if (rc == 0) {
    rc = check_name(mcp_json_string(mcp_json_get(object, "name")), err);
  }
  if (rc == 0) {
    rc = check_text(object, "description", err);
  }
  if (rc == 0) {
    rc = check_metadata(object, err);
  }
  return rc;
}

/* --- the whole ------------------------------------------------------------ */

static int head_fill(mcpi_skill_head *head, mcpi_str json,
                     const mcp_json *object, const mcp_allocator *allocator,
                     mcp_error *err) {
  mcpi_buf_init(&head->json, allocator, SIZE_MAX);
  mcpi_buf_puts(&head->json, json);
  head->name =
      mcpi_strdup(allocator, mcp_json_string(mcp_json_get(object, "name")));
  head->description = mcpi_strdup(
      allocator, mcp_json_string(mcp_json_get(object, "description")));
  if (head->json.error != 0 || head->name == NULL ||
      head->description == NULL) {
    mcpi_skill_head_deinit(head);
    return mcpi_no_memory(err);
  }
  return 0;
}

/* The object that the builder has, with each name once. */
static int head_parse(mcp_builder *builder, mcp_doc **out,
                      const mcp_allocator *allocator, mcp_error *err) {
  mcpi_str json;
  json.ptr = mcp_builder_text(builder, &json.len);
  if (json.ptr == NULL) {
    return mcpi_no_memory(err);
  }
  mcp_doc *doc = mcp_doc_parse(json.ptr, json.len, NULL, allocator, err);
  if (doc == NULL) {
    return err->code;
  }
  int rc = head_check_duplicates(json.ptr, allocator, err);
  if (rc != 0) {
    mcp_doc_free(doc);
    return rc;
  }
  *out = doc;
  return 0;
}

static int head_finish(mcpi_skill_head *out, mcp_builder *builder,
                       const mcp_allocator *allocator, mcp_error *err) {
  mcpi_str json;
  mcpi_skill_head head;
  mcp_doc *doc = NULL;
  int rc = head_parse(builder, &doc, allocator, err);
  if (rc != 0) {
    return rc;
  }
  rc = head_check_object(mcp_doc_root(doc), err);
  if (rc == 0) {
    json.ptr = mcp_builder_text(builder, &json.len);
    rc = head_fill(&head, json, mcp_doc_root(doc), allocator, err);
  }
  mcp_doc_free(doc);
  if (rc == 0) {
    *out = head;
  }
  return rc;
}

/* Leaves the object in a new builder, which the caller frees, on failure
 * too. */
static int head_build(head_reader *self, const char *text, size_t len) {
  mcpi_str head = {NULL, 0};
  int rc = head_find(mcpi_str_n(text, len), &head, self->err);
  if (rc == 0) {
    self->builder = mcp_builder_new(self->allocator, self->err);
    rc = self->builder != NULL ? 0 : MCP_ERR_NOMEM;
  }
  mcpi_buf_init(&self->scratch, self->allocator, SIZE_MAX);
  if (rc == 0) {
    rc = head_read_events(self, head, self->err);
  }
  mcpi_buf_deinit(&self->scratch);
  return rc;
}

int mcpi_skill_head_read(mcpi_skill_head *out, const char *text, size_t len,
                         const mcp_allocator *allocator, mcp_error *err) {
  mcp_error why = {0};
  head_reader self = {.allocator = allocator, .err = &why};
  int rc = head_build(&self, text, len);
  if (rc == 0) {
    rc = head_finish(out, self.builder, allocator, &why);
  }
  mcp_builder_free(self.builder);
  return rc != 0 ? mcp_error_set(err, rc, "%s", why.message) : 0;
}

int mcpi_skill_head_parse(mcp_doc **out, const char *text, size_t len,
                          const mcp_allocator *allocator, mcp_error *err) {
  mcp_error why = {0};
  head_reader self = {.allocator = allocator, .err = &why};
  int rc = head_build(&self, text, len);
  if (rc == 0) {
    rc = head_parse(self.builder, out, allocator, &why);
  }
  mcp_builder_free(self.builder);
  return rc != 0 ? mcp_error_set(err, rc, "%s", why.message) : 0;
}

void mcpi_skill_head_deinit(mcpi_skill_head *head) {
  const mcp_allocator *allocator = head->json.allocator;
  mcpi_strfree(allocator, head->name);
  mcpi_strfree(allocator, head->description);
  mcpi_buf_deinit(&head->json);
}
