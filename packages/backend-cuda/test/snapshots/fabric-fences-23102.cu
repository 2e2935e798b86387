#include <cuda/atomic>
#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>
#include <nccl_device/impl/cft__funcs.h>

namespace nts {
// Waits until the launch before this one has ended and its writes are visible. The CTAs of the next one may then begin.
__device__ __forceinline__ void wait_for_earlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

__device__ __forceinline__ unsigned int thread_linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ unsigned int lane_id() { return thread_linear() & 31u; }

template <class To, class From> __device__ __forceinline__ To bitcast(From const& x) {
  static_assert(sizeof(To) == sizeof(From), "the sizes are equal");
  To r;
  memcpy(&r, &x, sizeof(r));
  return r;
}

template <int Bytes> struct word;
template <> struct word<1> { using type = unsigned char; };
template <> struct word<2> { using type = unsigned short; };
template <> struct word<4> { using type = unsigned int; };
template <> struct word<8> { using type = unsigned long long; };
template <cuda::thread_scope S, class T> __device__ __forceinline__ T load(T* p, cuda::memory_order order) {
  using W = typename word<sizeof(T)>::type;
  return bitcast<T>(cuda::atomic_ref<W, S>(*reinterpret_cast<W*>(p)).load(order));
}
template <cuda::thread_scope S, class T> __device__ __forceinline__ void store(T* p, T x, cuda::memory_order order) {
  using W = typename word<sizeof(T)>::type;
  cuda::atomic_ref<W, S>(*reinterpret_cast<W*>(p)).store(bitcast<W>(x), order);
}
template <cuda::thread_scope S, class T> __device__ __forceinline__ T cas(T* p, T expected, T desired, cuda::memory_order order) {
  cuda::atomic_ref<T, S>(*p).compare_exchange_strong(expected, desired, order);
  return expected;
}
template <cuda::thread_scope S, class T> __device__ __forceinline__ T exch(T* p, T x, cuda::memory_order order) {
  using W = typename word<sizeof(T)>::type;
  return bitcast<T>(cuda::atomic_ref<W, S>(*reinterpret_cast<W*>(p)).exchange(bitcast<W>(x), order));
}
}  // namespace nts

extern "C" __global__ void fabricFences(ncclDevComm const comm) {
  nts::wait_for_earlier();
  __syncthreads();
  if (nts::thread_linear() == 0u) {
    ncclMemFence(ncclCoopThread(), cuda::memory_order_release, ncclMemProxyType::Generic, ncclMemProxyType::Fabric, ncclMemFenceScope::Sys);
  }
  if (nts::thread_linear() == 0u) {
    ncclMemFence(ncclCoopThread(), cuda::memory_order_acquire, ncclMemProxyType::Fabric, ncclMemProxyType::Generic, ncclMemFenceScope::Sys);
  }
  __syncthreads();
  __syncthreads();
  if (nts::thread_linear() == 0u) {
    ncclMemFence(ncclCoopThread(), cuda::memory_order_acq_rel, ncclMemProxyType::Fabric, ncclMemProxyType::Fabric, ncclMemFenceScope::Sys);
  }
  __syncthreads();
  if (0u == 0u) {
    ncclMemFence(ncclCoopThread(), cuda::memory_order_release, ncclMemProxyType::Generic, ncclMemProxyType::Fabric, ncclMemFenceScope::Cta);
  }
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
}
