/* SPDX-License-Identifier: MIT */
/* The deadlines of all connections of a loop, with one timer of libuv's. */
#include "http1/conn.h"

static uint64_t clock_ms(const mcpi_http1 *http1, mcpi_http1_clock clock) {
  switch (clock) {
  case MCPI_HTTP1_IDLE_CLOCK:
    return http1->limits.idle_ms;
  case MCPI_HTTP1_HEAD_CLOCK:
    return http1->limits.head_ms;
  case MCPI_HTTP1_BODY_CLOCK:
    return http1->limits.body_ms;
  case MCPI_HTTP1_LINGER_CLOCK:
    return MCPI_HTTP1_LINGER_MS;
  case MCPI_HTTP1_WRITE_CLOCK:
    return http1->limits.write_ms;
  default:
    return 0;
  }
}

static mcpi_http1_alarm *clock_first_of(const mcpi_http1 *http1, int clock) {
  const mcpi_list *list = &http1->clocks[clock];
  return mcpi_list_is_empty(list)
             ? NULL
             : MCPI_CONTAINER(list->next, mcpi_http1_alarm, link);
}

static void clock_on_timer(uv_timer_t *timer);

static void run_timer_until(mcpi_http1 *http1, uint64_t due_ms) {
  uint64_t now_ms = uv_now(http1->uv->uv);
  http1->timer_due_ms = due_ms;
  uv_timer_start(&http1->timer, clock_on_timer,
                 due_ms > now_ms ? due_ms - now_ms : 0, 0);
}

/* The timer may run for an alarm that was stopped: then it fires once for
 * nothing. Stopping it each time would cost more. */
void mcpi_http1_start(mcpi_http1 *http1, mcpi_http1_alarm *alarm,
                      mcpi_http1_clock clock) {
  alarm->due_ms = uv_now(http1->uv->uv) + clock_ms(http1, clock);
  mcpi_list_remove(&alarm->link);
  mcpi_list_append(&http1->clocks[clock], &alarm->link);
  if (alarm->due_ms < http1->timer_due_ms) {
    run_timer_until(http1, alarm->due_ms);
  }
}

static void rearm(mcpi_http1 *http1) {
  uint64_t due_ms = UINT64_MAX;
  for (int clock = 0; clock < MCPI_HTTP1_CLOCKS; clock++) {
    const mcpi_http1_alarm *first = clock_first_of(http1, clock);
    if (first != NULL && first->due_ms < due_ms) {
      due_ms = first->due_ms;
    }
  }
  if (due_ms != UINT64_MAX) {
    run_timer_until(http1, due_ms);
  }
}

/* --- what happens then --------------------------------------------------- */

/* Returns the first alarm that has expired, and removes it from its list; NULL:
 * none has. */
static mcpi_http1_alarm *take_due(mcpi_http1 *http1, mcpi_http1_clock *clock) {
  uint64_t now_ms = uv_now(http1->uv->uv);
  for (int i = 0; i < MCPI_HTTP1_CLOCKS; i++) {
    mcpi_http1_alarm *first = clock_first_of(http1, i);
    if (first != NULL && first->due_ms <= now_ms) {
      mcpi_list_remove(&first->link);
      *clock = (mcpi_http1_clock)i;
      return first;
    }
  }
  return NULL;
}

static mcpi_http1_conn *conn_of_phase(mcpi_http1_alarm *alarm) {
  return MCPI_CONTAINER(alarm, mcpi_http1_conn, phase_alarm);
}

static void run_out(mcpi_http1_alarm *alarm, mcpi_http1_clock clock) {
  switch (clock) {
  case MCPI_HTTP1_KICK:
    mcpi_http1_go_on(MCPI_CONTAINER(alarm, mcpi_http1_conn, kick_alarm));
    break;
  case MCPI_HTTP1_HEAD_CLOCK:
    mcpi_http1_refuse(conn_of_phase(alarm), 408,
                      "The head of the request did not come in time.");
    break;
  case MCPI_HTTP1_BODY_CLOCK:
    mcpi_http1_refuse(conn_of_phase(alarm), 408,
                      "The body of the request did not come in time.");
    break;
  case MCPI_HTTP1_WRITE_CLOCK:
    mcpi_http1_lose(MCPI_CONTAINER(alarm, mcpi_http1_conn, write_alarm));
    break;
  case MCPI_HTTP1_IDLE_CLOCK:
    mcpi_http1_close_idle(conn_of_phase(alarm));
    break;
  default:
    mcpi_http1_close(conn_of_phase(alarm));
  }
}

static void clock_on_timer(uv_timer_t *timer) {
  mcpi_http1 *http1 = timer->data;
  mcpi_uv *uv = http1->uv;
  mcpi_http1_alarm *alarm;
  mcpi_http1_clock clock;
  mcpi_uv_enter(uv);
  http1->timer_due_ms = UINT64_MAX;
  while ((alarm = take_due(http1, &clock)) != NULL) {
    run_out(alarm, clock);
  }
  if (!http1->is_freed) {
    rearm(http1);
  }
  mcpi_uv_leave(uv);
}

/* --- the beginning ------------------------------------------------------- */

void mcpi_http1_clocks_init(mcpi_http1 *http1) {
  for (int clock = 0; clock < MCPI_HTTP1_CLOCKS; clock++) {
    mcpi_list_init(&http1->clocks[clock]);
  }
  http1->timer_due_ms = UINT64_MAX;
  uv_timer_init(http1->uv->uv, &http1->timer);
  http1->timer.data = http1;
  http1->open_handles++;
}
