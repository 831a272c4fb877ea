/* SPDX-License-Identifier: MIT */
/* A server as the program configures it: its policy, what it says of itself,
 * and how long it lives. */
#include "server/server.h"

#include "base/error.h"
#include "base/widen.h"
#include "server/content.h"
#include "server/members.h"
#include "server/part.h"

/* Defaults of mcp_server_options. */
enum {
  PAGE_BYTES = 512 * 1024, /* keeps a page far below peers' message limits */
  MAX_CALLS = 1024,
  MAX_TOTAL_CALLS = 10000,
  MAX_SUBSCRIPTIONS = 1024,
  MAX_BATCH = 1024,
  MAX_MESSAGE = 10 * 1024 * 1024,
  KEPT_MESSAGES = 32,          /* so many of the largest */
  ASK_TIMEOUT_MS = 600 * 1000, /* people read, think, and go for a coffee */
  PING_TIMEOUT_MS = 30 * 1000, /* a round trip, on any network */
  MAX_ROUNDS = 8,
  MAX_REPORTS = 20,
  MAX_UNREADABLE = 100
};

/* --- what depends on the options ---------------------------------------- */

/* Everything that is made anew when the program configures the server, since
 * the allocator may be another. Built aside, then put in place of the old. */
typedef struct contents {
  mcp_server_options options;
  char *name;
  char *version;
  mcpi_buf implementation[MCPI_REVISION_COUNT];
  mcpi_registry *registries[MCPI_KIND_COUNT];
  uint8_t (*keys)[MCP_SEAL_KEY_SIZE];
  size_t key_count;
} contents;

static void free_contents(contents *c, const mcp_allocator *allocator) {
  mcpi_strfree(allocator, c->name);
  mcpi_strfree(allocator, c->version);
  mcpi_strfree(allocator, (char *)(uintptr_t)c->options.instructions);
  mcpi_free_wiped(allocator, c->keys, c->key_count * sizeof(*c->keys));
  for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
    mcpi_buf_deinit(&c->implementation[i]);
  }
  for (size_t i = 0; i < MCPI_KIND_COUNT; i++) {
    mcpi_registry_unref(c->registries[i]);
  }
}

static contents contents_of(const mcp_server *server) {
  contents c = {.options = server->options,
                .name = server->name,
                .version = server->version,
                .keys = server->keys,
                .key_count = server->key_count};
  memcpy(c.implementation, server->implementation, sizeof(c.implementation));
  memcpy(c.registries, server->registries, sizeof(c.registries));
  return c;
}

void mcpi_server_set_eras(mcp_server *server, uint32_t eras) {
  server->options.eras = eras;
}

static void install(mcp_server *server, const contents *c) {
  server->options = c->options;
  server->name = c->name;
  server->version = c->version;
  server->keys = c->keys;
  server->key_count = c->key_count;
  memcpy(server->implementation, c->implementation, sizeof(c->implementation));
  memcpy(server->registries, c->registries, sizeof(c->registries));
}

/* The Implementation object (PROTOCOL 1.6), in what a revision has of it. */
static void put_implementation(const contents *c, const mcpi_revision *revision,
                               mcpi_buf *out) {
  const mcp_server_options *options = &c->options;
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "name", c->name);
  mcpi_put_string_member(out, "version", c->version);
  if (mcpi_revision_has(revision, MCPI_HAS_TITLE)) {
    mcpi_put_string_member(out, "title", options->title);
  }
  if (mcpi_revision_has(revision, MCPI_HAS_ICONS)) {
    mcpi_put_string_member(out, "description", options->description);
    mcpi_put_string_member(out, "websiteUrl", options->website_url);
    if (options->icon_count > 0) {
      mcpi_put_name(out, "icons");
      mcpi_icons_put(options->icons, options->icon_count, out);
    }
  }
  mcpi_buf_putc(out, '}');
}

static int make_implementations(contents *c, const mcp_allocator *allocator) {
  for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
    mcpi_buf *out = &c->implementation[i];
    mcpi_buf_init(out, allocator, SIZE_MAX);
    put_implementation(c, &mcpi_revisions[i], out);
    if (out->error != 0) {
      return out->error;
    }
  }
  return 0;
}

static int make_registries(contents *c, const mcp_server *server) {
  for (size_t i = 0; i < MCPI_KIND_COUNT; i++) {
    c->registries[i] = mcpi_registry_new(&server->allocator, server->hash_seed);
    if (c->registries[i] == NULL) {
      return MCP_ERR_NOMEM;
    }
  }
  return 0;
}

static int copy_keys(contents *c, const mcp_allocator *allocator) {
  size_t count = c->options.state_key_count;
  if (count == 0) {
    return 0;
  }
  c->keys = mcpi_alloc(allocator, count * sizeof(*c->keys));
  if (c->keys == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(c->keys, c->options.state_keys, count * sizeof(*c->keys));
  c->key_count = count;
  return 0;
}

static int copy_strings(contents *c, const char *name, const char *version,
                        const mcp_allocator *allocator) {
  const char *instructions = c->options.instructions;
  c->options.instructions = mcpi_strdup(allocator, instructions);
  c->name = mcpi_strdup(allocator, name);
  c->version = mcpi_strdup(allocator, version);
  if (c->name == NULL || c->version == NULL ||
      (instructions != NULL && c->options.instructions == NULL)) {
    return MCP_ERR_NOMEM;
  }
  return 0;
}

/* What is in the Implementation objects by now is of no further use, and the
 * program's memory may go. */
static void forget_borrowed(mcp_server_options *options) {
  options->allocator = NULL;
  options->title = NULL;
  options->description = NULL;
  options->website_url = NULL;
  options->icons = NULL;
  options->icon_count = 0;
  options->state_keys = NULL;
  options->state_key_count = 0;
}

/* `server` has its allocator already; nothing else of it is touched. */
static int make_contents(contents *c, const mcp_server *server,
                         const char *name, const char *version,
                         const mcp_server_options *options) {
  const mcp_allocator *allocator = &server->allocator;
  *c = (contents){.options = *options};
  int rc = copy_strings(c, name, version, allocator);
  if (rc == 0) {
    rc = copy_keys(c, allocator);
  }
  if (rc == 0) {
    rc = make_implementations(c, allocator);
  }
  if (rc == 0) {
    rc = make_registries(c, server);
  }
  forget_borrowed(&c->options);
  if (rc != 0) {
    free_contents(c, allocator);
  }
  return rc;
}

/* --- options ------------------------------------------------------------ */

static void default_u32(uint32_t *value, uint32_t otherwise) {
  if (*value == 0) {
    *value = otherwise;
  }
}

static void fill_defaults(mcp_server_options *options) {
  default_u32(&options->eras, MCP_ERA_BOTH);
  default_u32(&options->page_bytes, PAGE_BYTES);
  default_u32(&options->max_calls, MAX_CALLS);
  default_u32(&options->max_total_calls, MAX_TOTAL_CALLS);
  default_u32(&options->max_subscriptions, MAX_SUBSCRIPTIONS);
  default_u32(&options->max_batch, MAX_BATCH);
  default_u32(&options->max_depth, MCPI_JSON_MAX_DEPTH);
  default_u32(&options->ask_timeout_ms, ASK_TIMEOUT_MS);
  default_u32(&options->ping_timeout_ms, PING_TIMEOUT_MS);
  default_u32(&options->max_rounds, MAX_ROUNDS);
  default_u32(&options->max_reports, MAX_REPORTS);
  default_u32(&options->max_unreadable, MAX_UNREADABLE);
  if (options->max_message == 0) {
    options->max_message = MAX_MESSAGE;
  }
  if (options->max_kept_bytes == 0) {
    options->max_kept_bytes = options->max_message > SIZE_MAX / KEPT_MESSAGES
                                  ? SIZE_MAX
                                  : options->max_message * KEPT_MESSAGES;
  }
  if (options->max_kept_bytes < MCPI_MIN_KEPT_BYTES) {
    options->max_kept_bytes = MCPI_MIN_KEPT_BYTES; /* max_message is small */
  }
  if (options->max_values == 0) {
    options->max_values = MCPI_JSON_MAX_VALUES;
  }
}

static int check_texts(const mcp_server_options *options, mcp_error *err) {
  int rc = mcpi_text_check("title", options->title, err);
  if (rc == 0) {
    rc = mcpi_text_check("description", options->description, err);
  }
  if (rc == 0) {
    rc = mcpi_text_check("website_url", options->website_url, err);
  }
  if (rc == 0) {
    rc = mcpi_text_check("instructions", options->instructions, err);
  }
  return rc;
}

static int check_options(const mcp_server_options *options, mcp_error *err) {
  if ((options->eras & ~(uint32_t)MCP_ERA_BOTH) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID, "eras is %#x, not MCP_ERA_*",
                         (unsigned)options->eras);
  }
  if (options->max_depth > MCPI_JSON_MAX_DEPTH) {
    return mcp_error_set(err, MCP_ERR_INVALID, "max_depth %lu is above %d",
                         (unsigned long)options->max_depth,
                         MCPI_JSON_MAX_DEPTH);
  }
  if (options->max_kept_bytes != 0 &&
      options->max_kept_bytes < MCPI_MIN_KEPT_BYTES) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "max_kept_bytes %zu is below %d, which a short "
                         "request needs",
                         options->max_kept_bytes, MCPI_MIN_KEPT_BYTES);
  }
  if (options->state_key_count > 0 && options->state_keys == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "state_keys is NULL");
  }
  if (options->state_key_count > SIZE_MAX / MCP_SEAL_KEY_SIZE) {
    return mcp_error_set(err, MCP_ERR_INVALID, "state_key_count is too large");
  }
  int rc = mcpi_icons_check(options->icons, options->icon_count, err);
  return rc != 0 ? rc : check_texts(options, err);
}

/* --- making and configuring --------------------------------------------- */

/* Only the program chooses what a server's own tables hold, so their seed need
 * not be secret. */
static void init(mcp_server *server) {
  server->allocator = *mcp_allocator_default();
  server->hash_seed[0] = (uintptr_t)server;
  server->hash_seed[1] = UINT64_C(0x6d63702d68617368);
  mcpi_list_init(&server->parts);
  atomic_flag_clear(&server->lock);
  atomic_init(&server->elicitation_count, 0);
  atomic_init(&server->refs, 1);
}

/* What holds nothing before the program registers something. */
static void init_tables(mcp_server *server) {
  const mcp_allocator *allocator = &server->allocator;
  mcpi_map_init(&server->own_methods, allocator, server->hash_seed);
  mcpi_buf_init(&server->extensions, allocator, SIZE_MAX);
  mcpi_buf_init(&server->experimental, allocator, SIZE_MAX);
}

mcp_server *mcp_server_new(const char *name, const char *version) {
  if (name == NULL || version == NULL) {
    return NULL;
  }
  mcp_server *server = mcpi_calloc(mcp_allocator_default(), 1, sizeof(*server));
  if (server == NULL) {
    return NULL;
  }
  contents c;
  mcp_server_options options = {.size = sizeof(mcp_server_options)};
  fill_defaults(&options);
  init(server);
  init_tables(server);
  if (make_contents(&c, server, name, version, &options) != 0) {
    mcpi_free(mcp_allocator_default(), server, sizeof(*server));
    return NULL;
  }
  install(server, &c);
  mcp_error err;
  if (mcpi_text_check("name", name, &err) != 0 ||
      mcpi_text_check("version", version, &err) != 0) {
    mcpi_server_remember(server, &err);
  }
  return server;
}

static int is_untouched(const mcp_server *server) {
  return server->next_seq == 0 && server->own_methods.count == 0 &&
         server->extensions.len == 0 && server->experimental.len == 0 &&
         server->listen_filter_count == 0 && mcpi_list_is_empty(&server->parts);
}

/* The old contents go by the allocator that they came from. */
static int replace_contents(mcp_server *server,
                            const mcp_server_options *options) {
  mcp_allocator before = server->allocator;
  contents old = contents_of(server);
  contents c;
  if (options->allocator != NULL) {
    server->allocator = *options->allocator;
  }
  int rc = make_contents(&c, server, server->name, server->version, options);
  mcp_allocator after = server->allocator;
  server->allocator = before;
  if (rc != 0) {
    return rc;
  }
  free_contents(&old, &server->allocator);
  server->allocator = after;
  install(server, &c);
  init_tables(server);
  return 0;
}

static int configure(mcp_server *server, const mcp_server_options *options,
                     mcp_error *err) {
  mcp_server_options wide;
  int rc = mcpi_widen(&wide, sizeof(wide), options, "mcp_server_options", err);
  if (rc == 0) {
    rc = check_options(&wide, err);
  }
  if (rc != 0) {
    return rc;
  }
  if (!is_untouched(server)) {
    return mcp_error_set(err, MCP_ERR_BUSY,
                         "configure before anything is registered");
  }
  fill_defaults(&wide);
  rc = replace_contents(server, &wide);
  return rc == 0 ? 0 : mcp_error_set(err, rc, "%s", mcp_error_text(rc));
}

int mcp_server_configure(mcp_server *server, const mcp_server_options *options,
                         mcp_error *err) {
  mcp_error why;
  if (server == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the server is NULL");
  }
  int rc = configure(server, options, &why);
  if (rc != 0) {
    mcpi_server_remember(server, &why);
    mcp_error_set(err, rc, "%s", why.message);
  }
  return rc;
}

/* --- the end ------------------------------------------------------------ */

void mcpi_server_ref(mcp_server *server) {
  atomic_fetch_add_explicit(&server->refs, 1, memory_order_relaxed);
}

void mcpi_server_unref(mcp_server *server) {
  if (atomic_fetch_sub_explicit(&server->refs, 1, memory_order_acq_rel) != 1) {
    return;
  }
  contents c = contents_of(server);
  mcpi_server_deinit_extensions(server);
  mcpi_form_rules_deinit(&server->form_rules);
  free_contents(&c, &server->allocator);
  mcpi_free(mcp_allocator_default(), server, sizeof(*server));
}

static int end_part(mcpi_part *part, mcpi_str bytes) {
  (void)bytes;
  part->wants_sweep = 1;
  return 0;
}

/* Each part sweeps its connections as the outermost frame leaves it: here and
 * now, when the callback that we are in returns, or when its loop gets our
 * letter. */
void mcp_server_free(mcp_server *server) {
  if (server == NULL || atomic_exchange(&server->is_ending, 1)) {
    return;
  }
  mcp_server_drain(server, 0);
  atomic_store(&server->is_freed, 1);
  mcpi_parts_run(server, end_part, MCPI_STR(""));
  mcpi_server_unref(server);
}

/* --- what the program asks and is told ---------------------------------- */

static void count_error(mcp_server *server, const mcp_error *err) {
  server->error_count++;
  if (server->error_count == 1) {
    server->first_error = *err;
    server->told_error = *err;
  } else {
    mcp_error_set(&server->told_error, server->first_error.code,
                  "%zu failures, the first: %s", server->error_count,
                  server->first_error.message);
  }
}

int mcpi_server_remember(mcp_server *server, const mcp_error *err) {
  mcpi_server_lock(server);
  count_error(server, err);
  mcpi_server_unlock(server);
  return err->code;
}

const mcp_error *mcp_server_error(const mcp_server *server) {
  return server != NULL && server->error_count > 0 ? &server->told_error : NULL;
}

void *mcp_server_userdata(const mcp_server *server) {
  return server != NULL ? server->options.userdata : NULL;
}

void mcpi_server_report(mcp_server *server, int code, const char *format, ...) {
  if (server->options.on_report == NULL || server->is_freed) {
    return;
  }
  mcp_error err;
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(&err, code, format, args);
  va_end(args);
  server->options.on_report(server, &err, server->options.userdata);
}
