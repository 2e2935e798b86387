// An AllGather around a ring: in each step a rank passes a part on to the rank after it, and waits for the next
// part from the rank before it. A counter tells how many parts have come; another, how many launches the rank
// after it has read.

struct Neighbours {
  float *next;           // the gathered data of the rank after this one
  unsigned *next_came;   // how many parts have come there
  unsigned *prev_read;   // at the rank before this one: how many launches this one has read
};

__device__ void store_release(unsigned *at, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

__device__ void wait_for(const unsigned *at, unsigned value) {
  unsigned seen;
  do asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(at) : "memory");
  while (seen < value);
}

__global__ void allGatherRing(Neighbours ring, const float *mine, float *all, const unsigned *came,
                              const unsigned *read, float *out, int count, int rank, int nRanks, unsigned launch) {
  int i = threadIdx.x;
  if (i < count) all[rank * count + i] = mine[i] + launch;
  // The rank after this one has read what the launch before brought.
  if (i == 0) wait_for(read, launch);
  __syncthreads();
  for (int step = 0; step < nRanks - 1; step++) {
    int part = (rank + nRanks - step) % nRanks;
    if (i < count) ring.next[part * count + i] = all[part * count + i];
    __syncthreads();
    unsigned number = launch * (nRanks - 1) + step + 1;
    if (i == 0) {
      store_release(ring.next_came, number);
      wait_for(came, number);
    }
    __syncthreads();
  }
  for (int k = i; k < count * nRanks; k += blockDim.x) out[k] = all[k];
  __syncthreads();
  if (i == 0) store_release(ring.prev_read, launch + 1);
}
