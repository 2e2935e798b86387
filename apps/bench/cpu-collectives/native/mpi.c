/*
 * Collectives of an MPI library. BYTES is the whole buffer, as nccl-tests counts: what each rank contributes to an AllReduce, what it
 * gets of an AllGather, what it gives to a ReduceScatter or an AlltoAll.
 *
 *   mpirun -n RANKS mpi ROUNDS MS allreduce|allgather|alltoall|reduce_scatter|barrier:RANKS:BYTES:in|out ...
 *
 * One call's time is the slowest rank's. Nothing lies between the calls of a round: no barrier, as they may overlap.
 */
#include <mpi.h>
#include "timing.h"

struct job {
  struct bench_case c;
  float *send, *recv;
  int rank, part, count;
};

static void call(const struct job *j) {
  const char *name = j->c.name;
  void *send = j->c.in_place ? MPI_IN_PLACE : (void *)j->send;
  if (name[0] == 'b') MPI_Barrier(MPI_COMM_WORLD);
  else if (name[0] == 'r') MPI_Reduce_scatter_block(send, j->recv, j->part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  else if (name[2] == 'l' && name[3] == 'r') MPI_Allreduce(send, j->recv, j->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  else if (name[2] == 'l' && name[3] == 'g') MPI_Allgather(send, j->part, MPI_FLOAT, j->recv, j->part, MPI_FLOAT, MPI_COMM_WORLD);
  else MPI_Alltoall(send, j->part, MPI_FLOAT, j->recv, j->part, MPI_FLOAT, MPI_COMM_WORLD);
}

/* One call's microseconds, the slowest rank's. */
static double time_block(const struct job *j, long calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_us();
  for (long i = 0; i < calls; i++) call(j);
  double took = (now_us() - start) / (double)calls, slowest = 0;
  MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

enum { CHECKED = 1 << 20 };

/* Whether a call does what its name says, looked at in three places. Leaves zeros. */
static int right(const struct job *j) {
  int n = j->c.ranks, ok = 1;
  float *in = j->c.in_place ? j->recv : j->send;
  for (int i = 0; i < j->count; i++) in[i] = (float)(i % 13) + (float)j->rank;
  call(j);
  for (int k = 0; k < 3; k++) {
    int result = j->c.name[0] == 'r' ? j->part : j->count;
    int at = k == 0 ? 0 : k == 1 ? result / 2 : result - 1;
    float sums = (float)(n * (n - 1) / 2), got = j->recv[at], want;
    if (j->c.name[0] == 'r') want = (float)(n * ((j->rank * j->part + at) % 13)) + sums;
    else if (strcmp(j->c.name, "allreduce") == 0) want = (float)(n * (at % 13)) + sums;
    else {
      int from = at / j->part, within = at % j->part;
      int place = strcmp(j->c.name, "alltoall") == 0 ? j->rank * j->part + within : j->c.in_place ? at : within;
      want = (float)(place % 13) + (float)from;
    }
    ok &= got == want;
  }
  memset(j->send, 0, j->c.bytes);
  memset(j->recv, 0, j->c.bytes);
  return ok;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  int rounds = parse_rounds(argv[1]), size = 0;
  double ms = atof(argv[2]), us[MAX_ROUNDS];
  struct job j;
  MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  size_t largest = 0;
  for (int a = 3; a < argc; a++) {
    j.c = parse_case(argv[a]);
    largest = j.c.bytes > largest ? j.c.bytes : largest;
  }
  /* The same memory serves all cases: touching it takes longer than a round. */
  j.send = aligned_alloc(4096, (largest / 4096 + 1) * 4096);
  j.recv = aligned_alloc(4096, (largest / 4096 + 1) * 4096);
  if (j.send == NULL || j.recv == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(j.send, 0, largest);
  memset(j.recv, 0, largest);
  for (int a = 3; a < argc; a++) {
    j.c = parse_case(argv[a]);
    if (j.c.ranks != size) {
      fprintf(stderr, "%s among %d ranks\n", argv[a], size);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    j.count = (int)(j.c.bytes / sizeof(float));
    j.part = j.count / size;
    /* The library is trusted; what could be wrong here is the call, which is the same for all sizes. */
    int check = j.c.name[0] != 'b' && j.c.bytes <= CHECKED;
    if (!check) call(&j);
    if (check && !right(&j)) {
      fprintf(stderr, "wrong result: %s on rank %d\n", argv[a], j.rank);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    double once = 0;
    for (long calls = 1; calls <= 1000000; calls *= 4) {
      once = time_block(&j, calls);
      if (once * (double)calls > ms * 250) break;
    }
    for (int round = 0; round < rounds; round++) us[round] = time_block(&j, calls_for(once, ms));
    if (j.rank == 0) print_case(&j.c, us, rounds, 0);
  }
  free(j.send);
  free(j.recv);
  MPI_Finalize();
  return 0;
}
