/* SPDX-License-Identifier: MIT */
/* The user's keyring with libsecret. This file may call only libsecret, GLib
 * and the C library: it is a separate library that knows none of our symbols.
 *
 * libsecret's simple functions wait without a limit. So this file begins its
 * asynchronous ones, one after the other, and turns a main loop of its own
 * until each has ended. A timer in that loop ends a step that takes too long.
 *
 * Each job asks the keyring anew. Objects of libsecret that are kept know what
 * the keyring was like, and GLib tells them of changes only in the main loop in
 * which they were made. */
#include "keyring/keyring.h"

#include <libsecret/secret.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  /* How often a job looks whether it is to end. */
  LOOK_MS = 50,
  /* How long a step that is cancelled may take to end. */
  GRACE_MS = 1000
};

/* The attribute `server` is the key. */
static const SecretSchema schema = {
    .name = "libmcp.Login",
    .flags = SECRET_SCHEMA_NONE,
    .attributes = {{"server", SECRET_SCHEMA_ATTRIBUTE_STRING}}};

/* A job that runs. It is on the stack of `run`. */
typedef struct keyring_run {
  const mcpi_keyring_job *job;
  mcpi_keyring_outcome *out;
  GMainContext *context;
  GCancellable *cancellable;
  gint64 deadline_us;
  const char *late;     /* what to say after the deadline */
  gint64 grace_us;      /* the end of the grace; 0: nothing is cancelled */
  GAsyncResult *result; /* of the last step; NULL: it has not ended */
  SecretService *service;
  SecretCollection *keyring; /* the default one */
  GHashTable *attributes;
} keyring_run;

/* --- errors --------------------------------------------------------------- */

/* Keeps the first error. Returns 0, so that a step can end in it. */
__attribute__((format(printf, 3, 4))) static int
run_fail(keyring_run *self, int error, const char *format, ...) {
  mcpi_keyring_outcome *out = self->out;
  va_list arguments;
  if (out->error == 0) {
    out->error = error;
    va_start(arguments, format);
    vsnprintf(out->why, sizeof(out->why), format, arguments);
    va_end(arguments);
  }
  return 0;
}

static int is_without_service(const GError *error) {
  return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER) ||
         error->domain == G_SPAWN_ERROR;
}

/* Words of another process, on one line, without D-Bus's name of the error. */
static int run_fail_with(keyring_run *self, const char *what, GError *error) {
  if (is_without_service(error)) {
    run_fail(self, MCP_ERR_IO,
             "there is no keyring: no program offers the Secret Service "
             "(org.freedesktop.secrets) on the D-Bus session bus; start "
             "gnome-keyring-daemon or KWallet, or keep tokens in files");
  } else {
    g_dbus_error_strip_remote_error(error);
    run_fail(self, MCP_ERR_IO, "%s: %s", what, error->message);
  }
  g_error_free(error);
  return 0;
}

static int run_fail_locked(keyring_run *self) {
  return run_fail(self, MCP_ERR_IO,
                  "the keyring is locked: unlock it by logging in to the "
                  "desktop, or with gnome-keyring-daemon --unlock, or keep "
                  "tokens in files");
}

/* --- steps ---------------------------------------------------------------- */

static void on_step_end(GObject *source, GAsyncResult *result, gpointer data) {
  keyring_run *self = data;
  (void)source;
  self->result = g_object_ref(result);
}

static void run_cancel(keyring_run *self) {
  self->grace_us = g_get_monotonic_time() + GRACE_MS * 1000;
  g_cancellable_cancel(self->cancellable);
}

static gboolean on_look(gpointer data) {
  keyring_run *self = data;
  const mcpi_keyring_job *job = self->job;
  if (self->grace_us != 0) {
    return G_SOURCE_CONTINUE;
  }
  if (job->is_stopped != NULL && job->is_stopped(job->owner)) {
    run_fail(self, MCP_ERR_CANCELLED, "cancelled");
    run_cancel(self);
  } else if (g_get_monotonic_time() >= self->deadline_us) {
    run_fail(self, MCP_ERR_TIMEOUT, "%s", self->late);
    run_cancel(self);
  }
  return G_SOURCE_CONTINUE;
}

static void run_look_often(keyring_run *self) {
  GSource *timer = g_timeout_source_new(LOOK_MS);
  g_source_set_callback(timer, on_look, self, NULL);
  g_source_attach(timer, self->context);
  g_source_unref(timer);
}

static int is_abandoned(const keyring_run *self) {
  return self->grace_us != 0 && g_get_monotonic_time() >= self->grace_us;
}

/* Waits for the step that has just begun. Returns 0: the step does not end,
 * although it was cancelled. GLib would report its end in the main loop, which
 * soon turns no longer, so this structure may go. What the step holds is
 * lost. */
static int run_await(keyring_run *self) {
  g_clear_object(&self->result);
  while (self->result == NULL && !is_abandoned(self)) {
    g_main_context_iteration(self->context, TRUE);
  }
  return self->result != NULL;
}

static void run_allow_ms(keyring_run *self, uint32_t limit_ms,
                         const char *late) {
  self->deadline_us = g_get_monotonic_time() + (gint64)limit_ms * 1000;
  self->late = late;
}

static void run_allow_work(keyring_run *self) {
  run_allow_ms(self, self->job->limit_ms, "the keyring does not answer");
}

/* --- the keyring ---------------------------------------------------------- */

/* libsecret uses the connection that GLib keeps for the process. By default,
 * its end would kill the process. */
static int run_connect(keyring_run *self) {
  GError *error = NULL;
  g_bus_get(G_BUS_TYPE_SESSION, self->cancellable, on_step_end, self);
  if (!run_await(self)) {
    return 0;
  }
  GDBusConnection *bus = g_bus_get_finish(self->result, &error);
  if (bus == NULL) {
    run_fail(self, MCP_ERR_IO,
             "there is no keyring: there is no D-Bus session bus (%s); log in "
             "to a desktop, or run under dbus-run-session",
             error->message);
    g_error_free(error);
    return 0;
  }
  g_dbus_connection_set_exit_on_close(bus, FALSE);
  g_object_unref(bus);
  return 1;
}

static int run_open_service(keyring_run *self) {
  GError *error = NULL;
  secret_service_open(SECRET_TYPE_SERVICE, NULL, SECRET_SERVICE_OPEN_SESSION,
                      self->cancellable, on_step_end, self);
  if (!run_await(self)) {
    return 0;
  }
  self->service = secret_service_open_finish(self->result, &error);
  return self->service != NULL ||
         run_fail_with(self, "cannot use the keyring", error);
}

static int run_find_keyring(keyring_run *self) {
  GError *error = NULL;
  secret_collection_for_alias(self->service, SECRET_COLLECTION_DEFAULT,
                              SECRET_COLLECTION_NONE, self->cancellable,
                              on_step_end, self);
  if (!run_await(self)) {
    return 0;
  }
  self->keyring = secret_collection_for_alias_finish(self->result, &error);
  if (self->keyring != NULL) {
    return 1;
  }
  if (error != NULL) {
    return run_fail_with(self, "cannot find the default keyring", error);
  }
  return run_fail(self, MCP_ERR_IO,
                  "there is no default keyring: make one in the desktop's "
                  "settings of passwords, or keep tokens in files");
}

/* The keyring asks the user, on the screen. */
static int run_unlock(keyring_run *self) {
  GList only = {.data = self->keyring};
  GError *error = NULL;
  run_allow_ms(self, self->job->unlock_ms,
               "the keyring is locked, and nobody has unlocked it in time");
  secret_service_unlock(self->service, &only, self->cancellable, on_step_end,
                        self);
  if (!run_await(self)) {
    return 0;
  }
  int count =
      secret_service_unlock_finish(self->service, self->result, NULL, &error);
  run_allow_work(self);
  if (error != NULL) {
    return run_fail_with(self, "cannot unlock the keyring", error);
  }
  return count > 0 || run_fail_locked(self);
}

static int run_be_unlocked(keyring_run *self) {
  if (!secret_collection_get_locked(self->keyring)) {
    return 1;
  }
  return self->job->unlock_ms > 0 ? run_unlock(self) : run_fail_locked(self);
}

static int run_open(keyring_run *self) {
  return run_connect(self) && run_open_service(self) &&
         run_find_keyring(self) && run_be_unlocked(self);
}

/* --- the records ---------------------------------------------------------- */

/* The owner of the job does not want what the keyring has. */
static int run_fail_by_owner(keyring_run *self, int error) {
  return run_fail(self, error, "%s",
                  error == MCP_ERR_NOMEM ? "out of memory"
                                         : "the keyring has too much");
}

/* *items is owned, and may be NULL: there are none. */
static int run_search(keyring_run *self, SecretSearchFlags flags,
                      GList **items) {
  GError *error = NULL;
  secret_collection_search(self->keyring, &schema, self->attributes, flags,
                           self->cancellable, on_step_end, self);
  if (!run_await(self)) {
    return 0;
  }
  *items = secret_collection_search_finish(self->keyring, self->result, &error);
  return error == NULL ||
         run_fail_with(self, "cannot search the keyring", error);
}

static void free_items(GList *items) {
  g_list_free_full(items, g_object_unref);
}

/* The value is wiped when the last reference to it goes. */
static void run_show_text(keyring_run *self, SecretItem *item) {
  const mcpi_keyring_job *job = self->job;
  SecretValue *value = secret_item_get_secret(item);
  if (value == NULL) {
    run_fail(self, MCP_ERR_IO, "the keyring does not show its item");
    return;
  }
  gsize len = 0;
  const char *text = secret_value_get(value, &len);
  int rc = job->on_text(job->owner, text, len);
  if (rc != 0) {
    run_fail_by_owner(self, rc);
  }
  secret_value_unref(value);
}

static void run_read(keyring_run *self) {
  GList *items = NULL;
  if (run_search(self, SECRET_SEARCH_LOAD_SECRETS, &items)) {
    if (items == NULL) {
      run_fail(self, MCP_ERR_NOT_FOUND, "there is no such item");
    } else {
      run_show_text(self, items->data);
    }
  }
  free_items(items);
}

/* A person sees the label in the list of the keyring's items. */
static void run_write(keyring_run *self) {
  const mcpi_keyring_job *job = self->job;
  GError *error = NULL;
  char *label = g_strdup_printf("MCP login at %s", job->key);
  SecretValue *value =
      secret_value_new(job->text, (gssize)job->len, "text/plain");
  secret_item_create(self->keyring, &schema, self->attributes, label, value,
                     SECRET_ITEM_CREATE_REPLACE, self->cancellable, on_step_end,
                     self);
  if (run_await(self)) {
    SecretItem *item = secret_item_create_finish(self->result, &error);
    if (item == NULL) {
      run_fail_with(self, "cannot write to the keyring", error);
    }
    g_clear_object(&item);
  }
  secret_value_unref(value);
  g_free(label);
}

static int run_delete(keyring_run *self, SecretItem *item) {
  GError *error = NULL;
  secret_item_delete(item, self->cancellable, on_step_end, self);
  if (!run_await(self)) {
    return 0;
  }
  return secret_item_delete_finish(item, self->result, &error) ||
         run_fail_with(self, "cannot remove an item of the keyring", error);
}

static void run_remove(keyring_run *self) {
  GList *items = NULL;
  int goes_on = run_search(self, SECRET_SEARCH_ALL, &items);
  for (GList *at = items; goes_on && at != NULL; at = at->next) {
    goes_on = run_delete(self, at->data);
  }
  free_items(items);
}

static int run_show_key(keyring_run *self, SecretItem *item) {
  const mcpi_keyring_job *job = self->job;
  GHashTable *attributes = secret_item_get_attributes(item);
  const char *key = g_hash_table_lookup(attributes, "server");
  int rc = key != NULL ? job->on_key(job->owner, key) : 0;
  g_hash_table_unref(attributes);
  return rc == 0 || run_fail_by_owner(self, rc);
}

static void run_list(keyring_run *self) {
  GList *items = NULL;
  int goes_on = run_search(self, SECRET_SEARCH_ALL, &items);
  for (GList *at = items; goes_on && at != NULL; at = at->next) {
    goes_on = run_show_key(self, at->data);
  }
  free_items(items);
}

/* --- running -------------------------------------------------------------- */

static void run_verb(keyring_run *self) {
  switch (self->job->verb) {
  case MCPI_KEYRING_READ:
    run_read(self);
    break;
  case MCPI_KEYRING_WRITE:
    run_write(self);
    break;
  case MCPI_KEYRING_REMOVE:
    run_remove(self);
    break;
  case MCPI_KEYRING_LIST:
  default:
    run_list(self);
    break;
  }
}

/* D-Bus ends the connection of a program that sends it other strings. */
static int run_check_key(keyring_run *self) {
  static char name[] = "server";
  const char *key = self->job->key;
  if (key == NULL) {
    return 1;
  }
  g_hash_table_insert(self->attributes, name, (gpointer)(guintptr)key);
  return g_utf8_validate(key, -1, NULL) ||
         run_fail(self, MCP_ERR_INVALID, "the server's URL is not UTF-8");
}

/* GLib frees what it keeps for an object's signals in the main loop. */
static void run_deinit(keyring_run *self) {
  g_clear_object(&self->result);
  g_clear_object(&self->keyring);
  g_clear_object(&self->service);
  while (g_main_context_iteration(self->context, FALSE)) {
  }
  g_clear_object(&self->result);
  g_main_context_pop_thread_default(self->context);
  g_hash_table_unref(self->attributes);
  g_object_unref(self->cancellable);
  g_main_context_unref(self->context);
}

static void run(const mcpi_keyring_job *job, mcpi_keyring_outcome *out) {
  keyring_run self = {.job = job, .out = out};
  *out = (mcpi_keyring_outcome){.error = 0};
  self.context = g_main_context_new();
  self.cancellable = g_cancellable_new();
  self.attributes = g_hash_table_new(g_str_hash, g_str_equal);
  g_main_context_push_thread_default(self.context);
  run_allow_work(&self);
  run_look_often(&self);
  if (run_check_key(&self) && run_open(&self)) {
    run_verb(&self);
  }
  run_deinit(&self);
}

const mcpi_keyring_engine *mcpi_keyring_libsecret(void) {
  static const mcpi_keyring_engine engine = {
      .head = {sizeof(engine), MCP_VERSION_STRING}, .run = run};
  return &engine;
}
