/* SPDX-License-Identifier: MIT */
/* One message on its way (PROTOCOL 3.4, 3.5): the HTTP request that carries it,
 * and what libcurl brings back. */
#include "http_client/streamable.h"

#include "codec/http_media.h"
#include "codec/http_value.h"
#include "core/outgoing.h"
#include <mcp/http.h>

enum {
  /* Bytes of a session's id, and of a Last-Event-ID: what a header can bear. */
  ID_MAX_LEN = 4096
};

/* --- from the message to its headers -------------------------------------- */

static int is_visible(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] < 0x21 || text.ptr[i] > 0x7e) {
      return 0;
    }
  }
  return text.len > 0;
}

static int add_visible(mcpi_call *call, const char *name, const char *value) {
  mcpi_str text = mcpi_str_z(value);
  return is_visible(text) ? mcpi_web_add_header(&call->mirror, call->allocator,
                                                name, text.ptr, text.len)
                          : MCP_ERR_INVALID;
}

static int add_name(mcpi_call *call, mcpi_str name) {
  mcpi_buf encoded;
  mcpi_buf_init(&encoded, call->allocator, SIZE_MAX);
  mcpi_http_put_text(&encoded, name);
  int rc = encoded.error != 0
               ? MCP_ERR_NOMEM
               : mcpi_web_add_header(&call->mirror, call->allocator, "Mcp-Name",
                                     encoded.data, encoded.len);
  mcpi_buf_deinit(&encoded);
  return rc;
}

/* Headers that repeat members of a modern message, and those that the client
 * took from a tool's arguments. */
static int add_mirror(mcpi_call *call, const mcp_send_info *info) {
  int rc = add_visible(call, "MCP-Protocol-Version", info->revision);
  if (rc == 0) {
    rc = add_visible(call, "Mcp-Method", info->method);
  }
  if (rc == 0 && info->name != NULL) {
    rc = add_name(call, mcpi_str_n(info->name, info->name_len));
  }
  for (size_t i = 0; rc == 0 && i < info->header_count; i++) {
    const mcp_http_header *header = &info->headers[i];
    rc = mcpi_web_add_header(&call->mirror, call->allocator, header->name,
                             header->value, strlen(header->value));
  }
  return rc;
}

/* --- life ----------------------------------------------------------------- */

mcpi_call *mcpi_call_plain(mcpi_web *web, int kind) {
  const mcp_allocator *allocator = &web->curl.loop->allocator;
  mcpi_call *call = mcpi_calloc(allocator, 1, sizeof(*call));
  if (call == NULL) {
    return NULL;
  }
  size_t max = web->curl.options->given.max_message;
  call->web = web;
  call->allocator = allocator;
  call->kind = kind;
  call->retry_at_ms = INT64_MAX;
  mcpi_list_init(&call->link);
  mcpi_transfer_init(&call->transfer, call);
  mcpi_transfer_init_input(&call->in, allocator, max);
  mcpi_sse_reader_init(&call->sse, allocator, max);
  return call;
}

static int method_is(const mcp_send_info *info, const char *method) {
  return info->method != NULL && strcmp(info->method, method) == 0;
}

static int take_message(mcpi_call *call, const mcpi_outgoing *message) {
  const mcp_send_info *info = &message->info;
  call->request = info->request;
  call->cancels = info->cancels;
  call->is_final = info->is_final != 0;
  call->is_modern = info->revision != NULL;
  call->is_initialize = method_is(info, "initialize");
  call->is_initialized = method_is(info, "notifications/initialized");
  int rc = call->is_modern ? add_mirror(call, info) : 0;
  if (rc != 0) {
    return rc;
  }
  call->body = mcpi_alloc(call->allocator, message->len);
  if (call->body == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(call->body, message->text, message->len);
  call->body_len = message->len;
  call->web->curl.queued += message->len;
  return 0;
}

int mcpi_call_of_message(mcpi_call **out, mcpi_web *web, const char *message,
                         size_t len, const mcp_send_info *info) {
  mcpi_outgoing outgoing;
  mcpi_call *call = NULL;
  int rc = mcpi_outgoing_init(&outgoing, &web->curl.loop->allocator, message,
                              len, info);
  if (rc == 0) {
    call = mcpi_call_plain(web, outgoing.info.request != 0 ? MCPI_WEB_REQUEST
                                                           : MCPI_WEB_NOTE);
    rc = call != NULL ? take_message(call, &outgoing) : MCP_ERR_NOMEM;
  }
  mcpi_outgoing_deinit(&outgoing);
  if (rc == 0) {
    *out = call;
  } else if (call != NULL) {
    mcpi_call_drop(call);
  }
  return rc;
}

static void drop_body(mcpi_call *call) {
  if (call->web != NULL) {
    call->web->curl.queued -= call->body_len;
  }
  mcpi_free(call->allocator, call->body, call->body_len);
  call->body = NULL;
  call->body_len = 0;
}

static void destroy(mcpi_call *call) {
  const mcp_allocator *allocator = call->allocator;
  curl_slist_free_all(call->mirror);
  mcpi_strfree(allocator, call->location);
  mcpi_strfree(allocator, call->session);
  mcpi_buf_deinit(&call->in);
  mcpi_sse_reader_deinit(&call->sse);
  mcpi_free(allocator, call, sizeof(*call));
}

void mcpi_call_stop(mcpi_call *call) {
  mcpi_transfer_stop(&call->transfer, call->web->curl.multi);
}

/* Who stands on it sees is_dead, and drops it again when he leaves. */
void mcpi_call_drop(mcpi_call *call) {
  if (!call->is_dead) {
    mcpi_call_stop(call);
    drop_body(call);
    mcpi_list_remove(&call->link);
    if (call->web->listen == call) {
      call->web->listen = NULL;
    }
    if (call->web->refused == call) {
      call->web->refused = NULL;
    }
    call->web = NULL;
    call->is_dead = 1;
  }
  if (!call->is_busy) {
    destroy(call);
  }
}

/* --- what libcurl brings -------------------------------------------------- */

static int is_header(mcpi_str line, const char *name, mcpi_str *value) {
  size_t len = strlen(name);
  if (line.len <= len || line.ptr[len] != ':' ||
      !mcpi_http_eq_nocase(mcpi_str_n(line.ptr, len), mcpi_str_z(name))) {
    return 0;
  }
  *value = mcpi_http_trim(mcpi_str_n(line.ptr + len + 1, line.len - len - 1));
  return 1;
}

/* An id that no header could send back is none. */
static void take_session(mcpi_call *call, mcpi_str value) {
  mcpi_strfree(call->allocator, call->session);
  call->session = NULL;
  if (is_visible(value) && value.len <= ID_MAX_LEN) {
    char copy[ID_MAX_LEN + 1];
    memcpy(copy, value.ptr, value.len);
    copy[value.len] = '\0';
    call->session = mcpi_strdup(call->allocator, copy);
    call->transfer.error = call->session == NULL ? MCP_ERR_NOMEM : 0;
  }
}

static void take_type(mcpi_call *call, mcpi_str value) {
  call->is_json = mcpi_http_media_is(value, "application/json");
  call->is_stream = mcpi_http_media_is(value, "text/event-stream");
}

static void begin_head(mcpi_call *call) {
  call->is_json = 0;
  call->is_stream = 0;
  mcpi_strfree(call->allocator, call->session);
  call->session = NULL;
}

/* What comes before the last head (100, 103, a proxy's) counts for nothing. */
static void end_head(mcpi_call *call) {
  mcpi_transfer *transfer = &call->transfer;
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &transfer->status);
  if (transfer->status >= 200) {
    call->has_head = 1;
    mcpi_curl_note(&call->web->curl, transfer);
  }
}

static size_t on_header(char *bytes, size_t size, size_t count, void *owner) {
  mcpi_call *call = owner;
  size_t len = size * count;
  mcpi_str line = mcpi_str_n(bytes, len);
  mcpi_str value;
  while (line.len > 0 &&
         (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == '\n')) {
    line.len--;
  }
  if (line.len == 0) {
    end_head(call);
  } else if (line.len > 5 && memcmp(line.ptr, "HTTP/", 5) == 0) {
    begin_head(call);
  } else if (is_header(line, "Mcp-Session-Id", &value)) {
    take_session(call, value);
  } else if (is_header(line, "Content-Type", &value)) {
    take_type(call, value);
  }
  return call->transfer.error == 0 ? len : 0; /* 0 ends the transfer */
}

static size_t on_body(char *bytes, size_t size, size_t count, void *owner) {
  mcpi_call *call = owner;
  size_t len = size * count;
  mcpi_curl *curl = &call->web->curl;
  mcpi_buf_put(&call->in, bytes, len);
  call->transfer.error = call->in.error;
  if (!call->is_stream && call->in.len > curl->options->given.max_message) {
    call->transfer.error = MCP_ERR_LIMIT;
  }
  if (call->transfer.error != 0) {
    return 0; /* ends the transfer */
  }
  if (call->is_stream) {
    mcpi_curl_note(curl, &call->transfer);
  }
  return len;
}

/* --- the HTTP request ----------------------------------------------------- */

static int add_session(mcpi_call *call) {
  const mcpi_web *web = call->web;
  int rc = 0;
  if (call->is_modern || call->is_initialize) {
    return 0;
  }
  if (web->session != NULL) {
    rc = mcpi_web_add_header(&call->transfer.headers, call->allocator,
                             "Mcp-Session-Id", web->session,
                             strlen(web->session));
  }
  if (rc == 0 && web->version[0] != '\0') {
    rc = mcpi_web_add_header(&call->transfer.headers, call->allocator,
                             "MCP-Protocol-Version", web->version,
                             strlen(web->version));
  }
  return rc;
}

/* An id that no header can bear is as good as none: the server then begins
 * where it will. */
static int is_plain(mcpi_str id) {
  for (size_t i = 0; i < id.len; i++) {
    unsigned char byte = (unsigned char)id.ptr[i];
    if (byte < 0x20 || byte == 0x7f) {
      return 0;
    }
  }
  return id.len <= ID_MAX_LEN;
}

static int add_last_id(mcpi_call *call) {
  mcpi_str id = mcpi_sse_last_id(&call->sse);
  return id.len > 0 && is_plain(id)
             ? mcpi_web_add_header(&call->transfer.headers, call->allocator,
                                   "Last-Event-ID", id.ptr, id.len)
             : 0;
}

static int is_post(const mcpi_call *call) {
  return !call->is_resume &&
         (call->kind == MCPI_WEB_REQUEST || call->kind == MCPI_WEB_NOTE);
}

static const struct curl_slist *accepts(const mcpi_call *call) {
  static const struct curl_slist stream = {
      (char *)(uintptr_t) "Accept: text/event-stream", NULL};
  static const struct curl_slist json_or_stream = {
      (char *)(uintptr_t) "Accept: application/json, text/event-stream",
      (struct curl_slist *)(uintptr_t)mcpi_transfer_json};
  return is_post(call) ? &json_or_stream : &stream;
}

static int add_headers(mcpi_call *call) {
  int rc = mcpi_slist_append_all(&call->transfer.headers, call->mirror);
  rc = rc != 0 ? rc : add_session(call);
  return rc == 0 && !is_post(call) ? add_last_id(call) : rc;
}

static uint32_t limit_of(const mcpi_call *call) {
  const mcp_http_client_options *given = &call->web->curl.options->given;
  switch (call->kind) {
  case MCPI_WEB_NOTE:
  case MCPI_WEB_DELETE:
    return given->notify_timeout_ms;
  case MCPI_WEB_REQUEST:
    return given->request_timeout_ms;
  default:
    return 0;
  }
}

static void set_callbacks(mcpi_call *call) {
  CURL *easy = call->transfer.easy;
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
}

/* 0 or MCP_ERR_NOMEM. */
static int set_method(mcpi_call *call) {
  if (is_post(call)) {
    mcpi_transfer_set_body(&call->transfer, call->body, call->body_len);
  } else if (call->kind == MCPI_WEB_DELETE) {
    return mcpi_easy_set_string(call->transfer.easy, CURLOPT_CUSTOMREQUEST,
                                "DELETE");
  }
  return 0;
}

static int prepare(mcpi_call *call) {
  mcpi_transfer *transfer = &call->transfer;
  const mcpi_curl *curl = &call->web->curl;
  const char *url =
      call->location != NULL ? call->location : curl->options->url;
  int rc = mcpi_transfer_prepare(transfer, curl->multi, curl->options, url,
                                 accepts(call));
  rc = rc != 0 ? rc : add_headers(call);
  rc = rc != 0 ? rc : set_method(call);
  if (rc == 0) {
    set_callbacks(call);
    mcpi_transfer_set_timeout(transfer, limit_of(call));
    rc = mcpi_transfer_start(transfer, curl->multi);
  }
  return rc;
}

/* Nothing of an earlier HTTP request is left, but where its stream was. */
static void reset(mcpi_call *call) {
  begin_head(call);
  mcpi_buf_clear(&call->in);
  mcpi_sse_restart(&call->sse);
  call->has_head = 0;
  call->is_head_judged = 0;
  call->retry_at_ms = INT64_MAX;
  call->session_number = call->web->session_number;
}

int mcpi_call_begin(mcpi_call *call) {
  mcpi_web *web = call->web;
  reset(call);
  call->begun_ms = mcpi_loop_now(web->curl.loop);
  mcpi_list_remove(&call->link);
  mcpi_list_append(&web->calls, &call->link);
  int rc = prepare(call);
  if (rc != 0) {
    mcpi_call_stop(call);
  }
  return rc;
}
