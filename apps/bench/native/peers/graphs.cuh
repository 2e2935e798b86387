// Graphs of calls over all GPUs, as @nccl-ts/backend-cuda captures and launches them: one branch a
// GPU.
#pragma once
#include <cmath>
#include <chrono>
#include <map>

#include "contender.h"

// The offset of call `call` in the buffers: a rotation through all of them, so that caches do not
// have its data.
inline size_t shiftOf(Request const& r, int call) { return r.bytes * (call % (r.room / r.bytes)); }

class Graph {
 public:
  Graph(std::vector<Gpu> const& gpus, Contender& contender, Request const& r) : gpus_(gpus) {
    std::vector<cudaEvent_t> events(gpus.size());
    for (size_t g = 0; g < gpus.size(); g++) {
      CHECKED(cudaSetDevice((int)g));
      CHECKED(cudaEventCreateWithFlags(&events[g], cudaEventDisableTiming));
    }
    cudaStream_t origin = gpus[0].stream;
    CHECKED(cudaSetDevice(0));
    CHECKED(cudaStreamBeginCapture(origin, cudaStreamCaptureModeRelaxed));
    cudaGraph_t graph = nullptr;
    try {
      CHECKED(cudaEventRecord(events[0], origin));
      for (size_t g = 1; g < gpus.size(); g++) CHECKED(cudaStreamWaitEvent(gpus[g].stream, events[0], 0));
      for (int call = 0; call < r.calls; call++)
        for (size_t g = 0; g < gpus.size(); g++) contender.start(r, (int)g, shiftOf(r, call));
      for (size_t g = 1; g < gpus.size(); g++) {
        CHECKED(cudaSetDevice((int)g));
        CHECKED(cudaEventRecord(events[g], gpus[g].stream));
        CHECKED(cudaSetDevice(0));
        CHECKED(cudaStreamWaitEvent(origin, events[g], 0));
      }
    } catch (...) {
      (void)cudaStreamEndCapture(origin, &graph);  // else the streams would stay in the recording
      (void)cudaGetLastError();
      throw;
    }
    CHECKED(cudaSetDevice(0));
    CHECKED(cudaStreamEndCapture(origin, &graph));
    contender.recorded();
    CHECKED(cudaSetDevice(0));
    CHECKED(cudaGraphInstantiate(&executable_, graph, 0));
    CHECKED(cudaGraphUpload(executable_, origin));
    CHECKED(cudaStreamSynchronize(origin));
    CHECKED(cudaGraphDestroy(graph));
    for (cudaEvent_t event : events) CHECKED(cudaEventDestroy(event));
  }
  Graph(Graph const&) = delete;
  ~Graph() { (void)cudaGraphExecDestroy(executable_); }

  // The milliseconds of so many launches, until all GPUs are done.
  double timed(int launches) const {
    synchronizeAll(gpus_);
    CHECKED(cudaSetDevice(0));
    const auto began = std::chrono::steady_clock::now();
    for (int launch = 0; launch < launches; launch++) CHECKED(cudaGraphLaunch(executable_, gpus_[0].stream));
    CHECKED(cudaStreamSynchronize(gpus_[0].stream));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  }

 private:
  std::vector<Gpu> const& gpus_;
  cudaGraphExec_t executable_ = nullptr;
};

// The graphs of one size. They are kept until another size comes, because a contender has many
// turns.
class Graphs {
 public:
  Graph& get(std::vector<Gpu> const& gpus, Contender& contender, Request const& r) {
    const std::string size = r.program + " " + std::to_string(r.bytes) + " " + std::to_string(r.hidden);
    if (size != size_) graphs_.clear();
    size_ = size;
    std::unique_ptr<Graph>& graph = graphs_[r.contender];
    if (!graph) graph = std::make_unique<Graph>(gpus, contender, r);
    return *graph;
  }
  void clear() { graphs_.clear(); }

 private:
  std::string size_;
  std::map<std::string, std::unique_ptr<Graph>> graphs_;
};

// The microseconds of a call, as apps/bench/src/gpu/table-worker.ts measures them.
inline double microsecondsOf(Graph const& graph, Request const& r) {
  graph.timed(1);
  const double once = graph.timed(1);
  const int launches = (int)std::fmax(1, std::fmin(r.launches, std::ceil(r.milliseconds / once)));
  return 1000 * graph.timed(launches) / launches / r.calls;
}
