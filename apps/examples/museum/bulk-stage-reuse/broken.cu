// A rank sends its chunks to the next rank: bulk copies bring them into two stages of shared memory, and bulk copies take them out.
// A stage is used again once one copy at most is under way: that may be the copy out of this very stage.

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

__device__ void copy_out(unsigned *to, const unsigned *from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
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

__global__ void send(Peers peers, const unsigned *data, unsigned *out, int chunks, int rank, int nRanks, unsigned round) {
  __shared__ __align__(128) unsigned stages[2][8];
  __shared__ __align__(8) unsigned long long came[2];
  const unsigned bytes = sizeof(stages[0]);
  int next = (rank + 1) % nRanks;
  int half = (round % 2) * chunks * 8;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&came[s])));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int c = 0; c < 2; c++) copy_in(stages[c], data + 8 * c, bytes, &came[c]);
    for (int c = 0; c < chunks; c++) {
      int s = c % 2;
      wait_for(&came[s], c / 2 % 2);
      copy_out(peers.inbox[next] + half + 8 * c, stages[s], bytes);
      if (c + 2 < chunks) {
        asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
        copy_in(stages[s], data + 8 * (c + 2), bytes, &came[s]);
      }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    store_release(peers.flags[next], round);
    while (load_acquire(peers.flags[rank]) < round) {
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 8 * chunks; i += blockDim.x) out[i] = peers.inbox[rank][half + i];
}
