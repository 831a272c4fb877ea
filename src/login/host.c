/* SPDX-License-Identifier: MIT */
#include "login/host.h"

#include "base/error.h"
#include "login/browser.h"
#include "login/redirect/redirect.h"
#include "platform/uv_loop.h"

mcpi_login_host *mcpi_login_host_new(mcp_loop *loop, mcp_error *err) {
  if (mcpi_uv_of(loop) == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "the loop is not one of mcp_loop_new");
    return NULL;
  }
  mcpi_login_host *host = mcpi_calloc(&loop->allocator, 1, sizeof(*host));
  if (host == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  host->loop = loop;
  mcpi_list_init(&host->redirects);
  mcpi_list_init(&host->browsers);
  return host;
}

static const char *host_open_redirect(void *self, mcp_auth *auth,
                                      uint64_t login, const char *wish,
                                      mcp_error *err) {
  return mcpi_redirect_open(self, auth, login, wish, err);
}

static void host_await_redirect(void *self, uint64_t login) {
  mcpi_redirect_await(self, login);
}

static void host_close_redirect(void *self, uint64_t login,
                                const mcp_error *err) {
  mcpi_redirect_close(self, login, err);
}

static int host_open_browser(void *self, const char *url, mcp_error *err) {
  return mcpi_browser_open(self, url, err);
}

static void host_release(void *self) {
  mcpi_login_host *host = self;
  mcpi_redirect_close_all(host);
  mcpi_browser_forget_all(host);
  mcpi_free(&host->loop->allocator, host, sizeof(*host));
}

const mcpi_auth_host mcpi_login_host_table = {
    .open_redirect = host_open_redirect,
    .await_redirect = host_await_redirect,
    .close_redirect = host_close_redirect,
    .open_browser = host_open_browser,
    .release = host_release};
