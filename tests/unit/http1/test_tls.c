/* SPDX-License-Identifier: MIT */
/* The HTTP/1.1 server over TLS. */
#include "http1/conn.h"
#include "support/libmcp/http_rig.h"
#include "support/libmcp/recorder.h"
#include <mcp/error.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define POST "POST /mcp HTTP/1.1\r\nHost: x\r\n"
#define HELLO POST "Content-Length: 5\r\n\r\nhello"
#define LAST "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static char folder[32];
static http_rig r;
static SSL_CTX *context; /* the client's */
static SSL *ssl;

/* --- certificates -------------------------------------------------------- */

static const char *in_folder(const char *name) {
  static char paths[4][64];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
  return path;
}

static void add_subject(X509_NAME *name, const char *subject) {
  X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC,
                             (const unsigned char *)"Test", -1, -1, 0);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             (const unsigned char *)subject, -1, -1, 0);
}

static void add_other_name(X509 *cert, const char *name) {
  X509_EXTENSION *extension =
      X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, name);
  assert_non_null(extension);
  X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
}

/* A subject with a colon is an alternative name. With "" the certificate has no
 * name. */
static X509 *make_cert(EVP_PKEY *key, const char *subject) {
  X509 *cert = X509_new();
  X509_set_version(cert, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
  if (strchr(subject, ':') != NULL) {
    add_other_name(cert, subject);
  } else if (subject[0] != '\0') {
    add_subject(X509_get_subject_name(cert), subject);
  }
  X509_set_issuer_name(cert, X509_get_subject_name(cert));
  X509_set_pubkey(cert, key);
  assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
  return cert;
}

/* NAME.crt and NAME.key, signed by itself. */
static void make_files_with(EVP_PKEY *key, const char *name,
                            const char *subject) {
  char file_name[32];
  X509 *cert = make_cert(key, subject);
  snprintf(file_name, sizeof(file_name), "%s.crt", name);
  FILE *file = fopen(in_folder(file_name), "w");
  assert_int_equal(PEM_write_X509(file, cert), 1);
  fclose(file);
  snprintf(file_name, sizeof(file_name), "%s.key", name);
  file = fopen(in_folder(file_name), "w");
  assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL),
                   1);
  fclose(file);
  X509_free(cert);
  EVP_PKEY_free(key);
}

static void make_files(const char *name, const char *subject) {
  make_files_with(EVP_EC_gen("P-256"), name, subject);
}

static int make_all(void **state) {
  snprintf(folder, sizeof(folder), "/tmp/http1-tls-XXXXXX");
  assert_non_null(mkdtemp(folder));
  make_files("one", "one");
  make_files("two", "two");
  make_files("uri", "URI:spiffe://example.org/agent");
  make_files("none", "");
  make_files_with(EVP_RSA_gen(2048), "rsa", "rsa");
  return 0;
}

static int remove_all(void **state) {
  static const char *const files[] = {
      "one.crt", "one.key",  "two.crt",  "two.key", "uri.crt",
      "uri.key", "none.crt", "none.key", "rsa.crt", "rsa.key"};
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
    unlink(in_folder(files[i]));
  }
  return rmdir(folder);
}

/* --- the two ends -------------------------------------------------------- */

static void use(const char *cert, const char *key, const char *client_ca) {
  mcp_error err = {0};
  mcpi_tls *tls =
      mcpi_tls_new(in_folder(cert), in_folder(key),
                   client_ca != NULL ? in_folder(client_ca) : NULL, &err);
  assert_int_equal(err.code, 0);
  mcpi_http1_set_tls(r.http1, tls);
  mcpi_tls_unref(tls);
}

static int begin(void **state) {
  http_rig_begin(&r);
  r.is_deaf = 1;
  context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return 0;
}

static void make_server(void) {
  assert_int_equal(http_rig_make_server(&r), 0);
  use("one.crt", "one.key", NULL);
}

static int end(void **state) {
  SSL_free(ssl);
  ssl = NULL;
  SSL_CTX_free(context);
  ERR_clear_error();
  http_rig_end(&r);
  return 0;
}

static void start_client(void) {
  http_rig_connect(&r);
  SSL_free(ssl);
  ssl = SSL_new(context);
  SSL_set_fd(ssl, r.client);
  SSL_set_connect_state(ssl);
}

/* Repeats an operation until it needs no further turns. `rc` is its last
 * return. */
#define FINISH(operation)                                                      \
  do {                                                                         \
    ERR_clear_error();                                                         \
    rc = (operation);                                                          \
    http_step(&r);                                                             \
    assert_true(uv_hrtime() - began < UINT64_C(30000000000));                  \
  } while (rc <= 0 && (SSL_get_error(ssl, rc) == SSL_ERROR_WANT_READ ||        \
                       SSL_get_error(ssl, rc) == SSL_ERROR_WANT_WRITE))

static int shake_hands(void) {
  uint64_t began = uv_hrtime();
  int rc;
  FINISH(SSL_do_handshake(ssl));
  return rc;
}

static void connect_tls(void) {
  start_client();
  assert_int_equal(shake_hands(), 1);
}

static void say(const char *bytes, size_t len) {
  uint64_t began = uv_hrtime();
  while (len > 0) {
    int rc;
    FINISH(SSL_write(ssl, bytes, (int)len));
    assert_true(rc > 0);
    bytes += rc;
    len -= (size_t)rc;
  }
}

/* Reads until so many bytes are there, or the end; how many. */
static size_t hear(char *to, size_t size) {
  uint64_t began = uv_hrtime();
  size_t len = 0;
  while (len < size) {
    int rc;
    FINISH(SSL_read(ssl, to + len, (int)(size - len)));
    if (rc <= 0) {
      break;
    }
    len += (size_t)rc;
  }
  return len;
}

static void expect_answer(const char *last) {
  char text[4096];
  size_t len = 0;
  size_t last_len = strlen(last);
  do {
    assert_true(len + 1 < sizeof(text));
    assert_int_equal(hear(text + len, 1), 1);
    len++;
  } while (len < last_len ||
           memcmp(text + len - last_len, last, last_len) != 0);
}

/* The end came as it should: close_notify. */
static void expect_end(void) {
  char byte;
  uint64_t began = uv_hrtime();
  int rc;
  FINISH(SSL_read(ssl, &byte, 1));
  assert_int_equal(SSL_get_error(ssl, rc), SSL_ERROR_ZERO_RETURN);
}

/* --- requests and answers ------------------------------------------------ */

static void run_version(int version) {
  SSL_CTX_set_min_proto_version(context, version);
  SSL_CTX_set_max_proto_version(context, version);
  connect_tls();
  assert_int_equal(SSL_version(ssl), version);
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("\r\n\r\nhello");
  say(HELLO HELLO, 2 * (sizeof(HELLO) - 1));
  expect_answer("\r\n\r\nhello");
  expect_answer("\r\n\r\nhello");
  say(LAST, sizeof(LAST) - 1);
  expect_answer("Connection: close\r\nContent-Length: 0\r\n\r\n");
  expect_end();
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

FIXTURE_TEST(requests_are_answered) {
  make_server();
  run_version(TLS1_3_VERSION);
  run_version(TLS1_2_VERSION);
  assert_string_equal(r.principal, "");
}

FIXTURE_TEST(much_goes_both_ways) {
  enum { SIZE = 3 * 1024 * 1024 };
  static const char head[] = POST "Content-Length: 3145728\r\n\r\n";
  char *sent = malloc(SIZE);
  char *got = calloc(1, SIZE);
  for (size_t i = 0; i < SIZE; i++) {
    sent[i] = (char)(i * 7 / 5);
  }
  make_server();
  connect_tls();
  say(head, sizeof(head) - 1);
  say(sent, SIZE);
  expect_answer("Content-Length: 3145728\r\n\r\n");
  assert_int_equal(hear(got, SIZE), SIZE);
  assert_memory_equal(got, sent, SIZE);
  free(sent);
  free(got);
}

/* --- memory -------------------------------------------------------------- */

static size_t openssl_bytes; /* that it has now */

static void *count_realloc(void *from, size_t size, const char *file,
                           int line) {
  size_t *block = from != NULL ? (size_t *)from - 2 : NULL;
  openssl_bytes -= block != NULL ? *block : 0;
  if (size == 0) {
    free(block);
    return NULL;
  }
  block = realloc(block, size + 2 * sizeof(size_t));
  assert_non_null(block);
  *block = size;
  openssl_bytes += size;
  return block + 2;
}

static void *count_malloc(size_t size, const char *file, int line) {
  return count_realloc(NULL, size, file, line);
}

static void count_free(void *from, const char *file, int line) {
  count_realloc(from, 0, file, line);
}

/* Nor would it be wiped, whole, behind each short one that follows. */
FIXTURE_TEST(memory_of_a_long_answer_is_given_back) {
  enum { SIZE = 3 * 1024 * 1024 };
  static const char head[] = POST "Content-Length: 3145728\r\n\r\n";
  char *bytes = calloc(1, SIZE);
  make_server();
  connect_tls();
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("\r\n\r\nhello");
  size_t before = openssl_bytes;
  say(head, sizeof(head) - 1);
  say(bytes, SIZE);
  expect_answer("Content-Length: 3145728\r\n\r\n");
  assert_int_equal(hear(bytes, SIZE), SIZE);
  assert_true(openssl_bytes < before + 256 * 1024);
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("\r\n\r\nhello");
  free(bytes);
}

/* Moves what the client has to say a byte at a time, and what comes back. */
static void exchange_bytes(BIO *to_client, BIO *from_client) {
  char bytes[4096];
  while (BIO_read(from_client, bytes, 1) == 1) {
    http_send_n(&r, bytes, 1);
    http_turn(&r);
  }
  ssize_t got = read(r.client, bytes, sizeof(bytes));
  if (got > 0) {
    BIO_write(to_client, bytes, (int)got);
  }
}

FIXTURE_TEST(handshakes_may_come_byte_by_byte) {
  make_server();
  http_rig_connect(&r);
  ssl = SSL_new(context);
  BIO *in = BIO_new(BIO_s_mem());
  BIO *out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl, in, out);
  SSL_set_connect_state(ssl);
  for (int i = 0; SSL_do_handshake(ssl) != 1; i++) {
    assert_true(i < 100);
    exchange_bytes(in, out);
  }
  assert_true(SSL_write(ssl, HELLO, sizeof(HELLO) - 1) > 0);
  exchange_bytes(in, out);
  assert_int_equal(r.body_count, 1);
}

FIXTURE_TEST(a_deferred_answer_comes_later) {
  r.mode = HTTP_DEFER;
  make_server();
  connect_tls();
  say(HELLO, sizeof(HELLO) - 1);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, NULL, 0);
  r.responder->write(r.exchange, "one", 3);
  expect_answer("\r\n\r\n3\r\none\r\n");
  r.responder->end(r.exchange);
  expect_answer("0\r\n\r\n");
  say(HELLO, sizeof(HELLO) - 1);
  HTTP_WAIT(&r, r.body_count == 2);
  SSL_shutdown(ssl); /* a client that says it goes has gone */
  HTTP_WAIT(&r, r.gone_count == 1);
}

FIXTURE_TEST(idle_connections_are_told) {
  r.limits.idle_ms = 20;
  make_server();
  connect_tls();
  expect_end();
  http_close_client(&r);
}

/* --- records without data ------------------------------------------------ */

static void update_key(int type) {
  assert_int_equal(SSL_key_update(ssl, type), 1);
  assert_int_equal(shake_hands(), 1);
}

static void update_keys(int count) {
  for (int i = 0; i < count; i++) {
    update_key(SSL_KEY_UPDATE_NOT_REQUESTED);
  }
}

FIXTURE_TEST(key_updates_between_requests_have_no_limit) {
  make_server();
  connect_tls();
  for (int i = 0; i < 3 * MCPI_HTTP1_TLS_RECORDS; i++) {
    update_key(SSL_KEY_UPDATE_REQUESTED);
    say(HELLO, sizeof(HELLO) - 1);
    expect_answer("\r\n\r\nhello");
  }
}

FIXTURE_TEST(too_many_key_updates_end_the_connection) {
  make_server();
  connect_tls();
  update_keys(MCPI_HTTP1_TLS_RECORDS);
  say(HELLO, sizeof(HELLO) - 1); /* takes one off the count */
  expect_answer("\r\n\r\nhello");
  update_keys(1);
  assert_int_equal(mcpi_http1_connection_count(r.http1), 1);
  assert_int_equal(r.ended_count, 0);
  update_keys(1);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  assert_int_equal(r.ended_count, 1);
  assert_non_null(strstr(r.ended, "the client has sent more than 32 TLS "
                                  "records without data"));
}

/* Also when they come in one read, which is not read to its end then. */
FIXTURE_TEST(too_many_key_updates_at_once_end_the_connection) {
  make_server();
  connect_tls();
  for (int i = 0; i <= MCPI_HTTP1_TLS_RECORDS; i++) {
    SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
    assert_int_equal(SSL_do_handshake(ssl), 1);
  }
  assert_int_equal(SSL_write(ssl, HELLO, sizeof(HELLO) - 1), sizeof(HELLO) - 1);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  assert_int_equal(r.head_count, 0);
}

/* An answer that the client does not read; how much of it waits. */
static size_t begin_answer_nobody_reads(void) {
  enum { SIZE = 8 * 1024 * 1024 };
  char *bytes = calloc(1, SIZE);
  r.mode = HTTP_DEFER;
  make_server();
  connect_tls();
  say(HELLO, sizeof(HELLO) - 1);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, NULL, 0);
  r.responder->write(r.exchange, bytes, SIZE);
  free(bytes);
  http_turn(&r);
  return r.responder->queued(r.exchange);
}

FIXTURE_TEST(nothing_is_read_while_answers_to_key_updates_wait) {
  size_t before = begin_answer_nobody_reads();
  assert_true(before > 0);
  int sent = 1; /* until the socket takes no more */
  for (int i = 0; i < 1000 && sent == 1; i++) {
    SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED);
    sent = SSL_do_handshake(ssl) == 1 ? SSL_write(ssl, "G", 1) : -1;
    http_turn(&r);
  }
  assert_in_range(r.responder->queued(r.exchange), before, before + 256);
  assert_int_equal(r.gone_count, 0);
}

/* Also when more of the answer waits by then. */
FIXTURE_TEST(reading_goes_on_when_answers_to_key_updates_have_gone) {
  enum { SIZE = 8 * 1024 * 1024 };
  char *bytes = calloc(1, SIZE);
  r.limits.max_queue = 8 * SIZE;
  assert_true(begin_answer_nobody_reads() > 0);
  const mcpi_http1_conn *conn = (const void *)r.exchange;
  for (int i = 0; i < 2; i++) { /* OpenSSL answers at the read after */
    SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED);
    assert_int_equal(SSL_do_handshake(ssl), 1);
    http_turn(&r);
  }
  r.responder->write(r.exchange, bytes, SIZE);
  size_t before = conn->ahead.len;
  assert_int_equal(SSL_write(ssl, "GET", 3), 3);
  http_turn(&r);
  assert_int_equal(conn->ahead.len, before);
  assert_int_equal(hear(bytes, SIZE), SIZE);
  HTTP_WAIT(&r, conn->ahead.len == before + 3);
  assert_true(r.responder->queued(r.exchange) > 0);
  free(bytes);
}

FIXTURE_TEST(answers_to_key_updates_count_as_waiting_answers) {
  r.limits.max_queue = 1;
  assert_true(begin_answer_nobody_reads() > 0);
  for (int i = 0; i < 2; i++) { /* OpenSSL answers at the read after */
    SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED);
    assert_int_equal(SSL_do_handshake(ssl), 1);
  }
  HTTP_WAIT(&r, r.gone_count == 1);
}

/* --- policy -------------------------------------------------------------- */

static void expect_no_handshake(void) {
  start_client();
  assert_true(shake_hands() <= 0);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  SSL_free(ssl);
  ssl = NULL;
}

FIXTURE_TEST(old_versions_are_refused) {
  make_server();
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  expect_no_handshake();
}

static void expect_cipher(const char *ciphers, int is_accepted) {
  assert_int_equal(SSL_CTX_set_cipher_list(context, ciphers), 1);
  if (is_accepted) {
    connect_tls();
    http_close_client(&r);
    HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  } else {
    expect_no_handshake();
  }
}

FIXTURE_TEST(tls_1_2_takes_ecdhe_and_aead_alone) {
  make_server();
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  expect_cipher("ECDHE-ECDSA-AES128-GCM-SHA256", 1);
  expect_cipher("ECDHE-ECDSA-AES256-GCM-SHA384", 1);
  expect_cipher("ECDHE-ECDSA-CHACHA20-POLY1305", 1);
  expect_cipher("ECDHE-ECDSA-AES128-SHA", 0);
  expect_cipher("ECDHE-ECDSA-AES256-SHA384", 0);
  expect_cipher("ECDHE-ECDSA-AES128-CCM", 1);
  expect_cipher("ECDHE-ECDSA-AES128-CCM8:@SECLEVEL=0", 0);
}

/* RSA without an exchange of its own, and DHE: with an RSA key. */
FIXTURE_TEST(tls_1_2_takes_no_other_key_exchange) {
  make_server();
  use("rsa.crt", "rsa.key", NULL);
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  expect_cipher("ECDHE-RSA-AES128-GCM-SHA256", 1);
  expect_cipher("AES128-GCM-SHA256", 0);
  expect_cipher("DHE-RSA-AES128-GCM-SHA256", 0);
}

/* Each would cost us as much as a connection. */
FIXTURE_TEST(tls_1_2_renegotiation_is_refused) {
  make_server();
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  connect_tls();
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("\r\n\r\nhello");
  ERR_clear_error();
  assert_int_equal(SSL_renegotiate(ssl), 1);
  assert_int_equal(shake_hands(), -1);
  assert_int_equal(ERR_GET_REASON(ERR_peek_last_error()),
                   SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE);
  assert_int_equal(r.head_count, 1);
  http_close_client(&r);
}

FIXTURE_TEST(http1_is_agreed_on) {
  static const unsigned char both[] = "\x02h2\x08http/1.1";
  static const unsigned char other[] = "\x02h2";
  const unsigned char *chosen;
  unsigned len;
  make_server();
  SSL_CTX_set_alpn_protos(context, both, sizeof(both) - 1);
  connect_tls();
  SSL_get0_alpn_selected(ssl, &chosen, &len);
  assert_int_equal(len, 8);
  assert_memory_equal(chosen, "http/1.1", 8);
  http_close_client(&r);
  SSL_CTX_set_alpn_protos(context, other, sizeof(other) - 1);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  expect_no_handshake();
}

FIXTURE_TEST(slow_handshakes_end) {
  r.limits.head_ms = 20;
  make_server();
  http_rig_connect(&r);
  r.is_deaf = 0;
  http_expect_end(&r, "");
}

FIXTURE_TEST(plain_requests_are_told_of_tls) {
  make_server();
  r.is_deaf = 0;
  for (size_t cut = 1; cut < sizeof(HELLO); cut++) {
    http_rig_connect(&r);
    http_send_n(&r, HELLO, cut);
    http_turn(&r);
    http_send(&r, &HELLO[cut]);
    http_expect_refusal(&r, 400);
    http_expect_end(&r, "Content-Length: 39\r\n\r\n"
                        "The server speaks TLS here: use https.\n");
  }
  assert_int_equal(r.head_count, 0);
}

FIXTURE_TEST(nonsense_is_no_plain_request) {
  make_server();
  r.is_deaf = 0;
  http_rig_connect(&r);
  http_send(&r, "\x01" HELLO);
  HTTP_WAIT(&r, r.is_over);
  assert_null(strstr(r.got, "HTTP"));
}

/* --- certificates -------------------------------------------------------- */

static void show(const char *cert, const char *key) {
  SSL_CTX_use_certificate_file(context, in_folder(cert), SSL_FILETYPE_PEM);
  SSL_CTX_use_PrivateKey_file(context, in_folder(key), SSL_FILETYPE_PEM);
}

FIXTURE_TEST(clients_may_have_to_show_who_they_are) {
  make_server();
  use("one.crt", "one.key", "two.crt");
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  expect_no_handshake();
  SSL_CTX_set_max_proto_version(context, 0);
  show("one.crt", "one.key");
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  expect_no_handshake(); /* another authority's */
  SSL_CTX_set_max_proto_version(context, 0);
  show("two.crt", "two.key");
  connect_tls();
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("hello");
  assert_string_equal(r.principal, "CN=two,O=Test");
  mcpi_share of_two; /* what waits for it counts for that principal */
  assert_int_equal(mcpi_share_init(&of_two, mcpi_http1_waiting(r.http1),
                                   "CN=two,O=Test", NULL),
                   0);
  assert_int_equal(of_two.account->refs, 2);
  mcpi_share_deinit(&of_two);
}

FIXTURE_TEST(who_has_no_subject_has_another_name) {
  make_server();
  use("one.crt", "one.key", "uri.crt");
  show("uri.crt", "uri.key");
  connect_tls();
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("hello");
  assert_string_equal(r.principal, "URI:spiffe://example.org/agent");
  use("one.crt", "one.key", "none.crt");
  show("none.crt", "none.key");
  start_client();
  shake_hands();
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  assert_int_equal(r.head_count, 1);
}

static void expect_subject(SSL *of, const char *subject) {
  char text[64];
  X509 *cert = SSL_get1_peer_certificate(of);
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, text,
                            sizeof(text));
  assert_string_equal(text, subject);
  X509_free(cert);
}

FIXTURE_TEST(a_new_certificate_is_for_new_connections) {
  make_server();
  connect_tls();
  expect_subject(ssl, "one");
  use("two.crt", "two.key", NULL);
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("hello");
  connect_tls();
  expect_subject(ssl, "two");
}

/* One file for certificate, chain and key. */
FIXTURE_TEST(a_key_may_stand_in_a_long_file) {
  char text[8192];
  assert_int_equal(http_rig_make_server(&r), 0);
  FILE *from = fopen(in_folder("one.key"), "r");
  size_t len = fread(text, 1, sizeof(text), from);
  fclose(from);
  FILE *to = fopen(in_folder("long.key"), "w");
  for (int i = 0; i < 5000; i++) {
    fputs("a line that says something\n", to);
  }
  fwrite(text, 1, len, to);
  fclose(to);
  use("one.crt", "long.key", NULL);
  unlink(in_folder("long.key"));
  connect_tls();
  say(HELLO, sizeof(HELLO) - 1);
  expect_answer("\r\n\r\nhello");
}

static void expect_refused(const char *cert, const char *key, const char *ca,
                           int code, const char *member) {
  mcp_error err = {0};
  assert_null(mcpi_tls_new(in_folder(cert), in_folder(key),
                           ca != NULL ? in_folder(ca) : NULL, &err));
  assert_int_equal(err.code, code);
  assert_int_equal(strncmp(err.message, member, strlen(member)), 0);
}

FIXTURE_TEST(wrong_files_are_named) {
  make_server();
  expect_refused("none", "one.key", NULL, MCP_ERR_IO, "tls_cert: \"/tmp/");
  expect_refused("one.key", "one.key", NULL, MCP_ERR_INVALID, "tls_cert: ");
  expect_refused("one.crt", "none", NULL, MCP_ERR_IO, "tls_key: ");
  expect_refused("one.crt", "two.key", NULL, MCP_ERR_INVALID, "tls_key: ");
  expect_refused("one.crt", "one.key", "none", MCP_ERR_IO, "tls_client_ca: ");
  expect_refused("one.crt", "one.key", "one.key", MCP_ERR_INVALID,
                 "tls_client_ca: ");
}

int main(void) {
  CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free);
  return tests_run(make_all, remove_all);
}
