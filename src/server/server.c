/* SPDX-License-Identifier: MIT */
/* A server as the program makes it: its policy, what it says of itself,
 * and how long it lives. */
#include "server/server.h"

#include "base/error.h"
#include "base/widen.h"
#include "server/content.h"
#include "server/members.h"
#include "server/shard.h"

/* Defaults of mcp_server_options. */
enum {
  /* Keeps a page far smaller than peers' limits of a message. */
  PAGE_BYTES = 512 * 1024,
  MAX_CALLS = 1024,
  MAX_TOTAL_CALLS = 10000,
  MAX_SUBSCRIPTIONS = 1024,
  MAX_BATCH = 1024,
  MAX_MESSAGE = 10 * 1024 * 1024,
  KEPT_MESSAGES = 32,          /* the number of the largest messages */
  ASK_TIMEOUT_MS = 600 * 1000, /* people read, think, and take breaks */
  PING_TIMEOUT_MS = 30 * 1000, /* a round trip, on any network */
  MAX_ROUNDS = 8,
  MAX_REPORTS = 20,
  MAX_UNREADABLE = 100
};

/* --- limits and options -------------------------------------------------- */

static void fill_limits(mcp_limits *limits) {
  mcpi_default_u32(&limits->max_calls, MAX_CALLS);
  mcpi_default_u32(&limits->max_total_calls, MAX_TOTAL_CALLS);
  mcpi_default_u32(&limits->max_subscriptions, MAX_SUBSCRIPTIONS);
  mcpi_default_u32(&limits->max_batch, MAX_BATCH);
  mcpi_default_u32(&limits->max_depth, MCPI_JSON_MAX_DEPTH);
  mcpi_default_u32(&limits->ask_timeout_ms, ASK_TIMEOUT_MS);
  mcpi_default_u32(&limits->ping_timeout_ms, PING_TIMEOUT_MS);
  mcpi_default_u32(&limits->max_rounds, MAX_ROUNDS);
  mcpi_default_u32(&limits->max_reports, MAX_REPORTS);
  mcpi_default_u32(&limits->max_unreadable, MAX_UNREADABLE);
  mcpi_default_size(&limits->max_message, MAX_MESSAGE);
  if (limits->max_kept_bytes == 0) {
    limits->max_kept_bytes = limits->max_message > SIZE_MAX / KEPT_MESSAGES
                                 ? SIZE_MAX
                                 : limits->max_message * KEPT_MESSAGES;
  }
  if (limits->max_kept_bytes < MCPI_MIN_KEPT_BYTES) {
    limits->max_kept_bytes = MCPI_MIN_KEPT_BYTES; /* max_message is small */
  }
  mcpi_default_u64(&limits->max_values, MCPI_JSON_MAX_VALUES);
}

static int server_check_limits(const mcp_limits *limits, mcp_error *err) {
  if (limits->max_depth > MCPI_JSON_MAX_DEPTH) {
    return mcp_error_set(err, MCP_ERR_INVALID, "max_depth %lu is above %d",
                         (unsigned long)limits->max_depth, MCPI_JSON_MAX_DEPTH);
  }
  if (limits->max_kept_bytes != 0 &&
      limits->max_kept_bytes < MCPI_MIN_KEPT_BYTES) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "max_kept_bytes %zu is below %d, which a short "
                         "request needs",
                         limits->max_kept_bytes, MCPI_MIN_KEPT_BYTES);
  }
  return 0;
}

static int take_limits(mcp_server *server, const mcp_limits *given,
                       mcp_error *err) {
  int rc = 0;
  if (given != NULL) {
    rc = mcpi_widen(&server->limits, sizeof(server->limits), given,
                    "mcp_limits", err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_limits.reserved", server->limits.reserved,
                             err);
  }
  if (rc == 0) {
    rc = server_check_limits(&server->limits, err);
  }
  fill_limits(&server->limits);
  return rc;
}

static int server_check_texts(const mcp_server_options *options,
                              const char *name, const char *version,
                              mcp_error *err) {
  const struct {
    const char *member;
    const char *text;
  } texts[] = {{"name", name},
               {"version", version},
               {"title", options->title},
               {"description", options->description},
               {"website_url", options->website_url},
               {"instructions", options->instructions}};
  int rc = 0;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == 0; i++) {
    rc = mcpi_text_check(texts[i].member, texts[i].text, err);
  }
  return rc;
}

static int server_check_options(const mcp_server_options *options,
                                mcp_error *err) {
  if ((options->eras & ~(uint32_t)MCP_ERA_BOTH) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID, "eras is %#x, not MCP_ERA_*",
                         (unsigned)options->eras);
  }
  if (options->state_key_count > 0 && options->state_keys == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "state_keys is NULL");
  }
  if (options->state_key_count > SIZE_MAX / MCP_SEAL_KEY_SIZE) {
    return mcp_error_set(err, MCP_ERR_INVALID, "state_key_count is too large");
  }
  return mcpi_icons_check(options->icons, options->icon_count, err);
}

/* --- making one ---------------------------------------------------------- */

/* The Implementation object (MCP, Schema Reference), in what a revision has of
 * it. */
static void put_implementation(const mcp_server *server,
                               const mcpi_revision *revision, mcpi_buf *out) {
  const mcp_server_options *options = &server->options;
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "name", server->name);
  mcpi_put_string_member(out, "version", server->version);
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

/* Most revisions have the same object as the one before, and share it. */
static int make_implementations(mcp_server *server) {
  mcpi_buf *all = &server->implementations;
  size_t at[MCPI_REVISION_COUNT] = {0};
  size_t len[MCPI_REVISION_COUNT] = {0};
  for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
    at[i] = all->len;
    put_implementation(server, &mcpi_revisions[i], all);
    if (all->error != 0) {
      return all->error;
    }
    len[i] = all->len - at[i];
    if (i > 0 && len[i] == len[i - 1] &&
        memcmp(all->data + at[i], all->data + at[i - 1], len[i]) == 0) {
      mcpi_buf_rewind(all, at[i]);
      at[i] = at[i - 1];
    }
  }
  for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
    server->implementation[i] = mcpi_str_n(all->data + at[i], len[i]);
  }
  return 0;
}

static int make_registries(mcp_server *server) {
  for (size_t i = 0; i < MCPI_KIND_COUNT; i++) {
    server->registries[i] =
        mcpi_registry_new(&server->allocator, server->hash_seed);
    if (server->registries[i] == NULL) {
      return MCP_ERR_NOMEM;
    }
  }
  return 0;
}

static int copy_keys(mcp_server *server) {
  size_t count = server->options.state_key_count;
  if (count == 0) {
    return 0;
  }
  server->keys = mcpi_alloc(&server->allocator, count * sizeof(*server->keys));
  if (server->keys == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(server->keys, server->options.state_keys,
         count * sizeof(*server->keys));
  server->key_count = count;
  return 0;
}

static int server_copy_strings(mcp_server *server, const char *name,
                               const char *version) {
  const mcp_allocator *allocator = &server->allocator;
  const char *instructions = server->options.instructions;
  server->name = mcpi_strdup(allocator, name);
  server->version = mcpi_strdup(allocator, version);
  server->options.instructions = mcpi_strdup(allocator, instructions);
  if (server->name == NULL || server->version == NULL ||
      (instructions != NULL && server->options.instructions == NULL)) {
    return MCP_ERR_NOMEM;
  }
  return 0;
}

/* The Implementation objects are written by now, so the program's memory is no
 * longer needed. */
static void forget_borrowed(mcp_server_options *options) {
  options->allocator = NULL;
  options->limits = NULL;
  options->title = NULL;
  options->description = NULL;
  options->website_url = NULL;
  options->icons = NULL;
  options->icon_count = 0;
  options->state_keys = NULL;
  options->state_key_count = 0;
}

/* Only the program chooses what a server's own tables hold, so their seed need
 * not be secret. */
static void server_init(mcp_server *server) {
  const mcp_allocator *allocator = &server->allocator;
  server->hash_seed[0] = (uintptr_t)server;
  server->hash_seed[1] = UINT64_C(0x6d63702d68617368);
  mcpi_list_init(&server->shards);
  mcpi_map_init(&server->own_methods, allocator, server->hash_seed);
  mcpi_buf_init(&server->extensions, allocator, SIZE_MAX);
  mcpi_buf_init(&server->experimental, allocator, SIZE_MAX);
  mcpi_buf_init(&server->implementations, allocator, SIZE_MAX);
  atomic_init(&server->lock, NULL);
  atomic_init(&server->elicitation_count, 0);
  atomic_init(&server->refs, 1);
}

static int make_contents(mcp_server *server, const char *name,
                         const char *version) {
  int rc = server_copy_strings(server, name, version);
  if (rc == 0) {
    rc = copy_keys(server);
  }
  if (rc == 0) {
    rc = make_implementations(server);
  }
  if (rc == 0) {
    rc = make_registries(server);
  }
  return rc;
}

/* Reads the options into a server that is all zeros otherwise. */
static int read_options(mcp_server *server, const char *name,
                        const char *version, const mcp_server_options *given,
                        mcp_error *err) {
  mcp_server_options *options = &server->options;
  if (name == NULL || version == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is NULL",
                         name == NULL ? "name" : "version");
  }
  int rc = 0;
  if (given != NULL) {
    rc =
        mcpi_widen(options, sizeof(*options), given, "mcp_server_options", err);
  }
  if (rc == 0) {
    rc = server_check_options(options, err);
  }
  if (rc == 0) {
    rc = server_check_texts(options, name, version, err);
  }
  if (rc == 0) {
    rc = take_limits(server, options->limits, err);
  }
  mcpi_default_u32(&options->eras, MCP_ERA_BOTH);
  mcpi_default_u32(&options->page_bytes, PAGE_BYTES);
  return rc;
}

/* Returns the allocator of options that have not been read, because their copy
 * is a part of the server. */
static mcp_allocator allocator_of(const mcp_server_options *given) {
  const size_t end =
      offsetof(mcp_server_options, allocator) + sizeof(const mcp_allocator *);
  int has_one = given != NULL && given->size >= end && given->allocator != NULL;
  return has_one ? *given->allocator : *mcp_allocator_default();
}

static void server_free_memory(mcp_server *server) {
  mcp_allocator allocator = server->allocator;
  mcpi_free(&allocator, server, sizeof(*server));
}

mcp_server *mcp_server_new(const char *name, const char *version,
                           const mcp_server_options *options, mcp_error *err) {
  mcp_allocator allocator = allocator_of(options);
  mcp_server *server = mcpi_calloc(&allocator, 1, sizeof(*server));
  if (server == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  server->allocator = allocator;
  if (read_options(server, name, version, options, err) != 0) {
    server_free_memory(server);
    return NULL;
  }
  server_init(server);
  int rc = make_contents(server, name, version);
  forget_borrowed(&server->options);
  if (rc != 0) {
    server->options.release = NULL; /* the program still owns userdata */
    mcpi_server_unref(server);
    mcp_error_set(err, rc, "%s", mcp_error_text(rc));
    return NULL;
  }
  return server;
}

void mcpi_server_set_eras(mcp_server *server, uint32_t eras) {
  server->options.eras = eras;
}

/* --- the end ------------------------------------------------------------ */

void mcpi_server_ref(mcp_server *server) {
  atomic_fetch_add_explicit(&server->refs, 1, memory_order_relaxed);
}

static void server_free_held(mcp_server *server) {
  if (server->held_reports != NULL) {
    mcpi_free(&server->allocator, server->held_reports,
              MCPI_MAX_HELD * sizeof(*server->held_reports));
  }
  server->held_reports = NULL;
  server->held_count = 0;
}

void mcpi_server_unref(mcp_server *server) {
  if (atomic_fetch_sub_explicit(&server->refs, 1, memory_order_acq_rel) != 1) {
    return;
  }
  const mcp_allocator *allocator = &server->allocator;
  void (*release)(void *userdata) = server->options.release;
  void *userdata = server->options.userdata;
  mcpi_server_deinit_extensions(server);
  server_free_held(server);
  mcpi_free(allocator, server->failures, sizeof(*server->failures));
  mcpi_server_deinit_filters(server);
  if (server->tasks != NULL) {
    server->tasks->free(server->tasks);
  }
  mcpi_form_rules_deinit(&server->form_rules);
  for (size_t i = 0; i < MCPI_KIND_COUNT; i++) {
    mcpi_registry_unref(server->registries[i]);
  }
  mcpi_buf_deinit(&server->implementations);
  mcpi_free_wiped(allocator, server->keys,
                  server->key_count * sizeof(*server->keys));
  mcpi_strfree(allocator, (char *)(uintptr_t)server->options.instructions);
  mcpi_strfree(allocator, server->version);
  mcpi_strfree(allocator, server->name);
  mcpi_lock_free(atomic_load(&server->lock));
  server_free_memory(server);
  if (release != NULL) {
    release(userdata);
  }
}

static int end_shard(mcpi_shard *shard, mcpi_str bytes) {
  (void)bytes;
  shard->wants_sweep = 1;
  return 0;
}

/* Each shard sweeps its connections when its outermost frame leaves: now, when
 * the current callback returns, or when its loop gets the letter. */
void mcp_server_free(mcp_server *server) {
  if (server == NULL || atomic_exchange(&server->is_ending, 1)) {
    return;
  }
  mcp_server_drain(server, 0);
  atomic_store(&server->is_freed, 1);
  mcpi_shards_run(server, end_shard, MCPI_STR(""));
  mcpi_server_unref(server);
}

/* --- what the program asks for, and reports to it ------------------------ */

static void count_failure(mcp_server *server, const mcp_error *err) {
  server->failure_count++;
  mcpi_failures *failures = server->failures;
  if (failures != NULL) {
    mcp_error_set(&failures->told, failures->first.code,
                  "%zu failures, the first: %s", server->failure_count,
                  failures->first.message);
    return;
  }
  failures = mcpi_alloc(&server->allocator, sizeof(*failures));
  if (failures != NULL) {
    *failures = (mcpi_failures){*err, *err};
    server->failures = failures;
  }
}

int mcpi_server_remember(mcp_server *server, const mcp_error *why,
                         mcp_error *err) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  count_failure(server, why);
  mcpi_server_unlock(lock);
  if (err != NULL) {
    *err = *why;
  }
  return why->code;
}

const mcp_error *mcp_server_error(const mcp_server *server) {
  static const mcp_error no_memory = {.code = MCP_ERR_NOMEM,
                                      .message = "out of memory"};
  if (server == NULL || server->failure_count == 0) {
    return NULL;
  }
  return server->failures != NULL ? &server->failures->told : &no_memory;
}

void *mcp_server_userdata(const mcp_server *server) {
  return server != NULL ? server->options.userdata : NULL;
}

/* The program registers before it calls mcp_main, which brings the log. A
 * report for which there is no room or no memory is only counted. */
static void hold_report(mcp_server *server, const mcp_error *err) {
  if (server->held_reports == NULL) {
    server->held_reports =
        mcpi_calloc(&server->allocator, MCPI_MAX_HELD, sizeof(*err));
  }
  if (server->held_reports != NULL && server->held_count < MCPI_MAX_HELD) {
    server->held_reports[server->held_count] = *err;
  }
  server->held_count++;
}

void mcpi_server_tell_held(mcp_server *server) {
  size_t kept = 0;
  if (server->held_reports != NULL) {
    kept =
        server->held_count < MCPI_MAX_HELD ? server->held_count : MCPI_MAX_HELD;
  }
  for (size_t i = 0; i < kept; i++) {
    server->options.on_report(server, &server->held_reports[i],
                              server->options.userdata);
  }
  if (server->held_count > kept) {
    mcpi_server_report(server, MCP_ERR_LIMIT,
                       "%zu more reports came before mcp_main and are lost",
                       server->held_count - kept);
  }
  server_free_held(server);
}

void mcpi_server_report(mcp_server *server, int code, const char *format, ...) {
  int is_early = atomic_load(&server->lock) == NULL;
  if (server->is_freed || (server->options.on_report == NULL && !is_early)) {
    return;
  }
  mcp_error err;
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(&err, code, format, args);
  va_end(args);
  if (server->options.on_report == NULL) {
    hold_report(server, &err);
  } else {
    server->options.on_report(server, &err, server->options.userdata);
  }
}
