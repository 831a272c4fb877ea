/* SPDX-License-Identifier: MIT */
/** @file
 * Clients that log in to servers with OAuth (libmcp-http).
 *
 * A program makes one mcp_auth for all its clients on a loop, and names it in
 * mcp_http_client_options.auth. The rest happens by itself: when a server
 * answers 401, the library finds its authorization server, registers the
 * program there, lets the user agree in a browser, and sends the request again
 * with the token. It renews tokens before they expire, and asks for more rights
 * when a server demands them. Requests wait meanwhile.
 *
 *     mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
 *     options.client_name = "Example";
 *     mcp_auth *auth = mcp_auth_new(loop, &options, &err);
 *     http.auth = auth;
 *     mcp_client_connect_url(client, url, &http, on_connected, NULL, &err);
 *
 * A *login* is one run of these steps. All clients of an mcp_auth that wait for
 * the same server share one login.
 *
 * (Specification: basic/authorization; RFC 6749, 7636, 8414, 8707, 9449, 9728.)
 */
#ifndef MCP_AUTH_H
#define MCP_AUTH_H

#include <mcp/loop.h>

MCP_BEGIN_DECLS

/** Logs clients of one loop in. */
typedef struct mcp_auth mcp_auth;

/** How a program gets a token. */
enum {
  /** The user agrees in a browser (authorization code with PKCE). */
  MCP_AUTH_CODE = 0,
  /** The program has credentials of its own: `client_id`, and `client_secret`
   * or `private_key` (the extension OAuth Client Credentials). */
  MCP_AUTH_CLIENT_CREDENTIALS = 1,
  /** The user has logged in to the company's identity provider, and
   * `get_assertion` returns the ID token (the extension Enterprise-Managed
   * Authorization). The program also has an id at the authorization server:
   * `client_id`, `client_metadata_url` or `get_client`. */
  MCP_AUTH_ENTERPRISE = 2,
  /** The platform on which the program runs has given it a JWT, and
   * `get_assertion` returns it (workload identity federation). */
  MCP_AUTH_WORKLOAD = 3
};

/** What a login asks the program for. Everything is borrowed until the callback
 * returns. */
typedef struct mcp_auth_prompt {
  /** sizeof(mcp_auth_prompt) as the library knows it. */
  size_t size;
  /** The number of the login, for mcp_auth_redirected, mcp_auth_assert and the
   * others. */
  uint64_t login;
  /** The URL of the MCP server. */
  const char *server_url;
  /** The issuer, which names the authorization server. */
  const char *issuer;
  /** The scopes that are asked for, with spaces between them; "": none. */
  const char *scopes;
  /** open_browser: the page at which the user agrees. */
  const char *url;
  /** open_browser: the URL to which that page leads back. */
  const char *redirect_uri;
} mcp_auth_prompt;

/** Gets a record that was taken. `text` is borrowed until the function returns;
 * NULL: there is no such record yet. `err`: NULL, or why the record cannot be
 * read; then it is not taken. */
typedef void (*mcp_auth_record_cb)(void *argument, const mcp_error *err,
                                   const char *text, size_t len);

/** Where tokens and registrations are kept. Each MCP server has one record for
 * each `grant` with which programs log in to it, so that the token of a machine
 * never replaces that of the user. The key of a record is the server's URL,
 * without user, query and fragment; if `grant` is not MCP_AUTH_CODE, it ends in
 * "#client_credentials", "#enterprise" or "#workload". The record is JSON and
 * has secrets.
 *
 * A record is taken before it is read, and given back. While it is taken, no
 * one else can take it: neither another login of this program nor another
 * process. So two processes never use one refresh token at the same time. The
 * library takes a record only for as long as it takes to read it, or to renew
 * or revoke a token, and not while a user reads a page. That is at most six
 * times fetch_timeout_ms. It waits that long for a record that is taken, and 75
 * seconds more, in which a store may ask the user. Then the login fails with
 * MCP_ERR_TIMEOUT.
 *
 * All functions are called on the loop's thread. mcp_auth_store_memory,
 * mcp_auth_store_files and mcp_auth_store_keyring make such tables. */
typedef struct mcp_auth_store {
  /** sizeof(mcp_auth_store); MCP_AUTH_STORE_INIT sets it. */
  size_t size;
  /** Passed to the functions. */
  void *userdata;
  /** Takes a record, and calls `done` with its text, once: before it returns 0,
   * or later. Returns 0; or an MCP_ERR_* with err, and never calls `done`. The
   * library may call the store's functions inside `done`. */
  int (*take)(void *userdata, const char *key, mcp_auth_record_cb done,
              void *argument, mcp_error *err);
  /** Ends a `take` whose `done` has not been called: it is not called any
   * more. */
  void (*cancel)(void *userdata, const char *key, void *argument);
  /** Gives a record back that was taken. text NULL: it stays as it is; len 0:
   * it is removed; otherwise the text replaces it as a whole. Returns 0, or an
   * MCP_ERR_* with err: the old record stays. It is given back in each case. */
  int (*give)(void *userdata, const char *key, const char *text, size_t len,
              mcp_error *err);
  /** Calls `each` with the key of each record. Returns 0; or an MCP_ERR_* with
   * err: a record could not be read, or none could. Records that can be read
   * are passed to `each` anyway. May be NULL. */
  int (*list)(void *userdata, void (*each)(void *argument, const char *key),
              void *argument, mcp_error *err);
  /** Frees the store. All records have been given back. May be NULL. */
  void (*release)(void *userdata);
} mcp_auth_store;

#define MCP_AUTH_STORE_INIT MCP_INIT_(mcp_auth_store)

/** Zero and NULL mean the default. All is copied. */
typedef struct mcp_auth_options {
  /** sizeof(mcp_auth_options); MCP_AUTH_OPTIONS_INIT sets it. */
  size_t size;
  /** How the program gets tokens; default MCP_AUTH_CODE. */
  uint32_t grant;
  /** 1: use DPoP with every authorization server that supports it. 0: only if
   * the MCP server demands it. DPoP binds a token to a key of this program, so
   * a stolen token is useless. */
  int32_t prefers_dpop;

  /* --- who the program is --- */

  /** The name that the user sees when asked to agree; default "libmcp". */
  const char *client_name;
  /** The program's home page; NULL: none. */
  const char *client_uri;
  /** The id that an authorization server has given to the program beforehand;
   * NULL: the program registers by itself. */
  const char *client_id;
  /** The secret of client_id; NULL: it has none. */
  const char *client_secret;
  /** A private key in PEM, whose public key the authorization server knows for
   * client_id; NULL: none. */
  const char *private_key;
  /** The algorithm of signatures with private_key: "RS256", "PS256", "ES256" or
   * "EdDSA"; default: the first of PS256, ES256 and EdDSA that the key can
   * make. */
  const char *key_algorithm;
  /** The `kid` of private_key; NULL: none. */
  const char *key_id;
  /** The issuer to which client_id or the assertion belongs. The program logs
   * in at no other one, whichever the grant: a login fails with MCP_ERR_REFUSED
   * if the server does not name it. NULL: the program logs in at the first one
   * that the server names, so a hostile server gets the credentials. */
  const char *client_issuer;
  /** The URL at which the program publishes its client metadata (OAuth Client
   * ID Metadata Document). Authorization servers that support this need no
   * registration. NULL: the program has not published any. */
  const char *client_metadata_url;
  /** Where the browser returns to. NULL: the library listens on a free port of
   * 127.0.0.1. Otherwise the program passes the URL to which the browser was
   * sent to mcp_auth_redirected. It must be https, or http on the loopback
   * interface. */
  const char *redirect_uri;

  /* --- what it asks for --- */

  /** The scopes to ask for, with spaces between them; NULL: those that the
   * server names. Scopes that a server demands later are added. */
  const char *scopes;
  /** How many times a login asks for more scopes for one request; default 2. */
  uint32_t max_step_ups;

  /* --- limits --- */

  /** Limits each HTTP request of a login, in milliseconds; default 30,000. */
  uint32_t fetch_timeout_ms;
  /** Limits the time in which the user must agree, and the program answer its
   * callbacks, in milliseconds; default 300,000. While a token is renewed,
   * get_client has the limit fetch_timeout_ms instead, if that is less. */
  uint32_t login_timeout_ms;
  /** 1: a public server may name an authorization server with a private
   * address. 0: it may not, because a hostile server could reach hosts of the
   * local network in this way. A server is public unless its URL has a private
   * address or the name localhost. Other names are public, also those of an
   * intranet: if the authorization server is at another origin there, set this
   * to 1. */
  int32_t allows_private_addresses;
  /** 1: a login never asks the user. It uses stored tokens, and fails without
   * one. */
  int32_t never_asks;
  uint32_t reserved;

  /* --- enterprise-managed authorization --- */

  /** The identity provider's token endpoint. */
  const char *idp_token_endpoint;
  /** The id and the secret of the program at the identity provider; NULL for
   * the secret: none. */
  const char *idp_client_id;
  /** The secret that belongs to idp_client_id; NULL: none. */
  const char *idp_client_secret;

  /* --- connections --- */

  /** As in mcp_http_client_options, for the requests of logins. Requests to a
   * host of the loopback interface never go through a proxy. */
  const char *proxy;
  /** A file of certificates to trust (PEM), as in mcp_http_client_options. */
  const char *ca_file;

  /** Where tokens are kept; copied, and released by mcp_auth_free. NULL: in
   * memory, so they are lost when the program ends. */
  const mcp_auth_store *store;

  /* --- callbacks: on the loop's thread --- */

  /** Shows a page to the user. Returns 0, or an MCP_ERR_* with which the login
   * fails. The login goes on when the browser returns, or when the program
   * calls mcp_auth_redirected. A login calls this a second time, with another
   * page, if the authorization server no longer knows the stored client id.
   * NULL: opens the system's browser. */
  int (*open_browser)(mcp_auth *auth, const mcp_auth_prompt *prompt,
                      void *userdata);
  /** Asks for the ID token or the platform's JWT. The program calls
   * mcp_auth_assert, now or later. Returns 0, or an MCP_ERR_* with which the
   * login fails. */
  int (*get_assertion)(mcp_auth *auth, const mcp_auth_prompt *prompt,
                       void *userdata);
  /** Asks for a token of the program, which then manages tokens itself: the
   * library finds no authorization server and renews nothing. The program calls
   * mcp_auth_give_token, now or later. prompt->scopes has the scopes that the
   * server demands; prompt->issuer is NULL. It is called again when the server
   * refuses the token. Returns 0, or an MCP_ERR_* with which the login fails.
   * NULL: the library gets tokens. */
  int (*get_token)(mcp_auth *auth, const mcp_auth_prompt *prompt,
                   void *userdata);
  /** Asks for the program's client id at prompt->issuer, before the library
   * registers there. The program calls mcp_auth_give_client, now or later.
   * Returns 0, or an MCP_ERR_* with which the login fails. NULL: the library
   * uses client_id, or registers. */
  int (*get_client)(mcp_auth *auth, const mcp_auth_prompt *prompt,
                    void *userdata);
  /** Passed to the callbacks. */
  void *userdata;
} mcp_auth_options;

#define MCP_AUTH_OPTIONS_INIT MCP_INIT_(mcp_auth_options)

/**
 * Makes what logs the clients of a loop in. All functions of this header are
 * called on the loop's thread.
 *
 * @param loop    of mcp_loop_new
 * @param options copied; NULL: the defaults
 * @param err     says why the function failed; may be NULL
 * @return owned: free it with mcp_auth_free after all clients that use it, and
 *         before the loop. NULL with err: MCP_ERR_INVALID (the message names
 *         the member), MCP_ERR_PLATFORM (a libmcp without TLS), MCP_ERR_NOMEM
 */
MCP_API mcp_auth *mcp_auth_new(mcp_loop *loop, const mcp_auth_options *options,
                               mcp_error *err);

/** Frees it: ends all logins, whose requests fail with MCP_ERR_CLOSED. Legal in
 * any callback of the loop. NULL is accepted.
 *
 * A renewal that is under way is lost. The authorization server may have
 * replaced the refresh token already, and takes a second use of the old one for
 * a theft: then the user must log in again. A program that ends soon after its
 * last request waits first, as mcp_auth_is_renewing shows. */
MCP_API void mcp_auth_free(mcp_auth *auth);

/**
 * Returns whether mcp_auth_free would lose a token now: a token is being
 * renewed, or a new one waits for the store. A request may go while its token
 * is renewed, so this can be so after the last request has ended. Before it
 * frees the mcp_auth, a program runs the loop until this function returns 0:
 *
 *     while (mcp_auth_is_renewing(auth) && mcp_loop_wait(loop, -1) >= 0) {
 *     }
 *     mcp_auth_free(auth);
 *
 * A renewal takes up to five requests, each limited by `fetch_timeout_ms`, so
 * it ends. It does not wait for a user; it waits for a program whose get_client
 * has not answered yet, for `login_timeout_ms` at most.
 *
 * @param auth NULL: the result is 0
 * @return 1 or 0
 */
MCP_API int mcp_auth_is_renewing(const mcp_auth *auth);

/** Reports the end of a login. `err`: NULL if there is a token now. Borrowed
 * until the function returns. */
typedef void (*mcp_auth_done_cb)(mcp_auth *auth, const mcp_error *err,
                                 void *userdata);

/**
 * Logs in to a server before any request needs it. Asks the server without a
 * token first, to learn what it demands. Uses a stored token that is valid.
 *
 * @param server_url the URL of the MCP server
 * @param forces     1: logs in even if a token is stored
 * @param on_done    called once, never inside this function
 * @param err        says why the function failed; may be NULL
 * @return 0; MCP_ERR_INVALID: the URL is wrong; MCP_ERR_NOMEM. on_done is
 *         called only after 0. If the store fails, on_done gets its error,
 *         although requests use the token until the program ends
 */
MCP_API int mcp_auth_login(mcp_auth *auth, const char *server_url, int forces,
                           mcp_auth_done_cb on_done, void *userdata,
                           mcp_error *err);

/** Removes the stored tokens of a server, of each `grant`, after the
 * authorization server has been asked to revoke them (RFC 7009) if it can. The
 * parameters and the result are those of mcp_auth_login. `err` of on_done has
 * MCP_ERR_NOT_FOUND if there was no token. A token is removed even if it cannot
 * be revoked; then err says so: MCP_ERR_PARSE means that the record was not
 * valid. */
MCP_API int mcp_auth_logout(mcp_auth *auth, const char *server_url,
                            mcp_auth_done_cb on_done, void *userdata,
                            mcp_error *err);

/** What is known of a stored token, without its secrets. Borrowed until the
 * callback returns. */
typedef struct mcp_auth_stored {
  /** sizeof(mcp_auth_stored) as the library knows it. */
  size_t size;
  /** The URL of the server that the token is for. */
  const char *server_url;
  /** The authorization server that gave the token. */
  const char *issuer;
  /** The id of the program at this authorization server. */
  const char *client_id;
  /** With spaces between them; "": not known. */
  const char *scopes;
  /** When the token expires, in milliseconds since 1970-01-01 UTC; INT64_MAX:
   * not known. */
  int64_t expires_ms;
  /** 1: the token is renewed when it expires. */
  int32_t is_renewable;
  /** 1: the token is bound to a key (DPoP). */
  int32_t is_bound;
  /** How the token was got: MCP_AUTH_CODE and the others. */
  uint32_t grant;
  uint32_t reserved;
} mcp_auth_stored;

/** Calls `each` for each stored token, whichever `grant` it is of, and then
 * on_done. A record that cannot be read does not hide the others; `err` of
 * on_done then says why the first one could not be read. The result is that of
 * mcp_auth_login. */
MCP_API int mcp_auth_list(
    mcp_auth *auth,
    void (*each)(mcp_auth *auth, const mcp_auth_stored *stored, void *userdata),
    mcp_auth_done_cb on_done, void *userdata, mcp_error *err);

/* ---- answers to the callbacks of mcp_auth_options ------------------------
 *
 * Each takes mcp_auth_prompt.login. It may be called inside the callback, or
 * later. Returns 0; or with err: MCP_ERR_INVALID (the login has ended, or does
 * not wait for this), MCP_ERR_NOMEM. Strings are copied. */

/** The browser has returned to `url`: the whole URL, or its query. A URL that
 * does not belong to the login is MCP_ERR_INVALID, and the login goes on
 * waiting. */
MCP_API int mcp_auth_redirected(mcp_auth *auth, uint64_t login, const char *url,
                                mcp_error *err);
/** Gives the ID token or the JWT that get_assertion asked for. */
MCP_API int mcp_auth_assert(mcp_auth *auth, uint64_t login,
                            const char *assertion, mcp_error *err);
/** Gives the token that get_token asked for. `expires_ms` is in milliseconds
 * since 1970-01-01 UTC; INT64_MAX: not known. */
MCP_API int mcp_auth_give_token(mcp_auth *auth, uint64_t login,
                                const char *token, int64_t expires_ms,
                                mcp_error *err);
/** Gives the client id and the secret (NULL: none) that get_client asked for.
 * id NULL: the program has none, and the library registers. */
MCP_API int mcp_auth_give_client(mcp_auth *auth, uint64_t login, const char *id,
                                 const char *secret, mcp_error *err);
/** Ends the login: the user does not want it. Its requests fail with
 * MCP_ERR_REFUSED and this text. */
MCP_API int mcp_auth_abandon(mcp_auth *auth, uint64_t login, const char *why,
                             mcp_error *err);

/** Opens the page of a prompt in the system's browser, without a shell: what
 * happens if open_browser is NULL. A program's own open_browser may call this.
 * `userdata` is not used. Returns 0; MCP_ERR_IO: no browser can be started;
 * MCP_ERR_INVALID: the page is neither http nor https; MCP_ERR_NOMEM. */
MCP_API int mcp_auth_open_browser(mcp_auth *auth, const mcp_auth_prompt *prompt,
                                  void *userdata);

/* ---- stores -------------------------------------------------------------- */

/** Fills in a store in memory. `store` is MCP_AUTH_STORE_INIT before. Returns
 * 0; MCP_ERR_INVALID: an argument is NULL, or the store has no size;
 * MCP_ERR_NOMEM. The store must be released with its `release`, or be given to
 * mcp_auth_options. Several mcp_auths of one loop may share it: then `release`
 * of the copies in their options must be NULL, and the program releases the
 * store after all of them. */
MCP_API int mcp_auth_store_memory(mcp_auth_store *store, mcp_loop *loop);

/**
 * Fills in a store of files: one for each record, readable only by the user.
 * Files are replaced as a whole. Several processes may use the same folder: a
 * file that one of them has taken is locked.
 *
 * @param store  MCP_AUTH_STORE_INIT before
 * @param folder made if it does not exist, with permissions 0700; it must
 *               belong to the user, and others must not be able to write to it.
 *               NULL: the folder "mcp/auth" in $XDG_STATE_HOME, or in
 *               ~/.local/state
 * @return 0, or with err: MCP_ERR_INVALID (an argument is NULL, or the store
 *         has no size), MCP_ERR_IO (the folder cannot be used), MCP_ERR_NOMEM
 */
MCP_API int mcp_auth_store_files(mcp_auth_store *store, mcp_loop *loop,
                                 const char *folder, mcp_error *err);

/**
 * Fills in a store in the user's keyring: the Secret Service of the desktop
 * (GNOME Keyring, KWallet, KeePassXC), which keeps its items encrypted. Each
 * record is an item in the default keyring, with its key as the attribute
 * "server" and in the label "MCP login at KEY". Tokens are nowhere else.
 * Several processes may use the keyring: while one of them has taken a record,
 * it has locked an empty file in the folder that is the default of
 * mcp_auth_store_files.
 *
 * - If the keyring is locked, `take` makes it ask the user, who has a minute to
 *   unlock it. The loop goes on meanwhile.
 * - `give` and `list` wait for the keyring on the loop's thread: some
 *   milliseconds, and at most 3 seconds. They do not ask the user.
 *
 * This function loads libsecret. It does not look for a keyring: if there is
 * none, or it stays locked, `take` fails with MCP_ERR_IO or MCP_ERR_TIMEOUT,
 * and the message says what to do. Since 0.2.
 *
 * @param store MCP_AUTH_STORE_INIT before
 * @param loop  of mcp_loop_new
 * @param err   says why the function failed; may be NULL
 * @return 0; MCP_ERR_UNSUPPORTED: libsecret is not installed, or this libmcp
 *         was built without it (the CMake option MCP_KEYRING); MCP_ERR_INVALID:
 *         an argument is wrong, or the store has no size; MCP_ERR_IO: the
 *         folder of the locks cannot be used; MCP_ERR_NOMEM
 */
MCP_API int mcp_auth_store_keyring(mcp_auth_store *store, mcp_loop *loop,
                                   mcp_error *err);

MCP_END_DECLS

#endif
