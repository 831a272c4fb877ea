/* SPDX-License-Identifier: MIT */
/* Measures what tokens cost, in one process and without system calls. The check
 * of a token stands beside OpenSSL's bare verification of such a signature, and
 * a login of a client, whose HTTP requests are answered at once, beside the
 * parsing of these answers with yyjson. */
#include "auth/client/auth.h"
#include "support/libmcp/resource_rig.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

enum { TOKENS = 1000, LOGINS = 1000, ROUNDS = 5 };

static _Noreturn void die(const char *what) {
  fprintf(stderr, "bench-auth: %s\n", what);
  exit(1);
}

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Runs a function ROUNDS times, and returns how long one of its `count` steps
 * took in the fastest run. */
static double best_us(void (*run)(void *what), void *what, int count) {
  double best = 1e18;
  for (int round = 0; round < ROUNDS; round++) {
    double begin = now_us();
    run(what);
    double us = (now_us() - begin) / count;
    best = us < best ? us : best;
  }
  return best;
}

static void print_row(const char *what, double us, double floor_us) {
  printf("%-28s %8.2f %9.2f %8.2f\n", what, us, floor_us, us / floor_us);
}

/* --- checks of tokens ----------------------------------------------------- */

typedef struct algorithm {
  const char *name;
  uint32_t number;
  const char *key_type;
} algorithm;

static const algorithm algorithms[] = {{"RS256", MCP_SIGN_RS256, "RSA"},
                                       {"PS256", MCP_SIGN_PS256, "RSA"},
                                       {"ES256", MCP_SIGN_ES256, "EC"},
                                       {"EdDSA", MCP_SIGN_EDDSA, "ED25519"}};

typedef struct check_bench {
  const algorithm *algorithm;
  resource_rig *rig;
  EVP_PKEY *pkey;
  mcp_key *key; /* the same */
  char *tokens[TOKENS];
  char *headers[TOKENS]; /* "Bearer TOKEN" */
  int accepted;
  const char *signed_text;
  size_t signed_len;
  unsigned char signature[512];
  size_t signature_len;
} check_bench;

static EVP_PKEY *generate(const char *type) {
  EVP_PKEY *key = NULL;
  if (strcmp(type, "RSA") == 0) {
    key = EVP_PKEY_Q_keygen(NULL, NULL, type, (size_t)2048);
  } else if (strcmp(type, "EC") == 0) {
    key = EVP_PKEY_Q_keygen(NULL, NULL, type, "P-256");
  } else {
    key = EVP_PKEY_Q_keygen(NULL, NULL, type);
  }
  if (key == NULL) {
    die("no key");
  }
  return key;
}

static mcp_key *import(const resource_rig *rig, EVP_PKEY *pkey) {
  mcp_key *key = NULL;
  char *pem = NULL;
  BIO *bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL);
  long len = BIO_get_mem_data(bio, &pem);
  if (rig->platform.crypto->key_from_pem(NULL, pem, (size_t)len, &key) != 0) {
    die("the key cannot be read");
  }
  BIO_free(bio);
  return key;
}

static const EVP_MD *hash_of(const check_bench *bench) {
  return bench->algorithm->number == MCP_SIGN_EDDSA ? NULL : EVP_sha256();
}

static void set_padding(const check_bench *bench, EVP_PKEY_CTX *context) {
  if (bench->algorithm->number == MCP_SIGN_PS256) {
    EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST);
  }
}

static void sign_floor(check_bench *bench) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *options = NULL;
  bench->signed_text = bench->tokens[0];
  bench->signed_len =
      (size_t)(strrchr(bench->tokens[0], '.') - bench->tokens[0]);
  bench->signature_len = sizeof(bench->signature);
  EVP_DigestSignInit(context, &options, hash_of(bench), NULL, bench->pkey);
  set_padding(bench, options);
  if (EVP_DigestSign(context, bench->signature, &bench->signature_len,
                     (const unsigned char *)bench->signed_text,
                     bench->signed_len) != 1) {
    die("no signature");
  }
  EVP_MD_CTX_free(context);
}

static void run_floor(void *what) {
  const check_bench *bench = what;
  for (int i = 0; i < TOKENS; i++) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *options = NULL;
    EVP_DigestVerifyInit(context, &options, hash_of(bench), NULL, bench->pkey);
    set_padding(bench, options);
    if (EVP_DigestVerify(context, bench->signature, bench->signature_len,
                         (const unsigned char *)bench->signed_text,
                         bench->signed_len) != 1) {
      die("the floor refuses a signature");
    }
    EVP_MD_CTX_free(context);
  }
}

static void make_tokens(check_bench *bench) {
  char header[100];
  snprintf(header, sizeof(header),
           "{\"alg\":\"%s\",\"kid\":\"k\",\"typ\":\"at+jwt\"}",
           bench->algorithm->name);
  for (int i = 0; i < TOKENS; i++) {
    char number[16];
    snprintf(number, sizeof(number), "%d", i);
    char *claims = resource_rig_claims("number", number);
    bench->tokens[i] = resource_rig_sign(
        bench->rig, bench->key, bench->algorithm->number, header, claims);
    size_t size = strlen(bench->tokens[i]) + sizeof("Bearer ");
    bench->headers[i] = malloc(size);
    if (bench->headers[i] == NULL) {
      die("out of memory");
    }
    snprintf(bench->headers[i], size, "Bearer %s", bench->tokens[i]);
    free(claims);
  }
}

typedef struct bench_wait {
  mcpi_token_wait wait; /* first */
  check_bench *bench;
} bench_wait;

static void on_checked(mcpi_token_wait *wait, const mcpi_token_result *result) {
  bench_wait *self = MCPI_CONTAINER(wait, bench_wait, wait);
  self->bench->accepted += result->grant != NULL;
}

static void run_checks(void *what) {
  check_bench *bench = what;
  bench->accepted = 0;
  for (int i = 0; i < TOKENS; i++) {
    bench_wait wait = {.bench = bench};
    const mcpi_token_request request = {.method = "POST",
                                        .authorization =
                                            mcpi_str_z(bench->headers[i]),
                                        .resource = MCPI_STR(RIG_RESOURCE)};
    mcpi_verifier_check(bench->rig->verifier, &request, &wait.wait, on_checked);
  }
  if (bench->accepted != TOKENS) {
    die("a token is refused");
  }
}

static void reopen(check_bench *bench) {
  mcpi_verifier_free(bench->rig->verifier);
  if (resource_rig_open(bench->rig) != 0) {
    die(bench->rig->err.message);
  }
}

static double first_us(check_bench *bench) {
  double best = 1e18;
  for (int round = 0; round < ROUNDS; round++) {
    reopen(bench);
    double begin = now_us();
    run_checks(bench);
    double us = (now_us() - begin) / TOKENS;
    best = us < best ? us : best;
  }
  return best;
}

static void measure_checks(const algorithm *measured) {
  check_bench bench = {.algorithm = measured, .rig = resource_rig_new(NULL)};
  char what[64];
  bench.pkey = generate(measured->key_type);
  bench.key = import(bench.rig, bench.pkey);
  char *jwks = resource_rig_jwks(bench.rig, bench.key, "k");
  bench.rig->options.issuer = RIG_ISSUER;
  bench.rig->options.jwks = jwks;
  make_tokens(&bench);
  sign_floor(&bench);
  double floor_us = best_us(run_floor, &bench, TOKENS);
  snprintf(what, sizeof(what), "%s, first check", measured->name);
  print_row(what, first_us(&bench), floor_us);
  snprintf(what, sizeof(what), "%s, known token", measured->name);
  print_row(what, best_us(run_checks, &bench, TOKENS), floor_us);
  for (int i = 0; i < TOKENS; i++) {
    free(bench.tokens[i]);
    free(bench.headers[i]);
  }
  free(jwks);
  bench.rig->platform.crypto->key_free(NULL, bench.key);
  EVP_PKEY_free(bench.pkey);
  resource_rig_free(bench.rig);
}

/* --- logins --------------------------------------------------------------- */

#define SERVER "https://example.com/mcp"
#define ISSUER "https://as.example"
#define RETURN "http://127.0.0.1:4711/callback"

/* What the servers answer, in the order of the requests. */
static const char *const answers[] = {
    "{\"resource\":\"" SERVER "\",\"authorization_servers\":[\"" ISSUER
    "\"],\"scopes_supported\":[\"read\",\"write\"]}",
    "{\"issuer\":\"" ISSUER "\",\"authorization_endpoint\":\"" ISSUER
    "/authorize\",\"token_endpoint\":\"" ISSUER
    "/token\",\"registration_endpoint\":\"" ISSUER
    "/register\",\"code_challenge_methods_supported\":[\"S256\"],"
    "\"response_types_supported\":[\"code\"],"
    "\"grant_types_supported\":[\"authorization_code\",\"refresh_token\"],"
    "\"token_endpoint_auth_methods_supported\":[\"none\"]}",
    "{\"client_id\":\"c1\",\"redirect_uris\":[\"" RETURN
    "\"],\"token_endpoint_auth_method\":\"none\"}",
    "{\"access_token\":\"secret-token\",\"token_type\":\"Bearer\","
    "\"expires_in\":3600,\"refresh_token\":\"secret-refresh\","
    "\"scope\":\"read write\"}"};

enum { ANSWERS = sizeof(answers) / sizeof(answers[0]) };

typedef struct login_bench {
  mcp_loop *loop;
  mcp_fetch_done_cb done; /* NULL: nothing is requested */
  void *argument;
  int is_ready;
} login_bench;

static void login_clock(void *userdata, int64_t *mono_ms, int64_t *wall_ms) {
  (void)userdata;
  if (mono_ms != NULL) {
    *mono_ms = 1000000;
  }
  if (wall_ms != NULL) {
    *wall_ms = INT64_C(1700000000000);
  }
}

static int login_fetch(void *userdata, const mcp_fetch_request *request,
                       mcp_fetch_done_cb done, void *argument,
                       mcp_fetch **out) {
  login_bench *bench = userdata;
  (void)request;
  bench->done = done;
  bench->argument = argument;
  *out = (mcp_fetch *)bench;
  return 0;
}

static void login_fetch_cancel(void *userdata, mcp_fetch *fetch) {
  (void)userdata;
  (void)fetch;
}

/* The user agrees at once. */
static int on_open_browser(mcp_auth *auth, const mcp_auth_prompt *prompt,
                           void *userdata) {
  char url[512];
  const char *state = strstr(prompt->url, "&state=");
  (void)userdata;
  if (state == NULL) {
    return MCP_ERR_INVALID;
  }
  state += strlen("&state=");
  snprintf(url, sizeof(url), RETURN "?code=secret-code&state=%.*s",
           (int)strcspn(state, "&"), state);
  return mcp_auth_redirected(auth, prompt->login, url, NULL);
}

static void on_ready(mcpi_auth_request *request, const mcp_error *err) {
  login_bench *bench = request->owner;
  bench->is_ready = 1;
  if (err != NULL) {
    die(err->message);
  }
}

/* Runs what is due. */
static void turn(const login_bench *bench) {
  do {
    mcp_loop_advance(bench->loop, 1000000, INT64_C(1700000000000));
  } while (mcp_loop_next_deadline(bench->loop) <= 1000000);
}

static void answer_requests(login_bench *bench) {
  for (size_t i = 0; i < ANSWERS; i++) {
    turn(bench);
    mcp_fetch_done_cb done = bench->done;
    bench->done = NULL;
    if (done == NULL) {
      die("a login makes fewer requests than expected");
    }
    done(&(mcp_fetch_answer){.size = sizeof(mcp_fetch_answer),
                             .status = i == 2 ? 201 : 200,
                             .why = "",
                             .body = answers[i],
                             .body_len = strlen(answers[i])},
         bench->argument);
  }
  turn(bench);
}

/* From the first request, which the server refuses, to the headers of the
 * second. */
static void log_in(login_bench *bench, const mcp_auth_options *options) {
  static const mcpi_auth_host no_host = {0};
  mcp_error err;
  mcpi_auth_headers headers;
  mcpi_auth_answer answer;
  mcpi_auth_request request;
  mcp_auth *auth = mcpi_auth_new(bench->loop, options, &no_host, NULL, &err);
  mcpi_auth_server *server =
      auth != NULL ? mcpi_auth_server_ref(auth, SERVER, &err) : NULL;
  if (server == NULL) {
    die(err.message);
  }
  mcpi_auth_request_init(&request, server, on_ready, bench);
  mcpi_auth_answer_init(&answer, mcp_allocator_default());
  int rc = mcpi_auth_prepare(&request, "POST", SERVER, &headers, &err);
  if (rc == MCP_PENDING) { /* the store is read first */
    turn(bench);
    rc = mcpi_auth_prepare(&request, "POST", SERVER, &headers, &err);
  }
  if (rc == 0) {
    bench->is_ready = 0;
    rc = mcpi_auth_refused(&request, 401, &answer, "2025-11-25", &err);
  }
  if (rc != MCP_PENDING) {
    die("a login does not begin");
  }
  answer_requests(bench);
  rc = mcpi_auth_prepare(&request, "POST", SERVER, &headers, &err);
  if (!bench->is_ready || rc != 0 || headers.authorization.len == 0) {
    die("a login has no token");
  }
  mcpi_auth_answer_deinit(&answer);
  mcpi_auth_request_deinit(&request);
  mcpi_auth_server_unref(server);
  mcp_auth_free(auth);
}

static void run_logins(void *what) {
  const mcp_auth_options options = {.size = sizeof(mcp_auth_options),
                                    .redirect_uri = RETURN,
                                    .open_browser = on_open_browser};
  for (int i = 0; i < LOGINS; i++) {
    log_in(what, &options);
  }
}

static void run_parsing(void *what) {
  (void)what;
  for (int i = 0; i < LOGINS; i++) {
    for (size_t k = 0; k < ANSWERS; k++) {
      yyjson_doc *doc = yyjson_read(answers[k], strlen(answers[k]), 0);
      if (doc == NULL) {
        die("an answer is not JSON");
      }
      yyjson_doc_free(doc);
    }
  }
}

static void measure_logins(void) {
  login_bench bench = {0};
  mcp_loop *real = mcp_loop_new(NULL, NULL);
  const mcp_platform platform = {.size = sizeof(mcp_platform),
                                 .userdata = &bench,
                                 .clock = login_clock,
                                 .random = real->platform.random,
                                 .crypto = real->platform.crypto,
                                 .fetch = login_fetch,
                                 .fetch_cancel = login_fetch_cancel};
  bench.loop = mcp_loop_new_manual(&platform, NULL, NULL);
  if (bench.loop == NULL) {
    die("no loop");
  }
  print_row("a login, without network", best_us(run_logins, &bench, LOGINS),
            best_us(run_parsing, &bench, LOGINS));
  mcp_loop_free(bench.loop);
  mcp_loop_free(real);
}

int main(void) {
  printf("%-28s %8s %9s %8s\n", "tokens, no system calls", "us", "floor us",
         "x floor");
  for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
    measure_checks(&algorithms[i]);
  }
  measure_logins();
  return 0;
}
