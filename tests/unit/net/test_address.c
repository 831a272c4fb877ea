/* SPDX-License-Identifier: MIT */
/* Socket addresses as texts. */
#include "net/address.h"
#include "support/cm.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *text, const char *expected) {
  mcpi_address address;
  char back[MCPI_ADDRESS_TEXT];
  assert_int_equal(mcpi_address_parse(&address, text, NULL), 0);
  mcpi_address_format(&address, back);
  assert_string_equal(back, expected);
}

TEST(addresses_are_read_and_written) {
  expect("127.0.0.1:8080", "127.0.0.1:8080");
  expect("0.0.0.0:65535", "0.0.0.0:65535");
  expect("[::1]:0", "[::1]:0");
  expect("[0:0::1]:1", "[::1]:1");
  expect("unix:/run/a b.sock", "unix:/run/a b.sock");
  expect("unix:a", "unix:a");
}

TEST(loopback_has_names) {
  mcpi_address address;
  assert_int_equal(mcpi_address_parse(&address, "localhost:80", NULL), 0);
  char text[MCPI_ADDRESS_TEXT];
  mcpi_address_format(&address, text);
  assert_true(strcmp(text, "127.0.0.1:80") == 0 ||
              strcmp(text, "[::1]:80") == 0);
}

TEST(other_texts_are_refused) {
  static const struct {
    const char *text;
    const char *why;
  } cases[] = {
      {"", "not HOST:PORT or unix:PATH, such as 127.0.0.1:8000"},
      {"http://127.0.0.1:80",
       "not a URL but HOST:PORT or unix:PATH, such as 127.0.0.1:8000"},
      {"tcp://[::1]:80/", "not a URL but HOST:PORT"},
      {"80", "not HOST:PORT or unix:PATH"},
      {"127.0.0.1", "not HOST:PORT or unix:PATH"},
      {":", "its port is not a number from 0 to 65535"},
      {"127.0.0.1:", "its port is not a number from 0 to 65535"},
      {"127.0.0.1:x", "its port is not a number from 0 to 65535"},
      {"127.0.0.1:65536", "its port is not a number from 0 to 65535"},
      {"127.0.0.1:-1", "its port is not a number from 0 to 65535"},
      {"127.0.0.1:1 ", "its port is not a number from 0 to 65535"},
      {"127.0.0.1:99999999999", "its port is not a number from 0 to 65535"},
      {"[::1]", "write an IPv6 address in brackets: [::1]:8000"},
      {"[::1:80", "write an IPv6 address in brackets: [::1]:8000"},
      {"::1:80", "write an IPv6 address in brackets: [::1]:8000"},
      {"[]:80", "no IPv6 address in the brackets"},
      {"[x]:80", "no IPv6 address in the brackets"},
      {":80", "0.0.0.0 is every interface"},
      {"*:80", "0.0.0.0 is every interface"},
      {"[:80", "0.0.0.0 is every interface"},
      {"]:80", "0.0.0.0 is every interface"},
      {"unix:", "a socket's path has 1 to 107 bytes"},
  };
  mcpi_address address;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char quoted[40];
    mcp_error err = {0};
    snprintf(quoted, sizeof(quoted), "\"%s\": ", cases[i].text);
    assert_int_equal(mcpi_address_parse(&address, cases[i].text, &err),
                     MCP_ERR_INVALID);
    assert_int_equal(strncmp(err.message, quoted, strlen(quoted)), 0);
    assert_non_null(strstr(err.message, cases[i].why));
  }
}

TEST(paths_have_a_length) {
  char text[5 + 108 + 1] = "unix:";
  mcpi_address address;
  memset(text + 5, 'a', 107);
  expect(text, text);
  assert_string_equal(
      (mcpi_address_parse(&address, text, NULL), mcpi_address_path(&address)),
      text + 5);
  text[5 + 107] = 'a';
  assert_int_equal(mcpi_address_parse(&address, text, NULL), MCP_ERR_INVALID);
}

TEST(mapped_addresses_are_shown_as_they_are) {
  mcpi_address address = {.len = sizeof(struct sockaddr_in6)};
  struct sockaddr_in6 *in = (struct sockaddr_in6 *)&address.storage;
  in->sin6_family = AF_INET6;
  in->sin6_port = htons(7);
  assert_int_equal(inet_pton(AF_INET6, "::ffff:10.1.2.3", &in->sin6_addr), 1);
  char text[MCPI_ADDRESS_TEXT];
  mcpi_address_format(&address, text);
  assert_string_equal(text, "10.1.2.3:7");
}
