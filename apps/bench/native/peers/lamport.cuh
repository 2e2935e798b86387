// FlashInfer's port of TensorRT-LLM's kernel: one shot with -0 in place of flags, alone or with a
// residual and RMSNorm. Its own host code chooses the launch. The accumulation in f32, and the
// launch by programmatic dependence, are what vLLM asks of it.
#pragma once
#define FLASHINFER_LOGGING_H_  // its own needs spdlog, and nothing that is used here logs
#include <flashinfer/comm/trtllm_allreduce_fusion.cuh>

#include "contender.h"
#include "data.cuh"

class Lamport : public Contender {
 public:
  // `late`: the next launch may begin at the end of this one, and not before its work.
  Lamport(std::vector<Gpu> const& gpus, bool late) : gpus_(gpus), late_(late) {
    const int n = (int)gpus.size();
    const size_t bank = n * MOST_BYTES;
    for (int g = 0; g < n; g++) {
      words_.emplace_back(g, BANKS * bank);
      // -0 marks what has not come.
      data::fillWords<<<264, 512>>>(words_[g].as<unsigned>(), BANKS * bank / 4, 0x80008000u);
      CHECKED(cudaGetLastError());
    }
    for (int g = 0; g < n; g++) {
      // A counter of CTAs, the flags of the two ways, the bytes of a bank, and what to clear.
      const int state[5] = {0, 0, 0, (int)bank, 0};
      state_.emplace_back(g, sizeof state);
      CHECKED(cudaMemcpy(state_[g].as(), state, sizeof state, cudaMemcpyHostToDevice));
      // Buffers and flags of the two-shot way come first, which is not used.
      std::vector<void*> pointers(2 * n, nullptr);
      for (int other = 0; other < n; other++) pointers.push_back(words_[other].as());
      pointers.push_back(state_[g].as());
      table_.emplace_back(g, pointers.size() * sizeof(void*));
      CHECKED(cudaMemcpy(table_[g].as(), pointers.data(), pointers.size() * sizeof(void*), cudaMemcpyHostToDevice));
    }
    synchronizeAll(gpus);
  }

  std::string refusal(Request const& r) const override {
    const int n = (int)gpus_.size();
    if (r.bytes > MOST_BYTES) return "its workspace has room for 8 MiB";
    // FlashInfer's limits of one shot, in MiB: it counts the bytes of all ranks twice.
    const double most = n == 2 ? 512 : n == 4 ? 64 : 42;
    if (2.0 * n * r.bytes / (1 << 20) > most) return "its host code chooses two shots for this size";
    if (r.bytes / 2 % hiddenOf(r) != 0) return "it needs whole rows of " + std::to_string(hiddenOf(r)) + " elements";
    return "";
  }

  void start(Request const& r, int rank, size_t at) override {
    using namespace flashinfer::trtllm_allreduce_fusion;
    Gpu const& gpu = gpus_[rank];
    const bool norm = r.program == "rms_norm";
    AllReduceFusionParams<__nv_bfloat16> p{};
    p.nranks = (int)gpus_.size();
    p.rank = rank;
    p.size = (int)(r.bytes / 2);
    p.hidden_dim = hiddenOf(r);
    p.workspace = table_[rank].as<void*>();
    p.allreduce_in = gpu.in.as() + at;
    if (norm) {
      p.residual_in = gpu.residual.as() + at;
      p.residual_out = gpu.residualOut.as() + at;
      p.norm_out = gpu.out.as() + at;
      p.rms_gamma = gpu.weight.as();
      p.rms_eps = EPSILON;
    } else {
      p.allreduce_out = gpu.out.as() + at;
    }
    p.use_oneshot = true;
    p.stream = gpu.stream;
    p.trigger_completion_at_end = late_;
    p.pattern = norm ? AllReduceFusionPattern::kARResidualRMSNorm : AllReduceFusionPattern::kAllReduce;
    CHECKED(cudaSetDevice(rank));
    check(norm ? launch<AllReduceFusionPattern::kARResidualRMSNorm>(p) : launch<AllReduceFusionPattern::kAllReduce>(p),
          "the launch of FlashInfer's kernel");
  }

  static constexpr float EPSILON = 1e-5f;

 private:
  static constexpr size_t MOST_BYTES = 8u << 20;
  static constexpr int BANKS = 3;

  // Without rows of its own a call has rows as long as those of a model, or one if it is shorter.
  static int hiddenOf(Request const& r) {
    return r.program == "rms_norm" ? r.hidden : (int)std::min<size_t>(4096, r.bytes / 2);
  }

  // Its host code would compile every fusion for every number of ranks.
  template <flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern pattern>
  static cudaError_t launch(flashinfer::trtllm_allreduce_fusion::AllReduceFusionParams<__nv_bfloat16> const& p) {
    using flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_launcher;
    switch (p.nranks) {
      case 2: return allreduce_fusion_kernel_launcher<pattern, __nv_bfloat16, 2, true>(p, true);
      case 4: return allreduce_fusion_kernel_launcher<pattern, __nv_bfloat16, 4, true>(p, true);
      case 8: return allreduce_fusion_kernel_launcher<pattern, __nv_bfloat16, 8, true>(p, true);
    }
    return cudaErrorInvalidValue;
  }

  std::vector<Gpu> const& gpus_;
  const bool late_;
  std::vector<Memory> words_, state_, table_;
};
