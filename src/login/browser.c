/* SPDX-License-Identifier: MIT */
#include "login/browser.h"

#include "base/error.h"
#include "platform/uv_loop.h"

#if defined(_WIN32)
#define OPENER "rundll32"
#define OPENER_FIRST "url.dll,FileProtocolHandler"
#elif defined(__APPLE__)
#define OPENER "open"
#define OPENER_FIRST NULL
#else
#define OPENER "xdg-open"
#define OPENER_FIRST NULL
#endif

/* The program that opens one page. The host's list holds it until the program
 * has exited or is forgotten; libuv holds it until its handle is closed. */
typedef struct browser {
  mcpi_list link;
  mcpi_uv *uv;
  uv_process_t process;
} browser;

static void browser_on_close(uv_handle_t *handle) {
  browser *self = handle->data;
  mcpi_uv *uv = self->uv;
  mcpi_free(&uv->allocator, self, sizeof(*self));
  mcpi_uv_drop(uv);
}

static void browser_close(browser *self) {
  mcpi_list_remove(&self->link);
  uv_close((uv_handle_t *)&self->process, browser_on_close);
}

static void browser_on_exit(uv_process_t *process, int64_t status, int signal) {
  (void)status;
  (void)signal;
  browser_close(process->data);
}

/* The program gets its own session: an interrupt at our terminal must not end
 * the user's browser. It must not write to our standard output either. */
static int browser_spawn(browser *self, const char *url) {
  char opener[] = OPENER;
  const char *first = OPENER_FIRST;
  char *page = (char *)(uintptr_t)url;
  char *alone[] = {opener, page, NULL};
  char *second[] = {opener, (char *)(uintptr_t)first, page, NULL};
  char **args = first != NULL ? second : alone;
  uv_stdio_container_t stdio[3] = {
      {.flags = UV_IGNORE}, {.flags = UV_IGNORE}, {.flags = UV_IGNORE}};
  uv_process_options_t options = {.exit_cb = browser_on_exit,
                                  .file = opener,
                                  .args = args,
                                  .flags = UV_PROCESS_DETACHED,
                                  .stdio_count = 3,
                                  .stdio = stdio};
  return uv_spawn(self->uv->uv, &self->process, &options);
}

static int is_web_page(const char *url) {
  return strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
}

/* libuv needs the handle closed after a failed start too. */
int mcpi_browser_open(mcpi_login_host *host, const char *url, mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(host->loop);
  if (!is_web_page(url)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "a browser only opens http:// and https://");
  }
  browser *self = mcpi_calloc(&uv->allocator, 1, sizeof(*self));
  if (self == NULL) {
    return mcpi_no_memory(err);
  }
  self->uv = uv;
  self->process.data = self;
  mcpi_uv_hold(uv);
  mcpi_list_init(&self->link);
  mcpi_list_append(&host->browsers, &self->link);
  int rc = browser_spawn(self, url);
  if (rc != 0) {
    browser_close(self);
    return mcp_error_set(err, MCP_ERR_IO,
                         "cannot open a browser: cannot start " OPENER
                         ": %s; install it, or show the page yourself "
                         "(mcp_auth_options.open_browser)",
                         uv_strerror(rc));
  }
  uv_unref((uv_handle_t *)&self->process);
  return 0;
}

void mcpi_browser_forget_all(mcpi_login_host *host) {
  while (!mcpi_list_is_empty(&host->browsers)) {
    browser_close(MCPI_CONTAINER(host->browsers.next, browser, link));
  }
}
