/*
 * Gloo's AllReduce over TCP on the loopback interface, in place.
 *
 *   gloo ROUNDS MS DIRECTORY allreduce:RANKS:BYTES:in:ring|bcube|ring-chunked|halving-doubling ...
 *
 * DIRECTORY is empty and takes the file store. The ranks are processes that this one forks. One call's time is the slowest rank's.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <gloo/algorithm.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include "timing.h"

enum { MAX_RANKS = 16 };

/* What the ranks' processes share. */
struct shared {
  pthread_barrier_t barrier;
  double took[MAX_RANKS];
};

static double time_block(shared *all, int rank, int ranks, const std::function<void()> &call, long calls) {
  pthread_barrier_wait(&all->barrier);
  double start = now_us();
  for (long i = 0; i < calls; i++) call();
  all->took[rank] = (now_us() - start) / static_cast<double>(calls);
  pthread_barrier_wait(&all->barrier);
  double slowest = 0;
  for (int r = 0; r < ranks; r++) slowest = all->took[r] > slowest ? all->took[r] : slowest;
  pthread_barrier_wait(&all->barrier);
  return slowest;
}

static int run_rank(const bench_case &c, int rank, int rounds, double ms, const std::string &directory, shared *all) {
  gloo::transport::tcp::attr attr;
  attr.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(attr);
  gloo::rendezvous::FileStore store(directory);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, c.ranks);
  context->connectFullMesh(store, device);

  const int count = static_cast<int>(c.bytes / sizeof(float));
  std::vector<float> data(static_cast<size_t>(count));
  for (int i = 0; i < count; i++) data[static_cast<size_t>(i)] = static_cast<float>(i % 13 + rank);
  gloo::AllreduceOptions options(context);
  options.setOutput(data.data(), data.size());
  options.setReduceFunction([](void *to, const void *a, const void *b, size_t n) { gloo::sum<float>(to, a, b, n); });
  const auto bcube = gloo::AllreduceOptions::Algorithm::BCUBE, ring = gloo::AllreduceOptions::Algorithm::RING;
  options.setAlgorithm(strcmp(c.form, "bcube") == 0 ? bcube : ring);
  std::unique_ptr<gloo::Algorithm> algorithm;
  std::vector<float *> buffers{data.data()};
  if (strcmp(c.form, "ring-chunked") == 0)
    algorithm = std::make_unique<gloo::AllreduceRingChunked<float>>(context, buffers, count);
  if (strcmp(c.form, "halving-doubling") == 0)
    algorithm = std::make_unique<gloo::AllreduceHalvingDoubling<float>>(context, buffers, count);
  std::function<void()> call = [&] {
    if (algorithm) algorithm->run();
    else gloo::allreduce(options);
  };

  call();
  for (int i = 0; i < count; i += 1 + count / 64)
    if (data[static_cast<size_t>(i)] != static_cast<float>(c.ranks * (i % 13) + c.ranks * (c.ranks - 1) / 2)) {
      fprintf(stderr, "wrong result: %s on rank %d\n", c.form, rank);
      return 1;
    }
  std::fill(data.begin(), data.end(), 0.0f);
  double once = 0, us[MAX_ROUNDS];
  for (long calls = 1; calls < 100000; calls *= 4) {
    once = time_block(all, rank, c.ranks, call, calls);
    if (once * static_cast<double>(calls) > ms * 250) break;
  }
  for (int round = 0; round < rounds; round++) us[round] = time_block(all, rank, c.ranks, call, calls_for(once, ms));
  if (rank == 0) print_case(&c, us, rounds, 0);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  const int rounds = parse_rounds(argv[1]);
  const double ms = atof(argv[2]);
  auto *all = static_cast<shared *>(mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (all == MAP_FAILED) return 1;
  for (int a = 4; a < argc; a++) {
    const bench_case c = parse_case(argv[a]);
    if (c.ranks < 1 || c.ranks > MAX_RANKS) return 2;
    pthread_barrierattr_t attr;
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&all->barrier, &attr, static_cast<unsigned>(c.ranks));
    const std::string directory = std::string(argv[3]) + "/" + std::to_string(a);
    if (mkdir(directory.c_str(), 0700) != 0) {
      perror(directory.c_str());
      return 1;
    }
    std::vector<pid_t> children;
    for (int rank = 0; rank < c.ranks; rank++) {
      const pid_t child = fork();
      if (child == 0) _exit(run_rank(c, rank, rounds, ms, directory, all));
      children.push_back(child);
    }
    bool failed = false;
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      failed = failed || status != 0;
    }
    if (failed) return 1;
  }
  return 0;
}
