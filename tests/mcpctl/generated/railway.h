/* The tools of the server railway, version 1.0.0.
 *
 * mcpctl generate c has written this file: do not edit it. It is C11 and
 * C++17, and needs libmcp. Each tool has a function that calls it and waits
 * (mcp/sync.h), and one with _start that calls on_done (mcp/client.h). These
 * headers say what the functions return. The functions borrow their
 * arguments until they return. */
/* clang-format off */
#ifndef RAILWAY_TOOLS_H
#define RAILWAY_TOOLS_H

#include <mcp/fields.h>
#include <mcp/sync.h>

enum railway_book_args_travellers_seat {
  RAILWAY_BOOK_ARGS_TRAVELLERS_SEAT_WINDOW,
  RAILWAY_BOOK_ARGS_TRAVELLERS_SEAT_AISLE
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(RAILWAY_BOOK_ARGS_TRAVELLERS_SEAT_WINDOW, "window") \
  MCP_EACH_(RAILWAY_BOOK_ARGS_TRAVELLERS_SEAT_AISLE, "aisle")
MCP_DESCRIBE_ENUM(railway_book_args_travellers_seat, MCP_LIST_);
#undef MCP_LIST_

struct railway_book_args_travellers {
  /* As in the passport. */
  const char *name;
  /* In years. It is absent unless has_age is true. At least: 0. At most:
   * 150. */
  int64_t age;
  bool has_age;
  /* Where to sit. It is absent unless has_seat is true. Default: "aisle". */
  enum railway_book_args_travellers_seat seat;
  bool has_seat;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(STRING, name, "As in the passport", MCP_MAX_LENGTH(60)) \
  MCP_EACH_(OPTIONAL_INTEGER, age, "In years", MCP_MINIMUM(0), MCP_MAXIMUM(150)) \
  MCP_EACH_(OPTIONAL_ENUM(railway_book_args_travellers_seat), seat, "Where to sit")
MCP_DESCRIBE_STRUCT(railway_book_args_travellers, MCP_LIST_);
#undef MCP_LIST_

struct railway_book_args {
  /* The station to leave from. */
  const char *from;
  /* The station to go to. */
  const char *to;
  /* The travellers. */
  const struct railway_book_args_travellers *travellers;
  size_t travellers_count;
  /* 1 or 2. It is absent unless has_class_ is true. Default: 2. At least: 1.
   * At most: 2. */
  int64_t class_;
  bool has_class_;
  /* In euros, for all. It is absent unless has_max_price is true. At least:
   * 0. */
  double max_price;
  bool has_max_price;
  /* Whether it can be given back. It is absent unless has_refundable is
   * true. Default: true. */
  bool refundable;
  bool has_refundable;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(STRING, from, "The station to leave from") \
  MCP_EACH_(STRING, to, "The station to go to") \
  MCP_EACH_(STRUCTS(railway_book_args_travellers), travellers, "The travellers", MCP_MIN_ITEMS(1), MCP_MAX_ITEMS(9)) \
  MCP_EACH_(OPTIONAL_INTEGER, class_, "1 or 2", MCP_NAME("class"), MCP_MINIMUM(1), MCP_MAXIMUM(2)) \
  MCP_EACH_(OPTIONAL_NUMBER, max_price, "In euros, for all", MCP_MINIMUM(0)) \
  MCP_EACH_(OPTIONAL_BOOLEAN, refundable, "Whether it can be given back")
MCP_DESCRIBE_STRUCT(railway_book_args, MCP_LIST_);
#undef MCP_LIST_

struct railway_book_result_tickets {
  /* Whose it is. */
  const char *name;
  /* Carriage and seat. */
  const char *seat;
  /* In euros. */
  double price;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(STRING, name, "Whose it is") \
  MCP_EACH_(STRING, seat, "Carriage and seat") \
  MCP_EACH_(NUMBER, price, "In euros")
MCP_DESCRIBE_STRUCT(railway_book_result_tickets, MCP_LIST_);
#undef MCP_LIST_

struct railway_book_result {
  /* One for each traveller. */
  const struct railway_book_result_tickets *tickets;
  size_t tickets_count;
  /* In euros. */
  double total;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(STRUCTS(railway_book_result_tickets), tickets, "One for each traveller") \
  MCP_EACH_(NUMBER, total, "In euros")
MCP_DESCRIBE_STRUCT(railway_book_result, MCP_LIST_);
#undef MCP_LIST_

/* Makes the structure of a result, as in the on_done of the function that
 * starts the call. Free it with mcp_struct_free. */
MCP_UNUSED_ static inline int railway_book_read(
    const mcp_result *answer,
    struct railway_book_result **result, mcp_error *err) {
  void *made = NULL;
  int rc = mcp_result_get_struct(
      answer, railway_book_result_type(), &made, err);
  if (rc == 0) {
    *result = (struct railway_book_result *)made;
  }
  return rc;
}

/* Calls the tool book. Books a journey by train.
 *
 * result: owned, free it with mcp_struct_free; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int railway_book(
    mcp_client *client,
    const struct railway_book_args *args,
    struct railway_book_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_struct(
      client, "book",
      railway_book_args_type(), args, NULL, &answer, err);
  if (rc == 0 && result != NULL) {
    rc = railway_book_read(answer, result, err);
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int railway_book_start(
    mcp_client *client,
    const struct railway_book_args *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_struct(
      client, "book",
      railway_book_args_type(), args, options, on_done,
      userdata, err);
}

#endif
