/* SPDX-License-Identifier: MIT */
#include "mock/mock.h"
#include "common/by_hand.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/json.h"
#include "common/report.h"
#include "line/options.h"
#include "mock/file.h"
#include "mock/reply.h"

#include <mcp/main.h>
#include <mcp/schema.h>
#include <mcp/version.h>
#include <stdlib.h>

/* ---- what the server has ------------------------------------------------ */

/* A handler gets the object of the description, which it only reads. */
static void *as_userdata(const mcp_json *item) {
  return (void *)item;
}

/* Adds the bits of a hint, if it is stated. `yes` and `no` are MCP_TOOL_*. */
static uint32_t hint_bits(const mcp_json *annotations, const char *name,
                          uint32_t yes, uint32_t no) {
  const mcp_json *value = mcp_json_get(annotations, name);
  if (value == NULL) {
    return 0;
  }
  return mcp_json_bool(value) ? yes : no;
}

static uint32_t read_hints(const mcp_json *annotations) {
  return hint_bits(annotations, "readOnlyHint", MCP_TOOL_READ_ONLY,
                   MCP_TOOL_NOT_READ_ONLY) |
         hint_bits(annotations, "destructiveHint", MCP_TOOL_DESTRUCTIVE,
                   MCP_TOOL_NOT_DESTRUCTIVE) |
         hint_bits(annotations, "idempotentHint", MCP_TOOL_IDEMPOTENT,
                   MCP_TOOL_NOT_IDEMPOTENT) |
         hint_bits(annotations, "openWorldHint", MCP_TOOL_OPEN_WORLD,
                   MCP_TOOL_NOT_OPEN_WORLD);
}

/* A tool without a schema takes any arguments. */
static int add_tool(mcp_server *server, const mcp_json *item, mcp_error *err) {
  const mcp_json *input = mcp_json_get(item, "inputSchema");
  const mcp_json *output = mcp_json_get(item, "outputSchema");
  const mcp_json *annotations = mcp_json_get(item, "annotations");
  const mcp_json *meta = mcp_json_get(item, "_meta");
  const char *title = ctl_json_member(item, "title");
  char *meta_text = meta != NULL ? mcp_json_to_text(meta, NULL) : NULL;
  const mcp_tool tool = {
      .size = sizeof(mcp_tool),
      .name = ctl_json_member(item, "name"),
      .title = title != NULL ? title : ctl_json_member(annotations, "title"),
      .description = ctl_json_member(item, "description"),
      .input = input != NULL ? MCP_SCHEMA_VALUE(input)
                             : MCP_SCHEMA_TEXT("{\"type\":\"object\"}"),
      .output = output != NULL ? MCP_SCHEMA_VALUE(output) : NULL,
      .hints = read_hints(annotations),
      .meta = meta_text,
      .handler = ctl_mock_reply,
      .userdata = as_userdata(item),
  };
  int rc = mcp_server_add_tool(server, &tool, err);
  mcp_text_free(meta_text);
  return rc;
}

static void read_arguments(mcp_prompt_argument *out, const mcp_json *list) {
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  mcp_json_iter_init(&iter, list);
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    *out++ = (mcp_prompt_argument){
        .name = ctl_json_member(argument, "name"),
        .title = ctl_json_member(argument, "title"),
        .description = ctl_json_member(argument, "description"),
        .required = mcp_json_bool(mcp_json_get(argument, "required")),
    };
  }
}

static int add_prompt(mcp_server *server, const mcp_json *item,
                      mcp_error *err) {
  const mcp_json *list = mcp_json_get(item, "arguments");
  size_t count = mcp_json_size(list);
  mcp_prompt_argument *arguments = calloc(count + 1, sizeof(*arguments));
  if (arguments == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  read_arguments(arguments, list);
  const mcp_prompt prompt = {
      .size = sizeof(mcp_prompt),
      .name = ctl_json_member(item, "name"),
      .title = ctl_json_member(item, "title"),
      .description = ctl_json_member(item, "description"),
      .arguments = arguments,
      .argument_count = count,
      .handler = ctl_mock_reply,
      .userdata = as_userdata(item),
  };
  int rc = mcp_server_add_prompt(server, &prompt, err);
  free(arguments);
  return rc;
}

static int add_resource(mcp_server *server, const mcp_json *item,
                        mcp_error *err) {
  const char *uri = ctl_json_member(item, "uri");
  const char *name = ctl_json_member(item, "name");
  const mcp_resource resource = {
      .size = sizeof(mcp_resource),
      .uri = uri,
      .name = name != NULL ? name : uri,
      .title = ctl_json_member(item, "title"),
      .description = ctl_json_member(item, "description"),
      .mime_type = ctl_json_member(item, "mimeType"),
      .handler = ctl_mock_reply,
      .userdata = as_userdata(item),
  };
  return mcp_server_add_resource(server, &resource, err);
}

static int add_template(mcp_server *server, const mcp_json *item,
                        mcp_error *err) {
  const char *uri = ctl_json_member(item, "uriTemplate");
  const char *name = ctl_json_member(item, "name");
  const mcp_resource_template template = {
      .size = sizeof(mcp_resource_template),
      .uri_template = uri,
      .name = name != NULL ? name : uri,
      .title = ctl_json_member(item, "title"),
      .description = ctl_json_member(item, "description"),
      .mime_type = ctl_json_member(item, "mimeType"),
      .handler = ctl_mock_reply,
      .userdata = as_userdata(item),
  };
  return mcp_server_add_resource_template(server, &template, err);
}

/* ---- the server -------------------------------------------------------- */

typedef int (*add_function)(mcp_server *server, const mcp_json *item,
                            mcp_error *err);

/* Adds each object of a list. The error then names the object's place. */
static int add_all(mcp_server *server, const mcp_json *root, const char *list,
                   add_function add, mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *item = NULL;
  mcp_error cause;
  mcp_json_iter_init(&iter, mcp_json_get(root, list));
  for (size_t i = 0; (item = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    int rc = add(server, item, &cause);
    if (rc != 0) {
      return mcp_error_set(err, rc, "/%s/%zu: %s", list, i, cause.message);
    }
  }
  return 0;
}

static int fill_server(mcp_server *server, const mcp_json *root,
                       mcp_error *err) {
  int rc = add_all(server, root, "tools", add_tool, err);
  rc = rc == 0 ? add_all(server, root, "prompts", add_prompt, err) : rc;
  rc = rc == 0 ? add_all(server, root, "resources", add_resource, err) : rc;
  return rc == 0 ? add_all(server, root, "templates", add_template, err) : rc;
}

/* Owned. NULL: err says why. */
static mcp_server *make_server(const mcp_json *root, mcp_error *err) {
  const char *name = ctl_json_member(root, "name");
  const char *version = ctl_json_member(root, "version");
  const mcp_server_options options = {
      .size = sizeof(mcp_server_options),
      .title = ctl_json_member(root, "title"),
      .description = ctl_json_member(root, "description"),
      .instructions = ctl_json_member(root, "instructions"),
  };
  mcp_server *server =
      mcp_server_new(name != NULL ? name : "mock",
                     version != NULL ? version : mcp_version(), &options, err);
  if (server != NULL && fill_server(server, root, err) != 0) {
    mcp_server_free(server);
    return NULL;
  }
  return server;
}

/* ---- the verb ---------------------------------------------------------- */

static mcp_doc *read_description(const char *path) {
  size_t len = 0;
  mcp_error err = {0};
  mcp_doc *doc = NULL;
  char *text = ctl_file_read(path, &len, &err);
  if (text == NULL) {
    ctl_report(CTL_USAGE, "%s", err.message);
    return NULL;
  }
  if (ctl_mock_parse(&doc, text, len, &err) != 0) {
    ctl_report(CTL_USAGE, "%s: %s", ctl_file_name(path), err.message);
  }
  free(text);
  return doc;
}

/* Serves as the words after -- say, which are those of mcp_main. The program's
 * name stands before them. */
static int serve(mcp_server *server, char **words) {
  static char name[] = "mcpctl mock";
  static const mcp_main_options options = {
      .size = sizeof(mcp_main_options),
      .summary = "Serves what FILE describes; these options come after --"};
  int count = 0;
  while (words != NULL && words[count] != NULL) {
    count++;
  }
  char **argv = calloc((size_t)count + 2, sizeof(*argv));
  if (argv == NULL) {
    mcp_server_free(server);
    return ctl_report(CTL_USAGE, "out of memory");
  }
  argv[0] = name;
  for (int i = 0; i < count; i++) {
    argv[i + 1] = words[i];
  }
  int code = mcp_main_with(server, count + 1, argv, &options);
  free(argv);
  return code == 0 ? CTL_OK : CTL_USAGE;
}

/* Whether there are words after --, which may name an address. */
static int has_words(const ctl_options *options) {
  return options->command != NULL && options->command[0] != NULL;
}

int ctl_mock_run(const ctl_options *options) {
  const char *path = options->args[0];
  mcp_error err = {0};
  mcp_doc *doc = read_description(path);
  if (doc == NULL) {
    return CTL_USAGE;
  }
  mcp_server *server = make_server(mcp_doc_root(doc), &err);
  if (server != NULL && !has_words(options) && ctl_by_hand()) {
    ctl_by_hand_note();
  }
  int code = server != NULL ? serve(server, options->command)
                            : ctl_report(CTL_USAGE, "%s: %s",
                                         ctl_file_name(path), err.message);
  mcp_doc_free(doc);
  return code;
}
