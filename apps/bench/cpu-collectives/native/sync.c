/*
 * How fast two threads meet, and how fast a parked one wakes.
 *
 *   sync ROUNDS MS barrier:2:0:in wake:2:0:in
 *
 * barrier: the spin barrier of two-threads.h. wake: a thread has been parked in a futex for half a millisecond; from the store
 * and the system call that wake it until its answer is seen by a spinning thread; the median of a round's wakes.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "two-threads.h"

static void meet(int me, void *state) { barrier_wait(state, me); }

static struct {
  _Alignas(128) atomic_uint asked;
  _Alignas(128) atomic_uint answered;
} word;

enum { STOP = 0xffffffffu, WAKES = 40, PARKED_US = 500 };

static void *parked(void *unused) {
  pin(1);
  for (unsigned seen = 0;;) {
    while (atomic_load(&word.asked) == seen) syscall(SYS_futex, &word.asked, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    seen = atomic_load(&word.asked);
    if (seen == STOP) return unused;
    atomic_store(&word.answered, seen);
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void time_wakes(int rounds, double *us) {
  pthread_t other;
  if (pthread_create(&other, NULL, parked, NULL) != 0) exit(1);
  pin(0);
  unsigned n = 0;
  for (int round = 0; round < rounds; round++) {
    double took[WAKES];
    for (int i = 0; i < WAKES; i++) {
      for (double from = now_us(); now_us() - from < PARKED_US;) continue;
      double start = now_us();
      atomic_store(&word.asked, ++n);
      syscall(SYS_futex, &word.asked, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
      while (atomic_load_explicit(&word.answered, memory_order_acquire) != n) continue;
      took[i] = now_us() - start;
    }
    qsort(took, WAKES, sizeof *took, ascending);
    us[round] = took[WAKES / 2];
  }
  atomic_store(&word.asked, STOP);
  syscall(SYS_futex, &word.asked, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  pthread_join(other, NULL);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int rounds = parse_rounds(argv[1]);
  double us[MAX_ROUNDS];
  for (int i = 3; i < argc; i++) {
    struct bench_case c = parse_case(argv[i]);
    struct spin_barrier barrier;
    memset(&barrier, 0, sizeof barrier);
    if (strcmp(c.name, "wake") == 0) time_wakes(rounds, us);
    else time_calls(meet, &barrier, rounds, atof(argv[2]), us);
    print_case(&c, us, rounds, 0);
  }
  return 0;
}
