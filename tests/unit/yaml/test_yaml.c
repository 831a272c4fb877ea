/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "yaml/yaml.h"

#include <stdio.h>
#include <string.h>

/* Writes each event as a letter, and a scalar as its text. */
typedef struct seen {
  char text[256];
  size_t count;
  size_t stop_at; /* 0: never */
} seen;

static int see(void *owner, const mcpi_yaml_event *event) {
  seen *self = owner;
  size_t len = strlen(self->text);
  static const char letters[] = "S{[E*";
  snprintf(self->text + len, sizeof(self->text) - len, "%c%s%s%.*s%s ",
           letters[event->kind], event->has_anchor ? "&" : "",
           event->is_plain ? "'" : "", (int)event->len,
           event->text != NULL ? event->text : "",
           event->tag != NULL ? event->tag : "");
  return ++self->count == self->stop_at ? MCP_ERR_LIMIT : 0;
}

static int read_text(const char *text, seen *out, mcpi_yaml_fault *fault) {
  const mcpi_yaml *yaml = mcpi_yaml_get(NULL);
  assert_non_null(yaml);
  *out = (seen){.stop_at = out->stop_at};
  return yaml->read(text, strlen(text), see, out, fault);
}

TEST(a_document_gives_its_events_in_order) {
  seen out = {0};
  mcpi_yaml_fault fault;
  assert_int_equal(read_text("a: [1, \"b\"]\n", &out, &fault), 0);
  assert_string_equal(out.text, "{ S'a [ S'1 Sb E E ");
}

TEST(anchors_aliases_and_tags_are_shown) {
  seen out = {0};
  mcpi_yaml_fault fault;
  assert_int_equal(read_text("a: &x !!str 1\nb: *x\n", &out, &fault), 0);
  assert_non_null(strstr(out.text, "S&'1tag:yaml.org,2002:str"));
  assert_non_null(strstr(out.text, "* "));
}

TEST(a_fault_has_its_line) {
  seen out = {0};
  mcpi_yaml_fault fault;
  assert_int_equal(read_text("a: 1\nb: [\n", &out, &fault), MCP_ERR_PARSE);
  assert_true(fault.line >= 2);
  assert_true(fault.why[0] != '\0');
}

TEST(a_second_document_is_a_fault) {
  seen out = {0};
  mcpi_yaml_fault fault;
  assert_int_equal(read_text("a: 1\n...\n---\nb: 1\n", &out, &fault),
                   MCP_ERR_PARSE);
  assert_int_equal(fault.line, 3);
}

TEST(the_reader_ends_when_the_receiver_says_so) {
  seen out = {.stop_at = 2};
  mcpi_yaml_fault fault;
  assert_int_equal(read_text("a: 1\nb: 2\n", &out, &fault), MCP_ERR_LIMIT);
  assert_int_equal(out.count, 2);
}

TEST(an_empty_text_has_no_events) {
  seen out = {0};
  mcpi_yaml_fault fault;
  assert_int_equal(read_text("", &out, &fault), 0);
  assert_int_equal(out.count, 0);
}

TEST(bytes_that_are_not_utf8_are_a_fault) {
  seen out = {0};
  mcpi_yaml_fault fault;
  assert_int_equal(read_text("a: \xff\n", &out, &fault), MCP_ERR_PARSE);
}
