/* SPDX-License-Identifier: MIT */
/* The seal on the state that travels with questions (MCP 2026-07-28, Multi
 * Round-Trip Requests): authenticated encryption, bound to the caller, the
 * method and the params. A seal does not count its uses: until it expires, a
 * client can use it again. */
#include "base/base64.h"
#include "server/ask.h"
#include "json/inline.h"

/* --- what it is bound to ------------------------------------------------ */

/* Members of params that a retry has and the first request lacks. */
static int is_of_retry(const mcp_json *name) {
  mcpi_str text = mcpi_json_str(name);
  return mcpi_str_eq(text, MCPI_STR("_meta")) ||
         mcpi_str_eq(text, MCPI_STR("inputResponses")) ||
         mcpi_str_eq(text, MCPI_STR("requestState"));
}

static void put_sorted(mcpi_buf *out, const mcp_json **names, size_t count) {
  int is_first = 1;
  for (size_t i = 0; i < count; i++) {
    if (is_of_retry(names[i])) {
      continue;
    }
    if (!is_first) {
      mcpi_buf_putc(out, ',');
    }
    is_first = 0;
    mcpi_json_put_canonical(out, names[i]);
    mcpi_buf_putc(out, ':');
    mcpi_json_put_canonical(out, mcpi_json_value_of(names[i]));
  }
}

static int ask_state_put_params(mcpi_buf *out, const mcp_json *params) {
  size_t count = mcp_json_size(params);
  size_t size = count * sizeof(const mcp_json *);
  const mcp_json **names = mcpi_alloc(out->allocator, size);
  if (names == NULL && count > 0) {
    return MCP_ERR_NOMEM;
  }
  mcpi_buf_putc(out, '{');
  if (count > 0) {
    mcpi_json_sorted_names(params, names);
    put_sorted(out, names, count);
  }
  mcpi_buf_putc(out, '}');
  mcpi_free(out->allocator, names, names != NULL ? size : 0);
  return out->error;
}

/* ["principal","method",{params}], in one fixed spelling. */
static int put_bound(const mcp_call *call, mcpi_buf *out) {
  mcpi_buf_putc(out, '[');
  if (call->principal != NULL) {
    mcpi_json_put_string(out, mcpi_str_z(call->principal));
  } else {
    mcpi_buf_lit(out, "null");
  }
  mcpi_buf_putc(out, ',');
  mcpi_json_put_string(out, call->method_name);
  mcpi_buf_putc(out, ',');
  int rc = ask_state_put_params(out, call->params);
  mcpi_buf_putc(out, ']');
  return rc != 0 ? rc : out->error;
}

/* --- keys --------------------------------------------------------------- */

/* Without keys of the program, makes one for this process when it is first
 * needed. Under the lock. */
static int make_first_key(mcp_server *server, const mcp_platform *platform) {
  if (server->key_count > 0) {
    return 0; /* another loop has made the key meanwhile */
  }
  uint8_t(*key)[MCP_SEAL_KEY_SIZE] =
      mcpi_alloc(&server->allocator, sizeof(*key));
  if (key == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = platform->random(platform->userdata, key[0], sizeof(*key));
  if (rc != 0) {
    mcpi_free_wiped(&server->allocator, key, sizeof(*key));
    return rc;
  }
  server->keys = key;
  atomic_store(&server->key_count, 1);
  return 0;
}

static int ask_state_make_key(mcp_server *server,
                              const mcp_platform *platform) {
  if (atomic_load(&server->key_count) > 0) {
    return 0;
  }
  if (platform->random == NULL) {
    return MCP_ERR_PLATFORM;
  }
  const mcpi_lock *lock = mcpi_server_lock(server);
  int rc = make_first_key(server, platform);
  mcpi_server_unlock(lock);
  return rc;
}

/* --- sealing ------------------------------------------------------------ */

static int seal(const mcp_platform *platform, const uint8_t *key,
                const mcpi_buf *bound, mcpi_str text, mcpi_buf *out) {
  mcpi_buf sealed;
  size_t len = text.len + MCP_SEAL_OVERHEAD;
  mcpi_buf_init(&sealed, out->allocator, SIZE_MAX);
  char *at = mcpi_buf_reserve(&sealed, len);
  int rc = MCP_ERR_NOMEM;
  if (at != NULL) {
    rc = platform->seal(platform->userdata, key, bound->data, bound->len,
                        text.ptr, text.len, (uint8_t *)at);
  }
  if (rc == 0) {
    mcpi_base64url_put(out, at, len);
    rc = out->error;
  }
  mcpi_buf_deinit(&sealed);
  return rc;
}

int mcpi_state_seal(mcp_call *call, mcpi_str text, mcpi_buf *out) {
  mcp_server *server = call->shard->server;
  const mcp_platform *platform = &call->shard->loop->platform;
  if (platform->seal == NULL) {
    return MCP_ERR_PLATFORM;
  }
  int rc = ask_state_make_key(server, platform);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf bound;
  mcpi_buf_init(&bound, &server->allocator, SIZE_MAX);
  rc = put_bound(call, &bound);
  if (rc == 0) {
    rc = seal(platform, server->keys[0], &bound, text, out);
  }
  mcpi_buf_deinit(&bound);
  return rc;
}

/* --- opening ------------------------------------------------------------ */

/* Tries each key: any of them may have made the seal. */
static int unseal(const mcp_server *server, const mcp_platform *platform,
                  const mcpi_buf *bound, const mcpi_buf *sealed,
                  mcpi_buf *text) {
  size_t len = sealed->len - MCP_SEAL_OVERHEAD;
  /* one byte more, since an empty text can be sealed too */
  char *at = mcpi_buf_reserve(text, len + 1);
  if (at == NULL) {
    return MCP_ERR_NOMEM;
  }
  for (size_t i = 0; i < server->key_count; i++) {
    if (platform->unseal(platform->userdata, server->keys[i], bound->data,
                         bound->len, sealed->data, sealed->len,
                         (uint8_t *)at) == 0) {
      mcpi_buf_commit(text, len);
      return 0;
    }
  }
  return MCP_ERR_SEAL;
}

static int open_bytes(mcp_call *call, const mcpi_buf *sealed, mcpi_buf *text) {
  mcp_server *server = call->shard->server;
  mcpi_buf bound;
  mcpi_buf_init(&bound, &server->allocator, SIZE_MAX);
  int rc = put_bound(call, &bound);
  if (rc == 0) {
    rc = unseal(server, &call->shard->loop->platform, &bound, sealed, text);
  }
  mcpi_buf_deinit(&bound);
  return rc;
}

int mcpi_state_open(mcp_call *call, mcpi_str sealed, mcpi_buf *text) {
  mcpi_buf bytes;
  if (call->shard->loop->platform.unseal == NULL) {
    return MCP_ERR_PLATFORM;
  }
  mcpi_buf_init(&bytes, text->allocator, SIZE_MAX);
  int rc = mcpi_base64url_decode(&bytes, sealed);
  if (bytes.error != 0) {
    rc = bytes.error;
  } else if (rc != 0 || bytes.len < MCP_SEAL_OVERHEAD) {
    rc = MCP_ERR_SEAL;
  } else {
    rc = open_bytes(call, &bytes, text);
  }
  mcpi_buf_deinit(&bytes);
  return rc;
}
