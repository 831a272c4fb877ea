/* SPDX-License-Identifier: MIT */
#include "generate/bounds.h"

#include "generate/text.h"

#include <inttypes.h>
#include <math.h>
#include <mcp/error.h>
#include <string.h>

/* Bytes of the longest pattern: compilers need not take longer strings. */
enum { MAX_PATTERN = 1000 };

/* All integers up to this one are doubles. */
static const double last_exact = 9007199254740992.0;

/* ---- numbers ----------------------------------------------------------- */

typedef struct limit {
  int is_set;
  double number;
} limit;

static limit limit_of(const ctl_member *member, const char *keyword) {
  const mcp_json *value = ctl_member_keyword(member, keyword);
  double number = mcp_json_number(value);
  int is_exact = member->kind == CTL_KIND_NUMBER || fabs(number) <= last_exact;
  return (limit){mcp_json_type(value) == MCP_JSON_NUMBER && isfinite(number) &&
                     is_exact,
                 number};
}

/* printf would write a fraction as the locale does. */
static int put_limit(FILE *out, const char *option, limit one) {
  if (!one.is_set) {
    return 0;
  }
  if (fabs(one.number) < last_exact && one.number == floor(one.number)) {
    fprintf(out, ", %s(%.0f)", option, one.number);
    return 0;
  }
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_number(builder, NULL, one.number);
  const char *text = mcp_builder_text(builder, NULL);
  if (text != NULL) {
    fprintf(out, ", %s(%s)", option, text);
  }
  mcp_builder_free(builder);
  return text != NULL ? 0 : MCP_ERR_NOMEM;
}

static int put_range(FILE *out, const ctl_member *member) {
  limit minimum = limit_of(member, "minimum");
  limit maximum = limit_of(member, "maximum");
  if (minimum.is_set && maximum.is_set && minimum.number > maximum.number) {
    return 0;
  }
  int rc = put_limit(out, "MCP_MINIMUM", minimum);
  return rc == 0 ? put_limit(out, "MCP_MAXIMUM", maximum) : rc;
}

/* ---- lengths ----------------------------------------------------------- */

/* 0: there is none, which is also what 0 means in a list. */
static uint32_t count_of(const ctl_member *member, const char *keyword) {
  const mcp_json *value = ctl_member_keyword(member, keyword);
  double number = mcp_json_number(value);
  return mcp_json_type(value) == MCP_JSON_NUMBER && number >= 1 &&
                 number <= UINT32_MAX && number == floor(number)
             ? (uint32_t)number
             : 0;
}

static void put_counts(FILE *out, const char *of, uint32_t least,
                       uint32_t most) {
  if (most > 0 && least > most) {
    return;
  }
  if (least > 0) {
    fprintf(out, ", MCP_MIN_%s(%" PRIu32 ")", of, least);
  }
  if (most > 0) {
    fprintf(out, ", MCP_MAX_%s(%" PRIu32 ")", of, most);
  }
}

static void put_pattern(FILE *out, const ctl_member *member) {
  const char *pattern = mcp_json_string(ctl_member_keyword(member, "pattern"));
  if (pattern != NULL && strlen(pattern) <= MAX_PATTERN) {
    fputs(", MCP_PATTERN(", out);
    ctl_c_string(out, pattern);
    fputc(')', out);
  }
}

/* ---- all --------------------------------------------------------------- */

int ctl_write_bounds(FILE *out, const ctl_member *member) {
  if (member->is_array) {
    put_counts(out, "ITEMS", count_of(member, "minItems"),
               count_of(member, "maxItems"));
    return 0;
  }
  if (member->kind == CTL_KIND_STRING) {
    put_counts(out, "LENGTH", count_of(member, "minLength"),
               count_of(member, "maxLength"));
    put_pattern(out, member);
    return 0;
  }
  return member->kind == CTL_KIND_INTEGER || member->kind == CTL_KIND_NUMBER
             ? put_range(out, member)
             : 0;
}
