// Each launch copies its input into the buffer that peers read. No rank leaves before its peers have read it.

__device__ void put_signal(unsigned *at) {
  unsigned before;
  do {
    asm volatile("atom.release.sys.global.cas.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(at) : "memory");
  } while (before != 0);
}

__device__ void wait_signal(unsigned *at) {
  unsigned before;
  do {
    asm volatile("atom.acquire.sys.global.cas.b32 %0, [%1], 1, 0;" : "=r"(before) : "l"(at) : "memory");
  } while (before != 1);
}

__device__ void barrier(unsigned **pads, int rank, int nRanks) {
  __syncthreads();
  if (threadIdx.x < nRanks) {
    put_signal(pads[threadIdx.x] + rank);
    wait_signal(pads[rank] + threadIdx.x);
  }
  __syncthreads();
}

__global__ void oneShotAllReduce(float **buffers, unsigned **pads, const float *input, float *out, int count, int rank, int nRanks) {
  int i = threadIdx.x;
  if (i < count) buffers[rank][i] = input[i];
  barrier(pads, rank, nRanks);
  if (i < count) {
    float sum = 0;
    for (int r = 0; r < nRanks; r++) sum += buffers[r][i];
    out[i] = sum;
  }
  barrier(pads, rank, nRanks);
}
