// A barrier of all GPUs in peer memory. Each CTA has a flag for every rank at every rank, which holds the
// number of the barrier. Around it, each rank reads what its neighbour has written.

struct Peers {
  float *data[8];
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

// Thread r tells rank r, and waits until rank r has told this one.
__device__ void barrier(const Peers &peers, int rank, int nRanks, unsigned number) {
  __syncthreads();
  if (threadIdx.x < nRanks) {
    store_release(peers.flags[threadIdx.x] + blockIdx.x * nRanks + rank, number);
    while (load_acquire(peers.flags[rank] + blockIdx.x * nRanks + threadIdx.x) < number) {
    }
  }
  __syncthreads();
}

__global__ void readNeighbour(Peers peers, float *out, int count, int rank, int nRanks, unsigned launch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) peers.data[rank][i] = 100 * launch + 10 * rank + i;
  barrier(peers, rank, nRanks, 2 * launch + 1);
  if (i < count) out[i] = peers.data[(rank + 1) % nRanks][i];
  // No rank writes anew before its neighbour has read.
  barrier(peers, rank, nRanks, 2 * launch + 2);
}
