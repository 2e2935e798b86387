// No rank leaves before all have read, so the next launch may write the input.

struct Peers {
  unsigned *data[8];
  unsigned *flags[8];
};

__device__ void store_release(unsigned *at, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

__device__ unsigned load_acquire(const unsigned *at) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ void barrier(const Peers &peers, int rank, int nRanks, unsigned epoch) {
  __syncthreads();
  if (threadIdx.x < nRanks) {
    store_release(peers.flags[threadIdx.x] + rank, epoch);
    while (load_acquire(peers.flags[rank] + threadIdx.x) < epoch) {
    }
  }
  __syncthreads();
}

__global__ void allReduce(Peers peers, unsigned *mine, unsigned *out, int count, int rank, int nRanks, unsigned epoch) {
  int i = threadIdx.x;
  if (i < count) mine[i] = rank + i + epoch;
  barrier(peers, rank, nRanks, 2 * epoch - 1);
  if (i < count) {
    unsigned sum = 0;
    for (int r = 0; r < nRanks; r++) sum += peers.data[r][i];
    out[i] = sum;
  }
  barrier(peers, rank, nRanks, 2 * epoch);
}
