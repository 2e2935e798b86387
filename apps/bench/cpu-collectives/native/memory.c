/*
 * What memory gives two threads: libc's memcpy, and a += b over f32. BYTES is the length of one array; each thread does half.
 *
 *   memory ROUNDS MS copy:1:BYTES:out add:1:BYTES:in ...
 */
#define _GNU_SOURCE
#include "two-threads.h"

struct arrays {
  struct spin_barrier barrier;
  float *a, *b;
  size_t count;
};

static void copy(int me, void *state) {
  struct arrays *s = state;
  size_t half = s->count / 2, from = me == 0 ? 0 : half;
  memcpy(s->a + from, s->b + from, (me == 0 ? half : s->count - half) * sizeof(float));
  barrier_wait(&s->barrier, me);
}

static void add(int me, void *state) {
  struct arrays *s = state;
  size_t half = s->count / 2, from = me == 0 ? 0 : half, to = me == 0 ? half : s->count;
  float *restrict a = s->a;
  const float *restrict b = s->b;
  for (size_t i = from; i < to; i++) a[i] += b[i];
  barrier_wait(&s->barrier, me);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int rounds = parse_rounds(argv[1]);
  double us[MAX_ROUNDS];
  for (int i = 3; i < argc; i++) {
    struct bench_case c = parse_case(argv[i]);
    struct arrays s;
    memset(&s, 0, sizeof s);
    s.count = c.bytes / sizeof(float);
    s.a = aligned_alloc(4096, (c.bytes + 4095) / 4096 * 4096);
    s.b = aligned_alloc(4096, (c.bytes + 4095) / 4096 * 4096);
    if (s.a == NULL || s.b == NULL) {
      perror("aligned_alloc");
      return 1;
    }
    memset(s.a, 0, c.bytes);
    memset(s.b, 0, c.bytes);
    time_calls(strcmp(c.name, "copy") == 0 ? copy : add, &s, rounds, atof(argv[2]), us);
    print_case(&c, us, rounds, 0);
    free(s.a);
    free(s.b);
  }
  return 0;
}
