/* SPDX-License-Identifier: MIT */
#include "bundle/manifest.h"
#include "bundle/manifest_schema.h"
#include "bundle/systems.h"
#include "bundle/variables.h"
#include "common/json.h"

#include <mcp/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const ctl_manifest_platforms[] = {"darwin", "linux", "win32", NULL};

const char *ctl_manifest_platform(void) {
#if defined(_WIN32)
  return "win32";
#elif defined(__APPLE__)
  return "darwin";
#else
  return "linux";
#endif
}

/* ---- the form ---------------------------------------------------------- */

static mcp_validator *make_validator(mcp_error *err) {
  const mcp_validator_options options = {.size = sizeof(options),
                                         .assert_formats = 1};
  const char *const *halves = ctl_manifest_schema;
  char *text = NULL;
  if (asprintf(&text, "%s%s", halves[0], halves[1]) < 0) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  mcp_doc *schema = mcp_doc_parse(text, strlen(text), NULL, NULL, err);
  mcp_validator *validator =
      schema != NULL ? mcp_validator_new(mcp_doc_root(schema), &options, err)
                     : NULL;
  mcp_doc_free(schema);
  free(text);
  return validator;
}

static void add_errors(const char *text, ctl_findings *findings) {
  mcp_doc *errors = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  mcp_json_iter iter;
  const mcp_json *error = NULL;
  findings->is_broken |= errors == NULL;
  mcp_json_iter_init(&iter, mcp_doc_root(errors));
  while ((error = mcp_json_iter_next(&iter, NULL)) != NULL) {
    ctl_findings_add(findings, CTL_FAULT, "manifest-form", "%s",
                     ctl_json_member(error, "message"));
  }
  mcp_doc_free(errors);
}

static void check_form(const mcp_json *manifest, ctl_findings *findings) {
  mcp_error err = {0};
  mcp_builder *errors = mcp_builder_new(NULL, &err);
  mcp_validator *validator = make_validator(&err);
  int rc = validator != NULL
               ? mcp_validator_check(validator, manifest, NULL, errors)
               : err.code;
  const char *text = rc == MCP_ERR_SCHEMA ? mcp_builder_text(errors, NULL) : "";
  if (rc == MCP_ERR_SCHEMA && text != NULL && validator != NULL) {
    add_errors(text, findings);
  } else if (rc != 0) {
    ctl_findings_add(findings, CTL_FAULT, "manifest-form",
                     "it could not be checked: %s", err.message);
  }
  mcp_validator_unref(validator);
  mcp_builder_free(errors);
}

static const char *version_of(const mcp_json *manifest) {
  const char *version = ctl_json_member(manifest, "manifest_version");
  return version != NULL ? version : ctl_json_member(manifest, "dxt_version");
}

static void check_version(const mcp_json *manifest, ctl_findings *findings) {
  const char *version = version_of(manifest);
  const char *type = ctl_json_member(mcp_json_get(manifest, "server"), "type");
  if (version == NULL) {
    return;
  }
  for (const ctl_manifest_member *one = ctl_manifest_members; one->name != NULL;
       one++) {
    if (mcp_json_get(manifest, one->name) != NULL &&
        strcmp(version, one->since) < 0) {
      ctl_findings_add(findings, CTL_FAULT, "manifest-version",
                       "/%s: manifest version %s does not have it; write %s",
                       one->name, version, one->since);
    }
  }
  if (type != NULL && strcmp(type, "uv") == 0 && strcmp(version, "0.4") < 0) {
    ctl_findings_add(findings, CTL_FAULT, "manifest-version",
                     "/server/type: manifest version %s does not have \"uv\"; "
                     "write 0.4",
                     version);
  }
  if (mcp_json_get(manifest, "manifest_version") == NULL) {
    ctl_findings_add(findings, CTL_NOTE, "manifest-version",
                     "dxt_version is the old name of manifest_version");
  }
}

/* A number of a version, without zeros before it. */
static const char *skip_number(const char *text) {
  size_t len = strspn(text, "0123456789");
  return len == 0 || (len > 1 && text[0] == '0') ? NULL : text + len;
}

/* Semantic Versioning 2.0.0. */
static int is_semantic(const char *version) {
  const char *at = version;
  for (int i = 0; i < 3 && at != NULL; i++) {
    at = i == 0 || *at++ == '.' ? skip_number(at) : NULL;
  }
  return at != NULL &&
         (*at == '\0' ||
          ((*at == '-' || *at == '+') && at[1] != '\0' &&
           strspn(at + 1, "0123456789.+-abcdefghijklmnopqrstuvwxyz"
                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(at + 1)));
}

void ctl_manifest_check(const mcp_json *manifest, ctl_findings *findings) {
  const char *version = ctl_json_member(manifest, "version");
  check_form(manifest, findings);
  check_version(manifest, findings);
  if (version != NULL && !is_semantic(version)) {
    ctl_findings_add(findings, CTL_WARNING, "version",
                     "the version '%s' is not one of Semantic Versioning, such "
                     "as 1.0.0",
                     version);
  }
}

/* ---- platforms --------------------------------------------------------- */

static const mcp_json *config_of(const mcp_json *manifest) {
  return mcp_json_get(mcp_json_get(manifest, "server"), "mcp_config");
}

const mcp_json *ctl_manifest_config(const mcp_json *manifest,
                                    const char *platform, const char *member) {
  const mcp_json *config = config_of(manifest);
  const mcp_json *other =
      mcp_json_get(mcp_json_get(config, "platform_overrides"), platform);
  const mcp_json *own = mcp_json_get(other, member);
  return own != NULL ? own : mcp_json_get(config, member);
}

int ctl_manifest_has_platform(const mcp_json *manifest, const char *platform) {
  const mcp_json *list =
      mcp_json_get(mcp_json_get(manifest, "compatibility"), "platforms");
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  mcp_json_iter_init(&iter, list);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (strcmp(mcp_json_string(one), platform) == 0) {
      return 1;
    }
  }
  return list == NULL;
}

/* ---- files ------------------------------------------------------------- */

typedef struct checking {
  const mcp_json *manifest;
  const ctl_zip *zip;
  ctl_findings *findings;
} checking;

/* The path of a file in the bundle, from one that may begin with the variable
 * for its folder, or with "./". NULL: the text does not name such a file. */
static const char *path_inside(const char *text) {
  size_t folder_len = strlen(CTL_VARIABLE_FOLDER);
  if (strncmp(text, CTL_VARIABLE_FOLDER, folder_len) == 0) {
    if (text[folder_len] == '/') {
      return text + folder_len + 1;
    }
    return strncmp(text + folder_len, "${/}", 4) == 0 ? text + folder_len + 4
                                                      : NULL;
  }
  return strncmp(text, "./", 2) == 0 ? text + 2 : text;
}

/* A file that is started must be there and be executable. On Windows, hosts add
 * .exe to its name. */
static const ctl_zip_entry *
find_program(const checking *check, const char *platform, const char *path) {
  const ctl_zip_entry *found = ctl_zip_find(check->zip, path);
  char *name = NULL;
  if (found == NULL && strcmp(platform, "win32") == 0 &&
      asprintf(&name, "%s.exe", path) >= 0) {
    found = ctl_zip_find(check->zip, name);
    free(name);
  }
  return found;
}

/* Whether a platform before this one, where the server runs, too, has the same
 * command: then it is checked already. */
static int is_checked(const checking *check, int platform,
                      const mcp_json *command) {
  for (int i = 0; i < platform; i++) {
    const char *other = ctl_manifest_platforms[i];
    if (ctl_manifest_has_platform(check->manifest, other) &&
        ctl_manifest_config(check->manifest, other, "command") == command) {
      return 1;
    }
  }
  return 0;
}

/* Windows starts these by the ending of their name. */
static int is_batch_file(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot != NULL &&
         (strcasecmp(dot, ".bat") == 0 || strcasecmp(dot, ".cmd") == 0);
}

/* A program of another system cannot be started. That is a fault if the
 * manifest says that the server runs on this one. Some hosts start scripts by
 * their first line on Windows, too. */
static void check_system(const checking *check, int which,
                         const ctl_zip_entry *program) {
  char begin[CTL_SYSTEMS_BYTES];
  const char *platform = ctl_manifest_platforms[which];
  unsigned systems =
      ctl_systems_of(begin, ctl_zip_begin(program, begin, sizeof(begin)));
  int is_for_one = systems != 0 && (systems & (systems - 1)) == 0;
  int is_named =
      mcp_json_pointer(check->manifest, "/compatibility/platforms") != NULL;
  if ((systems >> which & 1) != 0 ||
      (strcmp(platform, "win32") == 0 && is_batch_file(program->name))) {
    return;
  }
  ctl_findings_add(check->findings,
                   is_for_one && is_named ? CTL_FAULT : CTL_WARNING, "program",
                   "on %s, '%s' is started, but it is %s%s", platform,
                   program->name, ctl_systems_words(systems),
                   is_named ? ""
                            : "; compatibility.platforms can say where the "
                              "server runs");
}

static void check_program(const checking *check, int which,
                          const mcp_json *command, const char *path) {
  const char *platform = ctl_manifest_platforms[which];
  const ctl_zip_entry *program = find_program(check, platform, path);
  int is_new = !is_checked(check, which, command);
  if (program == NULL) {
    if (is_new) {
      ctl_findings_add(check->findings, CTL_FAULT, "command",
                       "on %s, the command is '%s', but the bundle has no such "
                       "file",
                       platform, mcp_json_string(command));
    }
    return;
  }
  if (is_new && !program->is_executable && strcmp(platform, "win32") != 0) {
    ctl_findings_add(
        check->findings, program->has_mode ? CTL_FAULT : CTL_WARNING,
        "not-executable", "on %s, '%s' is started, but %s", platform,
        program->name,
        program->has_mode ? "is not executable"
                          : "the archive has no modes that say so");
  }
  check_system(check, which, program);
}

static void check_command(const checking *check, int which) {
  const char *platform = ctl_manifest_platforms[which];
  const mcp_json *value =
      ctl_manifest_config(check->manifest, platform, "command");
  const char *command = mcp_json_string(value);
  const char *path = command != NULL ? path_inside(command) : NULL;
  if (path == NULL || strchr(command, '/') == NULL ||
      !ctl_manifest_has_platform(check->manifest, platform)) {
    return; /* also a program of the system, such as node */
  }
  if (path[0] != '/' && strncmp(path, "${", 2) != 0) {
    check_program(check, which, value, path);
  } else if (!is_checked(check, which, value)) {
    ctl_findings_add(check->findings, CTL_WARNING, "command",
                     "on %s, the command is '%s', which is not in the bundle",
                     platform, command);
  }
}

static void check_entry_point(const checking *check) {
  const mcp_json *server = mcp_json_get(check->manifest, "server");
  const char *text = ctl_json_member(server, "entry_point");
  const char *path = path_inside(text);
  if (path == NULL || ctl_zip_find(check->zip, path) == NULL) {
    ctl_findings_add(check->findings, CTL_FAULT, "entry-point",
                     "server.entry_point is '%s', but the bundle has no such "
                     "file",
                     text);
  }
}

static int is_png(const ctl_zip_entry *entry) {
  static const char png[] = "\x89PNG\r\n\x1a\n";
  char begin[sizeof(png) - 1];
  return ctl_zip_begin(entry, begin, sizeof(begin)) == sizeof(begin) &&
         memcmp(begin, png, sizeof(begin)) == 0;
}

static void check_image(const checking *check, const char *member,
                        const char *path) {
  if (path == NULL || strncmp(path, "https://", 8) == 0 ||
      strncmp(path, "http://", 7) == 0) {
    return;
  }
  const ctl_zip_entry *file = ctl_zip_find(check->zip, path);
  if (file == NULL) {
    ctl_findings_add(check->findings, CTL_FAULT, "missing-file",
                     "%s is '%s', but the bundle has no such file", member,
                     path);
  } else if (!is_png(file)) {
    ctl_findings_add(check->findings, CTL_FAULT, "icon",
                     "%s is '%s', which is not a PNG image", member, path);
  }
}

static void check_images(const checking *check) {
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  check_image(check, "icon", ctl_json_member(check->manifest, "icon"));
  mcp_json_iter_init(&iter, mcp_json_get(check->manifest, "icons"));
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    check_image(check, "an icon's src", ctl_json_member(one, "src"));
  }
  mcp_json_iter_init(&iter, mcp_json_get(check->manifest, "screenshots"));
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    check_image(check, "a screenshot", mcp_json_string(one));
  }
}

/* ---- variables --------------------------------------------------------- */

static void check_variable(void *userdata, const char *name, size_t len) {
  const checking *check = userdata;
  size_t prefix = strlen(CTL_VARIABLE_SETTING);
  const mcp_json *settings = mcp_json_get(check->manifest, "user_config");
  if (len > prefix && strncmp(name, CTL_VARIABLE_SETTING, prefix) == 0) {
    if (mcp_json_get_n(settings, name + prefix, len - prefix) == NULL) {
      ctl_findings_add(check->findings, CTL_FAULT, "variable",
                       "mcp_config uses ${%.*s}, but user_config does not have "
                       "it",
                       (int)len, name);
    }
  } else if (!ctl_variable_is_known(name, len)) {
    ctl_findings_add(check->findings, CTL_WARNING, "variable",
                     "mcp_config uses ${%.*s}, which hosts do not replace",
                     (int)len, name);
  }
}

static void check_texts(const checking *check, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  int type = mcp_json_type(value);
  if (type == MCP_JSON_STRING) {
    ctl_variables_each(mcp_json_string(value), check_variable, (void *)check);
    return;
  }
  if (type != MCP_JSON_ARRAY && type != MCP_JSON_OBJECT) {
    return;
  }
  mcp_json_iter_init(&iter, value);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    check_texts(check, one);
  }
}

/* ---- all --------------------------------------------------------------- */

void ctl_manifest_check_files(const mcp_json *manifest, const ctl_zip *zip,
                              ctl_findings *findings) {
  const checking check = {manifest, zip, findings};
  check_entry_point(&check);
  for (int i = 0; ctl_manifest_platforms[i] != NULL; i++) {
    check_command(&check, i);
  }
  check_images(&check);
  check_texts(&check, config_of(manifest));
}
