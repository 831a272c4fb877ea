/* SPDX-License-Identifier: MIT */
#include "auth/resource/keys.h"

#include "auth/jwk.h"
#include "auth/metadata.h"
#include "auth/web_url.h"
#include "base/error.h"
#include <mcp/sys/fetch.h>

enum {
  /* The most keys that are tried for a token which names none: anybody can make
   * such a token. Issuers have two or three keys of one kind. */
  TRIES_MAX = 4
};

typedef enum keys_state { KEYS_IDLE, KEYS_METADATA, KEYS_KEYS } keys_state;

struct mcpi_keys {
  mcp_loop *loop;
  const mcp_protect_options *options;
  const char *issuer;
  keys_state state;
  size_t place;        /* METADATA: the place in metadata_places */
  mcp_fetch *fetch;    /* unless IDLE */
  int64_t deadline_ms; /* unless IDLE: of all requests together */
  char *jwks_uri;      /* owned; NULL: not known */
  mcpi_jwks jwks;
  int has_jwks;
  uint8_t text_hash[MCP_SHA256_SIZE]; /* of the set that jwks was read from */
  uint64_t version;
  int is_tried;       /* a fetch has ended */
  int64_t ended_ms;   /* when the last one did */
  int64_t fetched_ms; /* when the keys came */
  int seeks;          /* unless IDLE: the fetch is for an unknown key */
  int is_sought;      /* a fetch was for an unknown key */
  int64_t sought_ms;  /* when the last of those ended */
  mcp_error failure;  /* of the last fetch; code 0: it was none */
  mcpi_list waits;
};

/* Where metadata may be, in the order of MCP (Authorization Server Metadata
 * Discovery). Without a path in the issuer the last place is the second. */
static const struct {
  const char *name;
  mcpi_well_known form;
} metadata_places[] = {
    {"oauth-authorization-server", MCPI_WELL_KNOWN_INSERTED},
    {"openid-configuration", MCPI_WELL_KNOWN_INSERTED},
    {"openid-configuration", MCPI_WELL_KNOWN_APPENDED},
};

/* --- life --------------------------------------------------------------- */

const char *mcpi_keys_issuer(const mcpi_keys *keys) {
  return keys->issuer;
}

uint64_t mcpi_keys_version(const mcpi_keys *keys) {
  return keys->version;
}

/* Notes whether the set is another one than before. */
static int keys_note_set(mcpi_keys *keys, mcpi_str text) {
  const mcp_platform *platform = &keys->loop->platform;
  uint8_t hash[MCP_SHA256_SIZE];
  int rc =
      platform->crypto->sha256(platform->userdata, text.ptr, text.len, hash);
  if (rc == 0 && memcmp(hash, keys->text_hash, sizeof(hash)) != 0) {
    memcpy(keys->text_hash, hash, sizeof(hash));
    keys->version++;
  }
  return rc;
}

/* Replaces the keys. A set in which there is nothing to use counts as broken:
 * the old keys are better. */
static int keys_read(mcpi_keys *keys, mcpi_str text, mcp_error *err) {
  mcpi_jwks jwks;
  int rc = mcpi_jwks_read(&jwks, keys->loop, text, err);
  if (rc == 0 && jwks.count == 0) {
    mcpi_jwks_deinit(&jwks);
    rc = mcp_error_set(err, MCP_ERR_PARSE, "there is no key that can be used");
  }
  if (rc != 0) {
    return rc;
  }
  rc = keys_note_set(keys, text);
  if (rc != 0) {
    mcpi_jwks_deinit(&jwks);
    return mcpi_error_complete(err, rc);
  }
  if (keys->has_jwks) {
    mcpi_jwks_deinit(&keys->jwks);
  }
  keys->jwks = jwks;
  keys->has_jwks = 1;
  keys->fetched_ms = mcpi_loop_now(keys->loop);
  return 0;
}

static int keys_read_fixed(mcpi_keys *keys, mcp_error *err) {
  mcp_error why = {0};
  int rc = keys_read(keys, mcpi_str_z(keys->options->jwks), &why);
  if (rc == MCP_ERR_PARSE) {
    return mcp_error_set(err, MCP_ERR_INVALID, "jwks: %s", why.message);
  }
  return rc == 0 ? 0 : mcpi_error_complete(err, rc);
}

mcpi_keys *mcpi_keys_new(mcp_loop *loop, const mcp_protect_options *options,
                         const char *issuer, mcp_error *err) {
  mcpi_keys *keys = mcpi_calloc(&loop->allocator, 1, sizeof(*keys));
  if (keys == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  *keys = (mcpi_keys){.loop = loop, .options = options, .issuer = issuer};
  mcpi_list_init(&keys->waits);
  if (options->jwks != NULL && keys_read_fixed(keys, err) != 0) {
    mcpi_keys_free(keys);
    return NULL;
  }
  return keys;
}

static void keys_forget_uri(mcpi_keys *keys) {
  mcpi_strfree(&keys->loop->allocator, keys->jwks_uri);
  keys->jwks_uri = NULL;
}

void mcpi_keys_free(mcpi_keys *keys) {
  if (keys == NULL) {
    return;
  }
  const mcp_platform *platform = &keys->loop->platform;
  if (keys->fetch != NULL) {
    platform->fetch_cancel(platform->userdata, keys->fetch);
  }
  if (keys->has_jwks) {
    mcpi_jwks_deinit(&keys->jwks);
  }
  mcpi_list_remove(&keys->waits);
  keys_forget_uri(keys);
  mcpi_free(&keys->loop->allocator, keys, sizeof(*keys));
}

/* --- fetching ----------------------------------------------------------- */

static void keys_on_answer(const mcp_fetch_answer *answer, void *argument);

static uint32_t keys_time_left(const mcpi_keys *keys) {
  int64_t left_ms = keys->deadline_ms - mcpi_loop_now(keys->loop);
  return left_ms > 0 ? (uint32_t)left_ms : 1;
}

/* The issuer is the program's choice, wherever it is. Another host that its
 * metadata name must not be one of the local network, unless the issuer is. */
static int keys_is_public_only(const mcpi_keys *keys, mcpi_str url) {
  mcpi_str issuer = mcpi_str_z(keys->issuer);
  return keys->options->jwks_uri == NULL && mcpi_web_url_is_public(issuer) &&
         !mcpi_web_url_has_same_origin(issuer, url);
}

static int keys_send(mcpi_keys *keys, const char *url) {
  const mcp_platform *platform = &keys->loop->platform;
  const mcp_http_header accept = {"Accept", "application/json"};
  const mcp_fetch_request request = {
      .size = sizeof(request),
      .method = "GET",
      .url = url,
      .headers = &accept,
      .header_count = 1,
      .timeout_ms = keys_time_left(keys),
      .is_public_only = keys_is_public_only(keys, mcpi_str_z(url)),
      .max_answer = MCPI_KEYS_MAX_ANSWER,
      .ca_file = keys->options->ca_file,
      .proxy = keys->options->proxy};
  return platform->fetch(platform->userdata, &request, keys_on_answer, keys,
                         &keys->fetch);
}

static int keys_ask_for_keys(mcpi_keys *keys) {
  keys->state = KEYS_KEYS;
  if (keys->options->jwks_uri != NULL) {
    return keys_send(keys, keys->options->jwks_uri);
  }
  return keys_send(keys, keys->jwks_uri);
}

static int keys_ask_for_metadata(mcpi_keys *keys) {
  mcpi_buf url;
  mcpi_buf_init(&url, &keys->loop->allocator, SIZE_MAX);
  mcpi_web_url_put_well_known(&url, mcpi_str_z(keys->issuer),
                              metadata_places[keys->place].name,
                              metadata_places[keys->place].form);
  mcpi_buf_putc(&url, '\0');
  int rc = url.error;
  keys->state = KEYS_METADATA;
  if (rc == 0) {
    rc = keys_send(keys, url.data);
  }
  mcpi_buf_deinit(&url);
  return rc;
}

/* Whether the keys must be fetched again, because of their age. Then also the
 * metadata are, since they may name another URL by now. */
static int keys_is_old(const mcpi_keys *keys) {
  return !keys->has_jwks || mcpi_loop_now(keys->loop) - keys->fetched_ms >=
                                (int64_t)keys->options->keys_ms;
}

/* How long the keys need not be fetched again; 0: they are old. */
static int64_t keys_fresh_ms(const mcpi_keys *keys) {
  if (keys->options->jwks != NULL) {
    return INT64_MAX;
  }
  int64_t age_ms = mcpi_loop_now(keys->loop) - keys->fetched_ms;
  int64_t left_ms = (int64_t)keys->options->keys_ms - age_ms;
  return left_ms > 0 ? left_ms : 0;
}

static void keys_end(mcpi_keys *keys) {
  keys->state = KEYS_IDLE;
  keys->is_tried = 1;
  keys->ended_ms = mcpi_loop_now(keys->loop);
  if (keys->seeks) {
    keys->seeks = 0;
    keys->is_sought = 1;
    keys->sought_ms = keys->ended_ms;
  }
}

/* Returns 0 if a request is on its way; otherwise `failure` says why not. */
static int keys_begin(mcpi_keys *keys) {
  keys->failure.code = 0;
  keys->place = 0;
  keys->deadline_ms =
      mcpi_loop_now(keys->loop) + keys->options->fetch_timeout_ms;
  if (keys_is_old(keys)) {
    keys_forget_uri(keys);
  }
  int rc = 0;
  if (keys->options->jwks_uri != NULL || keys->jwks_uri != NULL) {
    rc = keys_ask_for_keys(keys);
  } else {
    rc = keys_ask_for_metadata(keys);
  }
  if (rc != 0) {
    keys_end(keys);
    mcp_error_set(&keys->failure, MCP_ERR_IO,
                  "cannot fetch the keys of %.100s: %s", keys->issuer,
                  mcp_error_text(rc));
  }
  return rc;
}

/* --- answers ------------------------------------------------------------ */

/* Each check goes on. It may free the keys, begin another fetch and wait for
 * that, or end other checks that wait here. */
static void keys_wake(mcpi_keys *keys) {
  mcpi_list ready;
  mcpi_list_init(&ready);
  mcpi_list_move(&ready, &keys->waits);
  while (!mcpi_list_is_empty(&ready)) {
    mcpi_keys_wait *wait = MCPI_CONTAINER(ready.next, mcpi_keys_wait, link);
    mcpi_list_remove(&wait->link);
    wait->on_ready(wait);
  }
}

static void keys_fail(mcpi_keys *keys, const char *what, const char *why) {
  mcp_error_set(&keys->failure, MCP_ERR_IO,
                "cannot fetch the %s of %.100s: %.100s", what, keys->issuer,
                why);
}

static void keys_fail_by_status(mcpi_keys *keys, const char *what,
                                int32_t status) {
  mcp_error_set(&keys->failure, MCP_ERR_IO,
                "cannot fetch the %s of %.100s: the answer has status %ld",
                what, keys->issuer, (long)status);
}

static size_t keys_places(const mcpi_keys *keys) {
  return mcpi_web_url_has_path(mcpi_str_z(keys->issuer)) ? 3 : 2;
}

/* url NULL: the metadata have none. Results are those of keys_take_uri. An
 * address that the URL names is looked at here: behind a proxy, nobody else
 * does. */
static int keys_set_uri(mcpi_keys *keys, const char *url) {
  if (url == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  if (keys_is_public_only(keys, mcpi_str_z(url)) &&
      !mcpi_web_url_is_public(mcpi_str_z(url))) {
    keys_fail(keys, "keys", "jwks_uri has a private address");
    return MCP_ERR_REFUSED;
  }
  keys->jwks_uri = mcpi_strdup(&keys->loop->allocator, url);
  if (keys->jwks_uri == NULL) {
    keys_fail(keys, "metadata", mcp_error_text(MCP_ERR_NOMEM));
    return MCP_ERR_NOMEM;
  }
  return 0;
}

/* Takes jwks_uri from metadata. Returns 0; MCP_ERR_NOT_FOUND: the next place
 * may have it; or another error, with `failure`. */
static int keys_take_uri(mcpi_keys *keys, mcpi_str text) {
  mcp_error why = {0};
  const mcp_allocator *allocator = &keys->loop->allocator;
  mcpi_server_metadata metadata;
  int rc = mcpi_server_metadata_read(&metadata, text, mcpi_str_z(keys->issuer),
                                     allocator, &why);
  if (rc == MCP_ERR_PARSE) {
    return MCP_ERR_NOT_FOUND;
  }
  if (rc != 0) {
    mcpi_error_complete(&why, rc);
    keys_fail(keys, "metadata", why.message);
    return rc;
  }
  rc = keys_set_uri(keys, metadata.jwks_uri);
  mcpi_server_metadata_deinit(&metadata, allocator);
  return rc;
}

/* Returns 0 if another request is on its way. */
static int keys_try_next_place(mcpi_keys *keys, int32_t status) {
  keys->place++;
  if (keys->place < keys_places(keys)) {
    int rc = keys_ask_for_metadata(keys);
    if (rc != 0) {
      keys_fail(keys, "metadata", mcp_error_text(rc));
    }
    return rc;
  }
  if (status == 200) {
    keys_fail(keys, "metadata", "none of them has jwks_uri");
  } else {
    keys_fail_by_status(keys, "metadata", status);
  }
  return MCP_ERR_IO;
}

static int keys_on_metadata(mcpi_keys *keys, const mcp_fetch_answer *answer) {
  int rc = MCP_ERR_NOT_FOUND;
  if (answer->error != 0) {
    keys_fail(keys, "metadata", answer->why);
    return answer->error;
  }
  if (answer->status == 200) {
    rc = keys_take_uri(keys, mcpi_str_n(answer->body, answer->body_len));
  }
  if (rc == MCP_ERR_NOT_FOUND) {
    return keys_try_next_place(keys, answer->status);
  }
  if (rc == 0) {
    rc = keys_ask_for_keys(keys);
    if (rc != 0) {
      keys_fail(keys, "keys", mcp_error_text(rc));
    }
  }
  return rc;
}

/* The metadata may have named a new place since: the next fetch asks again. */
static void keys_on_keys(mcpi_keys *keys, const mcp_fetch_answer *answer) {
  mcp_error why = {0};
  int rc = MCP_ERR_IO;
  if (answer->error != 0) {
    keys_fail(keys, "keys", answer->why);
  } else if (answer->status != 200) {
    keys_fail_by_status(keys, "keys", answer->status);
  } else {
    rc = keys_read(keys, mcpi_str_n(answer->body, answer->body_len), &why);
    if (rc != 0) {
      mcpi_error_complete(&why, rc);
      keys_fail(keys, "keys", why.message);
    }
  }
  if (rc != 0) {
    keys_forget_uri(keys);
  }
}

static void keys_on_answer(const mcp_fetch_answer *answer, void *argument) {
  mcpi_keys *keys = argument;
  keys->fetch = NULL;
  if (keys->state == KEYS_METADATA) {
    if (keys_on_metadata(keys, answer) == 0) {
      return;
    }
  } else {
    keys_on_keys(keys, answer);
  }
  keys_end(keys);
  keys_wake(keys);
}

/* --- verifying ---------------------------------------------------------- */

/* Returns 0; MCP_ERR_REFUSED; MCP_ERR_NOT_FOUND: the key may be one that we do
 * not have; MCP_ERR_NOMEM; MCP_ERR_PLATFORM. */
static int keys_try(const mcpi_keys *keys, const mcpi_jwt *jwt) {
  mcpi_str kid = mcpi_str_z(jwt->kid);
  const mcpi_jwk *jwk = mcpi_jwks_find(&keys->jwks, NULL, jwt->algorithm, kid);
  if (jwk == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  int rc = MCP_ERR_REFUSED;
  for (int tries = 0; tries < TRIES_MAX && jwk != NULL && rc == MCP_ERR_REFUSED;
       tries++) {
    rc = mcpi_jwt_verify(jwt, keys->loop, jwk->key);
    jwk = mcpi_jwks_find(&keys->jwks, jwk, jwt->algorithm, kid);
  }
  if (rc == MCP_ERR_REFUSED && jwt->kid == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  return rc;
}

static int keys_may_fetch(const mcpi_keys *keys) {
  int64_t pause_ms = keys->has_jwks ? MCPI_KEYS_PAUSE_MS : MCPI_KEYS_RETRY_MS;
  if (keys->options->jwks != NULL || keys->state != KEYS_IDLE) {
    return 0;
  }
  return !keys->is_tried ||
         mcpi_loop_now(keys->loop) - keys->ended_ms >= pause_ms;
}

/* A check fetches once. If it waited for a fetch of another check, the issuer
 * may have got the key since that one began. */
static int keys_may_seek(const mcpi_keys *keys, const mcpi_keys_wait *wait) {
  if (!keys->has_jwks) {
    return keys_may_fetch(keys);
  }
  if (keys->options->jwks != NULL || keys->state != KEYS_IDLE ||
      wait->has_fetched) {
    return 0;
  }
  return !keys->is_sought ||
         mcpi_loop_now(keys->loop) - keys->sought_ms >= MCPI_KEYS_PAUSE_MS;
}

/* There is no key that fits: it may be new. */
static int keys_wait_for_more(mcpi_keys *keys, mcpi_keys_wait *wait,
                              mcp_error *err) {
  if (keys_may_seek(keys, wait)) {
    keys->seeks = keys->has_jwks;
    wait->has_fetched = 1;
    keys_begin(keys);
  }
  if (keys->state != KEYS_IDLE) {
    mcpi_list_append(&keys->waits, &wait->link);
    return MCP_PENDING;
  }
  if (keys->failure.code != 0) {
    return mcp_error_set(err, keys->failure.code, "%s", keys->failure.message);
  }
  return mcp_error_set(err, MCP_ERR_REFUSED,
                       "the issuer of the token has no key that fits");
}

int mcpi_keys_verify(mcpi_keys *keys, const mcpi_jwt *jwt, mcpi_keys_wait *wait,
                     mcp_error *err) {
  int rc = MCP_ERR_NOT_FOUND;
  if (keys->has_jwks) {
    if (keys_is_old(keys) && keys_may_fetch(keys)) {
      keys_begin(keys);
    }
    rc = keys_try(keys, jwt);
  }
  if (rc == MCP_ERR_NOT_FOUND) {
    return keys_wait_for_more(keys, wait, err);
  }
  if (rc == MCP_ERR_REFUSED) {
    return mcp_error_set(err, rc, "the signature of the token is wrong");
  }
  wait->fresh_ms = keys_fresh_ms(keys);
  return rc == 0 ? 0 : mcpi_error_complete(err, rc);
}
