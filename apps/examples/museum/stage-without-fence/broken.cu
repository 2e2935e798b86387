// A rank sums its data and the chunks that a peer has put into its inbox, as a combine of experts does. One thread brings
// the chunks into two stages of shared memory by bulk copies, and a warp reads the stages.
// The warp gives a stage back by an arrive alone, which says nothing to bulk copies.

struct Peers {
  unsigned *inbox[8];
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

__device__ unsigned shared_address(const void *at) {
  unsigned long long address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(at));
  return (unsigned)address;
}

__device__ void copy_in(unsigned *to, const unsigned *from, unsigned bytes, unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ void arrive(unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void wait_for(unsigned long long *barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__global__ void combine(Peers peers, const unsigned *data, unsigned *out, int chunks, int rank, int nRanks, unsigned round) {
  __shared__ __align__(128) unsigned stages[2][32];
  __shared__ __align__(8) unsigned long long full[2], empty[2];
  const unsigned bytes = sizeof(stages[0]);
  int next = (rank + 1) % nRanks;
  int half = (round % 2) * chunks * 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&empty[s])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  for (int i = threadIdx.x; i < 32 * chunks; i += blockDim.x) peers.inbox[next][half + i] = data[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    store_release(peers.flags[next], round);
    while (load_acquire(peers.flags[rank]) < round) {
    }
    asm volatile("fence.proxy.async.global;" ::: "memory");
    for (int c = 0; c < chunks; c++) {
      int s = c % 2;
      if (c >= 2) wait_for(&empty[s], (c / 2 - 1) % 2);
      copy_in(stages[s], peers.inbox[rank] + half + 32 * c, bytes, &full[s]);
    }
  } else if (threadIdx.x >= 32) {
    int lane = threadIdx.x - 32;
    for (int c = 0; c < chunks; c++) {
      int s = c % 2;
      wait_for(&full[s], c / 2 % 2);
      out[32 * c + lane] = data[32 * c + lane] + stages[s][lane];
      __syncwarp();
      if (lane == 0) arrive(&empty[s]);
    }
  }
}
