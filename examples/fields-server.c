/* SPDX-License-Identifier: MIT */
/* A server whose tools get structures and reply with structures: each is
 * defined once, by a list of its fields (docs/FIELDS.md). */
#include <mcp/mcp.h>
#include <string.h>

#define SEAT(VALUE)                                                            \
  VALUE(SEAT_WINDOW, "window")                                                 \
  VALUE(SEAT_AISLE, "aisle")
MCP_DEFINE_ENUM(seat, SEAT);

#define TRAVELLER(FIELD)                                                       \
  FIELD(STRING, name, "As in the passport", MCP_MAX_LENGTH(60))                \
  FIELD(OPTIONAL_INTEGER, age, "In years", MCP_MINIMUM(0), MCP_MAXIMUM(150))   \
  FIELD(ENUM_OR(seat, SEAT_AISLE), seat, "Where to sit")
MCP_DEFINE_STRUCT(traveller, TRAVELLER);

#define BOOK_ARGS(FIELD)                                                       \
  FIELD(STRING, from, "The station to leave from")                             \
  FIELD(STRING, to, "The station to go to")                                    \
  FIELD(STRUCTS(traveller), travellers, "The travellers", MCP_MIN_ITEMS(1),    \
        MCP_MAX_ITEMS(9))                                                      \
  FIELD(INTEGER_OR(2), travel_class, "1 or 2", MCP_NAME("class"),              \
        MCP_MINIMUM(1), MCP_MAXIMUM(2))                                        \
  FIELD(OPTIONAL_NUMBER, max_price, "In euros, for all", MCP_MINIMUM(0))       \
  FIELD(BOOLEAN_OR(true), refundable, "Whether it can be given back")
MCP_DEFINE_STRUCT(book_args, BOOK_ARGS);

#define TICKET(FIELD)                                                          \
  FIELD(STRING, name, "Whose it is")                                           \
  FIELD(STRING, seat, "Carriage and seat")                                     \
  FIELD(NUMBER, price, "In euros")
MCP_DEFINE_STRUCT(ticket, TICKET);

#define BOOK_RESULT(FIELD)                                                     \
  FIELD(STRUCTS(ticket), tickets, "One for each traveller")                    \
  FIELD(NUMBER, total, "In euros")
MCP_DEFINE_STRUCT(book_result, BOOK_RESULT);

static struct ticket make_ticket(const struct book_args *args,
                                 const struct traveller *traveller) {
  double price = args->travel_class == 1 ? 80 : 50;
  if (traveller->has_age && traveller->age < 15) {
    price /= 2;
  }
  return (struct ticket){.name = traveller->name,
                         .seat = traveller->seat == SEAT_WINDOW ? "7, 11A"
                                                                : "7, 11C",
                         .price = args->refundable ? price + 5 : price};
}

static int on_book(mcp_call *call, const struct book_args *args,
                   void *userdata) {
  struct ticket tickets[9];
  struct book_result result = {.tickets = tickets,
                               .tickets_count = args->travellers_count};
  (void)userdata;
  if (strcmp(args->from, args->to) == 0) {
    return mcp_call_reply_failure(call, "%s is where you are", args->to);
  }
  for (size_t i = 0; i < args->travellers_count; i++) {
    tickets[i] = make_ticket(args, &args->travellers[i]);
    result.total += tickets[i].price;
  }
  if (args->has_max_price && result.total > args->max_price) {
    return mcp_call_reply_failure(call, "the price is %g", result.total);
  }
  return book_result_reply(call, &result);
}
MCP_STRUCT_HANDLER(on_book, book_args);

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("railway", "1.0.0", NULL, NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "book",
                                  .description = "Books a journey by train",
                                  .input = book_args_schema(),
                                  .output = book_result_schema(),
                                  .handler = on_book_handler},
                      NULL);
  return mcp_main(server, argc, argv);
}
