/* SPDX-License-Identifier: MIT */
#include "auth/client/servers.h"

#include "support/auth_doubles.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include <stdio.h>
#include <string.h>

static auth_rig rig;

static int set_up(void **state) {
  int rc = auth_rig_init(&rig, NULL);
  return rc == 0 ? auth_rig_open(&rig) : rc;
}

static int tear_down(void **state) {
  auth_rig_deinit(&rig);
  return 0;
}

TEST_WITH(urls_of_one_server_lead_to_it, set_up, tear_down) {
  static const char *const urls[] = {"https://Example.com/mcp",
                                     "https://u:p@example.com:443/mcp?x#y",
                                     "wss://example.com/mcp"};
  mcpi_auth_server *server = mcpi_auth_server_ref(rig.auth, RIG_URL, NULL);
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    mcpi_auth_server *same = mcpi_auth_server_ref(rig.auth, urls[i], NULL);
    assert_ptr_equal(same, server);
    mcpi_auth_server_unref(same);
  }
  mcpi_auth_server *other = mcpi_auth_server_ref(rig.auth, RIG_URL "/x", NULL);
  assert_ptr_not_equal(other, server);
  mcpi_auth_server_unref(other);
  mcpi_auth_server_unref(server);
  mcpi_auth_server_unref(NULL);
}

TEST_WITH(an_error_does_not_show_a_password, set_up, tear_down) {
  mcp_error err;
  assert_null(mcpi_auth_server_ref(rig.auth, "ftp://u:hush@h/", &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_null(strstr(err.message, "hush"));
}

TEST_WITH(a_url_has_a_limit, set_up, tear_down) {
  static char url[2100] = "https://example.com/";
  mcp_error err;
  memset(url + 20, 'x', 2048 - 20);
  mcpi_auth_server *server = mcpi_auth_server_ref(rig.auth, url, &err);
  assert_non_null(server);
  assert_int_equal(server->unsafe.code, 0);
  mcpi_auth_server_unref(server);
  memset(url + 20, 'x', 2049 - 20);
  server = mcpi_auth_server_ref(rig.auth, url, &err);
  assert_true(server == NULL || server->unsafe.code != 0);
  mcpi_auth_server_unref(server);
  memset(url + 20, 'x', 2060 - 20);
  assert_null(mcpi_auth_server_ref(rig.auth, url, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
}

TEST_WITH(servers_that_nobody_uses_make_room, set_up, tear_down) {
  mcpi_auth_server *used = mcpi_auth_server_ref(rig.auth, RIG_URL, NULL);
  for (int i = 0; i < 200; i++) {
    char url[64];
    snprintf(url, sizeof(url), "https://h%d.example", i);
    mcpi_auth_server_unref(mcpi_auth_server_ref(rig.auth, url, NULL));
  }
  assert_int_equal(rig.auth->servers.count, MCPI_SERVERS_KEPT);
  mcpi_auth_server *same = mcpi_auth_server_ref(rig.auth, RIG_URL, NULL);
  assert_ptr_equal(same, used);
  mcpi_auth_server_unref(same);
  mcpi_auth_server_unref(used);
}

TEST_WITH(a_reference_outlives_the_mcp_auth, set_up, tear_down) {
  mcp_error err;
  mcpi_auth_server *server = mcpi_auth_server_ref(rig.auth, RIG_URL, NULL);
  mcp_auth *auth = rig.auth;
  mcp_auth_free(auth);
  rig.auth = NULL;
  mcp_auth_free(auth); /* a server still holds its memory */
  assert_int_equal(rig.host_releases, 1);
  assert_null(mcpi_auth_server_ref(auth, RIG_URL, &err));
  assert_int_equal(err.code, MCP_ERR_CLOSED);
  mcpi_auth_server_generation(server);
  mcpi_auth_server_unref(server);
}

TEST_WITH(an_mcp_auth_knows_its_loop, set_up, tear_down) {
  mcp_error err;
  assert_ptr_equal(mcpi_auth_loop(rig.auth), rig.loop);
  assert_null(mcpi_auth_new(NULL, NULL, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  mcp_auth_free(NULL);
}
