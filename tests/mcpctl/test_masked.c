/* SPDX-License-Identifier: MIT */
#include "config/masked.h"
#include "config/server.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* The one function of server.c that masked.c calls. */
const char *ctl_server_url(const ctl_named *named) {
  return mcp_json_string(mcp_json_get(named->entry, "url"));
}

static void expect_arg(const char *arg, int is_after_name, const char *shown) {
  char *found = ctl_masked_arg(arg, is_after_name);
  assert_string_equal(found, shown);
  free(found);
}

TEST(arguments_with_a_secret_in_them) {
  expect_arg("--token=x=y", 0, "--token=***");
  expect_arg("Authorization: Bearer x", 0, "Authorization:***");
  expect_arg("X-API-Key:x", 0, "X-API-Key:***");
  expect_arg("password x", 0, "password ***");
  expect_arg("Cookie: id=x", 0, "Cookie:***");
  expect_arg("--passphrase=x", 0, "--passphrase=***");
  expect_arg("https://u:p@host/a?key=x#y", 0, "https://host/a");
}

TEST(other_arguments) {
  expect_arg("", 0, "");
  expect_arg("=", 0, "=");
  expect_arg("--verbose", 0, "--verbose");
  expect_arg("--key", 0, "--key");
  expect_arg("--size=5", 0, "--size=5");
  expect_arg("a=token", 0, "a=token");
  expect_arg("\xff\xfe", 0, "\xff\xfe");
}

TEST(what_follows_a_name_is_hidden) {
  expect_arg("x", 1, "***");
  expect_arg("", 1, "***");
  expect_arg("https://host/", 1, "***");
}

TEST(references_are_shown) {
  expect_arg("${TOKEN}", 1, "${TOKEN}");
  expect_arg("${env:TOKEN}", 1, "${env:TOKEN}");
  expect_arg("${HOME}/a", 0, "${HOME}/a");
  expect_arg("--token=${TOKEN}", 0, "--token=${TOKEN}");
}

TEST(text_beside_a_reference_may_be_secret) {
  expect_arg("${TOKEN:-x}", 1, "***");
  expect_arg("${A}x", 1, "***");
  expect_arg("${", 1, "***");
  expect_arg("${A}x${B}", 1, "***");
  expect_arg("--token=${TOKEN:-x}", 0, "--token=***");
}

TEST(options_that_announce_a_secret) {
  assert_true(ctl_masked_announces("--api-key"));
  assert_true(ctl_masked_announces("-Token"));
  assert_false(ctl_masked_announces("--api-key=x"));
  assert_false(ctl_masked_announces("api-key"));
  assert_false(ctl_masked_announces("--file"));
  assert_false(ctl_masked_announces("-"));
  assert_false(ctl_masked_announces(""));
}

static void expect_target(const char *entry, const char *shown) {
  mcp_doc *doc = mcp_doc_parse(entry, strlen(entry), NULL, NULL, NULL);
  const ctl_config_file file = {.host = NULL};
  const ctl_named named = {.entry = mcp_doc_root(doc), .file = &file};
  char *found = ctl_masked_target(&named);
  assert_string_equal(found, shown);
  free(found);
  mcp_doc_free(doc);
}

TEST(targets) {
  expect_target("{\"command\":\"a\",\"args\":[\"--token\",\"x\",\"y\"]}",
                "a --token *** y");
  expect_target("{\"command\":\"a\",\"args\":[5,\"--key\",null,\"x\"]}",
                "a --key ***");
  expect_target("{\"command\":\"a\",\"args\":\"--token=x\"}", "a");
  expect_target("{\"url\":\"https://u:p@host/?k=x\"}", "https://host/");
  expect_target("{}", "(neither command nor url)");
}
