/* SPDX-License-Identifier: MIT */
/* What validating and compiling cost in processor time, beside parsing the same
 * text with yyjson, which is the floor, and beside another validator:
 *
 *     bench-schema [COMMAND]    prints the figures of each shape
 *     bench-schema --write DIR  writes DIR/NAME.json, with the members `schema`
 *                               and `instance`
 *
 * COMMAND, split at blanks, runs the other validator (peer_schema.mjs). It is
 * started for each shape and reads lines: the first is what --write writes,
 * each further one asks for a round, and is answered by what a validation and a
 * compilation took, in nanoseconds.
 *
 * The rounds of all are interleaved and their medians are taken, so that a busy
 * machine harms all alike.
 *
 * Shapes: the two numbers of hello-server's tool; an object of 60 properties
 * with objects among them; 50 KB of arrays of objects that are one of three
 * kinds. */
#include <errno.h>
#include <mcp/mcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <yyjson.h>

enum { ROUNDS = 21, FIELDS = 60, RECORDS = 630 };

static void die(const char *what) {
  fprintf(stderr, "bench-schema: %s\n", what);
  exit(1);
}

typedef struct shape {
  const char *name;
  mcp_builder *schema;
  mcp_builder *instance;
} shape;

/* --- shapes -------------------------------------------------------------- */

static mcp_builder *text_of(const char *json) {
  mcp_builder *b = mcp_builder_new(NULL, NULL);
  mcp_builder_json(b, NULL, json);
  return b;
}

/* Of each seven fields: strings, numbers, an integer, a choice, a flag, and a
 * list of tags; each tenth holds an object of three. */
static void put_field(mcp_builder *schema, mcp_builder *instance, int i) {
  char name[32];
  snprintf(name, sizeof(name), "field_%d", i);
  if (i % 10 == 9) {
    mcp_builder_json(
        schema, name,
        "{\"type\":\"object\",\"properties\":{\"street\":{\"type\":"
        "\"string\"},\"zip\":{\"type\":\"string\",\"minLength\":4},"
        "\"number\":{\"type\":\"integer\",\"minimum\":1}},"
        "\"required\":[\"street\",\"zip\"],"
        "\"additionalProperties\":false}");
    mcp_builder_json(instance, name,
                     "{\"street\":\"Karl Johans gate\",\"zip\":\"0154\","
                     "\"number\":31}");
    return;
  }
  static const char *const kinds[][2] = {
      {"{\"type\":\"string\",\"maxLength\":80}", "\"a short text\""},
      {"{\"type\":\"number\",\"minimum\":-1000,\"maximum\":1000}", "12.5"},
      {"{\"type\":\"integer\"}", "42"},
      {"{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\",\"grey\"]}",
       "\"blue\""},
      {"{\"type\":\"boolean\"}", "true"},
      {"{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":8}",
       "[\"one\",\"two\",\"three\"]"},
      {"{\"type\":[\"string\",\"null\"]}", "null"}};
  mcp_builder_json(schema, name, kinds[i % 7][0]);
  mcp_builder_json(instance, name, kinds[i % 7][1]);
}

static shape make_object(void) {
  shape s = {"60 properties", mcp_builder_new(NULL, NULL),
             mcp_builder_new(NULL, NULL)};
  mcp_builder_object(s.schema, NULL);
  mcp_builder_string(s.schema, "type", "object");
  mcp_builder_object(s.schema, "properties");
  mcp_builder_object(s.instance, NULL);
  for (int i = 0; i < FIELDS; i++) {
    put_field(s.schema, s.instance, i);
  }
  mcp_builder_end(s.instance);
  mcp_builder_end(s.schema);
  mcp_builder_json(s.schema, "required",
                   "[\"field_0\",\"field_1\",\"field_9\",\"field_30\"]");
  mcp_builder_bool(s.schema, "additionalProperties", 0);
  mcp_builder_end(s.schema);
  return s;
}

static shape make_records(void) {
  static const char *const kinds[] = {
      "{\"kind\":\"circle\",\"at\":[10.5,20.25],\"radius\":3.5,\"id\":\"c-1\","
      "\"tags\":[\"round\",\"small\"]}",
      "{\"kind\":\"line\",\"from\":[0,0.5],\"to\":[100.125,7],\"width\":2,"
      "\"id\":\"l-1\"}",
      "{\"kind\":\"text\",\"at\":[1,2],\"text\":\"A label that is a little "
      "longer\",\"size\":12,\"id\":\"t-1\"}"};
  shape s = {"50 KB", NULL, mcp_builder_new(NULL, NULL)};
  s.schema = text_of(
      "{\"type\":\"object\",\"required\":[\"shapes\"],\"properties\":{"
      "\"shapes\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/shape\"}}},"
      "\"$defs\":{"
      "\"point\":{\"type\":\"array\",\"prefixItems\":[{\"type\":\"number\"},"
      "{\"type\":\"number\"}],\"minItems\":2,\"maxItems\":2},"
      "\"shape\":{\"type\":\"object\",\"required\":[\"kind\",\"id\"],"
      "\"properties\":{\"id\":{\"type\":\"string\",\"minLength\":1}},"
      "\"oneOf\":["
      "{\"properties\":{\"kind\":{\"const\":\"circle\"},\"at\":{\"$ref\":"
      "\"#/$defs/point\"},\"radius\":{\"type\":\"number\",\"exclusiveMinimum\":"
      "0},\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
      "\"required\":[\"at\",\"radius\"]},"
      "{\"properties\":{\"kind\":{\"const\":\"line\"},\"from\":{\"$ref\":"
      "\"#/$defs/point\"},\"to\":{\"$ref\":\"#/$defs/point\"},\"width\":{"
      "\"type\":\"number\",\"minimum\":0}},\"required\":[\"from\",\"to\"]},"
      "{\"properties\":{\"kind\":{\"const\":\"text\"},\"at\":{\"$ref\":"
      "\"#/$defs/point\"},\"text\":{\"type\":\"string\",\"maxLength\":200},"
      "\"size\":{\"type\":\"integer\",\"minimum\":4,\"maximum\":400}},"
      "\"required\":[\"at\",\"text\"]}]}}}");
  mcp_builder_object(s.instance, NULL);
  mcp_builder_array(s.instance, "shapes");
  for (int i = 0; i < RECORDS; i++) {
    mcp_builder_json(s.instance, NULL, kinds[i % 3]);
  }
  mcp_builder_end(s.instance);
  mcp_builder_end(s.instance);
  return s;
}

static shape make_two(void) {
  return (shape){
      "two numbers",
      text_of("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\","
              "\"description\":\"first\"},\"b\":{\"type\":\"number\","
              "\"description\":\"second\"}},\"required\":[\"a\",\"b\"],"
              "\"additionalProperties\":false}"),
      text_of("{\"a\":2,\"b\":3}")};
}

/* --- measuring ----------------------------------------------------------- */

/* Processor time: none passes while others have their turn. */
static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef struct subject {
  const char *text;
  size_t len;
  char *copy; /* of the text, for yyjson to parse in place */
  void *pool;
  size_t pool_len;
  const mcp_json *schema;
  const mcp_json *instance;
  mcp_validator *validator;
} subject;

static void parse(const subject *s) {
  yyjson_alc alc;
  memcpy(s->copy, s->text, s->len);
  memset(s->copy + s->len, 0, YYJSON_PADDING_SIZE);
  yyjson_alc_pool_init(&alc, s->pool, s->pool_len);
  yyjson_doc *doc =
      yyjson_read_opts(s->copy, s->len, YYJSON_READ_INSITU, &alc, NULL);
  if (doc == NULL) {
    abort();
  }
}

static void validate(const subject *s) {
  if (!mcp_validator_accepts(s->validator, s->instance)) {
    abort();
  }
}

static void compile(const subject *s) {
  mcp_validator *validator = mcp_validator_new(s->schema, NULL, NULL);
  if (validator == NULL) {
    abort();
  }
  mcp_validator_unref(validator);
}

static const double round_ns = 5e6;

static double time_of(void (*run)(const subject *s), const subject *s,
                      size_t times) {
  double start = now_ns();
  for (size_t i = 0; i < times; i++) {
    run(s);
  }
  return now_ns() - start;
}

/* How often, for a round. */
static size_t times_of(void (*run)(const subject *s), const subject *s) {
  size_t times = 1;
  while (time_of(run, s, times) < round_ns) {
    times *= 2;
  }
  return times;
}

/* --- the other validator ------------------------------------------------- */

typedef struct peer {
  pid_t pid; /* 0: there is none */
  FILE *to;
  FILE *from;
} peer;

static void run_command(char *command) {
  char *argv[16];
  int count = 0;
  for (char *word = strtok(command, " "); word != NULL && count < 15;
       word = strtok(NULL, " ")) {
    argv[count++] = word;
  }
  argv[count] = NULL;
  execvp(argv[0], argv);
  die(strerror(errno));
}

static void write_shape(const shape *of, FILE *file) {
  fprintf(file, "{\"schema\":%s,\"instance\":%s}\n",
          mcp_builder_text(of->schema, NULL),
          mcp_builder_text(of->instance, NULL));
}

static peer start_peer(char *command, const shape *of) {
  peer p = {.pid = 0};
  int in[2];
  int out[2];
  if (command == NULL) {
    return p;
  }
  if (pipe(in) != 0 || pipe(out) != 0 || (p.pid = fork()) < 0) {
    die(strerror(errno));
  }
  if (p.pid == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    close(in[1]);
    close(out[0]);
    run_command(command);
  }
  close(in[0]);
  close(out[1]);
  p.to = fdopen(in[1], "w");
  p.from = fdopen(out[0], "r");
  write_shape(of, p.to);
  return p;
}

static void ask_peer(const peer *p, double *validating, double *compiling) {
  if (p->pid == 0) {
    return;
  }
  fputs("round\n", p->to);
  fflush(p->to);
  if (fscanf(p->from, "%lf %lf", validating, compiling) != 2) {
    die("the other validator gives no figures");
  }
}

static void end_peer(const peer *p) {
  if (p->pid != 0) {
    fclose(p->to);
    fclose(p->from);
    waitpid(p->pid, NULL, 0);
  }
}

/* --- figures ------------------------------------------------------------- */

/* In nanoseconds; of the peer 0 when there is none. */
typedef struct figures {
  double parse[ROUNDS];
  double validate[ROUNDS];
  double compile[ROUNDS];
  double peer_validate[ROUNDS];
  double peer_compile[ROUNDS];
} figures;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof(*values), by_size);
  return values[ROUNDS / 2];
}

static void run_rounds(figures *f, const subject *s, const peer *p) {
  size_t parses = times_of(parse, s);
  size_t validations = times_of(validate, s);
  size_t compilations = times_of(compile, s);
  for (int i = 0; i < ROUNDS; i++) {
    f->parse[i] = time_of(parse, s, parses) / (double)parses;
    f->validate[i] = time_of(validate, s, validations) / (double)validations;
    f->compile[i] = time_of(compile, s, compilations) / (double)compilations;
    ask_peer(p, &f->peer_validate[i], &f->peer_compile[i]);
  }
}

static void print_heading(void) {
  printf("%-14s %7s %9s %12s %8s %11s %9s %8s %8s %11s\n", "JSON Schema",
         "bytes", "floor ns", "validate ns", "x floor", "compile us", "Ajv: ns",
         "x floor", "x ours", "compile us");
}

static void print_figures(const shape *of, size_t len, figures *f) {
  double floor = median(f->parse);
  double ours = median(f->validate);
  double theirs = median(f->peer_validate);
  printf("%-14s %7zu %9.0f %12.0f %8.2f %11.1f", of->name, len, floor, ours,
         ours / floor, median(f->compile) / 1e3);
  if (theirs > 0) {
    printf(" %9.0f %8.2f %8.2f %11.0f\n", theirs, theirs / floor, theirs / ours,
           median(f->peer_compile) / 1e3);
  } else {
    printf(" %9s %8s %8s %11s\n", "-", "-", "-", "-");
  }
}

static mcp_doc *doc_of(mcp_builder *b) {
  size_t len;
  mcp_doc *doc = NULL;
  const char *text = mcp_builder_text(b, &len);
  if (text == NULL ||
      (doc = mcp_doc_parse(text, len, NULL, NULL, NULL)) == NULL) {
    abort();
  }
  return doc;
}

static void measure(const shape *of, char *command) {
  static figures f;
  subject s = {.text = NULL};
  mcp_error err;
  mcp_doc *schema = doc_of(of->schema);
  mcp_doc *instance = doc_of(of->instance);
  s.text = mcp_builder_text(of->instance, &s.len);
  s.schema = mcp_doc_root(schema);
  s.instance = mcp_doc_root(instance);
  s.copy = malloc(s.len + YYJSON_PADDING_SIZE);
  s.pool_len = yyjson_read_max_memory_usage(s.len, YYJSON_READ_INSITU);
  s.pool = malloc(s.pool_len);
  if ((s.validator = mcp_validator_new(s.schema, NULL, &err)) == NULL) {
    die(err.message);
  }
  peer p = start_peer(command, of);
  run_rounds(&f, &s, &p);
  end_peer(&p);
  print_figures(of, s.len, &f);
  mcp_validator_unref(s.validator);
  mcp_doc_free(schema);
  mcp_doc_free(instance);
  free(s.copy);
  free(s.pool);
}

static void write_file(const shape *of, const char *folder) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s.json", folder, of->name);
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  write_shape(of, file);
  fclose(file);
}

int main(int argc, char **argv) {
  shape shapes[] = {make_two(), make_object(), make_records()};
  int is_writing = argc == 3 && strcmp(argv[1], "--write") == 0;
  if (argc > 2 && !is_writing) {
    fprintf(stderr, "usage: bench-schema [COMMAND | --write DIR]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN); /* the other validator may end */
  if (!is_writing) {
    print_heading();
  }
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    if (is_writing) {
      write_file(&shapes[i], argv[2]);
    } else {
      measure(&shapes[i], argc == 2 ? argv[1] : NULL);
    }
    mcp_builder_free(shapes[i].schema);
    mcp_builder_free(shapes[i].instance);
  }
  return 0;
}
