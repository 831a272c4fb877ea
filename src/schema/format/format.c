/* SPDX-License-Identifier: MIT */
/* The table of formats, and the checks that are only a few lines long. */
#include "schema/format.h"

#include "codec/uri_template.h"
#include "schema/format_checks.h"
#include "schema/regex.h"

const mcpi_keyword_group mcpi_keyword_of_formats = {1, "MCP_SCHEMA_FORMATS"};

/* RFC 4122, section 3, of any version. */
static int is_uuid(mcpi_str text) {
  if (text.len != 36) {
    return 0;
  }
  for (size_t i = 0; i < text.len; i++) {
    int is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text.ptr[i] != '-' : !mcpi_is_hex(text.ptr[i])) {
      return 0;
    }
  }
  return 1;
}

/* RFC 6901, section 3. */
static int is_json_pointer(mcpi_str text) {
  if (text.len > 0 && text.ptr[0] != '/') {
    return 0;
  }
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] == '~' && (i + 1 == text.len || (text.ptr[i + 1] != '0' &&
                                                     text.ptr[i + 1] != '1'))) {
      return 0;
    }
  }
  return 1;
}

/* draft-bhutton-relative-json-pointer-00, section 3: levels up, optionally a
 * number to add to an index, then a pointer or "#". */
static int is_relative_json_pointer(mcpi_str text) {
  size_t digits = mcpi_digits_len(text);
  if (digits == 0 || (digits > 1 && text.ptr[0] == '0')) {
    return 0;
  }
  mcpi_str_take(&text, digits);
  if (mcpi_str_take_char(&text, '+') || mcpi_str_take_char(&text, '-')) {
    digits = mcpi_digits_len(text);
    if (digits == 0 || text.ptr[0] == '0') {
      return 0;
    }
    mcpi_str_take(&text, digits);
  }
  return is_json_pointer(text) || (text.len == 1 && text.ptr[0] == '#');
}

static int format_compiles(int rc) {
  return rc == 0 ? 1 : rc == MCP_ERR_PARSE ? 0 : rc;
}

static int is_uri_template(mcpi_str text) {
  mcpi_uri_template *tpl = NULL;
  int rc = mcpi_uri_template_new(&tpl, text, mcp_allocator_default(), NULL);
  mcpi_uri_template_free(tpl);
  return format_compiles(rc);
}

/* Without regular expressions every text is accepted. */
static int is_regex(mcpi_str text) {
  const mcp_regex_engine *engine = mcpi_regex_engine();
  void *regex = NULL;
  size_t offset = 0;
  if (engine == NULL) {
    return 1;
  }
  int rc =
      engine->compile(engine->userdata, text.ptr, text.len, &regex, &offset);
  if (rc == 0) {
    engine->release(regex);
  }
  return rc == MCP_ERR_PLATFORM ? 1 : format_compiles(rc);
}

typedef struct named_format {
  mcpi_str name;
  int (*accepts)(mcpi_str text);
} named_format;

#define NAME(literal)                                                          \
  { "" literal, sizeof(literal) - 1 }

static const named_format formats[] = {
    {NAME("date-time"), mcpi_is_date_time},
    {NAME("date"), mcpi_is_date},
    {NAME("time"), mcpi_is_time},
    {NAME("duration"), mcpi_is_duration},
    {NAME("email"), mcpi_is_email},
    {NAME("idn-email"), mcpi_is_idn_email},
    {NAME("hostname"), mcpi_is_hostname},
    {NAME("idn-hostname"), mcpi_is_idn_hostname},
    {NAME("ipv4"), mcpi_is_ipv4},
    {NAME("ipv6"), mcpi_is_ipv6},
    {NAME("uri"), mcpi_is_uri},
    {NAME("uri-reference"), mcpi_is_uri_reference},
    {NAME("iri"), mcpi_is_iri},
    {NAME("iri-reference"), mcpi_is_iri_reference},
    {NAME("uri-template"), is_uri_template},
    {NAME("uuid"), is_uuid},
    {NAME("json-pointer"), is_json_pointer},
    {NAME("relative-json-pointer"), is_relative_json_pointer},
    {NAME("regex"), is_regex},
};

int mcpi_format_find(mcpi_str name) {
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
    if (mcpi_str_eq(name, formats[i].name)) {
      return (int)i;
    }
  }
  return -1;
}

int mcpi_format_accepts(int format, mcpi_str text) {
  return formats[format].accepts(text.len > 0 ? text : MCPI_STR(""));
}
