// A one-shot AllReduce: every rank reads the data of all ranks, four numbers at a time, and sums them.
// The barrier before it waits until all data is there; the one after it, until all have read.

struct Peers {
  const float4 *data[8];
};

struct Signals {
  unsigned *flags[8];
};

__device__ void tell(unsigned *at, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

__device__ unsigned look(const unsigned *at) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

template <int nRanks>
__device__ void barrier(const Signals &signals, int rank, unsigned number) {
  __syncthreads();
  if (threadIdx.x < nRanks) {
    tell(signals.flags[threadIdx.x] + blockIdx.x * nRanks + rank, number);
    // A peer may be one barrier ahead, so its flag may already be larger.
    while (look(signals.flags[rank] + blockIdx.x * nRanks + threadIdx.x) < number) {
    }
  }
  __syncthreads();
}

template <int nRanks>
__global__ void oneShot(Peers peers, Signals signals, float4 *out, int rank, int size, unsigned launch) {
  barrier<nRanks>(signals, rank, 2 * launch + 1);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int r = 0; r < nRanks; r++) {
      float4 one = peers.data[r][i];
      sum.x += one.x, sum.y += one.y, sum.z += one.z, sum.w += one.w;
    }
    out[i] = sum;
  }
  barrier<nRanks>(signals, rank, 2 * launch + 2);
}

template __global__ void oneShot<2>(Peers, Signals, float4 *, int, int, unsigned);
