/* SPDX-License-Identifier: MIT */
/* The parts are rendered when the client is made, and put together as
 * the revision has them. */
#include "client/describe.h"

#include "base/error.h"
#include "base/widen.h"
#include "client/params.h"
#include "core/context.h"
#include "core/extension_id.h"
#include <mcp/tasks.h>

/* --- the options -------------------------------------------------------- */

static int put_optional(mcpi_buf *buf, const char *name, const char *string,
                        mcp_error *err) {
  return string != NULL ? mcpi_params_string(buf, name, string, err) : 0;
}

/* "48x48 96x96" -> ["48x48","96x96"] */
static void describe_put_sizes(mcpi_buf *buf, const char *sizes) {
  mcpi_params_name(buf, "sizes");
  mcpi_buf_putc(buf, '[');
  for (const char *at = sizes + strspn(sizes, " "); *at != '\0';) {
    size_t len = strcspn(at, " ");
    mcpi_json_put_string(buf, mcpi_str_n(at, len));
    at += len;
    at += strspn(at, " ");
    if (*at != '\0') {
      mcpi_buf_putc(buf, ',');
    }
  }
  mcpi_buf_putc(buf, ']');
}

static int describe_put_icon(mcpi_buf *buf, const mcp_icon *icon,
                             mcp_error *err) {
  mcpi_buf_putc(buf, '{');
  int rc = mcpi_params_string(buf, "src", icon->src, err);
  if (rc == 0) {
    rc = put_optional(buf, "mimeType", icon->mime_type, err);
  }
  if (rc == 0 && icon->sizes != NULL) {
    rc = mcpi_params_check("sizes", icon->sizes, err);
  }
  if (rc == 0 && icon->sizes != NULL) {
    describe_put_sizes(buf, icon->sizes);
  }
  if (rc == 0) {
    rc = put_optional(buf, "theme", icon->theme, err);
  }
  if (rc == 0 && mcpi_has_reserved(icon->reserved)) {
    rc = mcp_error_set(err, MCP_ERR_INVALID, "reserved is not NULL");
  }
  mcpi_buf_putc(buf, '}');
  return rc;
}

static int put_icons(mcpi_buf *buf, const mcp_icon *icons, size_t count,
                     mcp_error *err) {
  mcp_error why;
  int rc = 0;
  if (count == 0) {
    return 0;
  }
  mcpi_params_name(buf, "icons");
  mcpi_buf_putc(buf, '[');
  for (size_t i = 0; i < count && rc == 0; i++) {
    if (i > 0) {
      mcpi_buf_putc(buf, ',');
    }
    rc = describe_put_icon(buf, &icons[i], &why);
    if (rc != 0) {
      mcp_error_set(err, rc, "icons[%zu].%s", i, why.message);
    }
  }
  mcpi_buf_putc(buf, ']');
  return rc;
}

static int describe_profile(mcpi_buf *buf, const mcp_client_options *options,
                            mcp_error *err) {
  int rc = put_icons(buf, options->icons, options->icon_count, err);
  if (rc == 0) {
    rc = put_optional(buf, "description", options->description, err);
  }
  if (rc == 0) {
    rc = put_optional(buf, "websiteUrl", options->website_url, err);
  }
  return rc;
}

static int describe_extension(mcp_client *client, const char *id,
                              const char *settings, mcpi_buf *buf,
                              mcp_error *err) {
  int rc = mcpi_params_check("an id", id, err);
  if (rc == 0) {
    rc = mcpi_extension_id_check(id, err);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_params_key(buf, mcpi_str_z(id));
  return mcpi_params_put_object(client, buf, id,
                                settings != NULL ? settings : "{}", err);
}

static int describe_extensions(mcp_client *client,
                               const char *const *extensions, mcpi_buf *buf,
                               mcp_error *err) {
  mcp_error why;
  for (size_t i = 0; extensions != NULL && extensions[i] != NULL; i += 2) {
    if (client->options.use_tasks &&
        strcmp(extensions[i], MCP_TASKS_EXTENSION) == 0) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "extensions: use_tasks declares \"%s\" already",
                           extensions[i]);
    }
    int rc =
        describe_extension(client, extensions[i], extensions[i + 1], buf, &why);
    if (rc != 0) {
      return mcp_error_set(err, rc, "extensions: %s", why.message);
    }
    if (extensions[i + 1] == NULL) {
      break;
    }
  }
  return 0;
}

static int keep_result_types(const char *const *types, mcpi_buf *buf,
                             mcp_error *err) {
  for (; types != NULL && *types != NULL; types++) {
    mcp_error why;
    int rc = mcpi_params_check("a type", *types, &why);
    if (rc != 0) {
      return mcp_error_set(err, rc, "result_types: %s", why.message);
    }
    mcpi_buf_put(buf, *types, strlen(*types) + 1);
  }
  return 0;
}

int mcpi_client_describe(mcp_client *client, const char *name,
                         const char *version, mcp_error *err) {
  const mcp_client_options *options = &client->options;
  int rc = mcpi_params_string(&client->identity, "name", name, err);
  if (rc == 0) {
    rc = mcpi_params_string(&client->identity, "version", version, err);
  }
  if (rc == 0) {
    rc = put_optional(&client->title, "title", options->title, err);
  }
  if (rc == 0) {
    rc = describe_profile(&client->profile, options, err);
  }
  if (rc == 0) {
    rc = describe_extensions(client, options->extensions, &client->extensions,
                             err);
  }
  if (rc == 0) {
    rc = keep_result_types(options->result_types, &client->result_types, err);
  }
  if (rc == 0 && (client->identity.error != 0 || client->title.error != 0 ||
                  client->profile.error != 0 || client->extensions.error != 0 ||
                  client->result_types.error != 0)) {
    rc = mcpi_no_memory(err);
  }
  return rc;
}

/* --- putting it together ------------------------------------------------ */

static void describe_put_more(mcpi_buf *buf, const mcpi_buf *members) {
  if (members->len > 0) {
    mcpi_buf_putc(buf, ',');
    mcpi_buf_put(buf, members->data, members->len);
  }
}

void mcpi_client_put_info(const mcp_client *client,
                          const mcpi_revision *revision, mcpi_buf *buf) {
  mcpi_buf_putc(buf, '{');
  mcpi_buf_put(buf, client->identity.data, client->identity.len);
  if (mcpi_revision_has(revision, MCPI_HAS_TITLE)) {
    describe_put_more(buf, &client->title);
  }
  if (mcpi_revision_has(revision, MCPI_HAS_ICONS)) {
    describe_put_more(buf, &client->profile);
  }
  mcpi_buf_putc(buf, '}');
}

int mcpi_client_can_answer(const mcp_client *client, mcpi_method_id id) {
  switch (id) {
  case MCPI_M_SAMPLE:
    return client->options.on_sample != NULL;
  case MCPI_M_ELICIT:
    return client->options.on_elicit != NULL;
  case MCPI_M_ROOTS_LIST:
    return client->options.on_roots != NULL || client->has_roots;
  default:
    return 0;
  }
}

static void put_roots(const mcp_client *client, const mcpi_revision *revision,
                      mcpi_buf *buf) {
  if (!mcpi_client_can_answer(client, MCPI_M_ROOTS_LIST)) {
    return;
  }
  mcpi_params_name(buf, "roots");
  mcpi_buf_puts(buf, mcpi_revision_is_modern(revision)
                         ? MCPI_STR("{}")
                         : MCPI_STR("{\"listChanged\":true}"));
}

static void put_sampling(const mcp_client *client,
                         const mcpi_revision *revision, mcpi_buf *buf) {
  if (!mcpi_client_can_answer(client, MCPI_M_SAMPLE)) {
    return;
  }
  mcpi_params_name(buf, "sampling");
  mcpi_buf_putc(buf, '{');
  if (mcpi_revision_has(revision, MCPI_HAS_SAMPLING_TOOLS)) {
    if (client->options.can_sample_context) {
      mcpi_params_name(buf, "context");
      mcpi_buf_lit(buf, "{}");
    }
    if (client->options.can_sample_tools) {
      mcpi_params_name(buf, "tools");
      mcpi_buf_lit(buf, "{}");
    }
  }
  mcpi_buf_putc(buf, '}');
}

static void put_elicitation(const mcp_client *client,
                            const mcpi_revision *revision, mcpi_buf *buf) {
  if (!mcpi_client_can_answer(client, MCPI_M_ELICIT) ||
      !mcpi_revision_has(revision, MCPI_HAS_ELICIT_FORM)) {
    return;
  }
  mcpi_params_name(buf, "elicitation");
  if (!mcpi_revision_has(revision, MCPI_HAS_ELICIT_URL)) {
    mcpi_buf_lit(buf, "{}");
  } else if (client->options.can_elicit_url) {
    mcpi_buf_lit(buf, "{\"form\":{},\"url\":{}}");
  } else {
    mcpi_buf_lit(buf, "{\"form\":{}}");
  }
}

/* Tasks are an extension in the modern era only. */
static void put_extensions(const mcp_client *client,
                           const mcpi_revision *revision, mcpi_buf *buf) {
  int has_tasks =
      client->options.use_tasks && mcpi_revision_is_modern(revision);
  if (client->extensions.len == 0 && !has_tasks) {
    return;
  }
  mcpi_params_name(buf, "extensions");
  mcpi_buf_putc(buf, '{');
  mcpi_buf_put(buf, client->extensions.data, client->extensions.len);
  if (has_tasks) {
    mcpi_params_key(buf, MCPI_STR(MCP_TASKS_EXTENSION));
    mcpi_buf_lit(buf, "{}");
  }
  mcpi_buf_putc(buf, '}');
}

int mcpi_client_runs_tasks(const mcp_client *client,
                           const mcpi_revision *revision) {
  return client->options.use_tasks &&
         mcpi_revision_has(revision, MCPI_HAS_TASKS) &&
         (mcpi_client_can_answer(client, MCPI_M_ELICIT) ||
          mcpi_client_can_answer(client, MCPI_M_SAMPLE));
}

/* Roots cannot be asked for as a task. */
static void put_tasks(const mcp_client *client, const mcpi_revision *revision,
                      mcpi_buf *buf) {
  if (!mcpi_client_runs_tasks(client, revision)) {
    return;
  }
  mcpi_params_name(buf, "tasks");
  mcpi_buf_lit(buf, "{\"list\":{},\"cancel\":{},\"requests\":{");
  if (mcpi_client_can_answer(client, MCPI_M_ELICIT)) {
    mcpi_params_name(buf, "elicitation");
    mcpi_buf_lit(buf, "{\"create\":{}}");
  }
  if (mcpi_client_can_answer(client, MCPI_M_SAMPLE)) {
    mcpi_params_name(buf, "sampling");
    mcpi_buf_lit(buf, "{\"createMessage\":{}}");
  }
  mcpi_buf_lit(buf, "}}");
}

void mcpi_client_put_capabilities(const mcp_client *client,
                                  const mcpi_revision *revision,
                                  mcpi_buf *buf) {
  mcpi_buf_putc(buf, '{');
  put_roots(client, revision, buf);
  put_sampling(client, revision, buf);
  put_elicitation(client, revision, buf);
  put_tasks(client, revision, buf);
  put_extensions(client, revision, buf);
  mcpi_buf_putc(buf, '}');
}

int mcpi_client_make_context(mcp_client *client,
                             const mcpi_revision *revision) {
  mcpi_buf *buf = &client->context;
  mcpi_buf_clear(buf);
  client->context_revision = NULL;
  if (!mcpi_revision_is_modern(revision)) {
    return 0;
  }
  client->context_revision = revision->name;
  mcpi_params_name(buf, MCPI_META_VERSION);
  mcpi_json_put_string(buf, mcpi_str_z(revision->name));
  mcpi_params_name(buf, MCPI_META_CLIENT_CAPABILITIES);
  mcpi_client_put_capabilities(client, revision, buf);
  mcpi_params_name(buf, MCPI_META_CLIENT_INFO);
  mcpi_client_put_info(client, revision, buf);
  return buf->error;
}
