/* SPDX-License-Identifier: MIT */
#include "auth/client/waiting.h"

void mcpi_waiting_init(mcpi_waiting *waiting) {
  mcpi_list_init(&waiting->waiting);
  mcpi_list_init(&waiting->ready);
  waiting->current = NULL;
}

int mcpi_waiting_is_behind(const mcpi_waiting *waiting,
                           const mcpi_auth_request *request) {
  return !mcpi_list_is_empty(&waiting->ready) && waiting->current != request;
}

void mcpi_waiting_add(mcpi_waiting *waiting, mcpi_auth_request *request) {
  mcpi_list_append(&waiting->waiting, &request->link);
}

void mcpi_waiting_add_ready(mcpi_waiting *waiting, mcpi_auth_request *request) {
  mcpi_list_append(&waiting->ready, &request->link);
}

static mcpi_auth_request *take_first(mcpi_list *list) {
  mcpi_auth_request *request =
      MCPI_CONTAINER(list->next, mcpi_auth_request, link);
  mcpi_list_remove(&request->link);
  return request;
}

/* A call inside on_ready leaves the requests to the outer call. */
void mcpi_waiting_wake(mcpi_waiting *waiting) {
  int is_inner = waiting->current != NULL;
  mcpi_list_move(&waiting->ready, &waiting->waiting);
  while (!is_inner && !mcpi_list_is_empty(&waiting->ready)) {
    mcpi_auth_request *request = take_first(&waiting->ready);
    waiting->current = request;
    request->on_ready(request, NULL);
    waiting->current = NULL;
  }
}

static void fail_list(mcpi_list *list, const mcp_error *err) {
  mcp_error copy = *err;
  mcpi_list failed;
  mcpi_list_init(&failed);
  mcpi_list_move(&failed, list);
  while (!mcpi_list_is_empty(&failed)) {
    mcpi_auth_request *request = take_first(&failed);
    request->is_again = 0; /* the refusal has been dealt with */
    request->on_ready(request, &copy);
  }
}

void mcpi_waiting_fail(mcpi_waiting *waiting, const mcp_error *err) {
  fail_list(&waiting->waiting, err);
}

void mcpi_waiting_fail_all(mcpi_waiting *waiting, const mcp_error *err) {
  mcpi_list_move(&waiting->ready, &waiting->waiting);
  fail_list(&waiting->ready, err);
}
