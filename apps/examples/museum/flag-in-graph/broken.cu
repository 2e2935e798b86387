// The host passes the color of this round. A replayed graph passes the same color each time.

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

__device__ void barrier(const Peers &peers, int place, int rank, int nRanks, unsigned color) {
  __syncthreads();
  if (threadIdx.x < nRanks) {
    store_release(peers.flags[threadIdx.x] + 8 * place + rank, color);
    while (load_acquire(peers.flags[rank] + 8 * place + threadIdx.x) != color) {
    }
  }
  __syncthreads();
}

__global__ void allReduce(Peers peers, unsigned *mine, unsigned *out, unsigned *round, int count, int rank, int nRanks,
                          unsigned baked) {
  int i = threadIdx.x;
  unsigned color = baked;
  if (i < count) mine[i] = rank + i;
  barrier(peers, 0, rank, nRanks, color);
  if (i < count) {
    unsigned sum = 0;
    for (int r = 0; r < nRanks; r++) sum += peers.data[r][i];
    out[i] = sum;
  }
  barrier(peers, 1, rank, nRanks, color);
}
