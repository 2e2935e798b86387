// Each rank owns one byte of an 8-byte word. It stores its byte at every rank, and waits for the whole word.

struct Peers {
  unsigned *data[8];
  unsigned char *flags[8];
};

__device__ void barrier(const Peers &peers, int place, int rank, int nRanks, unsigned char epoch) {
  __threadfence_system();
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x < nRanks) {
    *(volatile unsigned char *)(peers.flags[threadIdx.x] + 8 * place + rank) = epoch;
  }
  if (threadIdx.x == 0) {
    unsigned long long all = 0;
    for (int r = 0; r < nRanks; r++) all |= (unsigned long long)epoch << (8 * r);
    while (*(volatile unsigned long long *)(peers.flags[rank] + 8 * place) != all) {
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
