/*
 * The in-process twin of the simulator's AllReduce: two threads, a barrier, each reduces its half of the elements over all
 * ranks' buffers in the ranks' order and stores the sum to all, a barrier. f32.
 *
 *   twin ROUNDS MS allreduce:RANKS:BYTES:in|out:FORM ...
 *
 * FORM: pointers (a base for each rank in a register, where there are enough), baked (the distance between ranks is a constant
 * of the code, one index), each with -stream behind it for stores that pass by the caches.
 * Built with -mno-avx it is the SSE twin; with -march=native AVX-512, or AVX where the machine has no AVX-512. -DUNROLL=1, 2 or 4
 * vectors of each rank a turn: which is best differs by machine, ranks and place.
 */
#define _GNU_SOURCE
#include <immintrin.h>
#include "two-threads.h"

#if defined(__AVX512F__)
#define VECTOR_BITS 512
typedef __m512 vec;
#define LOAD _mm512_load_ps
#define STORE _mm512_store_ps
#define STREAM _mm512_stream_ps
#define ADD _mm512_add_ps
#elif defined(__AVX__)
#define VECTOR_BITS 256
typedef __m256 vec;
#define LOAD _mm256_load_ps
#define STORE _mm256_store_ps
#define STREAM _mm256_stream_ps
#define ADD _mm256_add_ps
#else
#define VECTOR_BITS 128
typedef __m128 vec;
#define LOAD _mm_load_ps
#define STORE _mm_store_ps
#define STREAM _mm_stream_ps
#define ADD _mm_add_ps
#endif

#define ALWAYS static inline __attribute__((always_inline))
#ifndef UNROLL
#define UNROLL 2
#endif
enum { LANES = VECTOR_BITS / 32, PADDING = 1280 };

/* Elements [from, to) of all ranks; rank r's buffers begin r * stride bytes behind those of rank 0. */
ALWAYS void reduce(const char *in, char *out, size_t stride, size_t from, size_t to, int ranks, int stream) {
  for (size_t i = from; i < to; i += LANES * UNROLL) {
    vec sum[UNROLL];
#pragma GCC unroll 8
    for (int u = 0; u < UNROLL; u++) sum[u] = LOAD((const float *)in + i + u * LANES);
#pragma GCC unroll 8
    for (int r = 1; r < ranks; r++)
#pragma GCC unroll 8
      for (int u = 0; u < UNROLL; u++)
        sum[u] = ADD(sum[u], LOAD((const float *)(in + r * stride) + i + u * LANES));
#pragma GCC unroll 8
    for (int r = 0; r < ranks; r++)
#pragma GCC unroll 8
      for (int u = 0; u < UNROLL; u++) {
        float *to_here = (float *)(out + r * stride) + i + u * LANES;
        if (stream) STREAM(to_here, sum[u]);
        else STORE(to_here, sum[u]);
      }
  }
  if (stream) _mm_sfence();
}

typedef void (*reduce_fn)(const char *in, char *out, size_t stride, size_t from, size_t to);

#define POINTERS(N, S) \
  static void pointers_##N##_##S(const char *in, char *out, size_t stride, size_t from, size_t to) { \
    reduce(in, out, stride, from, to, N, S); \
  }
#define BAKED(N, S, K) \
  static void baked_##N##_##S##_##K(const char *in, char *out, size_t stride, size_t from, size_t to) { \
    (void)stride; \
    reduce(in, out, ((size_t)1 << K) + PADDING, from, to, N, S); \
  }
/* K: the sizes of the benchmark are 2 to the K bytes, 1 KiB to 256 MiB. */
#define SIZES(F, N, S) F(N, S, 10) F(N, S, 12) F(N, S, 14) F(N, S, 16) F(N, S, 18) F(N, S, 20) F(N, S, 22) F(N, S, 24) F(N, S, 26) F(N, S, 28)
#define RANKS(F, S) SIZES(F, 2, S) SIZES(F, 4, S) SIZES(F, 8, S)

POINTERS(2, 0) POINTERS(4, 0) POINTERS(8, 0) POINTERS(2, 1) POINTERS(4, 1) POINTERS(8, 1)
RANKS(BAKED, 0)
RANKS(BAKED, 1)

#define CASE(N, S, K) \
  if (c->ranks == N && stream == S && c->bytes == (size_t)1 << K) return baked_##N##_##S##_##K;

static reduce_fn find(const struct bench_case *c) {
  int stream = strstr(c->form, "-stream") != NULL;
  if (strncmp(c->form, "baked", 5) == 0) {
    RANKS(CASE, 0)
    RANKS(CASE, 1)
    return NULL;
  }
  if (c->ranks == 2) return stream ? pointers_2_1 : pointers_2_0;
  if (c->ranks == 4) return stream ? pointers_4_1 : pointers_4_0;
  if (c->ranks == 8) return stream ? pointers_8_1 : pointers_8_0;
  return NULL;
}

struct twin {
  struct spin_barrier barrier;
  reduce_fn reduce;
  char *in, *out;
  size_t stride, count;
};

static void call(int me, void *state) {
  struct twin *t = state;
  size_t half = t->count / 2;
  barrier_wait(&t->barrier, me);
  t->reduce(t->in, t->out, t->stride, me == 0 ? 0 : half, me == 0 ? half : t->count);
  barrier_wait(&t->barrier, me);
}

/* The same memory serves all cases: touching a GiB takes longer than a round. */
static char *map(size_t bytes) {
  char *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (memory == NULL) {
    perror("aligned_alloc");
    exit(1);
  }
  memset(memory, 0, bytes);
  return memory;
}

enum { CHECKED = 4096 };

/* Whether elements [from, to) get the right sums. Leaves zeros: sums in place that grow would become infinite. */
static int right(const struct twin *t, int ranks, size_t from, size_t to) {
  for (int r = 0; r < ranks; r++)
    for (size_t i = from; i < to; i++) ((float *)(t->in + r * t->stride))[i] = (float)(i % 13) + (float)r;
  t->reduce(t->in, t->out, t->stride, from, to);
  int ok = 1;
  for (int r = 0; r < ranks; r++)
    for (size_t i = from; i < to; i++) {
      float *result = (float *)(t->out + r * t->stride) + i;
      ok &= *result == (float)(ranks * (int)(i % 13) + ranks * (ranks - 1) / 2);
      *result = 0;
      ((float *)(t->in + r * t->stride))[i] = 0;
    }
  return ok;
}

/* Bytes of all ranks' inputs, or of inputs and outputs. */
static size_t footprint(const struct bench_case *c) {
  return (c->in_place ? 1 : 2) * (size_t)c->ranks * (c->bytes + PADDING);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int rounds = parse_rounds(argv[1]);
  double us[MAX_ROUNDS];
  size_t largest = 0;
  for (int a = 3; a < argc; a++) {
    struct bench_case c = parse_case(argv[a]);
    largest = footprint(&c) > largest ? footprint(&c) : largest;
  }
  char *memory = map(largest);
  for (int a = 3; a < argc; a++) {
    struct bench_case c = parse_case(argv[a]);
    struct twin t;
    memset(&t, 0, sizeof t);
    t.reduce = find(&c);
    t.count = c.bytes / 4;
    t.stride = c.bytes + PADDING;
    if (t.reduce == NULL || t.count % (2 * LANES * UNROLL) != 0) {
      fprintf(stderr, "no code for %s\n", argv[a]);
      return 2;
    }
    t.in = memory;
    t.out = c.in_place ? memory : memory + (size_t)c.ranks * t.stride;
    size_t checked = t.count < CHECKED ? t.count : CHECKED;
    if (!right(&t, c.ranks, 0, checked) || !right(&t, c.ranks, t.count - checked, t.count)) {
      fprintf(stderr, "wrong sums: %s\n", argv[a]);
      return 1;
    }
    time_calls(call, &t, rounds, atof(argv[2]), us);
    print_case(&c, us, rounds, VECTOR_BITS);
  }
  return 0;
}
