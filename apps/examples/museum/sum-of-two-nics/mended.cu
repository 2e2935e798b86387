// Chunks take turns at two lanes, each of which counts what it has delivered. CTA 0 and 1 of the sender are the lanes.
// The receiver takes a chunk once the lane of that chunk has delivered it.

__device__ void add_release(unsigned *at) {
  asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
}

__device__ unsigned load_acquire(const unsigned *at) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ void deliver(unsigned *inbox, unsigned *ready, int chunks, int count, int lane) {
  for (int chunk = lane; chunk < chunks; chunk += 2) {
    if (threadIdx.x < count) inbox[chunk * count + threadIdx.x] = 100 * chunk + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) add_release(ready + lane);
  }
}

__device__ void receive(const unsigned *inbox, const unsigned *ready, unsigned *out, int chunks, int count) {
  for (int chunk = 0; chunk < chunks; chunk++) {
    while (load_acquire(ready + chunk % 2) < chunk / 2 + 1) {
    }
    if (threadIdx.x < count) out[chunk * count + threadIdx.x] = inbox[chunk * count + threadIdx.x];
  }
}

__global__ void sendAndReceive(unsigned *inbox, unsigned *ready, unsigned *out, int chunks, int count, int rank) {
  if (rank == 0) deliver(inbox, ready, chunks, count, blockIdx.x);
  else if (blockIdx.x == 0) receive(inbox, ready, out, chunks, count);
}
