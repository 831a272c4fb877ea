/* SPDX-License-Identifier: MIT */
/* A WebSocket without a socket: bytes in, bytes and messages out, on a loop
 * whose time the test holds. */
#include "wires/websocket/websocket.h"

#include "support/case_file.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include "support/libmcp/recorder.h"
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_SIZE = 256 * 1024 };

typedef struct bench {
  failing_alloc alloc;
  mcp_loop *loop;
  int64_t now_ms;
  mcpi_websocket *websocket;
  recorder owner;
  int is_client;

  /* The channel. */
  int must_open; /* it opens when the test says so */
  char out[OUT_SIZE];
  size_t out_len;
  size_t write_count;
  size_t queued;
  size_t close_count;
  int at_once;
  int is_broken;
} bench;

static bench b;

static const mcpi_websocket_options usual = {.max_message = 1000,
                                             .max_queue = 4000,
                                             .ping_ms = 30000,
                                             .pong_ms = 10000,
                                             .message_ms = 5000,
                                             .close_ms = 2000};

/* --- the channel --------------------------------------------------------- */

static int write_bytes(void *channel, const struct iovec *parts, int count) {
  assert_ptr_equal(channel, &b);
  assert_int_equal(b.close_count, 0);
  b.write_count++;
  for (int i = 0; i < count; i++) {
    assert_true(parts[i].iov_len <= OUT_SIZE - b.out_len);
    memcpy(b.out + b.out_len, parts[i].iov_base, parts[i].iov_len);
    b.out_len += parts[i].iov_len;
  }
  return b.is_broken ? MCP_ERR_CLOSED : 0;
}

static size_t queued(void *channel) {
  assert_ptr_equal(channel, &b);
  return b.queued;
}

static void close_channel(void *channel, int at_once) {
  assert_ptr_equal(channel, &b);
  b.close_count++;
  b.at_once = at_once;
}

static int open_channel(void *channel, mcp_error *err) {
  assert_ptr_equal(channel, &b);
  return 0;
}

static const mcpi_ws_channel open_ops = {
    .write = write_bytes, .queued = queued, .close = close_channel};
static const mcpi_ws_channel later_ops = {.open = open_channel,
                                          .write = write_bytes,
                                          .queued = queued,
                                          .close = close_channel};

/* Numbers that are as good as any for a test: 1, 2, 3, 4. */
static int count_up(void *userdata, void *buf, size_t len) {
  unsigned char *bytes = buf;
  for (size_t i = 0; i < len; i++) {
    bytes[i] = (unsigned char)(1 + i % 4);
  }
  return 0;
}

/* --- a websocket --------------------------------------------------------- */

static void begin_loop(void) {
  const mcp_platform platform = {.size = sizeof(mcp_platform),
                                 .random = count_up};
  b = (bench){.now_ms = 1000};
  failing_alloc_init(&b.alloc);
  b.loop = mcp_loop_new_manual(&platform, &b.alloc.allocator, NULL);
  assert_non_null(b.loop);
  mcp_loop_advance(b.loop, b.now_ms, 0);
}

static void begin_with(mcpi_websocket_options options, int is_client) {
  begin_loop();
  b.is_client = is_client;
  options.is_client = is_client;
  b.websocket = mcpi_websocket_new(b.loop, &options, &open_ops, &b, NULL);
  assert_non_null(b.websocket);
  b.owner.keeps = 1;
  recorder_start(&b.owner, mcpi_websocket_transport(b.websocket));
}

static void begin(int is_client) {
  begin_with(usual, is_client);
}

static void end(void) {
  if (b.owner.transport != NULL) {
    b.owner.transport->release(b.owner.transport);
  }
  recorder_deinit(&b.owner);
  mcp_loop_free(b.loop);
  assert_int_equal(b.alloc.live_blocks, 0);
}

static int set_up_server(void **state) {
  begin(0);
  return 0;
}

static int set_up_client(void **state) {
  begin(1);
  return 0;
}

static int tear_down(void **state) {
  end();
  return 0;
}

#define SERVER_TEST(name) TEST_WITH(name, set_up_server, tear_down)
#define CLIENT_TEST(name) TEST_WITH(name, set_up_client, tear_down)

/* Code that reads past the bytes crashes. A transport that has ended gets no
 * input. */
static void input(const char *bytes, size_t len) {
  char *copy = guarded_copy(bytes, len);
  if (b.owner.transport != NULL) {
    mcpi_websocket_input(b.websocket, copy, len);
  }
  guarded_free(copy, len);
}

static void pass(int64_t ms) {
  b.now_ms += ms;
  mcp_loop_advance(b.loop, b.now_ms, 0);
}

/* --- frames, as a test writes them --------------------------------------- */

typedef struct frame {
  unsigned first;
  size_t head_len; /* without a mask */
  uint64_t len;
} frame;

/* A frame without a mask, whatever its first byte and form of length. */
static frame read_head(const unsigned char *bytes) {
  frame f = {bytes[0], 2, bytes[1] & 127};
  size_t more = f.len == 126 ? 2 : f.len == 127 ? 8 : 0;
  if (more > 0) {
    f.len = 0;
    for (size_t i = 0; i < more; i++) {
      f.len = f.len << 8 | bytes[2 + i];
    }
  }
  f.head_len += more;
  return f;
}

/* The same frames, masked: a client's. */
static size_t mask(const char *frames, size_t len, char *out) {
  static const unsigned char key[] = {0xa1, 0x05, 0x00, 0xff};
  const unsigned char *bytes = (const unsigned char *)frames;
  size_t out_len = 0;
  for (size_t at = 0; at < len;) {
    frame f = read_head(bytes + at);
    size_t left = len - at - f.head_len;
    size_t count = f.len < left ? (size_t)f.len : left;
    memcpy(out + out_len, bytes + at, f.head_len);
    out[out_len + 1] = (char)(out[out_len + 1] | 0x80);
    out_len += f.head_len;
    memcpy(out + out_len, key, sizeof(key));
    out_len += sizeof(key);
    at += f.head_len;
    for (size_t i = 0; i < count; i++) {
      out[out_len++] = (char)(bytes[at + i] ^ key[i % 4]);
    }
    at += count;
  }
  return out_len;
}

/* What was written, as text: "<close 1000 why><pong abc><text hello>". */
static const char *written(void) {
  static char text[8192];
  size_t used = 0;
  text[0] = '\0';
  for (size_t at = 0; at < b.out_len;) {
    unsigned char *bytes = (unsigned char *)b.out + at;
    int is_masked = bytes[1] >> 7;
    assert_int_equal(is_masked, b.is_client);
    frame f = read_head(bytes);
    unsigned char *key = bytes + f.head_len;
    unsigned char *payload = key + (is_masked ? 4 : 0);
    for (size_t i = 0; is_masked && i < f.len; i++) {
      payload[i] ^= key[i % 4];
    }
    bytes[1] &= 127;
    char name[32] = "text";
    switch (f.first) {
    case 0x81:
      break;
    case 0x88:
      snprintf(name, sizeof(name), "close %d",
               f.len >= 2 ? payload[0] * 256 + payload[1] : 0);
      payload += f.len >= 2 ? 2 : 0;
      f.len -= f.len >= 2 ? 2 : 0;
      break;
    case 0x89:
      strcpy(name, "ping");
      break;
    case 0x8a:
      strcpy(name, "pong");
      break;
    default:
      fail_msg("a frame with %02x", f.first);
    }
    used += (size_t)snprintf(text + used, sizeof(text) - used, "<%s%s%.*s>",
                             name, f.len > 0 ? " " : "", (int)f.len,
                             (const char *)payload);
    at = (size_t)(payload - (unsigned char *)b.out) + (size_t)f.len;
  }
  b.out_len = 0;
  return text;
}

/* The messages that came: "one|two|". */
static const char *came(void) {
  static char text[4096];
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < b.owner.message_count; i++) {
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s|",
                             recorder_message(&b.owner, i));
  }
  return text;
}

/* --- what frames may be -------------------------------------------------- */

#define WRONG "<close 1002 "

/* A line of frames.txt, in parts. */
typedef struct row {
  const char *name;
  char frames[1024]; /* without masks */
  size_t len;
  char expected[1024];
} row;

/* Replaces \xNN and {N} up to the end; returns the count of bytes. */
static size_t unescape(const char *text, const char *end, char out[1024]) {
  size_t len = 0;
  while (text < end) {
    unsigned value = 0;
    int used = 0;
    if (sscanf(text, "\\x%2x%n", &value, &used) == 1) {
      out[len++] = (char)value;
    } else if (sscanf(text, "{%3u}%n", &value, &used) == 1 && used > 0) {
      assert_true(len + value < 1000);
      memset(out + len, 'a', value);
      len += value;
    } else {
      out[len++] = *text;
      used = 1;
    }
    assert_true(len < 1000);
    text += used;
  }
  out[len] = '\0';
  return len;
}

/* What came of the frames, as a line says it. */
static const char *outcome(void) {
  static char text[16384];
  int code = b.owner.close_error.code;
  snprintf(text, sizeof(text), "%s%s%s%s", came(), written(),
           code != 0 ? " " : "", code != 0 ? mcp_error_name(code) : "");
  return text;
}

static void check_row(const row *r, const char *role, size_t cut) {
  const char *what = outcome();
  if (strcmp(what, r->expected) != 0) {
    fail_msg("%s (%s, cut at %zu): \"%s\" came, not \"%s\"", r->name, role, cut,
             what, r->expected);
  }
  int has_ended = strstr(r->expected, "<close") != NULL;
  assert_int_equal(b.owner.close_count, has_ended);
  assert_int_equal(b.close_count, has_ended);
  assert_false(b.at_once);
}

/* Cut in two at each byte, and into single ones. */
static void run_row(const row *r, int is_client) {
  const char *role = is_client ? "client" : "server";
  char bytes[2048];
  size_t len = r->len;
  if (is_client) {
    memcpy(bytes, r->frames, len);
  } else {
    len = mask(r->frames, r->len, bytes);
  }
  for (size_t cut = 0; cut <= len; cut++) {
    begin(is_client);
    input(bytes, cut);
    input(bytes + cut, len - cut);
    check_row(r, role, cut);
    end();
  }
  begin(is_client);
  for (size_t i = 0; i < len; i++) {
    input(bytes + i, 1);
  }
  check_row(r, role, SIZE_MAX);
  end();
}

/* Lines: NAME: FRAMES => WHAT */
static void run_lines(void **state) {
  int count = 0;
  for (char *line = *state, *next; *line != '\0'; line = next, count++) {
    row r = {.name = line};
    next = line + strcspn(line, "\n");
    *next++ = '\0';
    char *frames = strstr(line, ": ");
    char *what = strstr(line, " =>");
    assert_true(frames != NULL && what != NULL && frames < what);
    *frames = '\0';
    r.len = unescape(frames + 2, what, r.frames);
    what += strlen(" =>");
    what += *what == ' ';
    unescape(what, what + strlen(what), r.expected);
    run_row(&r, 0);
    run_row(&r, 1);
  }
  assert_true(count > 0);
}

TEST(a_code_for_closing_is_one_that_may_be_sent) {
  static const struct {
    int code;
    int is_good;
  } codes[] = {{0, 0},    {999, 0},  {1000, 1}, {1001, 1}, {1002, 1}, {1003, 1},
               {1004, 0}, {1005, 0}, {1006, 0}, {1007, 1}, {1008, 1}, {1009, 1},
               {1010, 1}, {1011, 1}, {1014, 1}, {1015, 0}, {1016, 0}, {2999, 0},
               {3000, 1}, {4999, 1}, {5000, 0}, {65535, 0}};
  for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
    char bytes[] = {'\x88', 2, (char)(codes[i].code / 256),
                    (char)(codes[i].code % 256)};
    char expected[64] = WRONG "the code for closing is not valid>";
    if (codes[i].is_good) {
      snprintf(expected, sizeof(expected), "<close %d>", codes[i].code);
    }
    begin(1);
    input(bytes, sizeof(bytes));
    assert_string_equal(written(), expected);
    end();
  }
}

TEST(only_clients_mask) {
  begin(0);
  input("\x81\x01"
        "a",
        3);
  assert_string_equal(written(), WRONG "a frame is not masked>");
  assert_int_equal(b.owner.close_error.code, MCP_ERR_PROTOCOL);
  end();
  begin(1);
  input("\x81\x81\x01\x02\x03\x04"
        "a",
        7);
  assert_string_equal(written(), WRONG "a server's frame is masked>");
  end();
}

TEST(what_is_sent_is_one_frame) {
  static const size_t sizes[] = {0,     1,     125,   126,   16384,
                                 16385, 65535, 65536, 70000, 200000};
  mcpi_websocket_options options = usual;
  options.max_queue = 1000000;
  for (int is_client = 0; is_client < 2; is_client++) {
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
      size_t len = sizes[i];
      char *message = malloc(len + 1);
      memset(message, 'x', len);
      begin_with(options, is_client);
      assert_int_equal(
          b.owner.transport->send(b.owner.transport, message, len, NULL), 0);
      frame f = read_head((unsigned char *)b.out);
      size_t head = len < 126 ? 2 : len <= 65535 ? 4 : 10;
      assert_int_equal((unsigned char)b.out[0], 0x81);
      assert_int_equal(f.len, len);
      assert_int_equal(f.head_len, head);
      assert_int_equal(b.out_len, head + (is_client ? 4 : 0) + len);
      for (size_t at = 0; at < len; at++) {
        int key = is_client ? 1 + (int)(at % 4) : 0;
        int byte = b.out[head + (is_client ? 4 : 0) + at];
        if (byte != ('x' ^ key)) {
          fail_msg("byte %zu of %zu is %d", at, len, byte);
        }
      }
      end();
      free(message);
    }
  }
}

TEST(frames_have_these_bytes) {
  begin(0);
  recorder_send(&b.owner, "{\"id\":1}");
  assert_int_equal(b.out_len, 10);
  assert_memory_equal(b.out, "\x81\x08{\"id\":1}", 10);
  end();
  begin(1);
  recorder_send(&b.owner, "abcde");
  assert_int_equal(b.out_len, 11);
  assert_memory_equal(b.out,
                      "\x81\x85\x01\x02\x03\x04"
                      "\x60\x60\x60\x60\x64",
                      11);
  end();
}

/* --- closing ------------------------------------------------------------- */

static void close_it(void) {
  b.owner.transport->close(b.owner.transport);
}

CLIENT_TEST(closing_waits_for_the_far_side) {
  recorder_send(&b.owner, "last");
  close_it();
  close_it();
  assert_string_equal(written(), "<text last><close 1000>");
  assert_int_equal(b.owner.close_count, 0);
  assert_int_equal(b.owner.transport->send(b.owner.transport, "x", 1, NULL),
                   MCP_ERR_CLOSED);
  input("\x81\x01x\x89\x00", 5); /* nobody hears it any more */
  assert_string_equal(written(), "");
  assert_string_equal(came(), "");
  input("\x88\x02\x03\xe8", 4);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, 0);
  assert_int_equal(b.close_count, 1);
}

SERVER_TEST(a_server_goes_away) {
  close_it();
  assert_string_equal(written(), "<close 1001>");
  mcpi_websocket_gone(b.websocket, NULL);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, 0);
  assert_int_equal(b.close_count, 0);
}

/* A client that goes on sending must not keep the server busy until the time is
 * over. */
SERVER_TEST(closing_reads_so_much_and_no_more) {
  enum { FRAME = 16, COUNT = 1024 * 1024 / FRAME };
  static const char head[] = "\x81\x8a\x00\x00\x00\x00";
  char text[FRAME] = {0};
  memcpy(text, head, sizeof(head) - 1);
  close_it();
  for (int i = 0; i < COUNT; i++) {
    input(text, FRAME);
  }
  assert_int_equal(b.owner.close_count, 0);
  input(text, 1);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, 0);
  assert_int_equal(b.close_count, 1);
  assert_string_equal(came(), "");
}

SERVER_TEST(closing_has_a_limit) {
  close_it();
  pass(1999);
  assert_int_equal(b.owner.close_count, 0);
  pass(1);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, 0);
  assert_int_equal(b.close_count, 1);
  assert_true(b.at_once);
}

/* The limit counts from when the far side last took something. */
SERVER_TEST(closing_waits_for_what_moves) {
  b.queued = 1000;
  recorder_send(&b.owner, "last");
  close_it();
  for (int i = 0; i < 5; i++) {
    pass(1500);
    b.queued -= 100;
  }
  assert_int_equal(b.owner.close_count, 0);
  pass(10000);
  pass(10000);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, MCP_ERR_TIMEOUT);
  assert_string_equal(b.owner.close_error.message,
                      "the peer did not read the last 500 bytes");
}

static void close_inside(recorder *owner) {
  owner->transport->close(owner->transport);
}

CLIENT_TEST(closing_may_come_inside_a_message) {
  b.owner.on_message = close_inside;
  b.owner.echoes = 1;
  input("\x81\x01"
        "a\x81\x01"
        "b",
        6);
  assert_string_equal(written(), "<text a><close 1000>");
  assert_string_equal(came(), "a|");
}

static void release_inside(recorder *owner) {
  mcp_transport *transport = owner->transport;
  owner->transport = NULL;
  transport->release(transport);
}

SERVER_TEST(it_may_be_released_inside_a_message) {
  b.owner.on_message = release_inside;
  char bytes[64];
  size_t len = mask("\x81\x01"
                    "a\x81\x01"
                    "b",
                    6, bytes);
  input(bytes, len);
  assert_string_equal(came(), "a|");
  assert_string_equal(written(), "<close 1001>");
  assert_int_equal(b.owner.close_count, 0);
  assert_int_equal(b.close_count, 1);
}

CLIENT_TEST(a_broken_channel_is_told_later) {
  b.is_broken = 1;
  assert_int_equal(b.owner.transport->send(b.owner.transport, "x", 1, NULL),
                   MCP_ERR_CLOSED);
  assert_int_equal(b.owner.close_count, 0);
  mcpi_websocket_gone(b.websocket, NULL);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, MCP_ERR_CLOSED);
  assert_int_equal(b.close_count, 0);
}

CLIENT_TEST(a_reason_is_told) {
  input("\x88\x0a\x03\xe9"
        "re\x1b\nboot",
        12);
  assert_int_equal(b.owner.close_error.code, MCP_ERR_CLOSED);
  assert_string_equal(b.owner.close_error.message,
                      "the peer closed the WebSocket with 1001: re??boot");
}

SERVER_TEST(who_leaves_says_so) {
  mcpi_websocket_leave(b.websocket);
  assert_string_equal(written(), "<close 1001>");
  mcpi_websocket_gone(b.websocket, NULL);
  assert_int_equal(b.owner.close_error.code, 0);
}

/* --- silence ------------------------------------------------------------- */

SERVER_TEST(a_silent_far_side_is_asked) {
  char pong[16];
  size_t len = mask("\x8a\x00", 2, pong);
  for (int i = 0; i < 3; i++) {
    pass(29999);
    assert_string_equal(written(), "");
    pass(1);
    assert_string_equal(written(), "<ping>");
    pass(9999);
    input(pong, len);
  }
  pass(30000);
  assert_string_equal(written(), "<ping>");
  pass(9999);
  assert_int_equal(b.owner.close_count, 0);
  pass(1);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, MCP_ERR_TIMEOUT);
  assert_string_equal(written(), "<close 1011 a ping was not answered>");
  assert_false(b.at_once);
}

SERVER_TEST(nothing_is_said_behind_what_does_not_move) {
  b.queued = 1;
  pass(30000);
  assert_string_equal(written(), "<ping>");
  b.queued = 3;
  pass(10000);
  assert_int_equal(b.owner.close_count, 1);
  assert_string_equal(written(), "");
  assert_true(b.at_once);
}

/* What the far side said meanwhile may lie in the socket: it has the whole time
 * once more. */
SERVER_TEST(a_late_loop_blames_nobody) {
  char pong[16];
  char half[16];
  size_t len = mask("\x8a\x00", 2, pong);
  pass(30000);
  assert_string_equal(written(), "<ping>");
  pass(60000);
  assert_int_equal(b.owner.close_count, 0);
  input(pong, len);
  mask("\x81\x05hello", 7, half);
  input(half, 8);
  pass(60000);
  assert_int_equal(b.owner.close_count, 0);
  input(half + 8, 3);
  assert_int_equal(b.owner.message_count, 1);
  pass(30000);
  pass(60000);
  assert_int_equal(b.owner.close_count, 0);
  pass(10000);
  assert_int_equal(b.owner.close_count, 1);
}

CLIENT_TEST(who_speaks_is_not_asked) {
  for (int i = 0; i < 10; i++) {
    pass(29000);
    input("\x81\x01"
          "a",
          3);
  }
  assert_string_equal(written(), "");
}

/* However long his answer takes behind what he reads slowly. */
SERVER_TEST(who_takes_bytes_is_alive) {
  b.queued = 3000;
  for (int i = 0; i < 30; i++) {
    pass(9000);
    b.queued -= 100;
  }
  assert_int_equal(b.owner.close_count, 0);
}

/* The loop was blocked for a long time: the peer's bytes may still lie in the
 * socket. */
TEST(a_late_timer_blames_nobody) {
  for (int is_client = 0; is_client < 2; is_client++) {
    begin(is_client);
    pass(30000);
    assert_string_equal(written(), "<ping>");
    pass(11001);
    assert_int_equal(b.owner.close_count, 0);
    pass(9999);
    assert_int_equal(b.owner.close_count, 0);
    pass(1);
    assert_int_equal(b.owner.close_count, 1);
    assert_int_equal(b.owner.close_error.code, MCP_ERR_TIMEOUT);
    end();
  }
}

CLIENT_TEST(nor_for_a_message) {
  input("\x01\x01"
        "a",
        3);
  pass(6001);
  assert_int_equal(b.owner.close_count, 0);
  input("\x80\x01"
        "b",
        3);
  assert_string_equal(came(), "ab|");
}

TEST(asking_can_be_left) {
  mcpi_websocket_options options = usual;
  options.ping_ms = UINT32_MAX;
  begin_with(options, 0);
  pass(INT32_MAX);
  assert_string_equal(written(), "");
  assert_int_equal(b.owner.close_count, 0);
  end();
}

CLIENT_TEST(a_message_has_its_time) {
  input("\x01\x01"
        "a",
        3);
  for (int i = 0; i < 4; i++) {
    pass(1249);
    input("\x89\x00\x00\x01"
          "a",
          5);
  }
  assert_int_equal(b.owner.close_count, 0);
  pass(4);
  assert_string_equal(
      written(),
      "<pong><pong><pong><pong><close 1008 a message did not come in time>");
  assert_int_equal(b.owner.close_error.code, MCP_ERR_TIMEOUT);
}

CLIENT_TEST(each_message_has_its_own) {
  for (int i = 0; i < 10; i++) {
    input("\x81", 1);
    pass(4000);
    input("\x01"
          "a",
          2);
    pass(4000);
  }
  assert_int_equal(b.owner.message_count, 10);
  /* The next begins in the piece that ends the one before it. */
  input("\x81", 1);
  for (int i = 0; i < 10; i++) {
    pass(4000);
    input("\x01"
          "a\x81",
          3);
  }
  assert_int_equal(b.owner.message_count, 20);
  assert_int_equal(b.owner.close_count, 0);
}

/* --- queues -------------------------------------------------------------- */

static void say_much(recorder *owner) {
  char message[5000];
  memset(message, 'x', sizeof(message));
  recorder_send(owner, "1");
  assert_int_equal(
      owner->transport->send(owner->transport, message, sizeof(message), NULL),
      0);
}

CLIENT_TEST(what_is_held_back_does_not_wait) {
  b.owner.on_message = say_much;
  input("\x81\x01"
        "a",
        3);
  assert_int_equal(b.owner.message_count, 1);
  assert_true(b.out_len > 5000);
}

TEST(who_does_not_read_is_sent_no_more) {
  char message[1000];
  memset(message, 'x', sizeof(message));
  begin(0);
  mcp_transport *transport = b.owner.transport;
  b.queued = 2986;
  assert_int_equal(transport->queued(transport), 2986);
  assert_int_equal(transport->send(transport, message, 1000, NULL), 0);
  b.queued = 2987;
  assert_int_equal(transport->send(transport, message, 1000, NULL),
                   MCP_ERR_LIMIT);
  b.queued = 5000;
  assert_int_equal(transport->send(transport, message, 0, NULL), MCP_ERR_LIMIT);
  b.queued = 0;
  assert_int_equal(transport->send(transport, message, 1000, NULL), 0);
  assert_int_equal(b.owner.close_count, 0);
  end();
}

/* A server that goes on says so by 1001, but not one that gives its client
 * up. */
TEST(who_is_given_up_is_told_so) {
  for (int is_refused = 0; is_refused < 2; is_refused++) {
    begin(0);
    mcp_transport *transport = b.owner.transport;
    b.queued = 5000;
    assert_int_equal(transport->send(transport, "x", 1, NULL), MCP_ERR_LIMIT);
    if (!is_refused) {
      b.queued = 0;
      assert_int_equal(transport->send(transport, "x", 1, NULL), 0);
      assert_string_equal(written(), "<text x>");
    }
    transport->close(transport);
    assert_string_equal(written(),
                        is_refused ? "<close 1008>" : "<close 1001>");
    end();
  }
}

CLIENT_TEST(who_only_asks_gets_the_last_answer) {
  b.queued = 1;
  for (int i = 0; i < 1000; i++) {
    char ping[] = {'\x89', 3, (char)('0' + i / 100), (char)('0' + i / 10 % 10),
                   (char)('0' + i % 10)};
    input(ping, sizeof(ping));
  }
  assert_int_equal(b.out_len, 0);
  b.queued = 0;
  mcpi_websocket_drained(b.websocket);
  mcpi_websocket_drained(b.websocket);
  assert_string_equal(written(), "<pong 999>");
}

CLIENT_TEST(replies_to_what_came_together_go_together) {
  b.owner.echoes = 1;
  input("\x81\x01"
        "a\x81\x01"
        "b\x89\x00\x81\x01"
        "c",
        11);
  assert_int_equal(b.write_count, 1);
  assert_string_equal(written(), "<text a><text b><pong><text c>");
}

static void say_slowly(recorder *owner) {
  recorder_send(owner, "1");
  pass(1);
  recorder_send(owner, "2");
  assert_string_equal(written(), "<text 1><text 2>");
}

CLIENT_TEST(a_handler_is_heard_while_it_works) {
  b.owner.on_message = say_slowly;
  input("\x81\x01"
        "a",
        3);
  assert_int_equal(b.owner.message_count, 1);
}

/* --- opening ------------------------------------------------------------- */

static int set_up_unopened(void **state) {
  mcpi_websocket_options options = usual;
  options.is_client = 1;
  options.origin = "ws://localhost:1";
  begin_loop();
  b.is_client = 1;
  b.websocket = mcpi_websocket_new(b.loop, &options, &later_ops, &b, NULL);
  recorder_start(&b.owner, mcpi_websocket_transport(b.websocket));
  return 0;
}

#define UNOPENED_TEST(name) TEST_WITH(name, set_up_unopened, tear_down)

UNOPENED_TEST(what_is_sent_before_it_opens_waits) {
  char message[2000] = {0};
  mcp_transport *transport = b.owner.transport;
  assert_string_equal(transport->origin(transport), "ws://localhost:1");
  recorder_send(&b.owner, "one");
  recorder_send(&b.owner, "two");
  assert_int_equal(b.out_len, 0);
  assert_int_equal(transport->queued(transport), 18);
  memset(message, 'x', sizeof(message));
  assert_int_equal(transport->send(transport, message, 2000, NULL), 0);
  assert_int_equal(transport->send(transport, message, 2000, NULL),
                   MCP_ERR_LIMIT);
  mcpi_websocket_opened(b.websocket);
  message[1999] = '\0';
  assert_int_equal(b.write_count, 1);
  assert_memory_equal(written(), "<text one><text two><text xxx", 29);
}

UNOPENED_TEST(one_that_does_not_open_ends) {
  mcp_error err;
  recorder_send(&b.owner, "one");
  mcp_error_set(&err, MCP_ERR_IO, "nobody is there");
  mcpi_websocket_gone(b.websocket, &err);
  assert_int_equal(b.owner.close_count, 1);
  assert_string_equal(b.owner.close_error.message, "nobody is there");
  assert_int_equal(b.close_count, 0);
}

UNOPENED_TEST(closing_while_it_opens_ends_at_once) {
  close_it();
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, 0);
  assert_int_equal(b.close_count, 1);
  assert_true(b.at_once);
  assert_int_equal(b.out_len, 0);
}

UNOPENED_TEST(what_was_sent_is_waited_for) {
  recorder_send(&b.owner, "one");
  close_it();
  close_it();
  assert_int_equal(b.owner.close_count, 0);
  assert_int_equal(b.owner.transport->send(b.owner.transport, "x", 1, NULL),
                   MCP_ERR_CLOSED);
  mcpi_websocket_opened(b.websocket);
  assert_string_equal(written(), "<text one><close 1000>");
  input("\x88\x02\x03\xe8", 4);
  assert_int_equal(b.owner.close_error.code, 0);
}

UNOPENED_TEST(but_not_for_long) {
  recorder_send(&b.owner, "one");
  close_it();
  pass(1999);
  assert_int_equal(b.owner.close_count, 0);
  pass(1);
  assert_int_equal(b.owner.close_count, 1);
  assert_int_equal(b.owner.close_error.code, MCP_ERR_TIMEOUT);
  assert_int_equal(b.out_len, 0);
}

/* --- memory -------------------------------------------------------------- */

/* Everything that needs memory, with the one that fails each time another. */
static int talk(const mcp_allocator *allocator, void *userdata) {
  const mcp_platform platform = {.size = sizeof(mcp_platform),
                                 .random = count_up};
  mcpi_websocket_options options = usual;
  int rc = 0;
  b = (bench){.is_client = 1};
  options.is_client = 1;
  options.origin = "ws://localhost:1";
  b.loop = mcp_loop_new_manual(&platform, allocator, NULL);
  if (b.loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  b.websocket = mcpi_websocket_new(b.loop, &options, &open_ops, &b, NULL);
  if (b.websocket == NULL) {
    mcp_loop_free(b.loop);
    return MCP_ERR_NOMEM;
  }
  recorder_own(&b.owner, mcpi_websocket_transport(b.websocket));
  b.owner.keeps = 1;
  rc = b.owner.transport->start(b.owner.transport, NULL);
  if (rc == 0) {
    rc = b.owner.transport->send(b.owner.transport, "hello", 5, NULL);
    input("\x01\x03hel\x89\x00\x80\x02lo", 11);
    rc = rc != 0 ? rc : b.owner.close_error.code;
    assert_string_equal(rc == 0 ? came() : "hello|", "hello|");
  }
  if (b.owner.transport != NULL) {
    b.owner.transport->release(b.owner.transport);
  }
  recorder_deinit(&b.owner);
  mcp_loop_free(b.loop);
  return rc;
}

TEST(it_survives_without_memory) {
  assert_true(failing_alloc_rerun(talk, NULL) > 3);
}

TEST(no_memory_for_what_comes_is_told) {
  for (int is_client = 0; is_client < 2; is_client++) {
    begin(is_client);
    b.alloc.fail_at = b.alloc.calls + 1;
    if (is_client) {
      input("\x01\x03hel", 5);
    } else {
      input("\x01\x83\0\0\0\0hel", 9);
    }
    assert_int_equal(b.alloc.failures, 1);
    assert_string_equal(written(), "<close 1011 out of memory>");
    assert_int_equal(b.owner.close_count, 1);
    assert_int_equal(b.owner.close_error.code, MCP_ERR_NOMEM);
    end();
  }
}

/* The owner closes when an answer cannot be sent. */
SERVER_TEST(no_memory_for_an_answer_is_told) {
  mcp_transport *transport = b.owner.transport;
  b.alloc.fail_at = b.alloc.calls + 1;
  assert_int_equal(transport->send(transport, "x", 1, NULL), MCP_ERR_NOMEM);
  transport->close(transport);
  assert_string_equal(written(), "<close 1011>");
}

/* wslay's own is not counted. */
CLIENT_TEST(a_steady_stream_asks_for_no_memory) {
  b.owner.echoes = 1;
  b.owner.keeps = 0;
  size_t calls = 0;
  for (int i = 0; i < 100; i++) {
    calls = i == 10 ? b.alloc.calls : calls;
    input("\x81\x05hello\x01\x02he\x80\x03llo", 16);
    b.out_len = 0;
  }
  assert_int_equal(b.alloc.calls, calls);
}

int main(void) {
  case_files_add("tests/unit/wires/websocket/frames.txt", run_lines, NULL);
  return tests_run(NULL, NULL);
}
