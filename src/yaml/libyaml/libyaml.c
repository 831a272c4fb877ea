/* SPDX-License-Identifier: MIT */
/* Reading YAML, by libyaml. This file may call libyaml and the C library alone:
 * it is a library of its own that knows none of our symbols.
 *
 * libyaml makes one event at a time, and never expands an alias. So the memory
 * that it takes grows only with the text, which its caller limits. */
#include "yaml/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

static int fault_set(mcpi_yaml_fault *fault, size_t line, const char *why) {
  fault->line = line + 1; /* libyaml counts from 0 */
  snprintf(fault->why, sizeof(fault->why), "%s", why);
  return MCP_ERR_PARSE;
}

static int parser_failed(const yaml_parser_t *parser, mcpi_yaml_fault *fault) {
  if (parser->error == YAML_MEMORY_ERROR) {
    return MCP_ERR_NOMEM;
  }
  return fault_set(fault, parser->problem_mark.line,
                   parser->problem != NULL ? parser->problem : "not YAML");
}

/* --- events -------------------------------------------------------------- */

static void take_scalar(const yaml_event_t *from, mcpi_yaml_event *to) {
  to->kind = MCPI_YAML_SCALAR;
  to->has_anchor = from->data.scalar.anchor != NULL;
  to->tag = (const char *)from->data.scalar.tag;
  to->text = (const char *)from->data.scalar.value;
  to->len = from->data.scalar.length;
  to->is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

/* Returns 0 for an event that says nothing of the document's content. */
static int take_event(const yaml_event_t *from, mcpi_yaml_event *to) {
  *to = (mcpi_yaml_event){.line = from->start_mark.line + 1};
  switch (from->type) {
  case YAML_SCALAR_EVENT:
    take_scalar(from, to);
    return 1;
  case YAML_MAPPING_START_EVENT:
    to->kind = MCPI_YAML_MAP;
    to->has_anchor = from->data.mapping_start.anchor != NULL;
    to->tag = (const char *)from->data.mapping_start.tag;
    return 1;
  case YAML_SEQUENCE_START_EVENT:
    to->kind = MCPI_YAML_LIST;
    to->has_anchor = from->data.sequence_start.anchor != NULL;
    to->tag = (const char *)from->data.sequence_start.tag;
    return 1;
  case YAML_MAPPING_END_EVENT:
  case YAML_SEQUENCE_END_EVENT:
    to->kind = MCPI_YAML_END;
    return 1;
  case YAML_ALIAS_EVENT:
    to->kind = MCPI_YAML_ALIAS;
    return 1;
  default:
    return 0;
  }
}

/* --- reading ------------------------------------------------------------- */

/* Reads the next event. *is_done becomes 1 at the end of the text. */
static int read_event(yaml_parser_t *parser, size_t *documents, int *is_done,
                      int (*on_event)(void *owner,
                                      const mcpi_yaml_event *event),
                      void *owner, mcpi_yaml_fault *fault) {
  yaml_event_t event;
  mcpi_yaml_event taken;
  int rc = 0;
  if (yaml_parser_parse(parser, &event) == 0) {
    return parser_failed(parser, fault);
  }
  *is_done = event.type == YAML_STREAM_END_EVENT;
  if (event.type == YAML_DOCUMENT_START_EVENT && (*documents)++ > 0) {
    rc = fault_set(fault, event.start_mark.line, "a second document begins");
  } else if (take_event(&event, &taken)) {
    rc = on_event(owner, &taken);
  }
  yaml_event_delete(&event);
  return rc;
}

static int yaml_read(const char *text, size_t len,
                     int (*on_event)(void *owner, const mcpi_yaml_event *event),
                     void *owner, mcpi_yaml_fault *fault) {
  yaml_parser_t parser;
  size_t documents = 0;
  int is_done = 0;
  int rc = 0;
  if (yaml_parser_initialize(&parser) == 0) {
    return MCP_ERR_NOMEM;
  }
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
  while (rc == 0 && !is_done) {
    rc = read_event(&parser, &documents, &is_done, on_event, owner, fault);
  }
  yaml_parser_delete(&parser);
  return rc;
}

const mcpi_yaml *mcpi_yaml_table(void) {
  static const mcpi_yaml table = {
      .head = {.size = sizeof(table), .version = MCP_VERSION_STRING},
      .read = yaml_read};
  return &table;
}
