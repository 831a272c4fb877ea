/* SPDX-License-Identifier: MIT */
/* Logs in to servers with OAuth. Tokens are kept in the user's files
 * (mcp_auth_store_files) or keyring (mcp_auth_store_keyring), so that one login
 * serves all runs. */
#include "connection/login.h"
#include "common/erase.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/report.h"
#include "common/term.h"
#include "connection/certificates.h"
#include "connection/session.h"
#include "connection/tty.h"
#include "line/credentials.h"
#include "platform/clock.h"
#include "platform/environment.h"
#include "platform/interrupt.h"
#include "platform/wait.h"

#include <ctype.h>
#include <mcp/auth.h>
#include <stdlib.h>
#include <string.h>

struct ctl_login {
  const ctl_options *options;
  mcp_loop *loop;
  mcp_auth *auth;
  int how; /* CTL_LOGIN_* */
  char *secret;
  char *key;
  int has_given;   /* the token of --token-env has been given */
  int has_asked;   /* the user has been asked to log in */
  uint64_t agreed; /* the login to which the user has said yes; 0: none */
  uint64_t number; /* of the login that asks the user; 0: none does */
  char *page;      /* that the user is to open; owned */
  char *issuer;    /* owned */
  char *unkept;    /* why no token is kept after this run; owned */
};

static void overwrite_and_free(char *secret) {
  if (secret != NULL) {
    ctl_erase(secret, strlen(secret));
  }
  free(secret);
}

/* --- callbacks ------------------------------------------------------------ */

static int on_open_browser(mcp_auth *auth, const mcp_auth_prompt *prompt,
                           void *userdata) {
  ctl_login *login = userdata;
  (void)auth;
  free(login->page);
  free(login->issuer);
  login->page = strdup(prompt->url);
  login->issuer = strdup(prompt->issuer);
  login->number = prompt->login;
  return login->page != NULL && login->issuer != NULL ? 0 : MCP_ERR_NOMEM;
}

/* Ends a login that mcpctl itself cannot go on with. */
static int give_up(mcp_auth *auth, const mcp_auth_prompt *prompt,
                   const char *why) {
  return mcp_auth_abandon(auth, prompt->login, why, NULL);
}

/* A token that the server has refused stays wrong. */
static int on_get_token(mcp_auth *auth, const mcp_auth_prompt *prompt,
                        void *userdata) {
  ctl_login *login = userdata;
  if (login->has_given) {
    mcp_error why;
    mcp_error_set(&why, MCP_ERR_REFUSED, "%s no longer accepts the token",
                  prompt->server_url);
    return give_up(auth, prompt, why.message);
  }
  login->has_given = 1;
  return mcp_auth_give_token(
      auth, prompt->login, ctl_env(login->options->token_env), INT64_MAX, NULL);
}

/* Reads the JWT of --identity. Owned; NULL with err: the file has no JWT. */
static char *read_identity(const ctl_options *options, mcp_error *err) {
  size_t len;
  char *text = ctl_file_read(options->identity, &len, err);
  if (text == NULL) {
    return NULL;
  }
  text[strcspn(text, " \t\r\n")] = '\0';
  if (text[0] == '\0') {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "--identity %s: the file does not begin with a JWT",
                  options->identity);
    free(text);
    return NULL;
  }
  return text;
}

/* The file may be replaced while mcpctl runs, so it is read each time. */
static int on_get_assertion(mcp_auth *auth, const mcp_auth_prompt *prompt,
                            void *userdata) {
  const ctl_login *login = userdata;
  mcp_error err;
  char *text = read_identity(login->options, &err);
  if (text == NULL) {
    return give_up(auth, prompt, err.message);
  }
  int rc = mcp_auth_assert(auth, prompt->login, text, NULL);
  overwrite_and_free(text);
  return rc;
}

/* --- options -------------------------------------------------------------- */

/* Reads a variable of the environment that an option names. */
static int read_variable(const char *option, const char *name, char **out) {
  const char *value = ctl_env(name);
  if (value == NULL || value[0] == '\0') {
    return ctl_report(CTL_USAGE,
                      "--%s %s: this variable of the environment is empty or "
                      "not set",
                      option, name);
  }
  if (out == NULL) {
    return CTL_OK;
  }
  *out = strdup(value);
  return *out != NULL ? CTL_OK : ctl_report(CTL_USAGE, "out of memory");
}

static int check_identity(const ctl_options *options) {
  mcp_error err;
  char *text = read_identity(options, &err);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  overwrite_and_free(text);
  return CTL_OK;
}

static int read_secrets(ctl_login *login) {
  const ctl_options *options = login->options;
  mcp_error err;
  size_t len;
  int code = CTL_OK;
  if (options->token_env != NULL) {
    code = read_variable("token-env", options->token_env, NULL);
  }
  if (code == CTL_OK && options->client_secret_env != NULL) {
    code = read_variable("client-secret-env", options->client_secret_env,
                         &login->secret);
  }
  if (code == CTL_OK && options->client_key != NULL) {
    login->key = ctl_file_read(options->client_key, &len, &err);
    if (login->key == NULL) {
      code = ctl_report(CTL_USAGE, "%s", err.message);
    }
  }
  if (code == CTL_OK && options->identity != NULL) {
    code = check_identity(options);
  }
  return code;
}

static uint32_t grant_of(const ctl_options *options) {
  if (options->identity != NULL) {
    return MCP_AUTH_WORKLOAD;
  }
  return options->is_machine ? MCP_AUTH_CLIENT_CREDENTIALS : MCP_AUTH_CODE;
}

static int is_on_terminal(void) {
  return ctl_term_is_terminal(stdin) && ctl_term_is_terminal(stderr);
}

static int never_asks(const ctl_login *login) {
  return login->how == CTL_LOGIN_SILENT ||
         (login->how == CTL_LOGIN_OFFERED && !is_on_terminal());
}

static void fill_options(ctl_login *login, mcp_auth_options *out,
                         const mcp_auth_store *store) {
  const ctl_options *options = login->options;
  *out = (mcp_auth_options){
      .size = sizeof(mcp_auth_options),
      .grant = grant_of(options),
      .client_name = "mcpctl",
      .client_id = options->client_id,
      .client_secret = login->secret,
      .private_key = login->key,
      .client_issuer = options->client_issuer,
      .scopes = options->scope,
      .allows_private_addresses = options->allows_private,
      .never_asks = never_asks(login),
      .ca_file = ctl_certificates(options),
      .store = store,
      .open_browser = on_open_browser,
      .get_assertion = options->identity != NULL ? on_get_assertion : NULL,
      .get_token = options->token_env != NULL ? on_get_token : NULL,
      .userdata = login,
  };
}

/* --- life ----------------------------------------------------------------- */

/* How long mcpctl waits at its end for a renewal. */
enum { RENEWAL_LIMIT_MS = 10000 };

/* A renewal that is cut short costs the login, so a first SIGINT does not end
 * the wait; a second one does. */
static void wait_for_renewal(const ctl_login *login) {
  int64_t begun_ns = ctl_now_ns();
  int left_ms = RENEWAL_LIMIT_MS;
  while (left_ms > 0 && mcp_auth_is_renewing(login->auth)) {
    ctl_wait(login->loop, -1, left_ms);
    mcp_loop_step(login->loop);
    left_ms = RENEWAL_LIMIT_MS - (int)((ctl_now_ns() - begun_ns) / 1000000);
  }
}

void ctl_login_free(ctl_login *login) {
  if (login == NULL) {
    return;
  }
  wait_for_renewal(login);
  mcp_auth_free(login->auth);
  overwrite_and_free(login->secret);
  overwrite_and_free(login->key);
  free(login->page);
  free(login->issuer);
  free(login->unkept);
  free(login);
}

/* A user without a home folder, such as that of a container, can use all
 * servers but can keep no token; the verb `login` is there to keep one. */
static int make_store(ctl_login *login, mcp_auth_store *store, mcp_error *err) {
  if (login->options->uses_keyring) {
    return mcp_auth_store_keyring(store, login->loop, err);
  }
  int code = mcp_auth_store_files(store, login->loop, NULL, err);
  if (code != MCP_ERR_IO || login->how == CTL_LOGIN_WANTED) {
    return code;
  }
  login->unkept = strdup(err->message);
  code = mcp_auth_store_memory(store, login->loop);
  if (code != 0) {
    mcp_error_set(err, code, "out of memory");
  }
  return code;
}

static int make_auth(ctl_login *login) {
  mcp_auth_options options;
  mcp_auth_store store = MCP_AUTH_STORE_INIT;
  mcp_error err;
  if (make_store(login, &store, &err) != 0) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  fill_options(login, &options, &store);
  login->auth = mcp_auth_new(login->loop, &options, &err);
  if (login->auth == NULL) {
    store.release(store.userdata);
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  return CTL_OK;
}

static int has_auth(const ctl_options *options) {
  if (options->url == NULL) {
    return 1;
  }
  int kind = ctl_credentials(options);
  return options->socket == NULL && kind != CTL_CREDENTIALS_HEADER &&
         kind != CTL_CREDENTIALS_USER;
}

int ctl_login_new(ctl_login **out, const ctl_options *options, mcp_loop *loop,
                  int how) {
  *out = NULL;
  if (!has_auth(options)) {
    return CTL_OK;
  }
  ctl_login *login = calloc(1, sizeof(*login));
  if (login == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  login->options = options;
  login->loop = loop;
  login->how = how;
  int code = read_secrets(login);
  if (code == CTL_OK) {
    code = make_auth(login);
  }
  if (code != CTL_OK) {
    ctl_login_free(login);
    return code;
  }
  *out = login;
  return CTL_OK;
}

struct mcp_auth *ctl_login_auth(const ctl_login *login) {
  return login != NULL ? login->auth : NULL;
}

/* --- the user ------------------------------------------------------------- */

int ctl_login_is_asking(const ctl_login *login) {
  return login != NULL && login->number != 0;
}

int ctl_login_has_asked(const ctl_login *login) {
  return login != NULL && login->has_asked;
}

/* A login may have a second page, about which the user is not asked again. */
static int agrees(const ctl_login *login, ctl_session *session,
                  uint64_t number) {
  static const char *const words[] = {"yes", "no", NULL};
  ctl_tty tty;
  if (login->how == CTL_LOGIN_WANTED || login->agreed == number) {
    return 1;
  }
  if (ctl_tty_open(&tty, session, NULL) != 0) {
    return 0;
  }
  ctl_tty_put(&tty, CTL_BOLD, login->options->target);
  int answer =
      ctl_tty_choose(&tty, " demands a login. Log in now? (yes/no) ", words);
  ctl_tty_close(&tty);
  return answer == 0;
}

/* Returns 1 if a browser opens the page. */
static int open_page(const ctl_login *login, uint64_t number) {
  const mcp_auth_prompt prompt = {
      .size = sizeof(mcp_auth_prompt), .login = number, .url = login->page};
  if (login->options->no_browser) {
    return 0;
  }
  if (mcp_auth_open_browser(login->auth, &prompt, NULL) == 0) {
    return 1;
  }
  ctl_report(0, "cannot open a browser here: open the page yourself, on "
                "this machine, or use --no-browser");
  return 0;
}

static void show_page(const ctl_login *login, uint64_t number) {
  if (open_page(login, number)) {
    ctl_report(0,
               "log in at %s in your browser; if it does not open, open "
               "this page:",
               login->issuer);
  } else {
    ctl_report(0, "open this page to log in at %s:", login->issuer);
  }
  ctl_report(0, "%s", login->page);
  if (login->unkept != NULL) {
    ctl_report(0, "the login ends with this run: %s", login->unkept);
  }
}

/* --- the pasted address --------------------------------------------------- */

/* A terminal cuts a longer line to CTL_TTY_LINE - 1 bytes, so a line of that
 * length may have been cut. */
enum { ADDRESS_MAX = CTL_TTY_LINE - 2 };

/* Standard input, line by line. */
typedef enum pasted { PASTED_LINE, PASTED_LONG_LINE, PASTED_NO_MORE } pasted;

/* Cuts white space off both ends. */
static char *trim(char *line) {
  line += strspn(line, " \t\r\n");
  size_t len = strlen(line);
  while (len > 0 && isspace((unsigned char)line[len - 1])) {
    line[--len] = '\0';
  }
  return line;
}

/* Whether the login still waits for the address. When a browser on this machine
 * has brought it, the login may have a second page. */
static int wants_address(const ctl_session *session) {
  return !session->is_done && !ctl_login_is_asking(session->login) &&
         !ctl_interrupt_has_come();
}

/* Returns 1; 0 at the end of input, or if no address is wanted any longer. */
static int read_byte(ctl_session *session, char *byte) {
  while (wants_address(session)) {
    if (ctl_session_turn(session, CTL_STANDARD_INPUT)) {
      return ctl_input_read(CTL_STANDARD_INPUT, byte, 1) == 1;
    }
  }
  return 0;
}

/* Reads byte by byte, because a pipe may hold the next line already. The last
 * line may have no line feed. */
static pasted read_line(ctl_session *session, char line[CTL_TTY_LINE]) {
  size_t len = 0;
  size_t kept = 0;
  char byte;
  int has_byte = read_byte(session, &byte);
  if (!has_byte) {
    return PASTED_NO_MORE;
  }
  while (has_byte && byte != '\n') {
    len++;
    if (kept < ADDRESS_MAX) {
      line[kept++] = byte;
    }
    has_byte = read_byte(session, &byte);
  }
  line[kept] = '\0';
  if (!wants_address(session)) {
    return PASTED_NO_MORE;
  }
  return len > ADDRESS_MAX ? PASTED_LONG_LINE : PASTED_LINE;
}

/* Returns 1 if the login has taken the address. */
static int take_line(const ctl_login *login, uint64_t number, char *line) {
  const char *address = trim(line);
  mcp_error err;
  if (address[0] == '\0') {
    return 0;
  }
  if (mcp_auth_redirected(login->auth, number, address, &err) == 0) {
    return 1;
  }
  ctl_report(0, "%s; paste the whole address", err.message);
  return 0;
}

/* Without a terminal, a browser on this machine can still end the login. */
static void end_pasting(const ctl_login *login, uint64_t number) {
  if (ctl_term_is_terminal(stdin)) {
    mcp_auth_abandon(login->auth, number, "you have not logged in", NULL);
  } else {
    ctl_report(0, "standard input has ended: only a browser on this machine "
                  "can complete the login now");
  }
}

/* The browser may be on another machine: then its page cannot reach mcpctl, but
 * its address line has what mcpctl needs. */
static void take_pasted(const ctl_login *login, ctl_session *session,
                        uint64_t number) {
  char line[CTL_TTY_LINE];
  int is_taken = 0;
  pasted next = PASTED_LINE;
  ctl_report(0, "then paste the address of the page at which the browser "
                "ends, and press Enter:");
  while (!is_taken && next != PASTED_NO_MORE) {
    next = read_line(session, line);
    if (next == PASTED_LINE) {
      is_taken = take_line(login, number, line);
    } else if (next == PASTED_LONG_LINE) {
      ctl_report(0,
                 "the line has more than %d bytes, which is too long: paste "
                 "only what follows the question mark",
                 ADDRESS_MAX);
    }
  }
  if (!is_taken && wants_address(session)) {
    end_pasting(login, number);
  }
  ctl_erase(line, sizeof(line));
}

/* --- asking --------------------------------------------------------------- */

void ctl_login_ask(ctl_login *login, struct ctl_session *session) {
  uint64_t number = login->number;
  login->number = 0;
  login->has_asked = 1;
  if (!agrees(login, session, number)) {
    mcp_auth_abandon(login->auth, number, "you have not logged in", NULL);
    return;
  }
  login->agreed = number;
  show_page(login, number);
  if (login->options->no_browser) {
    take_pasted(login, session, number);
  }
}
