#include <nvshmem.h>
#include <nvshmemx.h>

// Each PE puts a block into the inbox of the next one, with a signal that comes with it. The next one waits for
// the signal, and tells that it has read, before it is sent another block.
extern "C" __global__ void passOn(float *inbox, uint64_t *came, uint64_t *read, const float *data, float *out,
                                  int count, uint64_t launch) {
  int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  int next = (me + 1) % n, prev = (me + n - 1) % n;
  if (threadIdx.x == 0) nvshmem_signal_wait_until(read, NVSHMEM_CMP_GE, launch);
  __syncthreads();
  nvshmemx_float_put_signal_block(inbox, data, count, came, launch + 1, NVSHMEM_SIGNAL_SET, next);
  if (threadIdx.x == 0) nvshmem_signal_wait_until(came, NVSHMEM_CMP_GE, launch + 1);
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) out[i] = inbox[i] + launch;
  __syncthreads();
  if (threadIdx.x == 0) {
    // A signal on its own orders nothing before it.
    nvshmem_fence();
    nvshmemx_signal_op(read, launch + 1, NVSHMEM_SIGNAL_SET, prev);
  }
}
