/* SPDX-License-Identifier: MIT */
/* The structure of a compiled template, for expanding and matching. */
#ifndef MCPI_CODEC_URI_TEMPLATE_PARTS_H
#define MCPI_CODEC_URI_TEMPLATE_PARTS_H

#include "codec/uri.h"
#include "codec/uri_template.h"

enum { MCPI_URI_MAX_VARS = 64, MCPI_URI_MAX_TEMPLATE = 4096 };

/* An operator: the rows of the table in RFC 6570, appendix A. */
typedef struct mcpi_uri_op {
  char symbol; /* NUL: there is none */
  char first;  /* NUL: nothing comes before the first value */
  char sep;
  char if_empty; /* after the name of an empty value; NUL: nothing */
  int is_named;
  int allows_reserved;
} mcpi_uri_op;

typedef struct mcpi_uri_spec {
  uint32_t var;       /* index among the names */
  uint32_t max_chars; /* {var:3}; 0: all */
  int is_exploded;    /* {var*} */
} mcpi_uri_spec;

/* A literal or an expression. */
typedef struct mcpi_uri_part {
  const mcpi_uri_op *op; /* NULL: a literal */
  mcpi_str literal;      /* as in the template, not yet encoded */
  const mcpi_uri_spec *specs;
  size_t spec_count;
} mcpi_uri_part;

/* One piece of memory: this, parts, names, specs, text. */
struct mcpi_uri_template {
  mcp_allocator allocator;
  size_t size;
  mcpi_uri_part *parts;
  size_t part_count;
  mcpi_str *names;
  size_t name_count;
  mcpi_uri_spec *specs;
  size_t spec_count;
};

#endif
