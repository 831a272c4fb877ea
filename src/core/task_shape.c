/* SPDX-License-Identifier: MIT */
#include "core/task_shape.h"

#include "base/base64.h"
#include <inttypes.h>
#include <stdio.h>

/* --- statuses -------------------------------------------------------- */

static const char *const names[MCPI_TASK_STATUS_COUNT] = {
    [MCPI_TASK_WORKING] = "working",
    [MCPI_TASK_INPUT_REQUIRED] = "input_required",
    [MCPI_TASK_COMPLETED] = "completed",
    [MCPI_TASK_FAILED] = "failed",
    [MCPI_TASK_CANCELLED] = "cancelled"};

const char *mcpi_task_status_name(mcpi_task_status status) {
  return names[status];
}

mcpi_task_status mcpi_task_status_find(mcpi_str name) {
  int status = 0;
  while (status < MCPI_TASK_STATUS_COUNT &&
         !mcpi_str_eq(name, mcpi_str_z(names[status]))) {
    status++;
  }
  return (mcpi_task_status)status;
}

/* --- ids ------------------------------------------------------------- */

int mcpi_task_make_id(const mcp_loop *loop, char id[MCPI_TASK_NEW_ID_LEN + 1],
                      mcp_error *err) {
  const mcp_platform *platform = &loop->platform;
  uint8_t bytes[MCPI_TASK_NEW_ID_LEN];
  int rc = platform->random != NULL
               ? platform->random(platform->userdata, bytes, sizeof(bytes))
               : MCP_ERR_PLATFORM;
  if (rc != 0) {
    return mcp_error_set(err, MCP_ERR_PLATFORM,
                         "the platform gives no random bytes for the id of a "
                         "task");
  }
  /* On a command line, "-x" would be an option. */
  id[0] = mcpi_base64url_digit(bytes[0] & 31);
  for (size_t i = 1; i < sizeof(bytes); i++) {
    id[i] = mcpi_base64url_digit(bytes[i]); /* six bits of each byte */
  }
  id[sizeof(bytes)] = '\0';
  return 0;
}

/* --- members --------------------------------------------------------- */

static void shape_put_name(mcpi_buf *out, const char *name) {
  if (out->len > 0 && out->data[out->len - 1] != '{') {
    mcpi_buf_putc(out, ',');
  }
  mcpi_json_put_string(out, mcpi_str_z(name));
  mcpi_buf_putc(out, ':');
}

static void shape_put_str(mcpi_buf *out, const char *name, mcpi_str string) {
  shape_put_name(out, name);
  mcpi_json_put_string(out, string);
}

/* A day of the proleptic Gregorian calendar, counted from 1970-01-01. The year
 * begins in March here, so that a leap day is its last one. */
static void shape_date_of(int64_t day, int64_t *year, int *month,
                          int *month_day) {
  enum { TO_MARCH_OF_0 = 719468, DAYS_OF_400_YEARS = 146097 };
  int64_t days = day + TO_MARCH_OF_0;
  int64_t era =
      (days >= 0 ? days : days - DAYS_OF_400_YEARS + 1) / DAYS_OF_400_YEARS;
  int64_t of_era = days - era * DAYS_OF_400_YEARS;
  int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year =
      of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int march_month = (int)((5 * of_year + 2) / 153);
  *month_day = (int)(of_year - (153 * march_month + 2) / 5 + 1);
  *month = march_month < 10 ? march_month + 3 : march_month - 9;
  *year = year_of_era + era * 400 + (*month <= 2);
}

/* As ISO 8601, with milliseconds. The clock is after 1970. */
static void shape_put_time(mcpi_buf *out, const char *name, int64_t ms) {
  enum { DAY_MS = 24 * 3600 * 1000 };
  char text[64];
  int64_t year;
  int month;
  int day;
  int64_t rest = ms % DAY_MS;
  shape_date_of(ms / DAY_MS, &year, &month, &day);
  snprintf(text, sizeof(text), "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%03dZ",
           year, month, day, (int)(rest / 3600000), (int)(rest / 60000 % 60),
           (int)(rest / 1000 % 60), (int)(rest % 1000));
  shape_put_str(out, name, mcpi_str_z(text));
}

static void shape_put_limit(mcpi_buf *out, const char *name, int64_t ms) {
  shape_put_name(out, name);
  if (ms < 0) {
    mcpi_buf_lit(out, "null");
  } else {
    mcpi_json_put_int(out, ms);
  }
}

void mcpi_task_shape_put(mcpi_buf *out, const mcpi_task_shape *task,
                         int is_modern) {
  shape_put_str(out, "taskId", mcpi_str_z(task->id));
  shape_put_str(out, "status", mcpi_str_z(names[task->status]));
  if (task->message.ptr != NULL) {
    shape_put_str(out, "statusMessage", task->message);
  }
  shape_put_time(out, "createdAt", task->created_ms);
  shape_put_time(out, "lastUpdatedAt", task->updated_ms);
  shape_put_limit(out, is_modern ? "ttlMs" : "ttl", task->ttl_ms);
  shape_put_limit(out, is_modern ? "pollIntervalMs" : "pollInterval",
                  task->poll_ms);
}

enum { MAX_POLL_MS = 3600 * 1000 };

/* The interval has another name in each generation. */
uint32_t mcpi_task_poll_ms(const mcp_json *task, uint32_t least_ms) {
  const mcp_json *member = mcp_json_get(task, "pollIntervalMs");
  if (member == NULL) {
    member = mcp_json_get(task, "pollInterval");
  }
  double wanted_ms = mcp_json_number(member);
  if (!(wanted_ms > 0)) {
    return MCPI_TASK_POLL_MS;
  }
  if (wanted_ms < least_ms) {
    return least_ms;
  }
  return wanted_ms < MAX_POLL_MS ? (uint32_t)wanted_ms : MAX_POLL_MS;
}

void mcpi_task_put_related(mcpi_buf *out, const char *id) {
  shape_put_name(out, MCPI_META_RELATED_TASK);
  mcpi_buf_putc(out, '{');
  shape_put_str(out, "taskId", mcpi_str_z(id));
  mcpi_buf_putc(out, '}');
}
