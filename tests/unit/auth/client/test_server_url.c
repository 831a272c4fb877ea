/* SPDX-License-Identifier: MIT */
#include "auth/client/server_url.h"

#include "support/cm.h"
#include <mcp/error.h>

TEST(a_url_is_written_as_oauth_names_it) {
  static const char *const cases[][2] = {
      {"https://example.com/mcp", "https://example.com/mcp"},
      {"https://example.com", "https://example.com"},
      {"https://example.com/", "https://example.com"},
      {"https://example.com/mcp/", "https://example.com/mcp/"},
      {"HTTPS://Example.COM/Mcp", "https://example.com/Mcp"},
      {"https://example.com:443/mcp", "https://example.com/mcp"},
      {"https://example.com:/mcp", "https://example.com/mcp"},
      {"https://example.com:80/mcp", "https://example.com:80/mcp"},
      {"http://localhost:80/x", "http://localhost/x"},
      {"http://localhost:443/x", "http://localhost:443/x"},
      {"https://u:p@example.com/mcp?a=b#c", "https://example.com/mcp"},
      {"https://u@v@example.com/mcp", "https://example.com/mcp"},
      {"https://example.com?x", "https://example.com"},
      {"https://[::1]:8080/mcp", "https://[::1]:8080/mcp"},
      {"ws://localhost/mcp", "http://localhost/mcp"},
      {"wss://example.com:443/mcp", "https://example.com/mcp"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mcpi_buf buf;
    mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
    assert_int_equal(mcpi_server_url_put(&buf, mcpi_str_z(cases[i][0])), 0);
    mcpi_buf_putc(&buf, '\0');
    assert_string_equal(buf.data, cases[i][1]);
    mcpi_buf_deinit(&buf);
  }
}

TEST(other_urls_are_refused) {
  static const char *const urls[] = {"",
                                     "x",
                                     "/mcp",
                                     "file:///x",
                                     "unix:/x",
                                     "https:",
                                     "https://",
                                     "https://u@/x",
                                     "https://:1/x",
                                     "https://a b/",
                                     "https://h/\n",
                                     "https://h/\xc3\xa4"};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    mcpi_buf buf;
    mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
    assert_int_equal(mcpi_server_url_put(&buf, mcpi_str_z(urls[i])),
                     MCP_ERR_INVALID);
    assert_int_equal(buf.len, 0);
    mcpi_buf_deinit(&buf);
  }
}
