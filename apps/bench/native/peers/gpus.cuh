// The GPUs of this process and the buffers on them.
#pragma once
#include <cuda_runtime.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

inline void check(cudaError_t error, char const* call) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}
#define CHECKED(call) check((call), #call)

// Memory of one GPU, which the others may read and write. It is freed with the last copy of this
// object.
class Memory {
 public:
  Memory() = default;
  Memory(int gpu, size_t bytes) {
    CHECKED(cudaSetDevice(gpu));
    void* at = nullptr;
    check(cudaMalloc(&at, bytes), ("cudaMalloc of " + std::to_string(bytes) + " bytes").c_str());
    at_ = std::shared_ptr<void>(at, [](void* p) { (void)cudaFree(p); });
  }
  template <typename T = char>
  T* as() const { return static_cast<T*>(at_.get()); }

 private:
  std::shared_ptr<void> at_;
};

struct Gpu {
  cudaStream_t stream = nullptr;
  Memory in, out;                        // of all programs
  Memory residual, residualOut, weight;  // of rms_norm
  Memory wrong;                          // a count
};

// Rows are not longer than this.
constexpr int MOST_HIDDEN = 8192;

// The first `count` GPUs, with a stream each. Each pair of them must have peer access.
inline std::vector<Gpu> openGpus(int count) {
  int present = 0;
  const cudaError_t error = cudaGetDeviceCount(&present);
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("cannot find GPUs because ") + cudaGetErrorString(error) +
                             "; install NVIDIA's driver of CUDA 13 or later");
  if (present < count)
    throw std::runtime_error("cannot use " + std::to_string(count) + " GPUs because there are " +
                             std::to_string(present) + "; give fewer with --gpus");
  std::vector<Gpu> gpus(count);
  for (int g = 0; g < count; g++) {
    CHECKED(cudaSetDevice(g));
    for (int other = 0; other < count; other++)
      if (other != g) CHECKED(cudaDeviceEnablePeerAccess(other, 0));
    CHECKED(cudaStreamCreateWithFlags(&gpus[g].stream, cudaStreamNonBlocking));
    gpus[g].wrong = Memory(g, sizeof(unsigned long long));
  }
  return gpus;
}

inline void synchronizeAll(std::vector<Gpu> const& gpus) {
  for (size_t g = 0; g < gpus.size(); g++) {
    CHECKED(cudaSetDevice((int)g));
    CHECKED(cudaDeviceSynchronize());
  }
}
