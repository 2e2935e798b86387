// AllReduce of bf16 on two GPUs by flagless push in words of 16 bytes. Both push-prototype.cu and
// peers.cu launch it. `mine` and `theirs` have 2 * CTAS * ROOM words and begin as zeros, and so do
// the turns, 128 bytes apart for each CTA.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace pushed {

constexpr unsigned S = 0xfffafffau, SPARE = 0x00010001u;
constexpr int ROOM = 4096, CTAS = 264;  // words of a CTA in a bank

__device__ uint4 poll(uint4 const* p) {
  uint4 v;
  asm volatile("ld.relaxed.sys.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
  return v;
}
__device__ void put(uint4* p, uint4 v) {
  asm volatile("st.relaxed.sys.v4.b32 [%0], {%1,%2,%3,%4};" :: "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
__device__ unsigned mask(unsigned x) { x ^= S; return x == 0 ? SPARE : x; }
__device__ unsigned add2(unsigned a, unsigned b) {
  __nv_bfloat162 x = *(__nv_bfloat162*)&a, y = *(__nv_bfloat162*)&b;
  float2 f = __bfloat1622float2(x), g = __bfloat1622float2(y);
  __nv_bfloat162 r = __floats2bfloat162_rn(f.x + g.x, f.y + g.y);
  return *(unsigned*)&r;
}

// Each thread has K words at a time. With Early the next launch may begin before the one before
// this one has ended.
template <int K, bool Early>
__global__ void push(uint4 const* in, uint4* out, uint4* mine, uint4* theirs, unsigned* turns, unsigned words) {
  if constexpr (Early) asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if constexpr (!Early) asm volatile("griddepcontrol.launch_dependents;");
  const unsigned turn = turns[32 * blockIdx.x];
  const unsigned share = (words + 8 * gridDim.x - 1) / (8 * gridDim.x) * 8;
  const unsigned begin = share * blockIdx.x, end = min(begin + share, words);
  if (begin >= end) return;
  const size_t place = ((turn & 1) * CTAS + blockIdx.x) * (size_t)ROOM;
  for (unsigned at = threadIdx.x; begin + at - threadIdx.x < end; at += K * blockDim.x) {
    uint4 own[K], came[K];
#pragma unroll
    for (int k = 0; k < K; k++) if (begin + at + k * blockDim.x < end) own[k] = in[begin + at + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < K; k++) if (begin + at + k * blockDim.x < end)
      put(theirs + place + at + k * blockDim.x, uint4{mask(own[k].x), mask(own[k].y), mask(own[k].z), mask(own[k].w)});
    bool here;
    do {
      here = true;
#pragma unroll
      for (int k = 0; k < K; k++) if (begin + at + k * blockDim.x < end) {
        came[k] = poll(mine + place + at + k * blockDim.x);
        here = here && min(min(came[k].x, came[k].y), min(came[k].z, came[k].w)) != 0;
      }
    } while (!here);
#pragma unroll
    for (int k = 0; k < K; k++) if (begin + at + k * blockDim.x < end) {
      out[begin + at + k * blockDim.x] = uint4{add2(own[k].x, came[k].x ^ S), add2(own[k].y, came[k].y ^ S), add2(own[k].z, came[k].z ^ S), add2(own[k].w, came[k].w ^ S)};
      put(mine + place + at + k * blockDim.x, uint4{0, 0, 0, 0});
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) turns[32 * blockIdx.x] = turn + 1;
}

}  // namespace pushed
