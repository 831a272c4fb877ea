/* SPDX-License-Identifier: MIT */
/* Tools' arguments that travel in headers as well (MCP 2026-07-28, Streamable
 * HTTP: Custom Headers from Tool Parameters). */
#include "client/mirror.h"

#include "client/params.h"
#include "client/report.h"
#include "codec/http_value.h"
#include "schema/validator.h"

/* What one tool's schema says. */
typedef struct tool {
  char *name;
  mcpi_http_params *params;
} tool;

int mcpi_mirror_is_on(const mcp_client *client) {
  return mcpi_client_is_modern(client) && mcpi_client_has_streams(client);
}

/* --- what is known -------------------------------------------------------- */

static void tool_free(mcp_client *client, tool *entry) {
  if (entry != NULL) {
    mcpi_http_params_free(entry->params);
    mcpi_strfree(&client->loop->allocator, entry->name);
    mcpi_free(&client->loop->allocator, entry, sizeof(*entry));
  }
}

void mcpi_mirror_forget(mcp_client *client) {
  size_t index = 0;
  tool *entry;
  while ((entry = mcpi_map_next(&client->mirrored, &index)) != NULL) {
    tool_free(client, entry);
  }
  mcpi_map_deinit(&client->mirrored);
}

/* Takes the params, on failure too: a tool that is not remembered is called
 * without headers. */
static void mirror_remember(mcp_client *client, const char *name,
                            mcpi_http_params *params) {
  const mcp_allocator *allocator = &client->loop->allocator;
  tool_free(client, mcpi_map_remove(&client->mirrored, mcpi_str_z(name)));
  if (params == NULL) {
    return;
  }
  tool *entry = mcpi_calloc(allocator, 1, sizeof(*entry));
  if (entry == NULL) {
    mcpi_http_params_free(params);
    return;
  }
  entry->params = params;
  entry->name = mcpi_strdup(allocator, name);
  if (entry->name == NULL ||
      mcpi_map_add(&client->mirrored, mcpi_str_z(entry->name), entry) != 0) {
    tool_free(client, entry);
  }
}

static void mirror_report(mcp_client *client, const char *name,
                          const mcp_error *why) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_PROTOCOL, "tool \"%.60s\" is left out: %s", name,
                why->message);
  mcpi_client_report(client, &err);
}

/* Compiles one schema. If a schema does not compile, that is the server's
 * fault: the client calls its tool without headers. */
static int mirror_read_schema(mcp_client *client, const mcp_json *schema,
                              mcpi_http_params **params, mcp_error *err) {
  const mcp_allocator *allocator = &client->loop->allocator;
  mcp_validator *validator;
  if (mcpi_validator_new(&validator, schema, allocator, NULL) != 0) {
    return 0;
  }
  int rc = mcpi_http_params_new(params, validator, allocator, err);
  mcp_validator_unref(validator);
  return rc != MCP_ERR_NOMEM ? rc : 0;
}

/* Whether the tool can be called. */
static int mirror_learn_tool(mcpi_request *request, const mcp_json *item) {
  mcp_client *client = request->client;
  const char *name = mcp_json_string(mcp_json_get(item, "name"));
  mcpi_http_params *params = NULL;
  mcp_error err;
  if (request->state == MCPI_REQUEST_ENDED || name == NULL) {
    return 1;
  }
  if (mirror_read_schema(client, mcp_json_get(item, "inputSchema"), &params,
                         &err) != 0) {
    mirror_remember(client, name, NULL);
    mirror_report(client, name, &err);
    return 0;
  }
  mirror_remember(client, name, params);
  return 1;
}

/* --- a page of tools ------------------------------------------------------ */

/* One byte for each tool: 1 when it can be called. Returns how many cannot. */
static size_t mirror_learn_all(mcpi_request *request, const mcp_json *tools,
                               mcpi_buf *good) {
  mcp_json_iter iter;
  const mcp_json *item;
  size_t bad = 0;
  mcp_json_iter_init(&iter, tools);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    int is_good = mirror_learn_tool(request, item);
    bad += !is_good;
    mcpi_buf_putc(good, (char)is_good);
  }
  return bad;
}

static void put_good(mcpi_buf *text, const mcp_json *tools,
                     const mcpi_buf *good) {
  mcp_json_iter iter;
  const mcp_json *item;
  const char *before = "";
  mcp_json_iter_init(&iter, tools);
  for (size_t i = 0; (item = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    if (good->data[i]) {
      mcpi_buf_puts(text, mcpi_str_z(before));
      mcpi_json_put_value(text, item);
      before = ",";
    }
  }
}

static int mirror_write_page(mcp_client *client, const mcp_json *page,
                             const mcpi_buf *good, mcpi_message **out) {
  mcpi_buf text;
  int rc = MCP_ERR_NOMEM;
  mcpi_buf_init(&text, &client->loop->allocator, SIZE_MAX);
  mcpi_buf_putc(&text, '{');
  mcpi_params_put_values(&text, page, "tools");
  mcpi_params_name(&text, "tools");
  mcpi_buf_putc(&text, '[');
  put_good(&text, mcp_json_get(page, "tools"), good);
  mcpi_buf_lit(&text, "]}");
  if (text.error == 0) {
    rc = mcpi_client_parse(client, "tools", mcpi_str_n(text.data, text.len),
                           out, NULL);
  }
  mcpi_buf_deinit(&text);
  return rc;
}

int mcpi_mirror_learn(mcpi_request *request, const mcp_json *page,
                      mcpi_message **clean) {
  mcp_client *client = request->client;
  mcpi_buf good;
  int rc = 0;
  *clean = NULL;
  if (request->row->id != MCPI_M_TOOLS_LIST || !mcpi_mirror_is_on(client)) {
    return 0;
  }
  mcpi_buf_init(&good, &client->loop->allocator, SIZE_MAX);
  size_t bad = mirror_learn_all(request, mcp_json_get(page, "tools"), &good);
  if (good.error != 0) {
    rc = MCP_ERR_NOMEM;
  } else if (bad > 0) {
    rc = mirror_write_page(client, page, &good, clean);
  }
  mcpi_buf_deinit(&good);
  return rc;
}

/* --- a call --------------------------------------------------------------- */

/* "Name\0value\0" each. A value that no header can carry is left out: the
 * server refuses the call. */
static void write_value(mcpi_mirror *mirror, const mcpi_http_param *param,
                        const mcp_json *value) {
  mcpi_buf *text = &mirror->text;
  size_t before = text->len;
  mcpi_buf_lit(text, MCPI_HTTP_PARAM_PREFIX);
  mcpi_buf_puts(text, param->name);
  mcpi_buf_putc(text, '\0');
  if (mcpi_header_put_value(text, value) != 0) {
    mcpi_buf_rewind(text, before);
    return;
  }
  mcpi_buf_putc(text, '\0');
  mirror->count++;
}

static void point(mcpi_mirror *mirror) {
  const char *at = mirror->text.data;
  for (size_t i = 0; i < mirror->count; i++) {
    mirror->headers[i].name = at;
    at += strlen(at) + 1;
    mirror->headers[i].value = at;
    at += strlen(at) + 1;
  }
}

static void write_all(mcpi_mirror *mirror, const mcpi_http_params *params,
                      const mcp_json *arguments) {
  const mcp_json *values[MCPI_HTTP_PARAMS_MAX];
  mcpi_http_params_find(params, arguments, values);
  for (size_t i = 0; i < mcpi_http_params_count(params); i++) {
    if (values[i] != NULL) {
      write_value(mirror, mcpi_http_params_at(params, i), values[i]);
    }
  }
}

int mcpi_mirror_write(mcpi_mirror *mirror, const mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_str name = mcpi_request_name(request);
  mirror->count = 0;
  mcpi_buf_init(&mirror->text, &client->loop->allocator, SIZE_MAX);
  if (client->mirrored.count == 0 || name.ptr == NULL || request->row == NULL ||
      request->row->id != MCPI_M_TOOLS_CALL || !mcpi_mirror_is_on(client)) {
    return 0;
  }
  const tool *entry = mcpi_map_get(&client->mirrored, name);
  if (entry != NULL) {
    write_all(mirror, entry->params, request->arguments);
  }
  if (mirror->text.error != 0) {
    return MCP_ERR_NOMEM;
  }
  point(mirror);
  return 0;
}

void mcpi_mirror_deinit(mcpi_mirror *mirror) {
  mcpi_buf_deinit(&mirror->text);
}
