// vLLM's custom all-reduce with registered buffers, as FlashInfer ships it. Its own host code
// chooses the stages and the launch.
#pragma once
#include <stdexcept>
#include <flashinfer/comm/vllm_custom_all_reduce.cuh>

#include "contender.h"

class Vllm : public Contender {
 public:
  Vllm(std::vector<Gpu> const& gpus, size_t room) : gpus_(gpus) {
    const int n = (int)gpus.size();
    // Behind the signals, a rank keeps its part of the sums between the two stages.
    const size_t bytes = sizeof(vllm::Signal) + (n == 2 ? 0 : room / n + 16 * n);
    std::vector<vllm::Signal*> signals;
    for (int g = 0; g < n; g++) {
      signals_.emplace_back(g, bytes);
      CHECKED(cudaMemset(signals_[g].as(), 0, bytes));
      signals.push_back(signals_[g].as<vllm::Signal>());
    }
    for (int g = 0; g < n; g++) {
      pointers_.emplace_back(g, POINTERS);
      ranks_.push_back(std::make_unique<vllm::CustomAllreduce>(signals.data(), pointers_[g].as(), POINTERS, g, n));
    }
    synchronizeAll(gpus);
  }

  std::string refusal(Request const& r) const override {
    return r.program == "all_reduce" ? "" : "it only sums";
  }

  void start(Request const& r, int rank, size_t at) override {
    Gpu const& gpu = gpus_[rank];
    CHECKED(cudaSetDevice(rank));
    ranks_[rank]->allreduce(gpu.stream, (__nv_bfloat16*)(gpu.in.as() + at), (__nv_bfloat16*)(gpu.out.as() + at),
                            (int)(r.bytes / 2), vllm::kMaxBlocks);
    check(cudaGetLastError(), "the launch of vLLM's kernel");
  }

  // A graph's kernels read the inputs' addresses from memory that is written afterwards. This does
  // what its register_graph_buffers does, with pointers in place of IPC handles.
  void recorded() override {
    for (size_t g = 0; g < ranks_.size(); g++) {
      vllm::CustomAllreduce& own = *ranks_[g];
      std::vector<vllm::RankData> data;
      for (void* input : own.graph_unreg_buffers_) {
        vllm::RankData each{};
        for (size_t other = 0; other < ranks_.size(); other++)
          each.ptrs[other] = gpus_[other].in.as() + ((char*)input - gpus_[g].in.as());
        data.push_back(each);
      }
      own.check_rank_data_capacity(data.size());
      CHECKED(cudaMemcpy(own.d_rank_data_base_, data.data(), data.size() * sizeof(vllm::RankData),
                         cudaMemcpyHostToDevice));
      own.d_rank_data_base_ += data.size();
      own.graph_unreg_buffers_.clear();
    }
  }

 private:
  static constexpr size_t POINTERS = 8u << 20;  // as vLLM has it: room for thousands of graphs

  std::vector<Gpu> const& gpus_;
  std::vector<Memory> signals_, pointers_;
  std::vector<std::unique_ptr<vllm::CustomAllreduce>> ranks_;
};
