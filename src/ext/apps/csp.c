/* SPDX-License-Identifier: MIT */
/* The policy of a page. `form-action` is a restriction of ours: `default-src`
 * does not cover it, and "no loosening" permits a host to restrict more. */
#include "ext/apps/csp.h"

#include "base/buf.h"
#include "ext/apps/origin.h"
#include "json/value.h"
#include <mcp/apps.h>

/* One directive of the policy. */
typedef struct directive {
  const char *name;
  const char *without_csp; /* its value if the server states no `csp` */
  const char *fixed;       /* with `csp`: what precedes the origins */
  const char *list;        /* the member of `csp` with the origins, or NULL */
  const char *when_empty;  /* the value if there is no origin, or NULL */
} directive;

#define INLINE " 'self' 'unsafe-inline'"
#define DATA " 'self' data:"

static const directive directives[] = {
    {"default-src", " 'none'", " 'none'", NULL, NULL},
    {"script-src", INLINE, INLINE, "resourceDomains", NULL},
    {"style-src", INLINE, INLINE, "resourceDomains", NULL},
    {"connect-src", " 'none'", " 'self'", "connectDomains", NULL},
    {"img-src", DATA, DATA, "resourceDomains", NULL},
    {"font-src", " 'none'", " 'self'", "resourceDomains", NULL},
    {"media-src", DATA, DATA, "resourceDomains", NULL},
    {"frame-src", " 'none'", "", "frameDomains", " 'none'"},
    {"object-src", " 'none'", " 'none'", NULL, NULL},
    {"base-uri", " 'self'", "", "baseUriDomains", " 'self'"},
    {"form-action", " 'none'", " 'none'", NULL, NULL}};

static const char *const lists[] = {"connectDomains", "resourceDomains",
                                    "frameDomains", "baseUriDomains"};

/* Appends the valid ones of the first origins of a list, each after a blank. A
 * list that is not an array has none. `out` is NULL: only counts them. */
static size_t csp_put_origins(mcpi_buf *out, const mcp_json *list) {
  mcp_json_iter iter;
  const mcp_json *item;
  size_t seen = 0;
  size_t count = 0;
  mcp_json_iter_init(&iter,
                     mcp_json_type(list) == MCP_JSON_ARRAY ? list : NULL);
  while (seen++ < MCPI_MAX_ORIGINS &&
         (item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_str origin = mcpi_json_str(item);
    if (!mcpi_origin_is_valid(origin)) {
      continue;
    }
    count++;
    if (out != NULL) {
      mcpi_buf_putc(out, ' ');
      mcpi_buf_puts(out, origin);
    }
  }
  return count;
}

static void csp_put_directive(mcpi_buf *out, const directive *d,
                              const mcp_json *csp) {
  if (out->len > 0) {
    mcpi_buf_lit(out, "; ");
  }
  mcpi_buf_puts(out, mcpi_str_z(d->name));
  if (csp == NULL) {
    mcpi_buf_puts(out, mcpi_str_z(d->without_csp));
    return;
  }
  mcpi_buf_puts(out, mcpi_str_z(d->fixed));
  size_t count = 0;
  if (d->list != NULL) {
    count = csp_put_origins(out, mcpi_json_get(csp, d->list));
  }
  if (count == 0 && d->when_empty != NULL) {
    mcpi_buf_puts(out, mcpi_str_z(d->when_empty));
  }
}

/* A list that is not an array counts as one origin. */
static size_t csp_count_left_out(const mcp_json *csp) {
  size_t left_out = 0;
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    const mcp_json *list = mcpi_json_get(csp, lists[i]);
    size_t size = mcp_json_type(list) == MCP_JSON_ARRAY ? mcp_json_size(list)
                                                        : list != NULL;
    left_out += size - csp_put_origins(NULL, list);
  }
  return left_out;
}

char *mcpi_app_csp(const mcp_json *needs, const mcp_allocator *allocator,
                   size_t *left_out) {
  mcpi_buf out;
  const mcp_json *csp = mcpi_json_get(needs, "csp");
  if (mcp_json_type(csp) != MCP_JSON_OBJECT) {
    csp = NULL;
  }
  mcpi_buf_init(&out, allocator, SIZE_MAX);
  for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
    csp_put_directive(&out, &directives[i], csp);
  }
  char *text = mcpi_buf_take_string(&out);
  if (text != NULL && left_out != NULL) {
    *left_out = csp_count_left_out(csp);
  }
  return text;
}

char *mcp_app_csp(const mcp_json *needs, size_t *left_out) {
  return mcpi_app_csp(needs, mcp_allocator_default(), left_out);
}
