/* SPDX-License-Identifier: MIT */
/* Measures the library alone, in one process and without system calls: what a
 * call costs in time and in allocations, with few tools and with many. The
 * floor is parsing the same request with yyjson and copying a canned reply. */
#include "in_process.h"

#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

enum { CALLS = 200000, ROUNDS = 5 };

static const char modern[] =
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3},\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
static const char legacy[] =
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3}}}";
static const char frame[] =
    "{\"id\":7,\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3}}";
static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"bench\",\"version\":\"1\"}}}";

/* ---- an allocator that counts ------------------------------------------ */

static unsigned long allocations;

static void *count_alloc(void *userdata, size_t size) {
  (void)userdata;
  allocations++;
  return malloc(size);
}

static void *count_resize(void *userdata, void *ptr, size_t old_size,
                          size_t size) {
  (void)userdata;
  (void)old_size;
  allocations++;
  return realloc(ptr, size);
}

static void count_release(void *userdata, void *ptr, size_t size) {
  (void)userdata;
  (void)size;
  free(ptr);
}

static const mcp_allocator counting = {count_alloc, count_resize, count_release,
                                       NULL};

/* ---- figures ----------------------------------------------------------- */

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The least work that any server must do with the bytes. */
static double measure_floor(const char *request, size_t len) {
  static char canned[4096];
  double best = 1e18;
  for (int round = 0; round < ROUNDS; round++) {
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) {
      yyjson_doc *doc = yyjson_read(request, len, YYJSON_READ_BIGNUM_AS_RAW);
      yyjson_val *root = yyjson_doc_get_root(doc);
      yyjson_val *params = yyjson_obj_get(root, "params");
      params = params != NULL ? params : root; /* a frame of mcp-core */
      if (yyjson_obj_get(params, "name") != NULL) {
        memcpy(canned, reply, reply_len);
      }
      yyjson_doc_free(doc);
    }
    double ns = (now_ns() - begin) / CALLS;
    best = ns < best ? ns : best;
  }
  return best;
}

static void add_tools(mcp_server *server, int count) {
  char name[32] = "add";
  for (int i = 0; i < count; i++) {
    mcp_server_add_tool(
        server,
        &(mcp_tool){.size = sizeof(mcp_tool),
                    .name = name,
                    .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                                        MCP_NUMBER("b", "second")),
                    .handler = on_add},
        NULL);
    snprintf(name, sizeof name, "tool_%d", i);
  }
}

static void measure(const char *what, const char *request, size_t len,
                    int tool_count) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, &counting, NULL);
  mcp_server *server =
      mcp_server_new("bench", "1",
                     &(mcp_server_options){.size = sizeof(mcp_server_options),
                                           .allocator = &counting},
                     NULL);
  add_tools(server, tool_count);
  mcp_transport wire = WIRE_INIT;
  uint32_t dialect = request == frame ? MCP_DIALECT_MCP_CORE : MCP_DIALECT_MCP;
  mcp_server_connect(server, loop,
                     mcp_transport_dialect(loop, &wire, dialect, 1, NULL), NULL,
                     NULL, NULL);
  if (request == legacy) {
    wire.on_message(&wire, initialize, sizeof initialize - 1);
  }
  for (int i = 0; i < 1000; i++) {
    wire.on_message(&wire, request, len);
  }
  unsigned long before = allocations;
  double best = 1e18;
  for (int round = 0; round < ROUNDS; round++) {
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) {
      wire.on_message(&wire, request, len);
    }
    double ns = (now_ns() - begin) / CALLS;
    best = ns < best ? ns : best;
  }
  double floor_ns = measure_floor(request, len);
  printf("%-28s %8.0f %9.0f %8.2f %12.3f\n", what, best, floor_ns,
         best / floor_ns,
         (double)(allocations - before) / ((double)CALLS * ROUNDS));
  mcp_server_free(server);
  mcp_loop_free(loop);
}

int main(void) {
  printf("%-28s %8s %9s %8s %12s\n", "one call, no system calls", "ns",
         "floor ns", "x floor", "allocations");
  measure("modern, 10 tools", modern, sizeof modern - 1, 10);
  measure("modern, 10,000 tools", modern, sizeof modern - 1, 10000);
  measure("legacy, 10 tools", legacy, sizeof legacy - 1, 10);
  measure("legacy, 10,000 tools", legacy, sizeof legacy - 1, 10000);
  measure("mcp-core, 10 tools", frame, sizeof frame - 1, 10);
  return 0;
}
