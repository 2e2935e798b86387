/*
 * Whether the machine is quiet, and how far apart its two cores are.
 *
 *   calibrate MS
 *
 * Two threads read the clock for MS milliseconds; what lies between two readings that are more than 20 us apart is lost: the
 * thread did not run. (Ticks of a host's timer are shorter, 8 to 16 us a thousand times a second: they slow all alike.) Then the two bounce a word. Prints {"lost":[A,B],"signalNs":X}: the lost share of each thread, and the
 * time of one signal in one direction (the median of 15 samples).
 */
#define _GNU_SOURCE
#include "two-threads.h"

enum { BOUNCES = 2000, SAMPLES = 15 };
static const double gap_us = 20;

static struct {
  struct spin_barrier barrier;
  double ms, lost[2], signal_ns[SAMPLES];
} all;

static void *watch(void *thread) {
  int me = thread != NULL;
  pin(me);
  barrier_wait(&all.barrier, me);
  double start = now_us(), last = start, end = start + all.ms * 1e3, lost = 0;
  while (last < end) {
    double now = now_us();
    if (now - last > gap_us) lost += now - last;
    last = now;
  }
  all.lost[me] = lost / (last - start);
  for (int sample = 0; sample < SAMPLES; sample++) {
    barrier_wait(&all.barrier, me);
    double from = now_us();
    /* A barrier of two is two signals at once; a bounce takes turns, so each waits for the other before it answers. */
    static struct {
      _Alignas(128) atomic_int turn;
    } word;
    for (int i = 0; i < BOUNCES; i++) {
      while (atomic_load_explicit(&word.turn, memory_order_acquire) != me) continue;
      atomic_store_explicit(&word.turn, 1 - me, memory_order_release);
    }
    if (me == 0) all.signal_ns[sample] = (now_us() - from) * 1e3 / (2.0 * BOUNCES);
  }
  return NULL;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  all.ms = argc > 1 ? atof(argv[1]) : 150;
  pthread_t other;
  if (pthread_create(&other, NULL, watch, &all) != 0) return 1;
  watch(NULL);
  pthread_join(other, NULL);
  qsort(all.signal_ns, SAMPLES, sizeof *all.signal_ns, ascending);
  printf("{\"lost\":[%.5f,%.5f],\"signalNs\":%.1f}\n", all.lost[0], all.lost[1], all.signal_ns[SAMPLES / 2]);
  return 0;
}
