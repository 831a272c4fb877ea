/* SPDX-License-Identifier: MIT */
/** @file
 * Skills: serving a folder of skills, and reading the skills of a server
 * (libmcp).
 *
 * A skill is a folder that teaches a model a task: a file SKILL.md, and the
 * files that SKILL.md speaks of. A server offers its skills by the extension
 * `io.modelcontextprotocol/skills` (SEP-2640). One call serves all skills of a
 * folder:
 *
 *     mcp_server_add_skills(server, "skills", NULL, NULL);
 *     return mcp_main(server, argc, argv);
 *
 * The folder has a folder for each skill:
 *
 *     skills/
 *       refunds/
 *         SKILL.md
 *         scripts/check.py
 *
 * SKILL.md begins with a head in YAML between two lines "---". The head has at
 * least a name, which is the name of the skill's folder, and a description:
 *
 *     ---
 *     name: refunds
 *     description: How to decide about a refund
 *     ---
 *
 * The server then answers `skills/list` and `skills/get`. Each file is a
 * resource, such as skill://refunds/scripts/check.py, that `resources/list`
 * shows and `resources/read` reads.
 *
 * A client lists the skills of its server, and reads a file of a skill when the
 * model needs it. Each file is compared with the list before the program gets
 * it: see "clients" below. docs/SKILLS.md has the details.
 */
#ifndef MCP_SKILLS_H
#define MCP_SKILLS_H

#include <mcp/client.h>
#include <mcp/server.h>

MCP_BEGIN_DECLS

/** The id of the extension, for mcp_call_client_has and the like. Since 0.2. */
#define MCP_SKILLS_EXTENSION "io.modelcontextprotocol/skills"

/** How skills are served. Zero and NULL mean the default. Since 0.2. */
typedef struct mcp_skills_options {
  /** sizeof(mcp_skills_options); MCP_SKILLS_OPTIONS_INIT sets it. */
  size_t size;
  /** Looks for changes of the folder, on its pool, and notifies the clients. It
   * must be a loop of mcp_loop_new, and the thread that calls
   * mcp_server_add_skills must be its thread. With mcp_main_with, on_start gets
   * the loop. NULL: the server reads the folder once, in mcp_server_add_skills.
   *
   * The loop may end before or after the server. mcp_loop_run does not return
   * before the server has ended. The loop uses the server's allocator for up to
   * poll_ms after mcp_server_free. */
  mcp_loop *loop;
  /** How often the loop looks, in milliseconds; 0: 2000. */
  uint32_t poll_ms;
  /** 1: clients may list the folders of a skill (`resources/directory/read`).
   * The server then declares the setting `directoryRead`. */
  int32_t directory_read;
  /** 2026-07-28: how long clients may cache lists of skills and the files, in
   * milliseconds; 0: mcp_server_options.cache_ttl_ms. */
  uint64_t cache_ttl_ms;
} mcp_skills_options;

#define MCP_SKILLS_OPTIONS_INIT MCP_INIT_(mcp_skills_options)

/**
 * Serves the skills of a folder. Since 0.2.
 *
 * Reads all files once, so that each has a digest: call it before the server
 * serves. A server has at most one folder of skills.
 *
 * The server leaves out a skill that is not valid. on_report gets the skill's
 * path and what is wrong with it. The other skills are served. A skill must:
 * - have a file SKILL.md that is UTF-8 and begins with a head. The head has at
 *   most 64 KB, is at most 16 levels deep, has no anchors and no aliases, and
 *   is what JSON can express;
 * - have the name of its folder: 1 to 64 small letters, digits and single
 *   hyphens, with no hyphen at either end;
 * - have a description that is not empty;
 * - have at most 512 files, with 16 MiB together, at most 4096 files, folders
 *   and links, and folders at most 16 levels deep;
 * - not have a key in `metadata` of its head that begins with
 *   "io.modelcontextprotocol/".
 *
 * Nothing outside the folder is served. Symbolic links inside a skill are left
 * out, and on_report gets their paths; `dir` itself may be one. Files and
 * folders whose names begin with "." are left out silently.
 *
 * If the options have a loop and the folder changes, clients get
 * `notifications/resources/list_changed`, and those that subscribed to a file
 * that changed get `notifications/resources/updated`. A change counts when the
 * files have been left alone for some hundred milliseconds.
 *
 * Call it on the thread of the server's loop.
 *
 * @param server  offers the skills
 * @param dir     the path of the folder; copied
 * @param options copied; NULL: the defaults
 * @param err     says why it failed; may be NULL
 * @return 0, also if no skill is valid;
 *         MCP_ERR_INVALID: a parameter is NULL or not valid;
 *         MCP_ERR_EXISTS: the server has a folder of skills already;
 *         MCP_ERR_IO: the folder cannot be read;
 *         MCP_ERR_LIMIT: the folder has more than 4096 skills;
 *         MCP_ERR_UNSUPPORTED: libmcp was built without skills (MCP_SKILLS);
 *         MCP_ERR_PLATFORM: libyaml or OpenSSL cannot be loaded;
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_server_add_skills(mcp_server *server, const char *dir,
                                  const mcp_skills_options *options,
                                  mcp_error *err);

/* ---- clients: skills ---------------------------------------------------- */

/** A skill of a server, as an entry of `skills/list` or `skills/get` describes
 * it. It is a copy of the entry and does not change. Use it on one thread at a
 * time. Since 0.2. */
typedef struct mcp_skill mcp_skill;

/** A file of a skill, as the entry lists it. Borrowed from the skill. Since
 * 0.2. */
typedef struct mcp_skill_file {
  /** sizeof(mcp_skill_file) as the library knows it. A program that was built
   * with newer headers than the library compares `size` before it reads a newer
   * member. */
  size_t size;
  /** The path below the skill's folder, such as "references/FORMS.md", with "/"
   * between its parts. No part is empty, "." or "..", and the path has no
   * control characters and no backslashes. So a program may use the path below
   * a folder of its own. */
  const char *path;
  /** The URI of the resource. */
  const char *uri;
  /** "sha256:" and 64 hexadecimal digits. */
  const char *digest;
  /** The length of the file in bytes. */
  uint64_t len;
} mcp_skill_file;

/**
 * Reads an entry of a list of skills, and checks it. Since 0.2.
 *
 * The entry comes from a server, so it may be wrong in any way. The function
 * refuses an entry unless
 * - its URI is SCHEME:.../NAME/SKILL.md, where NAME is also the `name` of its
 *   `frontmatter`: 1 to 64 small letters, digits and single hyphens, with no
 *   hyphen at either end;
 * - its `frontmatter` has a description that is not empty;
 * - its `resources` are "dynamic", or a list of files with digests and sizes:
 *   SKILL.md and files inside the skill's folder, each once, at most 512, with
 *   16 MiB together.
 *
 * A program should keep the skill for as long as SKILL.md is in the context of
 * its model, and read files by this skill alone. Then a change of the skill,
 * which the user has not agreed to, is noticed.
 *
 * Several skills of a server may have the same name; their URIs differ.
 *
 * @param entry     an item of mcp_client_list_skills or mcp_client_get_skill;
 *                  copied
 * @param allocator NULL: the default
 * @param err       says what is wrong with the entry; may be NULL
 * @return owned: free it with mcp_skill_free; NULL with err: MCP_ERR_INVALID
 *         (the entry breaks a rule, or is NULL), MCP_ERR_LIMIT (too many files
 *         or bytes), MCP_ERR_NOMEM
 */
MCP_API mcp_skill *mcp_skill_new(const mcp_json *entry,
                                 const mcp_allocator *allocator,
                                 mcp_error *err);
/** Frees a skill. Reads that are in flight go on. NULL is accepted. Since 0.2.
 */
MCP_API void mcp_skill_free(mcp_skill *skill);

/** Returns the name. Borrowed until mcp_skill_free, as all that the functions
 * below return; they return NULL or 0 if the skill is NULL. Since 0.2. */
MCP_API const char *mcp_skill_name(const mcp_skill *skill);
/** Returns the description, by which a model chooses a skill. Since 0.2. */
MCP_API const char *mcp_skill_description(const mcp_skill *skill);
/** Returns the URI of SKILL.md, which identifies the skill at its server. Since
 * 0.2. */
MCP_API const char *mcp_skill_uri(const mcp_skill *skill);
/** Returns the head of SKILL.md as the entry shows it, an object. Since 0.2. */
MCP_API const mcp_json *mcp_skill_frontmatter(const mcp_skill *skill);
/** Returns 1 if the server makes the skill's files when they are read
 * (`resources` is "dynamic"). Such a skill lists no files, and their bytes
 * cannot be verified. Returns 0 otherwise. Since 0.2. */
MCP_API int mcp_skill_is_dynamic(const mcp_skill *skill);
/** Returns how many files the skill lists; 0 for a dynamic skill. Since 0.2. */
MCP_API size_t mcp_skill_file_count(const mcp_skill *skill);
/** Returns the file at `index`, in the order of the entry; NULL: there is no
 * such file. Since 0.2. */
MCP_API const mcp_skill_file *mcp_skill_file_at(const mcp_skill *skill,
                                                size_t index);
/**
 * Finds a file of the list. Since 0.2.
 * @param file its path or its URI; NULL: SKILL.md
 * @return NULL: the skill does not list it
 */
MCP_API const mcp_skill_file *mcp_skill_find(const mcp_skill *skill,
                                             const char *file);

/* ---- clients: requests -------------------------------------------------- */

/*
 * What mcp/client.h says of all requests holds for these too. If the server has
 * not declared the extension, they complete with MCP_ERR_UNSUPPORTED. Nothing
 * is fetched ahead: a request fetches what it is asked for.
 *
 * In 2026-07-28 the client caches the answers for the time that the server
 * states, as it does with other lists and resources. It drops all lists of
 * skills when the server reports a change of any resource, and when a file is
 * not what its list says.
 */

/** Lists the skills of the server (`skills/list`), all pages. The items of the
 * result are entries for mcp_skill_new. A server may list only some of its
 * skills, or none. Since 0.2. */
MCP_API int mcp_client_list_skills(mcp_client *client,
                                   const mcp_request_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

/**
 * Gets the entry of one skill (`skills/get`), also of a skill that the server
 * does not list. The result has one item, the entry. Since 0.2.
 *
 * If the entry has another URI than the program asked for, the request
 * completes with MCP_ERR_PROTOCOL.
 *
 * @param uri the URI of the skill's SKILL.md; required
 */
MCP_API int mcp_client_get_skill(mcp_client *client, const char *uri,
                                 const mcp_request_options *options,
                                 mcp_done_cb on_done, void *userdata,
                                 mcp_error *err);

/**
 * Reads a file of a skill, and compares it with the skill's entry. Since 0.2.
 *
 * The result is that of `resources/read`, with one item. mcp_result_bytes
 * returns the file's bytes, whether the server sent text or base64;
 * mcp_result_text returns a text as a C string. The program gets a result only
 * if
 * - the file has the length and the SHA-256 digest that the entry lists;
 * - the head of a SKILL.md, if the file is the skill's own, is equal to
 *   `frontmatter` of the entry, member by member.
 *
 * Otherwise the request completes with MCP_ERR_MISMATCH. The message names the
 * file, and says what was listed and what came. The file was changed after the
 * program got the entry, or was tampered with: the program should get the entry
 * again, and ask its user again.
 *
 * The files of a dynamic skill have no digests. The client compares only the
 * head of SKILL.md, and refuses files of more than 16 MiB (MCP_ERR_LIMIT).
 *
 * A digest comes from the same server as the file. It shows that the file is
 * the one of the list, and does not show that either can be trusted.
 *
 * The request may also complete with:
 * - MCP_ERR_PROTOCOL: the server sent another resource, several, or neither
 *   text nor base64;
 * - MCP_ERR_LIMIT: the message is longer than max_message of
 *   mcp_client_options or a limit of the transport. The defaults, 10 MiB, are
 *   enough for files of 7 MiB in base64. The largest file that a skill may have
 *   needs 22 MiB, or more for a text with many escapes.
 *
 * @param skill required; the program may free it at once
 * @param file  its path below the skill's folder, such as
 *              "references/FORMS.md", or its URI; NULL: SKILL.md. The file of a
 *              dynamic skill must be inside the skill's folder
 * @return as other requests; also, before anything is sent:
 *         MCP_ERR_NOT_FOUND: the skill does not list the file. The server may
 *         have it: mcp_client_get_skill gets the list again;
 *         MCP_ERR_INVALID: the path or URI leads out of the skill's folder;
 *         MCP_ERR_UNSUPPORTED: libmcp was built without SHA-256 (MCP_TLS), or
 *         for SKILL.md without YAML (MCP_SKILLS);
 *         MCP_ERR_PLATFORM: OpenSSL or libyaml cannot be loaded
 */
MCP_API int mcp_client_read_skill(mcp_client *client, const mcp_skill *skill,
                                  const char *file,
                                  const mcp_request_options *options,
                                  mcp_done_cb on_done, void *userdata,
                                  mcp_error *err);

/**
 * Lists what is in a folder of a skill now (`resources/directory/read`), all
 * pages. Since 0.2.
 *
 * The items of the result are resources. One with the `mimeType`
 * "inode/directory" is a folder. The files of a dynamic skill can be found only
 * in this way. For other skills the entry is the list that counts: a file that
 * mcp_skill_find does not find is not one of the skill's.
 *
 * If an item is not directly in the folder, the request completes with
 * MCP_ERR_PROTOCOL.
 *
 * @param skill  required; the program may free it at once
 * @param folder its path below the skill's folder, such as "references", or its
 *               URI; NULL: the skill's folder itself
 * @return as other requests; also, before anything is sent:
 *         MCP_ERR_UNSUPPORTED: the server has not declared the setting
 *         `directoryRead`;
 *         MCP_ERR_INVALID: the path or URI leads out of the skill's folder
 */
MCP_API int mcp_client_list_skill_folder(mcp_client *client,
                                         const mcp_skill *skill,
                                         const char *folder,
                                         const mcp_request_options *options,
                                         mcp_done_cb on_done, void *userdata,
                                         mcp_error *err);

/* Each of the following functions does what the function mcp_client_... with
 * the same name does, and waits. mcp/sync.h says what holds for all such
 * functions. */

/** Since 0.2. */
MCP_API int mcp_sync_list_skills(mcp_client *client,
                                 const mcp_request_options *options,
                                 mcp_result **out, mcp_error *err);
/** Since 0.2. */
MCP_API int mcp_sync_get_skill(mcp_client *client, const char *uri,
                               const mcp_request_options *options,
                               mcp_result **out, mcp_error *err);
/** Since 0.2. */
MCP_API int mcp_sync_read_skill(mcp_client *client, const mcp_skill *skill,
                                const char *file,
                                const mcp_request_options *options,
                                mcp_result **out, mcp_error *err);
/** Since 0.2. */
MCP_API int mcp_sync_list_skill_folder(mcp_client *client,
                                       const mcp_skill *skill,
                                       const char *folder,
                                       const mcp_request_options *options,
                                       mcp_result **out, mcp_error *err);

MCP_END_DECLS

#endif
