/* SPDX-License-Identifier: MIT */
/** @file
 * Structures from lists of fields: one list makes a C structure, its JSON
 * Schema, and the conversions between JSON and the structure.
 *
 *     #define BOOK_ARGS(FIELD)                                                \
 *       FIELD(STRING, title, "Which book", MCP_MAX_LENGTH(80))                \
 *       FIELD(INTEGER_OR(1), copies, "How many", MCP_MINIMUM(1))              \
 *       FIELD(OPTIONAL_NUMBER, price, "The highest price")                    \
 *       FIELD(STRINGS, readers, "Who reads it")
 *     MCP_DEFINE_STRUCT(book_args, BOOK_ARGS)
 *
 * This defines the structure
 *
 *     struct book_args {
 *       const char *title;
 *       int64_t copies;
 *       double price;
 *       bool has_price;
 *       const char *const *readers;
 *       size_t readers_count;
 *     };
 *
 * and functions for it: book_args_schema for `.input` or `.output` of a tool,
 * book_args_get, which reads the arguments of a call, book_args_reply and
 * others (see MCP_DEFINE_STRUCT). A handler gets its arguments as a structure:
 *
 *     static int on_book(mcp_call *call, const struct book_args *args,
 *                        void *userdata) {
 *       return mcp_call_reply_textf(call, "%s for %zu readers", args->title,
 *                                   args->readers_count);
 *     }
 *     MCP_STRUCT_HANDLER(on_book, book_args)
 *     ...
 *     .input = book_args_schema(), .handler = on_book_handler,
 *
 * The same list works in C11 and in C++17. docs/FIELDS.md shows more, and what
 * compilers print for common mistakes.
 *
 * The kinds of fields, and what each declares in the structure for a field with
 * the name x:
 *
 * | kind                          | JSON        | members                     |
 * |-------------------------------|-------------|-----------------------------|
 * | STRING                        | a string    | const char *x               |
 * | INTEGER                       | an integer  | int64_t x                   |
 * | NUMBER                        | a number    | double x                    |
 * | BOOLEAN                       | a boolean   | bool x                      |
 * | ENUM(tag)                     | a string    | enum tag x                  |
 * | STRUCT(tag)                   | an object   | struct tag x                |
 * | JSON                          | any value   | const char *x (JSON text)   |
 * | STRINGS, INTEGERS, NUMBERS,   | an array    | const T *x; size_t x_count, |
 * | BOOLEANS, ENUMS(tag),         |             | where T is the type of the  |
 * | STRUCTS(tag)                  |             | items                       |
 *
 * A field of one of these kinds must be there. A field may be absent in two
 * forms:
 * - OPTIONAL_ before the kind, as in OPTIONAL_INTEGER or
 *   OPTIONAL_ENUM(color): the program learns whether the field is there. An
 *   optional INTEGER, NUMBER, BOOLEAN, ENUM or STRUCT has a further member
 *   `bool has_x`. The others have none: x is NULL if the field is absent. (An
 *   empty array is not NULL.)
 * - _OR(value) after STRING, INTEGER, NUMBER and BOOLEAN, and
 *   ENUM_OR(tag, value): if the field is absent, x is this value. The schema
 *   states the value as `default`.
 *
 * After the kind, a field has its name and its description. Options may follow:
 * MCP_MINIMUM, MCP_MAX_LENGTH and others (see below).
 *
 * Since 0.2.
 */
#ifndef MCP_FIELDS_H
#define MCP_FIELDS_H

#include <mcp/call.h>
#include <mcp/client.h>
#include <stdbool.h>

#if defined(__cplusplus) && __cplusplus >= 201703L
#include <type_traits>
#endif

MCP_BEGIN_DECLS

/* ---- descriptions of structures ------------------------------------------ */

/* Programs do not write these structures: the macros below make constants of
 * them. */

/** What a member of a structure has as its value, or as each of its items. */
enum {
  MCP_MEMBER_NONE = 0,
  MCP_MEMBER_STRING,
  MCP_MEMBER_INTEGER,
  MCP_MEMBER_NUMBER,
  MCP_MEMBER_BOOLEAN,
  MCP_MEMBER_ENUM,
  MCP_MEMBER_STRUCT,
  MCP_MEMBER_JSON
};

/** One value of an enumeration. */
typedef struct mcp_enum_value {
  /** The enumerator. */
  int64_t value;
  /** The string that stands for it in JSON. */
  const char *name;
} mcp_enum_value;

/** An enumeration: MCP_DEFINE_ENUM makes it. */
typedef struct mcp_enum_type {
  /** sizeof(mcp_enum_type). */
  size_t size;
  /** The tag, for messages. */
  const char *name;
  /** All values. */
  const mcp_enum_value *values;
  /** How many there are. */
  size_t value_count;
} mcp_enum_type;

struct mcp_struct_type;
struct mcp_struct_function_table; /* private */

/** One field of a structure. Members that are not set must be zero, because
 * later versions may add members at the end. */
typedef struct mcp_member {
  /** Explains to a model what the field means; NULL: no description. */
  const char *description;
  /** The name of the member in C. */
  const char *field_name;
  /** The name in JSON; NULL: as in C. */
  const char *json_name;
  /** MCP_MEMBER_*. */
  int32_t kind;
  /** 1: the value is an array of `kind`. */
  int32_t is_array;
  /** 1: the field may be absent. */
  int32_t is_optional;
  /** 1: an absent field has the value of default_int, default_number or
   * default_string. */
  int32_t has_default;
  /** Where the member is in the structure, in bytes. */
  size_t offset;
  /** Where has_x is; 0: there is no such member. */
  size_t has_offset;
  /** Where x_count is; 0: there is no such member. */
  size_t count_offset;
  /** The size of an enumeration in bytes. */
  size_t value_size;
  /** Returns the enumeration of MCP_MEMBER_ENUM. */
  const mcp_enum_type *(*values)(void);
  /** Returns the structure of MCP_MEMBER_STRUCT. */
  const struct mcp_struct_type *(*type)(void);
  /** The default of an integer, a boolean or an enumeration. */
  int64_t default_int;
  /** The default of a number. */
  double default_number;
  /** The default of a string. */
  const char *default_string;
  /** The smallest value of an integer or a number. */
  double minimum;
  /** The largest value of an integer or a number. */
  double maximum;
  /** 1: there is a minimum, even if it is 0. */
  int32_t has_minimum;
  /** 1: there is a maximum, even if it is 0. */
  int32_t has_maximum;
  /** As in mcp_field. */
  uint32_t min_length;
  /** As in mcp_field. */
  uint32_t max_length;
  /** As in mcp_field. */
  uint32_t min_items;
  /** As in mcp_field. */
  uint32_t max_items;
  /** As in mcp_field. */
  const char *pattern;
  /** As in mcp_field. */
  const char *more;
  /** 1: an absent field is written as null, rather than left out. */
  int32_t is_nullable;
  /** Must be zero. */
  int32_t reserved;
} mcp_member;

/** A structure: MCP_DEFINE_STRUCT makes it. */
typedef struct mcp_struct_type {
  /** sizeof(mcp_struct_type). */
  size_t size;
  /** The tag, for messages. */
  const char *name;
  /** The size of the structure that is described, in bytes. */
  size_t struct_size;
  /** All fields. */
  const mcp_member *members;
  /** How many there are. */
  size_t member_count;
  /** sizeof(mcp_member). */
  size_t member_size;
  /** mcp_struct_functions. */
  const struct mcp_struct_function_table *(*functions)(void);
} mcp_struct_type;

/* ---- conversions --------------------------------------------------------- */

/* MCP_DEFINE_STRUCT makes functions that call these with the right type. */

/**
 * Makes a structure from JSON. `type` is what the function NAME_type of
 * MCP_DEFINE_STRUCT returns, here and below.
 *
 * - Members of the object that the structure does not have are ignored.
 * - null is the same as absent for a field that may be absent.
 * - The function checks the types of the values, that required fields are
 *   there, and that a string is a value of its enumeration. It does not check
 *   bounds, lengths and patterns: a schema does (the server checks the
 *   arguments of a tool before it calls the handler).
 * - A string that contains NUL is refused, as mcp_json_string does.
 *
 * @param value     an object
 * @param allocator NULL: the default
 * @param err       may be NULL; set on failure:
 *                  - MCP_ERR_SCHEMA: the value does not fit. The message names
 *                    the place: "/copies: expected an integer, got a string";
 *                  - MCP_ERR_LIMIT: the structure would have more than 64 MB;
 *                  - MCP_ERR_INVALID: the type is NULL or not valid;
 *                  - MCP_ERR_NOMEM
 * @return owned, in one piece with all its strings, arrays and structures: free
 *         it with mcp_struct_free. Only a string that is a default belongs to
 *         the program. NULL on failure
 */
MCP_API void *mcp_struct_from_json(const mcp_struct_type *type,
                                   const mcp_json *value,
                                   const mcp_allocator *allocator,
                                   mcp_error *err);

/** Frees what mcp_struct_from_json returned. NULL is accepted. */
MCP_API void mcp_struct_free(void *structure);

/**
 * Writes a structure as a JSON object. An absent field is left out, or written
 * as null if its `is_nullable` is 1.
 *
 * @param structure of this type. Strings and arrays in it are borrowed until
 *                  return
 * @param name      the member's name inside an object, else NULL
 * @param builder   the function adds one value to it
 * @param err       may be NULL; set on failure:
 *                  - MCP_ERR_INVALID: a required string or array is NULL, a
 *                    number is not finite, a value is not one of its
 *                    enumeration, a text is not UTF-8, or the type is not
 *                    valid. The message names the place;
 *                  - MCP_ERR_PARSE: the text of a JSON field is not JSON;
 *                  - MCP_ERR_LIMIT: too deep;
 *                  - MCP_ERR_NOMEM
 * @return 0, or the code of `err`. On failure the builder may hold a part of
 *         the object
 */
MCP_API int mcp_struct_write(const mcp_struct_type *type, const void *structure,
                             const char *name, mcp_builder *builder,
                             mcp_error *err);

/** Writes a structure as JSON text, in one line.
 * @param err as in mcp_struct_write
 * @return NUL-terminated; owned: free it with mcp_text_free; NULL on failure */
MCP_API char *mcp_struct_to_text(const mcp_struct_type *type,
                                 const void *structure, mcp_error *err);

/** Returns the functions of the library that the description of a structure
 * refers to. So a program that describes no structure does not link them.
 * Static. Programs have no use for it. */
MCP_API const struct mcp_struct_function_table *mcp_struct_functions(void);

/** Returns the string of an enumerator; NULL: the enumeration does not have the
 * value. Static. */
MCP_API const char *mcp_enum_name(const mcp_enum_type *type, int64_t value);

/**
 * Reads the arguments of a call as a structure. All members belong to the call,
 * as its arguments do: the program frees nothing.
 *
 * @param out set on success; borrowed until the reply
 * @return 0, or an error of mcp_struct_from_json, which is recorded on the
 *         call. A handler returns it: the client then gets the name of the
 *         argument and the reason, a tool call as a result with `isError`.
 *         This goes for MCP_ERR_LIMIT too, with the size and the limit.
 *         Also MCP_ERR_INVALID: `call` or `out` is NULL
 */
MCP_API int mcp_call_get_struct(mcp_call *call, const mcp_struct_type *type,
                                const void **out);

/**
 * Tools: replies with a structure as the structured result.
 * @return as mcp_call_reply_structured; also an error of mcp_struct_write,
 *         which is recorded on the call. The call then has no reply yet, and
 *         the handler may reply in another way
 */
MCP_API int mcp_call_reply_struct(mcp_call *call, const mcp_struct_type *type,
                                  const void *structure);

/**
 * Makes a structure from the structured result of a tool.
 * @param out required; set on success; owned: free it with mcp_struct_free
 * @param err may be NULL
 * @return 0, or the code of `err`: as mcp_result_check and
 *         mcp_struct_from_json; also
 *         MCP_ERR_NOT_FOUND: the result has no structured content
 */
MCP_API int mcp_result_get_struct(const mcp_result *result,
                                  const mcp_struct_type *type, void **out,
                                  mcp_error *err);

/**
 * Turns a failure that a tool reported (`isError`) into an error.
 * @param err may be NULL
 * @return 0;
 *         MCP_ERR_REMOTE: the tool reported a failure; the message is its text;
 *         MCP_ERR_INVALID: the result is NULL
 */
MCP_API int mcp_result_check(const mcp_result *result, mcp_error *err);

/**
 * Calls a tool as mcp_client_call_tool does, with a structure as arguments.
 * @param arguments of this type; borrowed until return; NULL: no arguments
 * @return as mcp_client_call_tool; also an error of mcp_struct_write
 */
MCP_API int mcp_client_call_struct(mcp_client *client, const char *name,
                                   const mcp_struct_type *type,
                                   const void *arguments,
                                   const mcp_request_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

MCP_END_DECLS

/* ---- options of fields --------------------------------------------------- */

/* Each sets a member of mcp_member, in C by a designator. C++17 has none, so
 * there it is a function that mcp_make_member calls. */
#ifdef __cplusplus
#define MCP_SET_(member, value) [](mcp_member &to_) { to_.member = (value); }
#else
#define MCP_SET_(member, value) .member = (value)
#endif

/** The smallest value of a number or an integer: MCP_MINIMUM(1). Integers
 * beyond 2^53 are rounded. */
#define MCP_MINIMUM(number) MCP_SET_(minimum, number), MCP_SET_(has_minimum, 1)
/** The largest value of a number or an integer. */
#define MCP_MAXIMUM(number) MCP_SET_(maximum, number), MCP_SET_(has_maximum, 1)
/** The smallest length of a string in characters. */
#define MCP_MIN_LENGTH(count) MCP_SET_(min_length, count)
/** The largest length of a string in characters. */
#define MCP_MAX_LENGTH(count) MCP_SET_(max_length, count)
/** The smallest number of items of an array. */
#define MCP_MIN_ITEMS(count) MCP_SET_(min_items, count)
/** The largest number of items of an array. */
#define MCP_MAX_ITEMS(count) MCP_SET_(max_items, count)
/** A regular expression that a string must match somewhere: "^[a-z]+$". */
#define MCP_PATTERN(text) MCP_SET_(pattern, text)
/** The name in JSON, if it is not the one in C: MCP_NAME("max-results"). */
#define MCP_NAME(text) MCP_SET_(json_name, text)
/** An optional field that is absent is written as null, rather than left out:
 * MCP_NULLABLE. The schema does not change. */
#define MCP_NULLABLE MCP_SET_(is_nullable, 1)
/** Further keywords of the field's schema, as in mcp_field.more:
 * MCP_MORE(MCP_JSON("title": "Seats")). */
#define MCP_MORE(text) MCP_SET_(more, text)

/* ---- definitions --------------------------------------------------------- */

/**
 * Defines an enumeration from a list of its values:
 *
 *     #define COVER(VALUE)                                                    \
 *       VALUE(COVER_HARD, "hard")                                             \
 *       VALUE(COVER_SOFT, "soft")
 *     MCP_DEFINE_ENUM(cover, COVER)
 *
 * This defines `enum cover { COVER_HARD, COVER_SOFT };` and the functions
 *
 *     const mcp_enum_type *cover_enum(void);
 *     const char *cover_name(enum cover value);    // NULL: not a value
 */
#define MCP_DEFINE_ENUM(tag, LIST)                                             \
  enum tag { LIST(MCP_ENUMERATOR_) };                                          \
  MCP_DESCRIBE_ENUM(tag, LIST)

/** Does what MCP_DEFINE_ENUM does, for an enumeration that the program has
 * defined. */
#define MCP_DESCRIBE_ENUM(tag, LIST)                                           \
  MCP_UNUSED_ static inline const mcp_enum_type *tag##_enum(void) {            \
    static const mcp_enum_value values[] = {LIST(MCP_ENUM_VALUE_)};            \
    static const mcp_enum_type type = {sizeof(mcp_enum_type), #tag, values,    \
                                       sizeof(values) / sizeof(values[0])};    \
    return &type;                                                              \
  }                                                                            \
  MCP_UNUSED_ static inline const char *tag##_name(enum tag value) {           \
    return mcp_enum_name(tag##_enum(), value);                                 \
  }                                                                            \
  struct mcp_enum_type /* so that a semicolon may follow */

/**
 * Defines a structure from a list of its fields, as this header begins with,
 * and these functions:
 *
 *     const mcp_struct_type *book_args_type(void);
 *     const mcp_schema *book_args_schema(void);
 *     int book_args_get(mcp_call *call, const struct book_args **out);
 *     int book_args_reply(mcp_call *call, const struct book_args *value);
 *     struct book_args *book_args_from_json(const mcp_json *json,
 *                                           mcp_error *err);
 *     char *book_args_to_text(const struct book_args *value, mcp_error *err);
 *
 * Each is inline and calls the function of this header with a similar name
 * (mcp_call_get_struct, mcp_call_reply_struct, mcp_struct_from_json with the
 * default allocator, mcp_struct_to_text). mcp_struct_free frees what
 * book_args_from_json returns.
 *
 * The macro stands outside of functions; a semicolon may follow. A structure in
 * the list (STRUCT, STRUCTS) is defined before. A structure may have an array
 * of itself, but then it has no schema.
 */
#define MCP_DEFINE_STRUCT(tag, LIST)                                           \
  struct tag {                                                                 \
    LIST(MCP_DECLARE_)                                                         \
  };                                                                           \
  MCP_DESCRIBE_STRUCT(tag, LIST)

/** Does what MCP_DEFINE_STRUCT does, for a structure that the program has
 * defined. The compiler checks that each member has the type of its kind. The
 * structure may have further members, which the conversions set to zero and
 * ignore. */
#define MCP_DESCRIBE_STRUCT(tag, LIST)                                         \
  MCP_UNUSED_ static inline const mcp_struct_type *tag##_type(void) {          \
    typedef struct tag mcp_self_;                                              \
    static MCP_CONSTANT_ mcp_member members[] = {LIST(MCP_MEMBER_)};           \
    static const mcp_struct_type type = {sizeof(mcp_struct_type),              \
                                         #tag,                                 \
                                         sizeof(struct tag),                   \
                                         members,                              \
                                         sizeof(members) / sizeof(members[0]), \
                                         sizeof(mcp_member),                   \
                                         mcp_struct_functions};                \
    LIST(MCP_CHECK_)                                                           \
    return &type;                                                              \
  }                                                                            \
  MCP_UNUSED_ static inline const mcp_schema *tag##_schema(void) {             \
    static const mcp_schema schema = {                                         \
        sizeof(mcp_schema), NULL, NULL, NULL, 0, 0, tag##_type};               \
    return &schema;                                                            \
  }                                                                            \
  MCP_UNUSED_ static inline int tag##_get(mcp_call *call,                      \
                                          const struct tag **out) {            \
    const void *found = NULL;                                                  \
    int rc = out == NULL ? MCP_ERR_INVALID                                     \
                         : mcp_call_get_struct(call, tag##_type(), &found);    \
    if (rc == 0) {                                                             \
      *out = (const struct tag *)found;                                        \
    }                                                                          \
    return rc;                                                                 \
  }                                                                            \
  MCP_UNUSED_ static inline int tag##_reply(mcp_call *call,                    \
                                            const struct tag *value) {         \
    return mcp_call_reply_struct(call, tag##_type(), value);                   \
  }                                                                            \
  MCP_UNUSED_ static inline struct tag *tag##_from_json(const mcp_json *json,  \
                                                        mcp_error *err) {      \
    return (struct tag *)mcp_struct_from_json(tag##_type(), json, NULL, err);  \
  }                                                                            \
  MCP_UNUSED_ static inline char *tag##_to_text(const struct tag *value,       \
                                                mcp_error *err) {              \
    return mcp_struct_to_text(tag##_type(), value, err);                       \
  }                                                                            \
  struct tag

/**
 * Defines `on_book_handler`, a handler for mcp_tool.handler, for a function
 *
 *     static int on_book(mcp_call *call, const struct book_args *args,
 *                        void *userdata);
 *
 * that is defined before. The handler reads the arguments and calls the
 * function. If the arguments do not fit, the client gets the reason, and the
 * function is not called. `args` is borrowed until the reply.
 */
#define MCP_STRUCT_HANDLER(function, tag)                                      \
  static int function##_handler(mcp_call *call, void *userdata) {              \
    const struct tag *args = NULL;                                             \
    int rc = tag##_get(call, &args);                                           \
    return rc == 0 ? function(call, args, userdata) : rc;                      \
  }                                                                            \
  struct tag

/* ---- how the lists are expanded ------------------------------------------ */

#if defined(__GNUC__)
#define MCP_UNUSED_ __attribute__((unused))
#else
#define MCP_UNUSED_
#endif

#define MCP_ENUMERATOR_(constant, ...) constant,
#define MCP_ENUM_VALUE_(constant, text) {constant, text},

/* Declares the members of a field. MCP_ALSO_##kind is the name of a macro, for
 * which the arguments follow, so that a kind that does not exist gives an error
 * at its type: unknown type name 'MCP_TYPE_STRNG'. */
#define MCP_DECLARE_(kind, name, ...)                                          \
  MCP_TYPE_##kind name;                                                        \
  MCP_ALSO_##kind(DECLARE, name)

/* Makes the constant that describes a field. */
#define MCP_MEMBER_(kind, name, ...)                                           \
  MCP_MAKE_MEMBER_(__VA_ARGS__, MCP_SET_(field_name, #name),                   \
                   MCP_SET_(offset, offsetof(mcp_self_, name)),                \
                   MCP_ROW_##kind MCP_ALSO_##kind(PLACE, name)),

#ifdef __cplusplus
#define MCP_CONSTANT_ constexpr
#define MCP_MAKE_MEMBER_(...) mcp_make_member(__VA_ARGS__)
#define MCP_CHECK_(kind, name, ...)                                            \
  static_assert(                                                               \
      std::is_same<decltype(mcp_self_::name), MCP_TYPE_##kind>::value,         \
      "the member " #name " does not have the type of " #kind);
#define MCP_WHOLE_(number) mcp_whole_(number)
#define MCP_TEXT_(text) text

#if __cplusplus >= 201703L
template <typename Number> constexpr int64_t mcp_whole_(Number number) {
  static_assert(std::is_integral<Number>::value || std::is_enum<Number>::value,
                "the default of an INTEGER, BOOLEAN or ENUM is not whole");
  return static_cast<int64_t>(number);
}
constexpr void mcp_apply_(mcp_member &member, const char *description) {
  member.description = description;
}
template <typename Setter>
constexpr void mcp_apply_(mcp_member &member, Setter setter) {
  setter(member);
}
template <typename... Parts>
constexpr mcp_member mcp_make_member(Parts... parts) {
  mcp_member member = {};
  (mcp_apply_(member, parts), ...);
  return member;
}
#endif
#else
#define MCP_CONSTANT_ const
#define MCP_MAKE_MEMBER_(...)                                                  \
  { __VA_ARGS__ }
#define MCP_CHECK_(kind, name, ...)                                            \
  _Static_assert(                                                              \
      _Generic(((mcp_self_ *)0)->name, MCP_TYPE_##kind : 1, default : 0),      \
      "the member " #name " does not have the type of " #kind);
/* Refuses a number, which C would convert. */
#define MCP_TEXT_(text) _Generic((text), char * : (text), const char * : (text))
/* Refuses a fraction and a pointer, which C would convert. */
#define MCP_WHOLE_(number)                                                     \
  ((number) +                                                                  \
   0 * (int)sizeof(struct {                                                    \
     _Static_assert(                                                           \
         _Generic((number), float : 0, double : 0, long double : 0,            \
                  char * : 0, const char * : 0, default : 1),                  \
         "the default of an INTEGER, BOOLEAN or ENUM is not whole");           \
     char unused;                                                              \
   }))
#endif

/* What a field has besides its member. */
#define MCP_NOTHING_(mode, name)
#define MCP_FLAG_(mode, name) MCP_FLAG_##mode##_(name)
#define MCP_FLAG_DECLARE_(name) bool has_##name;
#define MCP_FLAG_PLACE_(name)                                                  \
  , MCP_SET_(has_offset, offsetof(mcp_self_, has_##name))
#define MCP_COUNT_(mode, name) MCP_COUNT_##mode##_(name)
#define MCP_COUNT_DECLARE_(name) size_t name##_count;
#define MCP_COUNT_PLACE_(name)                                                 \
  , MCP_SET_(count_offset, offsetof(mcp_self_, name##_count))

/* The parts of the lines below that several kinds share. */
#define MCP_ROW_KIND_(name) MCP_SET_(kind, MCP_MEMBER_##name)
#define MCP_ROW_ENUM_(tag)                                                     \
  MCP_ROW_KIND_(ENUM), MCP_SET_(value_size, sizeof(enum tag)),                 \
      MCP_SET_(values, tag##_enum)
#define MCP_ROW_STRUCT_(tag) MCP_ROW_KIND_(STRUCT), MCP_SET_(type, tag##_type)
#define MCP_ROW_OPTIONAL_ MCP_SET_(is_optional, 1)
#define MCP_ROW_ARRAY_ MCP_SET_(is_array, 1)
#define MCP_ROW_OR_(member, value)                                             \
  MCP_ROW_OPTIONAL_, MCP_SET_(has_default, 1), MCP_SET_(member, value)

/* For each kind: the type of the member, what else is declared, and what the
 * description says. */
#define MCP_TYPE_STRING const char *
#define MCP_ALSO_STRING MCP_NOTHING_
#define MCP_ROW_STRING MCP_ROW_KIND_(STRING)
#define MCP_TYPE_OPTIONAL_STRING const char *
#define MCP_ALSO_OPTIONAL_STRING MCP_NOTHING_
#define MCP_ROW_OPTIONAL_STRING MCP_ROW_STRING, MCP_ROW_OPTIONAL_
#define MCP_TYPE_STRING_OR(text) const char *
#define MCP_ALSO_STRING_OR(text) MCP_NOTHING_
#define MCP_ROW_STRING_OR(text)                                                \
  MCP_ROW_STRING, MCP_ROW_OR_(default_string, MCP_TEXT_(text))

#define MCP_TYPE_INTEGER int64_t
#define MCP_ALSO_INTEGER MCP_NOTHING_
#define MCP_ROW_INTEGER MCP_ROW_KIND_(INTEGER)
#define MCP_TYPE_OPTIONAL_INTEGER int64_t
#define MCP_ALSO_OPTIONAL_INTEGER MCP_FLAG_
#define MCP_ROW_OPTIONAL_INTEGER MCP_ROW_INTEGER, MCP_ROW_OPTIONAL_
#define MCP_TYPE_INTEGER_OR(number) int64_t
#define MCP_ALSO_INTEGER_OR(number) MCP_NOTHING_
#define MCP_ROW_INTEGER_OR(number)                                             \
  MCP_ROW_INTEGER, MCP_ROW_OR_(default_int, MCP_WHOLE_(number))

#define MCP_TYPE_NUMBER double
#define MCP_ALSO_NUMBER MCP_NOTHING_
#define MCP_ROW_NUMBER MCP_ROW_KIND_(NUMBER)
#define MCP_TYPE_OPTIONAL_NUMBER double
#define MCP_ALSO_OPTIONAL_NUMBER MCP_FLAG_
#define MCP_ROW_OPTIONAL_NUMBER MCP_ROW_NUMBER, MCP_ROW_OPTIONAL_
#define MCP_TYPE_NUMBER_OR(number) double
#define MCP_ALSO_NUMBER_OR(number) MCP_NOTHING_
#define MCP_ROW_NUMBER_OR(number)                                              \
  MCP_ROW_NUMBER, MCP_ROW_OR_(default_number, number)

#define MCP_TYPE_BOOLEAN bool
#define MCP_ALSO_BOOLEAN MCP_NOTHING_
#define MCP_ROW_BOOLEAN MCP_ROW_KIND_(BOOLEAN)
#define MCP_TYPE_OPTIONAL_BOOLEAN bool
#define MCP_ALSO_OPTIONAL_BOOLEAN MCP_FLAG_
#define MCP_ROW_OPTIONAL_BOOLEAN MCP_ROW_BOOLEAN, MCP_ROW_OPTIONAL_
#define MCP_TYPE_BOOLEAN_OR(flag) bool
#define MCP_ALSO_BOOLEAN_OR(flag) MCP_NOTHING_
#define MCP_ROW_BOOLEAN_OR(flag)                                               \
  MCP_ROW_BOOLEAN, MCP_ROW_OR_(default_int, MCP_WHOLE_(flag))

#define MCP_TYPE_ENUM(tag) enum tag
#define MCP_ALSO_ENUM(tag) MCP_NOTHING_
#define MCP_ROW_ENUM(tag) MCP_ROW_ENUM_(tag)
#define MCP_TYPE_OPTIONAL_ENUM(tag) enum tag
#define MCP_ALSO_OPTIONAL_ENUM(tag) MCP_FLAG_
#define MCP_ROW_OPTIONAL_ENUM(tag) MCP_ROW_ENUM_(tag), MCP_ROW_OPTIONAL_
#define MCP_TYPE_ENUM_OR(tag, value) enum tag
#define MCP_ALSO_ENUM_OR(tag, value) MCP_NOTHING_
#define MCP_ROW_ENUM_OR(tag, value)                                            \
  MCP_ROW_ENUM_(tag), MCP_ROW_OR_(default_int, MCP_WHOLE_(value))

#define MCP_TYPE_STRUCT(tag) struct tag
#define MCP_ALSO_STRUCT(tag) MCP_NOTHING_
#define MCP_ROW_STRUCT(tag) MCP_ROW_STRUCT_(tag)
#define MCP_TYPE_OPTIONAL_STRUCT(tag) struct tag
#define MCP_ALSO_OPTIONAL_STRUCT(tag) MCP_FLAG_
#define MCP_ROW_OPTIONAL_STRUCT(tag) MCP_ROW_STRUCT_(tag), MCP_ROW_OPTIONAL_

#define MCP_TYPE_JSON const char *
#define MCP_ALSO_JSON MCP_NOTHING_
#define MCP_ROW_JSON MCP_ROW_KIND_(JSON)
#define MCP_TYPE_OPTIONAL_JSON const char *
#define MCP_ALSO_OPTIONAL_JSON MCP_NOTHING_
#define MCP_ROW_OPTIONAL_JSON MCP_ROW_JSON, MCP_ROW_OPTIONAL_

#define MCP_TYPE_STRINGS const char *const *
#define MCP_ALSO_STRINGS MCP_COUNT_
#define MCP_ROW_STRINGS MCP_ROW_STRING, MCP_ROW_ARRAY_
#define MCP_TYPE_OPTIONAL_STRINGS const char *const *
#define MCP_ALSO_OPTIONAL_STRINGS MCP_COUNT_
#define MCP_ROW_OPTIONAL_STRINGS MCP_ROW_STRINGS, MCP_ROW_OPTIONAL_

#define MCP_TYPE_INTEGERS const int64_t *
#define MCP_ALSO_INTEGERS MCP_COUNT_
#define MCP_ROW_INTEGERS MCP_ROW_INTEGER, MCP_ROW_ARRAY_
#define MCP_TYPE_OPTIONAL_INTEGERS const int64_t *
#define MCP_ALSO_OPTIONAL_INTEGERS MCP_COUNT_
#define MCP_ROW_OPTIONAL_INTEGERS MCP_ROW_INTEGERS, MCP_ROW_OPTIONAL_

#define MCP_TYPE_NUMBERS const double *
#define MCP_ALSO_NUMBERS MCP_COUNT_
#define MCP_ROW_NUMBERS MCP_ROW_NUMBER, MCP_ROW_ARRAY_
#define MCP_TYPE_OPTIONAL_NUMBERS const double *
#define MCP_ALSO_OPTIONAL_NUMBERS MCP_COUNT_
#define MCP_ROW_OPTIONAL_NUMBERS MCP_ROW_NUMBERS, MCP_ROW_OPTIONAL_

#define MCP_TYPE_BOOLEANS const bool *
#define MCP_ALSO_BOOLEANS MCP_COUNT_
#define MCP_ROW_BOOLEANS MCP_ROW_BOOLEAN, MCP_ROW_ARRAY_
#define MCP_TYPE_OPTIONAL_BOOLEANS const bool *
#define MCP_ALSO_OPTIONAL_BOOLEANS MCP_COUNT_
#define MCP_ROW_OPTIONAL_BOOLEANS MCP_ROW_BOOLEANS, MCP_ROW_OPTIONAL_

#define MCP_TYPE_ENUMS(tag) const enum tag *
#define MCP_ALSO_ENUMS(tag) MCP_COUNT_
#define MCP_ROW_ENUMS(tag) MCP_ROW_ENUM_(tag), MCP_ROW_ARRAY_
#define MCP_TYPE_OPTIONAL_ENUMS(tag) const enum tag *
#define MCP_ALSO_OPTIONAL_ENUMS(tag) MCP_COUNT_
#define MCP_ROW_OPTIONAL_ENUMS(tag) MCP_ROW_ENUMS(tag), MCP_ROW_OPTIONAL_

#define MCP_TYPE_STRUCTS(tag) const struct tag *
#define MCP_ALSO_STRUCTS(tag) MCP_COUNT_
#define MCP_ROW_STRUCTS(tag) MCP_ROW_STRUCT_(tag), MCP_ROW_ARRAY_
#define MCP_TYPE_OPTIONAL_STRUCTS(tag) const struct tag *
#define MCP_ALSO_OPTIONAL_STRUCTS(tag) MCP_COUNT_
#define MCP_ROW_OPTIONAL_STRUCTS(tag) MCP_ROW_STRUCTS(tag), MCP_ROW_OPTIONAL_

#endif
