/* SPDX-License-Identifier: MIT */
#include "mock/file.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* In a block of its own size, so that a read past the end is seen. NULL: the
 * description is fine; else the beginning of the error. */
static void expect(const char *text, const char *message) {
  size_t len = strlen(text);
  char *copy = malloc(len > 0 ? len : 1);
  mcp_doc *doc = NULL;
  mcp_error err = {0};
  memcpy(copy, text, len);
  int rc = ctl_mock_parse(&doc, copy, len, &err);
  if (message == NULL) {
    assert_int_equal(rc, 0);
    assert_non_null(doc);
  } else {
    assert_int_not_equal(rc, 0);
    assert_int_equal(err.code, rc);
    assert_null(doc);
    assert_memory_equal(err.message, message, strlen(message));
  }
  mcp_doc_free(doc);
  free(copy);
}

TEST(descriptions_may_have_comments) {
  expect("{}", NULL);
  expect("// one\n{\"tools\": [{\"name\": \"t\", \"text\": \"\",},]}", NULL);
}

TEST(an_entry_answers_in_one_way) {
  expect("{\"tools\":[{\"name\":\"t\",\"text\":\"\",\"structured\":1}]}", NULL);
  expect("{\"tools\":[{\"name\":\"t\",\"content\":[],\"structured\":1}]}",
         NULL);
  expect("{\"tools\":[{\"name\":\"t\",\"structured\":1}]}", NULL);
  expect("{\"tools\":[{\"name\":\"t\",\"error\":\"\",\"structured\":1}]}",
         "/tools/0: give one of ");
  expect("{\"tools\":[{\"name\":\"t\",\"text\":\"\",\"content\":[]}]}",
         "/tools/0: give one of ");
  expect("{\"resources\":[{\"uri\":\"a:b\"}]}",
         "/resources/0: give one of text, blob or rpc_error");
  expect("{\"templates\":[{\"uriTemplate\":\"a:{b}\",\"structured\":1}]}",
         "/templates/0: unknown member \"structured\"");
}

TEST(errors_name_the_place) {
  expect("", "line 1, column 1: ");
  expect("{\n\"tools\":}", "line 2, column 9: ");
  expect("{\"tools\":[{\"name\":\"t\",\"text\":\"\"},{\"name\":1}]}",
         "/tools/1/name: expected a string");
  expect(
      "{\"tools\":[{\"name\":\"t\",\"answers\":[{\"text\":\"\"},{\"content\":"
      "[{\"type\":\"text\"}]}]}]}",
      "/tools/0/answers/1/content/0: missing the required member \"text\"");
  expect("{\"tools\":[{\"name\":\"t\",\"rpc_error\":{\"code\":1.5,"
         "\"message\":\"\"}}]}",
         "/tools/0/rpc_error/code: ");
  expect("{\"prompts\":[{\"name\":\"p\",\"messages\":[{\"role\":\"user\","
         "\"content\":{\"type\":\"image\",\"data\":\"\"}}]}]}",
         "/prompts/0/messages/0: missing the required member \"mimeType\"");
  expect("{\"tools\":[{\"name\":\"t\",\"text\":\"\",\"delay_ms\":-1}]}",
         "/tools/0/delay_ms: ");
}
