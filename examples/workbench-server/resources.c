/* SPDX-License-Identifier: MIT */
/* Files as resources. The list has the first few hundred; a client can read
 * each file by the template; the server completes paths. Handlers block,
 * because disks may be slow: they use only members that do not change, and not
 * the list. */
#include "workbench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A client reads the whole list before it does anything else. */
enum { MAX_RESOURCES = 500 };

/* --- reading ------------------------------------------------------------- */

static const char *mime_type(const char *relative, int is_text) {
  const char *known = file_mime_type(relative);
  if (known != NULL) {
    return known;
  }
  return is_text ? "text/plain" : "application/octet-stream";
}

static int reply_file(mcp_call *call, const char *relative,
                      const file *loaded) {
  int is_text = file_is_text(loaded);
  const char *type = mime_type(relative, is_text);
  int rc = is_text ? mcp_call_add_resource_text(call, NULL, type, loaded->bytes)
                   : mcp_call_add_resource_data(call, NULL, type, loaded->bytes,
                                                loaded->len);
  return rc == 0 ? mcp_call_reply(call) : rc;
}

/* A client cannot tell a file that it must not read from a missing one. */
static int is_missing(int rc) {
  return rc == -EPERM || rc == -ENOENT || rc == -ENOTDIR || rc == -ELOOP ||
         rc == -EINVAL || rc == -ENAMETOOLONG;
}

static int on_read(mcp_call *call, void *userdata) {
  const workbench *bench = userdata;
  char relative[PATH_SIZE];
  file loaded;
  int rc = path_from_uri(bench->root.path, mcp_call_uri(call), relative);
  if (rc == 0) {
    rc = file_load(&bench->root, relative, MAX_FILE, &loaded);
  }
  if (is_missing(rc)) {
    return MCP_ERR_NOT_FOUND;
  }
  if (rc != 0) {
    return mcp_call_reply_error(call, MCP_RPC_INTERNAL_ERROR, file_error(rc),
                                NULL);
  }
  rc = reply_file(call, relative, &loaded);
  file_free(&loaded);
  return rc;
}

/* --- the list ------------------------------------------------------------ */

static void add_file(workbench *bench, const listed *item) {
  char uri[URI_SIZE];
  path_to_uri(bench->root.path, item->relative, uri);
  mcp_server_add_resource(
      bench->server,
      &(mcp_resource){.size = sizeof(mcp_resource),
                      .uri = uri,
                      .name = item->relative,
                      .mime_type = file_mime_type(item->relative),
                      .resource_size = item->size,
                      .is_blocking = 1,
                      .handler = on_read,
                      .userdata = bench},
      NULL);
}

static void remove_file(workbench *bench, const listed *item) {
  char uri[URI_SIZE];
  path_to_uri(bench->root.path, item->relative, uri);
  mcp_server_remove_resource(bench->server, uri);
}

/* Keeps the first files, and no folders. */
static void keep_files(listing *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    listed item = list->items[i];
    if (item.is_folder || kept == MAX_RESOURCES) {
      free(item.relative);
    } else {
      list->items[kept++] = item;
    }
  }
  list->count = kept;
}

/* Compares two entries. A list that has ended sorts last. */
static int compare(const listing *a, size_t i, const listing *b, size_t j) {
  if (i == a->count || j == b->count) {
    return (i == a->count) - (j == b->count);
  }
  return strcmp(a->items[i].relative, b->items[j].relative);
}

/* Both lists are sorted, so one walk along them finds the differences. */
void update_resources(workbench *bench, listing *list) {
  listing *known = &bench->resources;
  size_t old = 0;
  size_t new = 0;
  keep_files(list);
  while (old < known->count || new < list->count) {
    int order = compare(known, old, list, new);
    int is_same = order == 0 && known->items[old].size == list->items[new].size;
    if (order <= 0 && !is_same) {
      remove_file(bench, &known->items[old]);
    }
    if (order >= 0 && !is_same) {
      add_file(bench, &list->items[new]);
    }
    old += order <= 0;
    new += order >= 0;
  }
  listing_free(known);
  *known = *list;
}

/* --- completion ---------------------------------------------------------- */

/* Completes absolute paths, which the template takes, and paths from the root
 * folder, which users type. */
int complete_path(mcp_call *call, const workbench *bench, int wants_uri) {
  const char *typed = mcp_call_complete_value(call);
  size_t len = typed != NULL ? strlen(typed) : 0;
  char uri[URI_SIZE];
  listing list;
  if (typed == NULL) {
    return MCP_ERR_INVALID;
  }
  if (listing_load(&list, &bench->root, "", is_cancelled, call) != 0) {
    return mcp_call_reply(call);
  }
  for (size_t i = 0; i < list.count; i++) {
    path_to_uri(bench->root.path, list.items[i].relative, uri);
    const char *value = wants_uri ? uri : uri + strlen("file:///");
    if (!list.items[i].is_folder &&
        (strncmp(value, typed, len) == 0 ||
         strncmp(list.items[i].relative, typed, len) == 0)) {
      mcp_call_add_completion(call, value);
    }
  }
  listing_free(&list);
  return mcp_call_reply(call);
}

static int on_complete(mcp_call *call, void *userdata) {
  return complete_path(call, userdata, 0);
}

/* --- registering --------------------------------------------------------- */

void add_resources(mcp_server *server, workbench *bench) {
  listing list;
  mcp_server_add_resource_template(
      server,
      &(mcp_resource_template){
          .size = sizeof(mcp_resource_template),
          .uri_template = "file:///{+path}",
          .name = "file",
          .title = "Any file of the workbench",
          .description = "path is the file's absolute path without the "
                         "slash at its beginning",
          .is_blocking = 1,
          .handler = on_read,
          .complete = on_complete,
          .userdata = bench},
      NULL);
  if (listing_load(&list, &bench->root, "", NULL, NULL) == 0) {
    update_resources(bench, &list);
  }
}
