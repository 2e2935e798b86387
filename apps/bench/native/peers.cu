// AllReduce of bf16 by the kernels that inference engines ship, for `table` and `rms-norm` to
// measure in the same rounds as this repository's: all GPUs in one process, plain cudaMalloc memory
// with peer access, no multicast.
//
//   peers --gpus N     with N of 2, 4, 8: the first devices of CUDA_VISIBLE_DEVICES
//
// Each line of stdin is a request (peers/request.h), each line of stdout that begins with @ is an
// answer. Contenders: `lamport` and `lamport-early` (FlashInfer's port of TensorRT-LLM's kernel,
// whose next launch may begin at its end, or at its beginning), `vllm` (vLLM's custom all-reduce),
// `push` (push-kernel.cuh, which may begin early too).
//
// The peers' headers are FlashInfer's and not in this repository. apps/bench/README.md has the
// commands that fetch them and compile this program. It needs the driver, libc and libstdc++.
#include <cstring>
#include <iostream>

#include "peers/data.cuh"
#include "peers/graphs.cuh"
#include "peers/lamport.cuh"
#include "peers/push.cuh"
#include "peers/vllm.cuh"

class Bench {
 public:
  explicit Bench(int count) : gpus_(openGpus(count)) {}

  void answer(Request const& r) {
    if (r.program != "all_reduce" && r.program != "rms_norm") throw std::runtime_error("there is no " + r.program);
    if (r.type != "bfloat16") throw std::runtime_error("it is measured with bfloat16 only");
    if (r.bytes == 0 || r.bytes % 16 != 0) throw std::runtime_error("it needs a multiple of 16 bytes");
    if (r.room < r.bytes) throw std::runtime_error("the buffers have no room for a call");
    if (r.calls < 1 || r.launches < 1) throw std::runtime_error("a graph needs calls and launches");
    if (r.program == "rms_norm" &&
        (r.hidden < 8 || r.hidden > MOST_HIDDEN || r.bytes != (size_t)2 * r.rows * r.hidden))
      throw std::runtime_error("the rows do not have these bytes");
    reserve(r);
    Contender& contender = contenderOf(r.contender);
    const std::string refusal = contender.refusal(r);
    if (!refusal.empty()) throw std::runtime_error(refusal);
    Graph& graph = graphs_.get(gpus_, contender, r);
    const std::string wrong = r.check ? ",\"wrong\":" + std::to_string(wrongOf(graph, r)) : "";
    printf("@{\"us\":%.4f%s}\n", microsecondsOf(graph, r), wrong.c_str());
  }

 private:
  std::vector<Gpu> gpus_;
  size_t room_ = 0, normRoom_ = 0;
  std::map<std::string, std::unique_ptr<Contender>> contenders_;
  Graphs graphs_;

  // Makes the buffers large enough. Graphs and contenders know their addresses and sizes, and are
  // made anew.
  void reserve(Request const& r) {
    const bool grows = r.room > room_, growsNorm = r.program == "rms_norm" && r.room > normRoom_;
    if (!grows && !growsNorm) return;
    graphs_.clear();
    contenders_.clear();
    auto filled = [](int g, size_t bytes, int who) {
      Memory memory(g, bytes);
      data::fill<<<264, 512>>>(memory.as<__nv_bfloat16>(), bytes / 2, who);
      CHECKED(cudaGetLastError());
      return memory;
    };
    for (int g = 0; g < (int)gpus_.size(); g++) {
      Gpu& gpu = gpus_[g];
      if (grows) {
        gpu.in = gpu.out = Memory();
        gpu.in = filled(g, r.room, g);
        gpu.out = Memory(g, r.room);
      }
      if (growsNorm) {
        gpu.residual = filled(g, r.room, data::RESIDUAL);
        gpu.residualOut = Memory(g, r.room);
        gpu.weight = filled(g, 2 * MOST_HIDDEN, data::WEIGHT);
      }
    }
    synchronizeAll(gpus_);
    if (grows) room_ = r.room;
    if (growsNorm) normRoom_ = r.room;
  }

  Contender& contenderOf(std::string const& name) {
    std::unique_ptr<Contender>& found = contenders_[name];
    if (found) return *found;
    if (name == "lamport" || name == "lamport-early") found = std::make_unique<Lamport>(gpus_, name == "lamport");
    else if (name == "vllm") found = std::make_unique<Vllm>(gpus_, room_);
    else if (name == "push") found = std::make_unique<Push>(gpus_);
    else throw std::runtime_error("there is no contender " + name);
    return *found;
  }

  // The elements of all calls of a graph, on all ranks, that are not as expected.
  unsigned long long wrongOf(Graph const& graph, Request const& r) {
    const size_t regions = std::min<size_t>(r.calls, r.room / r.bytes), bytes = regions * r.bytes;
    const bool norm = r.program == "rms_norm";
    const int ranks = (int)gpus_.size();
    for (int g = 0; g < ranks; g++) {
      CHECKED(cudaSetDevice(g));
      CHECKED(cudaMemset(gpus_[g].out.as(), 0xff, bytes));  // NaNs
      if (norm) CHECKED(cudaMemset(gpus_[g].residualOut.as(), 0xff, bytes));
      CHECKED(cudaMemset(gpus_[g].wrong.as(), 0, sizeof(unsigned long long)));
    }
    graph.timed(1);
    unsigned long long total = 0;
    for (int g = 0; g < ranks; g++) {
      Gpu const& gpu = gpus_[g];
      auto* wrong = gpu.wrong.as<unsigned long long>();
      auto* out = gpu.out.as<__nv_bfloat16>();
      CHECKED(cudaSetDevice(g));
      if (norm)
        data::countWrongRows<<<(unsigned)(regions * r.rows), 256>>>(gpu.residualOut.as<__nv_bfloat16>(), out, r.hidden,
                                                                    ranks, Lamport::EPSILON, wrong);
      else
        data::countWrongSums<<<1024, 256>>>(out, bytes / 2, ranks, wrong);
      CHECKED(cudaGetLastError());
      unsigned long long found = 0;
      CHECKED(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
      total += found;
    }
    return total;
  }
};

int main(int argc, char** argv) {
  int count = 2;
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], "--gpus") == 0) count = atoi(argv[i + 1]);
  if (count != 2 && count != 4 && count != 8) {
    fprintf(stderr, "peers: --gpus %d: it must be 2, 4 or 8\n", count);
    return 2;
  }
  std::unique_ptr<Bench> bench;
  try {
    bench = std::make_unique<Bench>(count);
  } catch (std::exception const& error) {
    fprintf(stderr, "peers: %s\n", error.what());
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    try {
      bench->answer(requestOf(line));
    } catch (std::exception const& error) {
      answerError(error.what());
    }
    fflush(stdout);
  }
}
