// An implementation of AllReduce that peers.cu measures.
#pragma once
#include <string>
#include <vector>

#include "gpus.cuh"
#include "request.h"

class Contender {
 public:
  virtual ~Contender() = default;
  // Why it does not make this call. Empty if it does.
  virtual std::string refusal(Request const& request) const = 0;
  // Records the call of one rank on the rank's stream. Its data begin `at` bytes into the buffers.
  virtual void start(Request const& request, int rank, size_t at) = 0;
  // The calls that were started are recorded, and no graph of them was launched.
  virtual void recorded() {}
};
