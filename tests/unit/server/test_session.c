/* SPDX-License-Identifier: MIT */
/* What a session has to do with its transport and the program's data. All else
 * about sessions is in tests/wire/server/session.txt. */
#include "support/server_bench.h"
#include <string.h>

#define INITIALIZE                                                             \
  "{$J,'id':1,'method':'initialize','params':{'protocolVersion':'2025-06-18'," \
  "'capabilities':{},'clientInfo':{'name':'c','version':'2'}}}"

/* What the callbacks of one test noted. */
static char seen[200];

static void see(const char *what) {
  strncat(seen, what, sizeof(seen) - strlen(seen) - 1);
  strncat(seen, " ", sizeof(seen) - strlen(seen) - 1);
}

static void note_version(mcp_transport *transport, const char *version) {
  see(version);
}

BENCH_TEST(the_transport_is_told_the_revision) {
  server_bench *b = *state;
  seen[0] = '\0';
  b->wire.server_end->set_protocol_version = note_version;
  wire_send(&b->wire, INITIALIZE);
  rig_turn(&b->rig);
  assert_string_equal(seen, "2025-06-18 ");
}

static const char *transport_id(mcp_transport *transport) {
  return "s7";
}

static void see_id(mcp_server *server, mcp_session *session, void *userdata) {
  const char *id = mcp_session_id(session);
  see(id != NULL ? id : "none");
}

BENCH_TEST(a_session_has_the_id_of_its_transport) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .on_session_opened = see_id,
                                      .on_session_closed = see_id};
  server_bench *b = *state;
  seen[0] = '\0';
  server_bench_restart(b, &options);
  wire_send(&b->wire, INITIALIZE);
  wire_send(&b->wire, INITIALIZED);
  rig_turn(&b->rig);
  assert_string_equal(seen, "none ");
  b->wire.server_end->session_id = transport_id;
  mcp_connection_close(b->wire.connection, 0);
  rig_turn(&b->rig);
  assert_string_equal(seen, "none s7 ");
  assert_null(mcp_session_id(NULL));
}

static void on_opened(mcp_server *server, mcp_session *session,
                      void *userdata) {
  assert_ptr_equal(mcp_server_userdata(server), userdata);
  see(mcp_json_string(mcp_json_get(mcp_session_client_info(session), "name")));
  mcp_session_set_userdata(session, seen);
}

static void on_closed(mcp_server *server, mcp_session *session,
                      void *userdata) {
  assert_ptr_equal(mcp_session_userdata(session), seen);
  assert_int_equal(mcp_json_type(mcp_session_client_capabilities(session)),
                   MCP_JSON_OBJECT);
  see("closed");
}

BENCH_TEST(a_session_holds_the_programs_data) {
  server_bench *b = *state;
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .userdata = seen,
                                      .on_session_opened = on_opened,
                                      .on_session_closed = on_closed};
  seen[0] = '\0';
  server_bench_restart(b, &options);
  wire_send(&b->wire, INITIALIZE);
  wire_send(&b->wire, INITIALIZED);
  rig_turn(&b->rig);
  mcp_connection_close(b->wire.connection, 0);
  rig_turn(&b->rig);
  assert_string_equal(seen, "c closed ");
}

BENCH_TEST(a_server_says_all_of_itself) {
  const mcp_icon icon = {.src = "https://example.com/i.png"};
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .title = "Test",
                                      .description = "For tests",
                                      .website_url = "https://example.com/",
                                      .icons = &icon,
                                      .icon_count = 1,
                                      .instructions = "Be brief"};
  server_bench *b = *state;
  server_bench_restart(b, &options);
  exchange(&b->wire,
           "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"
           "'2025-11-25','capabilities':{},'clientInfo':{}}}",
           "{$J,'id':1,'result':{'protocolVersion':'2025-11-25',"
           "'capabilities':{},'serverInfo':{'name':'test','version':'1',"
           "'title':'Test','description':'For tests','websiteUrl':"
           "'https://example.com/','icons':[{'src':"
           "'https://example.com/i.png'}]},'instructions':'Be brief'}}");
}
