/* SPDX-License-Identifier: MIT */
#include "server/listen_filters.h"

#include "base/error.h"
#include "core/extension_id.h"
#include "server/content.h"

const mcpi_listen_filter *mcpi_listen_filter_find(const mcp_server *server,
                                                  mcpi_str name) {
  for (size_t i = 0; i < server->listen_filter_count; i++) {
    if (mcpi_str_eq(mcpi_str_z(server->listen_filters[i].name), name)) {
      return &server->listen_filters[i];
    }
  }
  return NULL;
}

/* --- adding ------------------------------------------------------------- */

static int is_protocols_filter(const char *name) {
  return strcmp(name, "toolsListChanged") == 0 ||
         strcmp(name, "promptsListChanged") == 0 ||
         strcmp(name, "resourcesListChanged") == 0 ||
         strcmp(name, "resourceSubscriptions") == 0;
}

static int check_filter(const mcp_server *server, const char *name,
                        mcp_error *err) {
  if (name == NULL || name[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID, "listen filter: no name");
  }
  if (is_protocols_filter(name) ||
      mcpi_listen_filter_find(server, mcpi_str_z(name)) != NULL) {
    return mcp_error_set(err, MCP_ERR_EXISTS,
                         "listen filter \"%s\": already exists", name);
  }
  if (server->listen_filter_count >= MCPI_MAX_FILTERS) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "listen filter \"%s\": there are %d already", name,
                         MCPI_MAX_FILTERS);
  }
  return mcpi_text_check("listen filter", name, err);
}

static void filter_deinit(mcpi_listen_filter *filter,
                          const mcp_allocator *allocator) {
  mcpi_strfree(allocator, filter->name);
  mcpi_strfree(allocator, filter->extension);
}

/* The table has room for all filters, so that it never moves. Taken: the
 * filter. Returns 0 or MCP_ERR_NOMEM. */
static int put_filter(mcp_server *server, mcpi_listen_filter filter) {
  const mcp_allocator *allocator = &server->allocator;
  if (server->listen_filters == NULL) {
    server->listen_filters = mcpi_calloc(allocator, MCPI_MAX_FILTERS,
                                         sizeof(*server->listen_filters));
  }
  if (server->listen_filters == NULL) {
    filter_deinit(&filter, allocator);
    return MCP_ERR_NOMEM;
  }
  filter.bit = 1u << server->listen_filter_count;
  server->listen_filters[server->listen_filter_count++] = filter;
  return 0;
}

static int add_filter(mcp_server *server, const char *name, int has_values,
                      const char *extension) {
  const mcp_allocator *allocator = &server->allocator;
  mcpi_listen_filter filter = {.name = mcpi_strdup(allocator, name),
                               .has_values = has_values};
  int rc = filter.name != NULL ? 0 : MCP_ERR_NOMEM;
  if (rc == 0 && extension != NULL) {
    rc = mcpi_extension_path(&filter.extension, extension, allocator);
  }
  if (rc != 0) {
    filter_deinit(&filter, allocator);
    return rc;
  }
  return put_filter(server, filter);
}

/* `extension` is right. */
static int check_and_add(mcp_server *server, const char *name, int has_values,
                         const char *extension, mcp_error *err) {
  int rc = check_filter(server, name, err);
  if (rc == 0) {
    rc = add_filter(server, name, has_values, extension);
    mcp_error_set(err, rc, "listen filter \"%s\": %s", name,
                  mcp_error_text(rc));
  }
  return rc;
}

int mcp_server_add_listen_filter(mcp_server *server, const char *name,
                                 mcp_error *err) {
  mcp_error why;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = check_and_add(server, name, 0, NULL, &why);
  return rc != 0 ? mcpi_server_remember(server, &why, err) : 0;
}

int mcp_server_add_listen_values(mcp_server *server, const char *name,
                                 const char *extension, mcp_error *err) {
  mcp_error why;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_text_check("listen filter: extension", extension, &why);
  if (rc == 0 && extension != NULL) {
    rc = mcpi_extension_id_check(extension, &why);
  }
  if (rc == 0) {
    rc = check_and_add(server, name, 1, extension, &why);
  }
  return rc != 0 ? mcpi_server_remember(server, &why, err) : 0;
}

/* --- the end ------------------------------------------------------------ */

void mcpi_server_deinit_filters(mcp_server *server) {
  const mcp_allocator *allocator = &server->allocator;
  mcpi_listen_filter *filters = server->listen_filters;
  for (size_t i = 0; i < server->listen_filter_count; i++) {
    filter_deinit(&filters[i], allocator);
  }
  mcpi_free(allocator, filters,
            filters != NULL ? MCPI_MAX_FILTERS * sizeof(*filters) : 0);
}
