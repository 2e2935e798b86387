// A floor to compare with: AllReduce of bf16 on two GPUs of one process by flagless push, words of 16 bytes.
// With -DEARLY a launch may begin before the one before it has begun its own work.
// Usage: push ROUNDS BUDGET_SECONDS. One line of JSON for each size and shape.
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "push-kernel.cuh"

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("{\"error\":\"%s line %d\"}\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)

#ifdef EARLY
constexpr bool early = true;
#else
constexpr bool early = false;
#endif
template <int K>
constexpr auto push = pushed::push<K, early>;
using pushed::CTAS, pushed::ROOM;

struct Gpu { uint4 *in, *out, *words; unsigned* turns; cudaStream_t stream; };
using Kernel = void (*)(uint4 const*, uint4*, uint4*, uint4*, unsigned*, unsigned);
constexpr size_t MOST = 16u << 20, BUFFERS = 64u << 20;

static void launch(Kernel kernel, Gpu* g, int r, int ctas, int threads, size_t at, unsigned words) {
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(ctas); c.blockDim = dim3(threads); c.stream = g[r].stream;
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; a[0].val.programmaticStreamSerializationAllowed = 1;
  c.attrs = a; c.numAttrs = 1;
  CHECK(cudaSetDevice(r));
  CHECK(cudaLaunchKernelEx(&c, kernel, (uint4 const*)((char*)g[r].in + at), (uint4*)((char*)g[r].out + at), g[r].words, g[1 - r].words, g[r].turns, words));
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 9;
  const double budget = argc > 2 ? atof(argv[2]) : 20;
  const auto begun = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
  Gpu g[2];
  for (int r = 0; r < 2; r++) {
    CHECK(cudaSetDevice(r));
    CHECK(cudaDeviceEnablePeerAccess(1 - r, 0));
    CHECK(cudaMalloc(&g[r].in, BUFFERS)); CHECK(cudaMalloc(&g[r].out, BUFFERS));
    const size_t room = (size_t)2 * CTAS * ROOM * 16;
    CHECK(cudaMalloc(&g[r].words, room)); CHECK(cudaMemset(g[r].words, 0, room));
    CHECK(cudaMalloc(&g[r].turns, CTAS * 128)); CHECK(cudaMemset(g[r].turns, 0, CTAS * 128));
    CHECK(cudaStreamCreateWithFlags(&g[r].stream, cudaStreamNonBlocking));
    std::vector<unsigned short> v(BUFFERS / 2);
    for (size_t i = 0; i < v.size(); i++) { float f = (float)((i * 7 + r * 13) % 31); unsigned b; memcpy(&b, &f, 4); v[i] = b >> 16; }
    CHECK(cudaMemcpy(g[r].in, v.data(), BUFFERS, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
  }
  struct Shape { Kernel kernel; int k, ctas, threads; };
  const std::vector<Shape> shapes = {{push<1>, 1, 264, 128}, {push<1>, 1, 264, 256}, {push<2>, 2, 264, 256}, {push<4>, 4, 264, 256}, {push<2>, 2, 132, 512}, {push<1>, 1, 132, 512}};
  for (size_t bytes = 1024; bytes <= MOST; bytes *= 2) {
    for (const Shape& s : shapes) {
      if (seconds() > budget) { printf("{\"stopped\":%zu}\n", bytes); return 0; }
      const unsigned words = bytes / 16;
      const int ctas = std::min<long>(s.ctas, (words + s.threads * s.k - 1) / (s.threads * s.k));
      // One graph of 20 calls on both GPUs, through rotating buffers, as the table's contenders have it.
      cudaGraphExec_t exec;
      cudaGraph_t graph;
      cudaEvent_t fork, join;
      for (int r = 0; r < 2; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaMemset(g[r].out, 0xff, BUFFERS)); CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventCreateWithFlags(r == 0 ? &fork : &join, cudaEventDisableTiming));
      }
      CHECK(cudaSetDevice(0));
      CHECK(cudaStreamBeginCapture(g[0].stream, cudaStreamCaptureModeRelaxed));
      CHECK(cudaEventRecord(fork, g[0].stream));
      CHECK(cudaStreamWaitEvent(g[1].stream, fork, 0));
      for (int call = 0; call < 20; call++)
        for (int r = 0; r < 2; r++) launch(s.kernel, g, r, ctas, s.threads, (call * bytes) % (BUFFERS - bytes + 1) / 256 * 256, words);
      CHECK(cudaSetDevice(1));
      CHECK(cudaEventRecord(join, g[1].stream));
      CHECK(cudaSetDevice(0));
      CHECK(cudaStreamWaitEvent(g[0].stream, join, 0));
      CHECK(cudaStreamEndCapture(g[0].stream, &graph));
      CHECK(cudaGraphInstantiate(&exec, graph, 0));
      CHECK(cudaGraphUpload(exec, g[0].stream));
      CHECK(cudaStreamSynchronize(g[0].stream)); CHECK(cudaGraphDestroy(graph));
      auto timed = [&](int launches) {
        const auto b = std::chrono::steady_clock::now();
        for (int i = 0; i < launches; i++) CHECK(cudaGraphLaunch(exec, g[0].stream));
        CHECK(cudaStreamSynchronize(g[0].stream));
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - b).count() / launches / 20;
      };
      timed(1);
      size_t wrong = 0;
      for (int r = 0; r < 2; r++) {
        std::vector<unsigned short> v(bytes / 2);
        CHECK(cudaMemcpy(v.data(), g[r].out, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < v.size(); i++) { unsigned b = v[i] << 16; float f; memcpy(&f, &b, 4); if (f != (float)((i * 7) % 31) + (float)((i * 7 + 13) % 31)) wrong++; }
      }
      const double once = timed(2) * 20;
      const int launches = std::max(1, std::min(200, (int)(8000 / once)));
      std::vector<double> us;
      for (int i = 0; i < rounds; i++) us.push_back(timed(launches));
      std::sort(us.begin(), us.end());
      printf("{\"bytes\":%zu,\"words\":%d,\"ctas\":%d,\"threads\":%d,\"us\":%.3f,\"least\":%.3f,\"most\":%.3f,\"wrong\":%zu}\n", bytes, s.k, ctas, s.threads, us[us.size() / 2], us.front(), us.back(), wrong);
      fflush(stdout);
      CHECK(cudaGraphExecDestroy(exec)); CHECK(cudaEventDestroy(fork)); CHECK(cudaEventDestroy(join));
    }
  }
}
