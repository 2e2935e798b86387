// The inputs of a measurement and the comparison of its results. All values are whole numbers that
// are small enough for sums of 8 ranks and a residual to be exact in bf16, whatever the order.
#pragma once
#include <cuda_bf16.h>

namespace data {

constexpr int RESIDUAL = 100, WEIGHT = 101;  // beside the ranks

// From -16 to 15: the value at place `i` of rank `who`.
__device__ inline int whole(size_t i, int who) {
  unsigned h = (unsigned)i * 0x9e3779b1u + (unsigned)(who + 1) * 0x85ebca77u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  return (int)((h ^ (h >> 13)) >> 27) - 16;
}

// A weight is more than 0 and at most 2.
__device__ inline float weightAt(size_t i) { return (float)(whole(i, WEIGHT) + 17) * 0.0625f; }

__global__ void fill(__nv_bfloat16* to, size_t count, int who) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
    to[i] = __float2bfloat16(who == WEIGHT ? weightAt(i) : (float)whole(i, who));
}

__global__ void fillWords(unsigned* to, size_t count, unsigned bits) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
    to[i] = bits;
}

__device__ inline int sumAt(size_t i, int ranks) {
  int sum = 0;
  for (int rank = 0; rank < ranks; rank++) sum += whole(i, rank);
  return sum;
}

__global__ void countWrongSums(__nv_bfloat16 const* out, size_t count, int ranks, unsigned long long* wrong) {
  unsigned long long found = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
    if (!(__bfloat162float(out[i]) == (float)sumAt(i, ranks))) found++;
  if (found > 0) atomicAdd(wrong, found);
}

// One CTA of 256 threads a row: sums with the residual are exact, and normalised values are within
// a step of bf16.
__global__ void countWrongRows(__nv_bfloat16 const* sums, __nv_bfloat16 const* out, int hidden, int ranks,
                               double epsilon, unsigned long long* wrong) {
  __shared__ double parts[256];
  const size_t first = blockIdx.x * (size_t)hidden;
  auto wanted = [&](int i) { return sumAt(first + i, ranks) + whole(first + i, RESIDUAL); };
  double squares = 0;
  for (int i = threadIdx.x; i < hidden; i += 256) squares += (double)wanted(i) * wanted(i);
  parts[threadIdx.x] = squares;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  const double factor = rsqrt(parts[0] / hidden + epsilon);
  unsigned long long found = 0;
  for (int i = threadIdx.x; i < hidden; i += 256) {
    if (!(__bfloat162float(sums[first + i]) == (float)wanted(i))) found++;
    const double want = wanted(i) * factor * weightAt(i);
    if (!(fabs(__bfloat162float(out[first + i]) - want) <= fabs(want) / 128 + 1e-6)) found++;
  }
  if (found > 0) atomicAdd(wrong, found);
}

}  // namespace data
