/* SPDX-License-Identifier: MIT */
/* Finding the values of a template's variables in a URI.
 *
 * A template is a row of steps: literals, values, and groups of named values.
 * First a table of steps by places in the URI is filled, from the last step to
 * the first: it says from which places the step and all steps after it can
 * match. Then one walk from the left takes, for each value, the shortest text
 * from whose end the rest can match. So nothing is tried twice, for any URI.
 *
 *     {+a}-{b}/c   x-y/z-w/c$
 *     {+a}         ^^^^^
 *     -                 ^
 *     {b}              ^^^
 *     /c                  ^
 *     end                   ^
 *
 * A caret: the step and all after it can match from there. */
#include "codec/uri_template_parts.h"

enum { MAX_STEPS = 2 * MCPI_URI_MAX_VARS + 1 };

/* A literal, or one variable of an expression, or all variables of an
 * expression whose operator names them. */
typedef struct step {
  const mcpi_uri_part *part;
  const mcpi_uri_spec *spec; /* a value; NULL: a literal or a group */
  char before;               /* what a value starts with; NUL: nothing */
  int is_optional;
  size_t skip_to; /* the step that follows when the value is absent */
} step;

typedef struct matcher {
  const mcpi_uri_template *tpl;
  mcpi_str uri;
  step steps[MAX_STEPS];
  size_t step_count;
  unsigned char *table; /* (step_count + 1) rows of uri.len + 1 places */
  mcpi_buf *values;
  mcpi_span *spans;
  uint32_t whole[MCPI_URI_MAX_VARS]; /* variables seen without {x:3} */
} matcher;

/* --- steps -------------------------------------------------------------- */

static void matcher_add_step(matcher *m, step next) {
  m->steps[m->step_count++] = next;
}

static void matcher_add_values(matcher *m, const mcpi_uri_part *part) {
  const mcpi_uri_op *op = part->op;
  size_t end = m->step_count + part->spec_count;
  for (size_t i = 0; i < part->spec_count; i++) {
    matcher_add_step(m,
                     (step){part, &part->specs[i], i == 0 ? op->first : op->sep,
                            i > 0 || op->first != '\0', end});
  }
}

static void matcher_make_steps(matcher *m) {
  for (size_t i = 0; i < m->tpl->part_count; i++) {
    const mcpi_uri_part *part = &m->tpl->parts[i];
    if (part->op == NULL || part->op->is_named) {
      matcher_add_step(m, (step){part, NULL, '\0', 0, 0});
    } else {
      matcher_add_values(m, part);
    }
  }
}

static unsigned char *matcher_row(const matcher *m, size_t index) {
  return m->table + index * (m->uri.len + 1);
}

/* --- what a step can take ----------------------------------------------- */

/* Returns the bytes of a value's next character at `at`, or 0 when the value
 * cannot continue. */
static size_t matcher_unit_len(const matcher *m, size_t at,
                               int allows_reserved) {
  size_t left = m->uri.len - at;
  if (left == 0) {
    return 0;
  }
  const char *p = m->uri.ptr + at;
  if (mcpi_uri_is_unreserved(*p) ||
      (allows_reserved && mcpi_uri_is_reserved(*p))) {
    return 1;
  }
  return mcpi_uri_is_encoded(p, left) ? 3 : 0;
}

/* Returns where a literal that begins at `at` ends, or SIZE_MAX. In the URI the
 * literal is encoded as expansion does it. */
static size_t matcher_literal_end(const matcher *m, mcpi_str literal,
                                  size_t at) {
  for (size_t i = 0; i < literal.len; i++) {
    char c = literal.ptr[i];
    char text[3] = {c, '\0', '\0'};
    size_t len = 1;
    if (!mcpi_uri_is_unreserved(c) && !mcpi_uri_is_reserved(c) && c != '%') {
      mcpi_uri_encode(text, c);
      len = 3;
    }
    if (m->uri.len - at < len || memcmp(m->uri.ptr + at, text, len) != 0) {
      return SIZE_MAX;
    }
    at += len;
  }
  return at;
}

/* Returns where a value's text begins, or SIZE_MAX when the value is absent. */
static size_t matcher_value_start(const matcher *m, const step *s, size_t at) {
  if (s->before == '\0') {
    return at;
  }
  int is_there = at < m->uri.len && m->uri.ptr[at] == s->before;
  return is_there ? at + 1 : SIZE_MAX;
}

/* The character before a value shows that an empty value is present. */
static int step_may_be_empty(const step *s) {
  return s->before != '\0';
}

/* --- named values ------------------------------------------------------- */

/* A walk over the pairs of a group. */
typedef struct pairs {
  const matcher *m;
  const mcpi_uri_part *part;
  uint64_t seen; /* a bit for each variable: each comes once */
  size_t at;     /* the end of the pair, if its value is as long as it can be */
  size_t spec;   /* of the pair */
  size_t value;  /* where its value begins */
} pairs;

/* Whether this variable's name is at `at`, followed by an equals sign or,
 * if the operator leaves that out for an empty value, by the end of the pair.
 */
static int pairs_have_name(const pairs *p, size_t spec, size_t at) {
  const matcher *m = p->m;
  mcpi_str name = m->tpl->names[p->part->specs[spec].var];
  size_t left = m->uri.len - at;
  if ((p->seen >> spec & 1) != 0 || left < name.len ||
      memcmp(m->uri.ptr + at, name.ptr, name.len) != 0) {
    return 0;
  }
  if (left > name.len && m->uri.ptr[at + name.len] == '=') {
    return 1;
  }
  return p->part->op->if_empty == '\0' &&
         matcher_unit_len(m, at + name.len, 0) == 0;
}

/* Steps to the next pair. Returns 0 at the end. */
static int pairs_next(pairs *p) {
  const matcher *m = p->m;
  char before = p->seen == 0 ? p->part->op->first : p->part->op->sep;
  if (p->at == m->uri.len || m->uri.ptr[p->at] != before) {
    return 0;
  }
  size_t at = p->at + 1;
  for (p->spec = 0; p->spec < p->part->spec_count; p->spec++) {
    if (pairs_have_name(p, p->spec, at)) {
      break;
    }
  }
  if (p->spec == p->part->spec_count) {
    return 0;
  }
  p->seen |= UINT64_C(1) << p->spec;
  at += m->tpl->names[p->part->specs[p->spec].var].len;
  p->value = at < m->uri.len && m->uri.ptr[at] == '=' ? at + 1 : at;
  p->at = p->value;
  for (size_t len = 1; len > 0; p->at += len) {
    len = matcher_unit_len(m, p->at, 0);
  }
  return 1;
}

/* Returns the last place of the pair's value from which the rest can match, or
 * SIZE_MAX. Only the last pair's value may end before it must. */
static size_t pairs_last_end(const pairs *p, const unsigned char *next) {
  size_t found = SIZE_MAX;
  size_t at = p->value;
  for (size_t len = 1; len > 0; at += len) {
    found = next[at] ? at : found;
    len = matcher_unit_len(p->m, at, 0);
  }
  return found;
}

/* Returns the end of the group that begins at `at`: the last place from which
 * the rest can match, or SIZE_MAX. */
static size_t matcher_group_end(const matcher *m, size_t index, size_t at) {
  const unsigned char *next = matcher_row(m, index + 1);
  pairs p = {.m = m, .part = m->steps[index].part, .at = at};
  size_t found = next[at] ? at : SIZE_MAX;
  while (pairs_next(&p)) {
    size_t end = pairs_last_end(&p, next);
    found = end != SIZE_MAX ? end : found;
  }
  return found;
}

/* --- the table ---------------------------------------------------------- */

static void matcher_fill_literal(const matcher *m, size_t index) {
  mcpi_str literal = m->steps[index].part->literal;
  for (size_t at = 0; at <= m->uri.len; at++) {
    size_t end = matcher_literal_end(m, literal, at);
    matcher_row(m, index)[at] =
        end != SIZE_MAX && matcher_row(m, index + 1)[end];
  }
}

static void matcher_fill_group(const matcher *m, size_t index) {
  for (size_t at = 0; at <= m->uri.len; at++) {
    matcher_row(m, index)[at] = matcher_group_end(m, index, at) != SIZE_MAX;
  }
}

/* First: whether a value's text can begin at each place. It can when the rest
 * matches after its first character, when the text can continue there, or, for
 * an empty text, when the rest matches here. Goes backwards, and so looks at
 * each place once. */
static void matcher_fill_texts(const matcher *m, size_t index) {
  const step *s = &m->steps[index];
  const unsigned char *next = matcher_row(m, index + 1);
  unsigned char *here = matcher_row(m, index);
  for (size_t at = m->uri.len + 1; at-- > 0;) {
    size_t len = matcher_unit_len(m, at, s->part->op->allows_reserved);
    here[at] = (step_may_be_empty(s) && next[at]) ||
               (len > 0 && (next[at + len] || here[at + len]));
  }
}

/* Then: whether the whole value can begin at each place, with the character
 * before it, or absent. Goes forwards, because a text begins at the place or at
 * the next one, which is not overwritten yet. */
static void matcher_fill_value(const matcher *m, size_t index) {
  const step *s = &m->steps[index];
  const unsigned char *skipped = matcher_row(m, s->skip_to);
  unsigned char *here = matcher_row(m, index);
  matcher_fill_texts(m, index);
  for (size_t at = 0; at <= m->uri.len; at++) {
    size_t start = matcher_value_start(m, s, at);
    here[at] =
        (start != SIZE_MAX && here[start]) || (s->is_optional && skipped[at]);
  }
}

static void matcher_fill_table(const matcher *m) {
  memset(matcher_row(m, m->step_count), 0, m->uri.len);
  matcher_row(m, m->step_count)[m->uri.len] = 1;
  for (size_t index = m->step_count; index-- > 0;) {
    const step *s = &m->steps[index];
    if (s->spec != NULL) {
      matcher_fill_value(m, index);
    } else if (s->part->op != NULL) {
      matcher_fill_group(m, index);
    } else {
      matcher_fill_literal(m, index);
    }
  }
}

/* --- values ------------------------------------------------------------- */

/* Appends the text from `start` to `end`, decoded. The memory is reserved: the
 * table comes after the room for all texts. */
static mcpi_span matcher_decode(matcher *m, size_t start, size_t end) {
  mcpi_span span = {m->values->len, 0};
  char *to = m->values->data + m->values->len;
  for (size_t at = start; at < end; span.len++) {
    const char *p = m->uri.ptr + at;
    to[span.len] = *p == '%' ? (char)mcpi_uri_decode(p) : *p;
    at += *p == '%' ? 3 : 1;
  }
  mcpi_buf_commit(m->values, span.len);
  return span;
}

static mcpi_str matcher_span_str(const matcher *m, mcpi_span span) {
  return mcpi_str_n(m->values->data + span.offset, span.len);
}

static int is_text_value(mcpi_str value) {
  return mcpi_utf8_valid_prefix(value.ptr, value.len) == value.len &&
         (value.len == 0 || memchr(value.ptr, '\0', value.len) == NULL);
}

/* A name that occurs again must have the same value. Where a modifier asks for
 * the beginning only, it must be that; the longer one is kept. */
static int matcher_set_again(matcher *m, const mcpi_uri_spec *spec,
                             mcpi_span span) {
  mcpi_span *old = &m->spans[spec->var];
  mcpi_str before = matcher_span_str(m, *old);
  mcpi_str now = matcher_span_str(m, span);
  if (spec->max_chars > 0 && mcpi_str_starts_with(before, now)) {
    return 1;
  }
  if (m->whole[spec->var] ? mcpi_str_eq(before, now)
                          : mcpi_str_starts_with(now, before)) {
    *old = span;
    m->whole[spec->var] = spec->max_chars == 0;
    return 1;
  }
  return 0;
}

static int matcher_set_value(matcher *m, const mcpi_uri_spec *spec,
                             size_t start, size_t end) {
  mcpi_span span = matcher_decode(m, start, end);
  if (!is_text_value(matcher_span_str(m, span))) {
    return 0;
  }
  if (m->spans[spec->var].offset != SIZE_MAX) {
    return matcher_set_again(m, spec, span);
  }
  m->spans[spec->var] = span;
  m->whole[spec->var] = spec->max_chars == 0;
  return 1;
}

/* --- the walk ----------------------------------------------------------- */

/* Returns the end of the shortest text from `start` after which the rest can
 * match, or SIZE_MAX. */
static size_t matcher_text_end(const matcher *m, size_t index, size_t start) {
  const step *s = &m->steps[index];
  int reserved = s->part->op->allows_reserved;
  const unsigned char *next = matcher_row(m, index + 1);
  size_t len = matcher_unit_len(m, start, reserved);
  if (step_may_be_empty(s) && next[start]) {
    return start;
  }
  for (size_t at = start; len > 0; len = matcher_unit_len(m, at, reserved)) {
    at += len;
    if (next[at]) {
      return at;
    }
  }
  return SIZE_MAX;
}

static int matcher_take_value(matcher *m, size_t *index, size_t *at) {
  const step *s = &m->steps[*index];
  size_t start = matcher_value_start(m, s, *at);
  size_t end =
      start != SIZE_MAX ? matcher_text_end(m, *index, start) : SIZE_MAX;
  if (end == SIZE_MAX) {
    *index = s->skip_to;
    return 1;
  }
  *index += 1;
  *at = end;
  return matcher_set_value(m, s->spec, start, end);
}

static int matcher_take_group(matcher *m, size_t *index, size_t *at) {
  const mcpi_uri_part *part = m->steps[*index].part;
  size_t end = matcher_group_end(m, *index, *at);
  pairs p = {.m = m, .part = part, .at = *at};
  while (p.at < end && pairs_next(&p)) {
    size_t value_end = p.at < end ? p.at : end;
    if (!matcher_set_value(m, &part->specs[p.spec], p.value, value_end)) {
      return 0;
    }
  }
  *index += 1;
  *at = end;
  return 1;
}

static int matcher_walk(matcher *m) {
  size_t index = 0;
  size_t at = 0;
  int ok = 1;
  while (ok && index < m->step_count) {
    const step *s = &m->steps[index];
    if (s->spec != NULL) {
      ok = matcher_take_value(m, &index, &at);
    } else if (s->part->op != NULL) {
      ok = matcher_take_group(m, &index, &at);
    } else {
      at = matcher_literal_end(m, s->part->literal, at);
      index++;
    }
  }
  return ok;
}

int mcpi_uri_template_match(const mcpi_uri_template *tpl, mcpi_str uri,
                            mcpi_buf *values, mcpi_span *spans) {
  matcher m = {.tpl = tpl, .uri = uri, .values = values, .spans = spans};
  if (values->error != 0 || uri.len > MCPI_URI_MAX) {
    return 0;
  }
  for (size_t i = 0; i < tpl->name_count; i++) {
    spans[i] = (mcpi_span){SIZE_MAX, 0};
  }
  matcher_make_steps(&m);
  /* Decoding makes no text longer, so all values fit before the table. */
  size_t table_len = (m.step_count + 1) * (uri.len + 1);
  char *space = mcpi_buf_reserve(values, uri.len + table_len);
  if (space == NULL) {
    return 0;
  }
  size_t from = values->len;
  m.table = (unsigned char *)space + uri.len;
  matcher_fill_table(&m);
  int matches = matcher_row(&m, 0)[0] && matcher_walk(&m);
  if (!matches) {
    mcpi_buf_rewind(values, from);
  }
  return matches;
}
