/* SPDX-License-Identifier: MIT */
/* Dates, times and durations (RFC 3339, 5.6 and appendix A). */
#include "schema/format_checks.h"

enum { MINUTES_A_DAY = 24 * 60 };

/* Takes a number of exactly `digits` digits. */
static int take_number(mcpi_str *rest, size_t digits, int *number) {
  if (rest->len < digits) {
    return 0;
  }
  *number = 0;
  for (size_t i = 0; i < digits; i++) {
    if (!mcpi_is_digit(rest->ptr[i])) {
      return 0;
    }
    *number = *number * 10 + (rest->ptr[i] - '0');
  }
  mcpi_str_take(rest, digits);
  return 1;
}

/* --- dates --------------------------------------------------------------- */

static int days_of(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : days[month - 1];
}

static int take_date(mcpi_str *rest) {
  int year = 0;
  int month = 0;
  int day = 0;
  return take_number(rest, 4, &year) && mcpi_str_take_char(rest, '-') &&
         take_number(rest, 2, &month) && mcpi_str_take_char(rest, '-') &&
         take_number(rest, 2, &day) && month >= 1 && month <= 12 && day >= 1 &&
         day <= days_of(year, month);
}

/* --- times --------------------------------------------------------------- */

/* Takes "12:34", in minutes. */
static int take_minutes(mcpi_str *rest, int *minutes) {
  int hour = 0;
  int minute = 0;
  if (!take_number(rest, 2, &hour) || !mcpi_str_take_char(rest, ':') ||
      !take_number(rest, 2, &minute) || hour > 23 || minute > 59) {
    return 0;
  }
  *minutes = hour * 60 + minute;
  return 1;
}

/* Takes "Z" or "+01:30": the minutes to add for UTC. */
static int take_offset(mcpi_str *rest, int *minutes) {
  char sign = rest->len > 0 ? mcpi_str_take(rest, 1).ptr[0] : '\0';
  *minutes = 0;
  if (sign == 'Z' || sign == 'z') {
    return 1;
  }
  if ((sign != '+' && sign != '-') || !take_minutes(rest, minutes)) {
    return 0;
  }
  *minutes = sign == '-' ? *minutes : -*minutes;
  return 1;
}

static int skip_fraction(mcpi_str *rest) {
  if (!mcpi_str_take_char(rest, '.')) {
    return 1;
  }
  size_t len = mcpi_digits_len(*rest);
  mcpi_str_take(rest, len);
  return len > 0;
}

static int take_time(mcpi_str *rest) {
  int minutes = 0;
  int second = 0;
  int offset = 0;
  if (!take_minutes(rest, &minutes) || !mcpi_str_take_char(rest, ':') ||
      !take_number(rest, 2, &second) || !skip_fraction(rest) ||
      !take_offset(rest, &offset)) {
    return 0;
  }
  if (second < 60) {
    return 1;
  }
  int utc = (minutes + offset + MINUTES_A_DAY) % MINUTES_A_DAY;
  return second == 60 && utc == MINUTES_A_DAY - 1;
}

int mcpi_is_date(mcpi_str text) {
  return take_date(&text) && text.len == 0;
}

int mcpi_is_time(mcpi_str text) {
  return take_time(&text) && text.len == 0;
}

int mcpi_is_date_time(mcpi_str text) {
  return take_date(&text) &&
         (mcpi_str_take_char(&text, 'T') || mcpi_str_take_char(&text, 't')) &&
         take_time(&text) && text.len == 0;
}

/* --- durations ----------------------------------------------------------- */

/* Takes one or more of "1Y2M3D"; no unit between two others is left out. */
static int take_units(mcpi_str *rest, const char *units) {
  const char *next = NULL;
  size_t digits = mcpi_digits_len(*rest);
  while (digits > 0 && digits < rest->len) {
    const char *unit = strchr(next != NULL ? next : units, rest->ptr[digits]);
    if (unit == NULL || *unit == '\0' || (next != NULL && unit != next)) {
      return 0;
    }
    next = unit + 1;
    mcpi_str_take(rest, digits + 1);
    digits = mcpi_digits_len(*rest);
  }
  return next != NULL;
}

int mcpi_is_duration(mcpi_str text) {
  if (!mcpi_str_take_char(&text, 'P')) {
    return 0;
  }
  mcpi_str weeks = text;
  if (take_units(&weeks, "W") && weeks.len == 0) {
    return 1;
  }
  int has_date = take_units(&text, "YMD");
  if (mcpi_str_take_char(&text, 'T')) {
    return take_units(&text, "HMS") && text.len == 0;
  }
  return has_date && text.len == 0;
}
