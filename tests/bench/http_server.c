/* SPDX-License-Identifier: MIT */
/* A server to be measured over HTTP: a hundred tools, of which `add` adds two
 * numbers, `large` gives 4 MB, and `work` keeps a processor busy for a while,
 * as a program's own tools do. Its handlers may run on several threads. */
#include <mcp/mcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOOLS = 100, LARGE = 4 * 1024 * 1024, WORK_NS = 100000 };

static char large[LARGE + 1];

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

static void make_large(void) {
  memset(large, 'x', LARGE);
}

/* Made by the first call that needs it: a server without it must look small. */
static int on_large(mcp_call *call, void *userdata) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)userdata;
  pthread_once(&once, make_large);
  return mcp_call_reply_text(call, large);
}

/* By the thread's own clock, so that it is the same work on a busy machine. */
static long cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static int on_work(mcp_call *call, void *userdata) {
  long end = cpu_ns() + WORK_NS;
  (void)userdata;
  while (cpu_ns() < end) {
  }
  return mcp_call_reply_text(call, "done");
}

static void add_tool(mcp_server *server, const char *name,
                     mcp_call_cb handler) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = name,
                  .description = "Adds two numbers, or does not",
                  .input = MCP_OBJECT(MCP_NUMBER("a", "first", .optional = 1),
                                      MCP_NUMBER("b", "second", .optional = 1)),
                  .handler = handler},
      NULL);
}

int main(int argc, char **argv) {
  char name[32];
  mcp_server *server = mcp_server_new("bench", "1", NULL, NULL);
  add_tool(server, "add", on_add);
  add_tool(server, "large", on_large);
  add_tool(server, "work", on_work);
  for (int i = 3; i < TOOLS; i++) {
    snprintf(name, sizeof(name), "tool_%d", i);
    add_tool(server, name, on_add);
  }
  return mcp_main(server, argc, argv);
}
