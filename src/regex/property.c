/* SPDX-License-Identifier: MIT */
/* PCRE2 knows categories by their short names alone; scripts and binary
 * properties it knows by all of theirs. */
#include "regex/property.h"

typedef struct category {
  const char *name;
  const char *code;
} category;

/* General_Category, PropertyValueAliases.txt. */
static const category categories[] = {
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Close_Punctuation", "Pe"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Unassigned", "Cn"},
    {"Uppercase_Letter", "Lu"},
};

/* The code of a category by its long or short name, or NULL. */
static const char *category_code(mcpi_str name) {
  for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
    const category *c = &categories[i];
    if (mcpi_str_eq(name, mcpi_str_z(c->name)) ||
        (strcmp(c->code, "L&") != 0 &&
         mcpi_str_eq(name, mcpi_str_z(c->code)))) {
      return c->code;
    }
  }
  return NULL;
}

/* Whether the text can be the name of a script or of a binary property. */
static int property_is_name(mcpi_str name) {
  for (size_t i = 0; i < name.len; i++) {
    char c = name.ptr[i];
    int is_upper = c >= 'A' && c <= 'Z';
    int is_other = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_upper && (i == 0 || !is_other)) {
      return 0;
    }
  }
  return name.len > 0;
}

static int property_put(mcpi_buf *out, int is_negated, const char *prefix,
                        mcpi_str name) {
  mcpi_buf_puts(out, is_negated ? MCPI_STR("\\P{") : MCPI_STR("\\p{"));
  mcpi_buf_puts(out, mcpi_str_z(prefix));
  mcpi_buf_puts(out, name);
  mcpi_buf_lit(out, "}");
  return 1;
}

static int put_valued(mcpi_buf *out, mcpi_str key, mcpi_str value,
                      int is_negated) {
  if (mcpi_str_eq(key, MCPI_STR("General_Category")) ||
      mcpi_str_eq(key, MCPI_STR("gc"))) {
    const char *code = category_code(value);
    return code != NULL && property_put(out, is_negated, "", mcpi_str_z(code));
  }
  if (!property_is_name(value)) {
    return 0;
  }
  if (mcpi_str_eq(key, MCPI_STR("Script")) ||
      mcpi_str_eq(key, MCPI_STR("sc"))) {
    return property_put(out, is_negated, "sc:", value);
  }
  if (mcpi_str_eq(key, MCPI_STR("Script_Extensions")) ||
      mcpi_str_eq(key, MCPI_STR("scx"))) {
    return property_put(out, is_negated, "scx:", value);
  }
  return 0;
}

int mcpi_regex_put_property(mcpi_buf *out, mcpi_str name, int is_negated) {
  const char *equals = name.len > 0 ? memchr(name.ptr, '=', name.len) : NULL;
  if (equals != NULL) {
    size_t len = (size_t)(equals - name.ptr);
    return put_valued(out, mcpi_str_n(name.ptr, len),
                      mcpi_str_n(equals + 1, name.len - len - 1), is_negated);
  }
  const char *code = category_code(name);
  if (code != NULL) {
    return property_put(out, is_negated, "", mcpi_str_z(code));
  }
  if (mcpi_str_eq(name, MCPI_STR("Assigned"))) {
    return property_put(out, !is_negated, "", MCPI_STR("Cn"));
  }
  /* PCRE2's own properties, which ECMA-262 lacks: Xan, Xps, Xsp, Xuc, Xwd. */
  int is_of_pcre2 = name.len == 3 && name.ptr[0] == 'X';
  return !is_of_pcre2 && property_is_name(name) &&
         property_put(out, is_negated, "", name);
}
