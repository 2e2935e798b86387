// The push of push-kernel.cuh with one shape for each size.
#pragma once
#include <algorithm>

#include "../push-kernel.cuh"
#include "contender.h"

class Push : public Contender {
 public:
  explicit Push(std::vector<Gpu> const& gpus) : gpus_(gpus) {
    for (int g = 0; g < (int)gpus.size(); g++) {
      const size_t bytes = 2 * sizeof(uint4) * pushed::CTAS * pushed::ROOM, turns = 128 * pushed::CTAS;
      words_.emplace_back(g, bytes);
      turns_.emplace_back(g, turns);
      CHECKED(cudaMemset(words_[g].as(), 0, bytes));
      CHECKED(cudaMemset(turns_[g].as(), 0, turns));
    }
    synchronizeAll(gpus);
  }

  std::string refusal(Request const& r) const override {
    if (r.program != "all_reduce") return "it only sums";
    if (gpus_.size() != 2) return "it is for two GPUs";
    return r.bytes > MOST_BYTES ? "its words have room for 16 MiB" : "";
  }

  void start(Request const& r, int rank, size_t at) override {
    const bool small = r.bytes < (1u << 20);
    const unsigned words = (unsigned)(r.bytes / sizeof(uint4)), threads = small ? 128 : 256, each = small ? 1 : 2;
    Gpu const& gpu = gpus_[rank];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(std::min<unsigned>(pushed::CTAS, (words + threads * each - 1) / (threads * each)));
    config.blockDim = dim3(threads);
    config.stream = gpu.stream;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECKED(cudaSetDevice(rank));
    CHECKED(cudaLaunchKernelEx(&config, small ? pushed::push<1, true> : pushed::push<2, true>,
                               (uint4 const*)(gpu.in.as() + at), (uint4*)(gpu.out.as() + at), words_[rank].as<uint4>(),
                               words_[1 - rank].as<uint4>(), turns_[rank].as<unsigned>(), words));
  }

 private:
  static constexpr size_t MOST_BYTES = 16u << 20;

  std::vector<Gpu> const& gpus_;
  std::vector<Memory> words_, turns_;
};
