/* SPDX-License-Identifier: MIT */
/* Calls the tools of servers by what mcpctl generate c has written. It is C11
 * and, as caller.cpp, C++17.
 *
 * usage: caller calculator|railway|odd COMMAND [ARGUMENT]... */
#include "calculator.h"
#include "odd.h"
#include "railway.h"

#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mcp_error err;

static void check(int is_true, int line) {
  if (!is_true) {
    fprintf(stderr, "line %d: %s\n", line, err.message);
    exit(1);
  }
}
#define CHECK(condition) check((condition), __LINE__)

/* ---- the calculator ---------------------------------------------------- */

static void call_calculator(mcp_client *client) {
  struct calculator_add_args args = {2, 3};
  mcp_result *result = NULL;
  CHECK(calculator_add(client, &args, &result, &err) == 0);
  printf("%s\n", mcp_result_text(result));
  mcp_result_unref(result);
  CHECK(calculator_add(client, &args, NULL, &err) == 0);
  CHECK(calculator_add(client, NULL, &result, &err) == MCP_ERR_REMOTE);
  printf("%s\n", err.message);
}

/* ---- the railway ------------------------------------------------------- */

typedef struct railway_book_args book_args;
typedef struct railway_book_args_travellers traveller;
typedef struct railway_book_result book_result;

static void print_tickets(book_result *result) {
  for (size_t i = 0; i < result->tickets_count; i++) {
    printf("%s %s %g\n", result->tickets[i].name, result->tickets[i].seat,
           result->tickets[i].price);
  }
  printf("%g\n", result->total);
  mcp_struct_free(result);
}

static void on_booked(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata) {
  book_result *result = NULL;
  (void)client;
  *(int *)userdata = 1;
  CHECK(outcome->status == 0);
  CHECK(railway_book_read(outcome->result, &result, &err) == 0);
  print_tickets(result);
}

static void call_railway(mcp_client *client, mcp_loop *loop) {
  traveller travellers[2];
  book_args args;
  book_result *result = NULL;
  int is_done = 0;
  memset(travellers, 0, sizeof(travellers));
  memset(&args, 0, sizeof(args));
  travellers[0].name = "Ann";
  travellers[1].name = "Bob";
  travellers[1].age = 9;
  travellers[1].has_age = true;
  travellers[1].seat = RAILWAY_BOOK_ARGS_TRAVELLERS_SEAT_WINDOW;
  travellers[1].has_seat = true;
  args.from = "Oslo";
  args.to = "Bergen";
  args.travellers = travellers;
  args.travellers_count = 2;
  args.class_ = 1;
  args.has_class_ = true;

  CHECK(railway_book(client, &args, &result, &err) == 0);
  print_tickets(result);
  args.refundable = false;
  args.has_refundable = true;
  CHECK(railway_book_start(client, &args, NULL, on_booked, &is_done, &err) ==
        0);
  while (!is_done) {
    mcp_loop_wait(loop, -1);
  }

  result = NULL;
  args.to = "Oslo";
  CHECK(railway_book(client, &args, &result, &err) == MCP_ERR_REMOTE);
  printf("%s\n", err.message);
  args.to = NULL;
  CHECK(railway_book(client, &args, &result, &err) == MCP_ERR_INVALID);
  printf("%s\n", err.message);
  CHECK(result == NULL);
}

/* ---- the odd server ---------------------------------------------------- */

typedef struct odd_server_get_user_by_id_args user_args;
typedef struct odd_server_get_user_by_id_result user_result;

static void print_text(mcp_result *result) {
  printf("%s\n", mcp_result_text(result));
  mcp_result_unref(result);
}

static void call_odd_names(mcp_client *client) {
  static const double counts[] = {0.5};
  struct odd_server_add_args args;
  mcp_result *result = NULL;
  memset(&args, 0, sizeof(args));
  args.n = 1;
  args.class_ = "c";
  args.a_b = "x";
  args.a_b_2 = "y";
  args.n_count = counts;
  args.n_count_count = 1;
  CHECK(odd_server_add(client, &args, &result, &err) == 0);
  print_text(result);
  CHECK(odd_server_add_start_2(client, &result, &err) == 0);
  print_text(result);
  CHECK(odd_server_add_args_2(client, "{\"a\":1}", &result, &err) == 0);
  print_text(result);
  CHECK(odd_server_tool(client, &result, &err) == 0);
  print_text(result);
  CHECK(odd_server_tool_2(client, NULL, &result, &err) == 0);
  print_text(result);
}

static void call_odd_user(mcp_client *client) {
  static const enum odd_server_get_user_by_id_args_sizes sizes[] = {
      ODD_SERVER_GET_USER_BY_ID_ARGS_SIZES_M,
      ODD_SERVER_GET_USER_BY_ID_ARGS_SIZES_S};
  user_args args;
  user_result *result = NULL;
  memset(&args, 0, sizeof(args));
  args.mode = ODD_SERVER_GET_USER_BY_ID_ARGS_MODE_A_B;
  args.has_mode = true;
  args.p.x = 1.5;
  args.sizes = sizes;
  args.sizes_count = 2;
  args.either = "1";
  CHECK(odd_server_get_user_by_id(client, &args, &result, &err) == 0);
  CHECK(result->ok && !result->has_at);
  mcp_struct_free(result);

  memset(&args, 0, sizeof(args));
  args.maybe = "m";
  args.num = 3;
  args.has_num = true;
  args.tree.name = "t";
  args.has_tree = true;
  CHECK(odd_server_get_user_by_id(client, &args, &result, &err) == 0);
  CHECK(!result->ok && result->has_at && result->at.has_x && result->at.x == 2);
  mcp_struct_free(result);

  memset(&args, 0, sizeof(args));
  CHECK(odd_server_get_user_by_id(client, &args, &result, &err) ==
        MCP_ERR_REMOTE);
  printf("%s\n", err.message);
}

/* A program that offers the tool again states what the server does. */
static void print_odd_limits(void) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  CHECK(mcp_schema_build(odd_server_limits_args_schema(), NULL, out, &err) ==
        0);
  printf("%s\n", mcp_builder_text(out, NULL));
  mcp_builder_free(out);
}

/* ---- the program ------------------------------------------------------- */

int main(int argc, char **argv) {
  if (argc < 3) {
    return 2;
  }
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_client *client = mcp_client_new(loop, "caller", "1.0.0", NULL, NULL);
  CHECK(mcp_sync_connect_command(client, (const char *const *)argv + 2, &err) ==
        0);
  if (strcmp(argv[1], "calculator") == 0) {
    call_calculator(client);
  } else if (strcmp(argv[1], "railway") == 0) {
    call_railway(client, loop);
  } else {
    call_odd_names(client);
    call_odd_user(client);
    print_odd_limits();
  }
  mcp_sync_close(client);
  mcp_client_free(client);
  mcp_loop_free(loop);
  return 0;
}
