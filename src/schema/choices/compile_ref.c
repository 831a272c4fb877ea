/* SPDX-License-Identifier: MIT */
/* Compiling references: finding the node that a URI leads to. */
#include "schema/compile_ref.h"

#include "base/error.h"
#include "codec/uri.h"
#include "schema/meta.h"
#include "schema/say.h"
#include "json/json.h"

/* Where a reference leads. */
typedef struct target {
  uint32_t resource; /* whose URI it names */
  const mcp_json *schema;
  const mcpi_anchor *anchor; /* the anchor it names, or NULL; until a load */
} target;

static int ref_fail(const mcpi_subject *s, const mcp_json *ref,
                    const char *why) {
  mcpi_sentence text;
  mcpi_sentence_init(&text);
  mcpi_document_say_place(&text.buf, s->document, ref);
  mcpi_buf_lit(&text.buf, "the reference ");
  mcpi_say_string(&text.buf, mcpi_json_str(ref));
  mcpi_say(&text.buf, why);
  return mcp_error_set(s->c->err, MCP_ERR_SCHEMA, "%.*s", (int)text.buf.len,
                       text.space);
}

static int ref_fail_nowhere(const mcpi_subject *s, const mcp_json *ref) {
  return ref_fail(s, ref, " leads nowhere");
}

/* Returns how many values a pointer passes on its way. */
static size_t ref_count_steps(const mcp_json *root, const mcp_json *to) {
  size_t steps = 0;
  while (root != to) {
    mcp_json_iter iter;
    const mcp_json *child;
    const mcp_json *found = NULL;
    mcp_json_iter_init(&iter, root);
    while ((child = mcp_json_iter_next(&iter, NULL)) != NULL && child <= to) {
      found = child;
      steps++;
    }
    root = found;
  }
  return steps;
}

/* Finds what a fragment names: it is empty, a JSON pointer, or an anchor. */
static int ref_find_fragment(mcpi_subject *s, const mcp_json *ref,
                             mcpi_str fragment, target *out) {
  mcpi_library *library = &s->c->library;
  const mcp_json *root = mcpi_library_resource(library, out->resource)->root;
  if (fragment.len == 0) {
    out->schema = root;
  } else if (memchr(fragment.ptr, '\0', fragment.len) != NULL) {
    out->schema = NULL;
  } else if (fragment.ptr[0] == '/') {
    out->schema = mcp_json_pointer(root, fragment.ptr);
  } else {
    out->anchor = mcpi_library_anchor(library, out->resource, fragment);
    out->schema = out->anchor != NULL ? out->anchor->schema : NULL;
  }
  if (out->schema == NULL) {
    return ref_fail_nowhere(s, ref);
  }
  return out->anchor != NULL
             ? 0
             : mcpi_compiler_spend(s->c,
                                   ref_count_steps(root, out->schema) / 2);
}

static int ref_find_resource(mcpi_subject *s, const mcp_json *ref,
                             mcpi_buf *uri, target *out) {
  mcpi_library *library = &s->c->library;
  mcpi_str base = mcpi_str_z(mcpi_library_resource(library, s->resource)->uri);
  int rc = mcpi_compiler_spend(s->c, base.len / 8);
  if (rc != 0) {
    return rc;
  }
  mcpi_uri_resolve(uri, base, mcpi_json_str(ref));
  if (uri->error != 0) {
    return mcp_error_set(s->c->err, uri->error, "out of memory");
  }
  rc = mcpi_library_find(library, mcpi_str_n(uri->data, uri->len),
                         &out->resource);
  if (rc == MCP_ERR_NOT_FOUND) {
    return ref_fail(s, ref,
                    mcpi_meta_texts[0].uri != NULL
                        ? " leads to a document that was not given; nothing is "
                          "fetched"
                        : " leads to a document that was not given, and this "
                          "libmcp was built without the meta-schemas "
                          "(MCP_SCHEMA_META)");
  }
  return rc;
}

static int ref_find_target(mcpi_subject *s, const mcp_json *ref, target *out) {
  mcpi_uri parts;
  mcpi_buf text;
  mcpi_uri_split(mcpi_json_str(ref), &parts);
  mcpi_buf_init(&text, s->c->allocator, SIZE_MAX);
  /* A reference that is only a fragment stays in its own resource. */
  int is_here = parts.scheme.ptr == NULL && parts.authority.ptr == NULL &&
                parts.path.len == 0 && parts.query.ptr == NULL;
  out->resource = s->resource;
  int rc = is_here ? 0 : ref_find_resource(s, ref, &text, out);
  if (rc == 0) {
    mcpi_buf_clear(&text);
    rc = mcpi_uri_put_decoded(&text, parts.fragment) != 0
             ? ref_fail_nowhere(s, ref)
             : 0;
  }
  if (rc == 0) {
    mcpi_buf_putc(&text, '\0');
    rc = text.data == NULL || text.error != 0
             ? mcpi_no_memory(s->c->err)
             : ref_find_fragment(s, ref, mcpi_str_n(text.data, text.len - 1),
                                 out);
  }
  mcpi_buf_deinit(&text);
  /* The searches may have used up the steps. */
  return rc != 0 ? rc : mcpi_compiler_spend(s->c, 1);
}

static uint32_t ref_target_node(mcpi_subject *s, const target *to) {
  const mcpi_resource *in = mcpi_library_resource(&s->c->library, to->resource);
  return mcpi_compiler_node(s->c, in->document, to->schema);
}

/* Finds where a reference leads, and fills in its instruction. */
static int ref_begin(mcpi_subject *s, const mcp_json *value, target *to,
                     mcpi_insn *insn) {
  *to = (target){.schema = NULL};
  *insn =
      (mcpi_insn){.op = MCPI_OP_REF, .types = MCPI_TYPES_ANY, .source = value};
  if (mcp_json_type(value) != MCP_JSON_STRING) {
    return mcpi_subject_malformed(s, value, "a URI reference");
  }
  int rc = ref_find_target(s, value, to);
  if (rc == 0) {
    insn->first = ref_target_node(s, to);
  }
  return rc;
}

int mcpi_compile_ref(mcpi_subject *s, const mcp_json *value) {
  target to;
  mcpi_insn insn;
  int rc = ref_begin(s, value, &to, &insn);
  return rc != 0 ? rc : mcpi_subject_add(s, &insn);
}

/* --- dynamic references ------------------------------------------------- */

static mcpi_dynamic_name *dynamic_name_at(const mcpi_compiler *c,
                                          uint32_t index) {
  return mcpi_entry_at(&c->dynamic_names, mcpi_dynamic_name, index);
}

/* Pays for comparing a name with `count` others. */
static int dynamic_spend(mcpi_compiler *c, mcpi_str name, size_t count) {
  return mcpi_compiler_spend(c, count * (1 + name.len / 64));
}

/* Finds the index of a name, and adds it if it is new. Few schemas have more
 * than one. */
static int dynamic_find_name(mcpi_compiler *c, mcpi_str name, uint32_t *index) {
  uint32_t count = mcpi_count_of(&c->dynamic_names, mcpi_dynamic_name);
  int rc = dynamic_spend(c, name, count);
  for (*index = 0; rc == 0 && *index < count; (*index)++) {
    if (mcpi_str_eq(dynamic_name_at(c, *index)->name, name)) {
      return 0;
    }
  }
  if (rc == 0) {
    const mcpi_dynamic_name added = {name, 0, 0};
    mcpi_buf_put(&c->dynamic_names, &added, sizeof(added));
  }
  return rc;
}

/* A reference that does not lead to a dynamic anchor is like $ref. */
int mcpi_compile_dynamic_ref(mcpi_subject *s, const mcp_json *value) {
  target to;
  mcpi_insn insn;
  int rc = ref_begin(s, value, &to, &insn);
  if (rc == 0 && to.anchor != NULL && to.anchor->is_dynamic) {
    insn.op = MCPI_OP_DYNAMIC_REF;
    insn.others = insn.first;
    rc = dynamic_find_name(s->c, to.anchor->name, &insn.first);
  }
  return rc != 0 ? rc : mcpi_subject_add(s, &insn);
}

static int anchor_is_dynamic(const mcpi_anchor *anchor, mcpi_str name) {
  return anchor->is_dynamic && mcpi_str_eq(anchor->name, name);
}

static uint32_t anchor_node(mcpi_compiler *c, const mcpi_anchor *anchor) {
  const mcpi_resource *in =
      mcpi_library_resource(&c->library, anchor->resource);
  return mcpi_compiler_node(c, in->document, anchor->schema);
}

int mcpi_compile_dynamic_nodes(mcpi_compiler *c) {
  size_t count;
  const mcpi_anchor *anchors = mcpi_library_anchors(&c->library, &count);
  uint32_t names = mcpi_count_of(&c->dynamic_names, mcpi_dynamic_name);
  for (uint32_t i = 0; i < names; i++) {
    mcpi_str name = dynamic_name_at(c, i)->name;
    int rc = dynamic_spend(c, name, count);
    for (size_t k = 0; rc == 0 && k < count; k++) {
      if (anchor_is_dynamic(&anchors[k], name)) {
        anchor_node(c, &anchors[k]);
      }
    }
    if (rc != 0) {
      return rc;
    }
  }
  return 0;
}

static void dynamic_list_places(mcpi_compiler *c, mcpi_dynamic_name *name) {
  size_t count;
  const mcpi_anchor *anchors = mcpi_library_anchors(&c->library, &count);
  name->first = mcpi_count_of(&c->dynamics, mcpi_dynamic);
  for (size_t k = 0; k < count; k++) {
    if (anchor_is_dynamic(&anchors[k], name->name)) {
      const mcpi_dynamic dynamic = {anchors[k].resource,
                                    anchor_node(c, &anchors[k])};
      mcpi_buf_put(&c->dynamics, &dynamic, sizeof(dynamic));
      name->count++;
    }
  }
}

void mcpi_compile_dynamics(mcpi_compiler *c) {
  uint32_t names = mcpi_count_of(&c->dynamic_names, mcpi_dynamic_name);
  uint32_t insns = mcpi_count_of(&c->insns, mcpi_insn);
  for (uint32_t i = 0; i < names; i++) {
    dynamic_list_places(c, dynamic_name_at(c, i));
  }
  for (uint32_t i = 0; i < insns; i++) {
    mcpi_insn *insn = mcpi_compiler_insn_at(c, i);
    if (insn->op == MCPI_OP_DYNAMIC_REF) {
      const mcpi_dynamic_name *name = dynamic_name_at(c, insn->first);
      insn->first = name->first;
      insn->count = name->count;
    }
  }
}
