/*
 * What the programs share: cases from the command line, the clock, how many calls make a round, and the line of JSON of a case.
 * A case is COLLECTIVE:RANKS:BYTES:in|out, for some programs with :FORM behind it.
 */
#ifndef TIMING_H
#define TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_ROUNDS = 256 };

struct bench_case {
  char name[32];
  int ranks;
  size_t bytes;
  int in_place;
  char form[32];
};

static inline double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static inline struct bench_case parse_case(const char *text) {
  struct bench_case c;
  char place[8];
  unsigned long long bytes;
  memset(&c, 0, sizeof c);
  int fields = sscanf(text, "%31[^:]:%d:%llu:%7[^:]:%31s", c.name, &c.ranks, &bytes, place, c.form);
  if (fields < 4 || (strcmp(place, "in") != 0 && strcmp(place, "out") != 0)) {
    fprintf(stderr, "not a case: %s (COLLECTIVE:RANKS:BYTES:in|out[:FORM])\n", text);
    exit(2);
  }
  c.bytes = (size_t)bytes;
  c.in_place = strcmp(place, "in") == 0;
  return c;
}

/* The two numbers before the cases: rounds, and the milliseconds that a round should take. */
static inline int parse_rounds(const char *text) {
  int rounds = atoi(text);
  if (rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "rounds: %s (1 to %d)\n", text, MAX_ROUNDS);
    exit(2);
  }
  return rounds;
}

/* How many calls make `ms` milliseconds, when one takes `us`. */
static inline long calls_for(double us, double ms) {
  double calls = ms * 1e3 / (us > 1e-3 ? us : 1e-3);
  return calls < 1 ? 1 : calls > 1e7 ? 10000000L : (long)calls;
}

static inline void print_case(const struct bench_case *c, const double *us, int rounds, int vector_bits) {
  printf("{\"name\":\"%s\",\"ranks\":%d,\"bytes\":%zu,\"inPlace\":%s,\"us\":[", c->name, c->ranks, c->bytes,
         c->in_place ? "true" : "false");
  for (int i = 0; i < rounds; i++) printf("%s%.6g", i == 0 ? "" : ",", us[i]);
  printf("]");
  if (vector_bits > 0) printf(",\"vectorBits\":%d", vector_bits);
  printf("}\n");
  fflush(stdout);
}

#endif
