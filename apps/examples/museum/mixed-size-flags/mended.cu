// Each rank owns one 4-byte flag at every rank. Every flag is stored and loaded by accesses of one size.

struct Peers {
  unsigned *data[8];
  unsigned *flags[8];
};

__device__ void barrier(const Peers &peers, int place, int rank, int nRanks, unsigned epoch) {
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x < nRanks) {
    *(volatile unsigned *)(peers.flags[threadIdx.x] + 8 * place + rank) = epoch;
    while (*(volatile unsigned *)(peers.flags[rank] + 8 * place + threadIdx.x) < epoch) {
    }
    __threadfence_system();
  }
  __syncthreads();
}

__global__ void allReduce(Peers peers, unsigned *mine, unsigned *out, int count, int rank, int nRanks, unsigned epoch) {
  int i = threadIdx.x;
  if (i < count) mine[i] = rank + i + epoch;
  barrier(peers, 0, rank, nRanks, epoch);
  if (i < count) {
    unsigned sum = 0;
    for (int r = 0; r < nRanks; r++) sum += peers.data[r][i];
    out[i] = sum;
  }
  barrier(peers, 1, rank, nRanks, epoch);
}
