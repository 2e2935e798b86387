/* Two threads, one for each core, a spin barrier between them, and a loop that times calls made by both. */
#ifndef TWO_THREADS_H
#define TWO_THREADS_H

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE first: threads are pinned"
#endif
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "timing.h"

/* Each thread counts its arrivals in a line of its own and waits for the other's count: no read-modify-write, two transfers. */
struct spin_barrier {
  struct {
    _Alignas(128) atomic_ulong count;
  } arrived[2];
};

static inline void barrier_wait(struct spin_barrier *b, int me) {
  unsigned long count = atomic_load_explicit(&b->arrived[me].count, memory_order_relaxed) + 1;
  atomic_store_explicit(&b->arrived[me].count, count, memory_order_release);
  /* No pause instruction: it costs up to 140 cycles, and each thread has a core of its own. */
  while (atomic_load_explicit(&b->arrived[1 - me].count, memory_order_acquire) < count) continue;
}

typedef void (*call_fn)(int me, void *state);

struct timed {
  struct spin_barrier barrier;
  call_fn call;
  void *state;
  int rounds;
  double ms;
  double *us;
  volatile long calls;
};

/* On a machine with one core the threads share it. */
static inline void pin(int me) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int seen = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed) || seen++ != me) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    return;
  }
}

/* One call's microseconds, by `calls` calls on both threads. */
static inline double time_block(struct timed *t, int me, long calls) {
  if (me == 0) t->calls = calls;
  barrier_wait(&t->barrier, me);
  long n = t->calls;
  double start = now_us();
  for (long i = 0; i < n; i++) t->call(me, t->state);
  barrier_wait(&t->barrier, me);
  return (now_us() - start) / (double)n;
}

static inline void timed_body(struct timed *t, int me) {
  pin(me);
  /* Warms up, and finds how many calls make a round. Both threads do the same arithmetic on thread 0's numbers. */
  static volatile double warm_us;
  double us = 0;
  for (long calls = 1;; calls *= 4) {
    us = time_block(t, me, calls);
    if (me == 0) warm_us = us;
    barrier_wait(&t->barrier, me);
    us = warm_us;
    barrier_wait(&t->barrier, me);
    if (us * (double)calls > t->ms * 250 || calls > 1000000) break;
  }
  long calls = calls_for(us, t->ms);
  for (int round = 0; round < t->rounds; round++) {
    double took = time_block(t, me, calls);
    if (me == 0) t->us[round] = took;
  }
}

static void *timed_other(void *t) {
  timed_body((struct timed *)t, 1);
  return NULL;
}

/* Fills us[0 .. rounds) with the microseconds of one call, each over about `ms` milliseconds of calls. */
static inline void time_calls(call_fn call, void *state, int rounds, double ms, double *us) {
  struct timed t;
  memset(&t, 0, sizeof t);
  t.call = call;
  t.state = state;
  t.rounds = rounds;
  t.ms = ms;
  t.us = us;
  pthread_t other;
  if (pthread_create(&other, NULL, timed_other, &t) != 0) {
    perror("pthread_create");
    exit(1);
  }
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  timed_body(&t, 0);
  pthread_join(other, NULL);
  sched_setaffinity(0, sizeof before, &before);
}

#endif
