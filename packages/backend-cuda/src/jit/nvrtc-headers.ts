/*
 * The inputs that NVRTC needs to accept NCCL's headers, and texts that include C and C++ headers.
 * Nothing here describes an NCCL layout. That is in NCCL's own headers, which are read unchanged.
 */

/** The text of headers that NVRTC has built in, or that device code does not use. */
const nothing = '#pragma once\n';

/**
 * NCCL and CUDA include some headers inside `extern "C"`, where libcu++'s templates are not
 * allowed.
 */
function fromLibcudacxx(name: string): string {
  return `#pragma once
extern "C++" {
#include <cuda/std/${name}>
namespace cuda { namespace std {} }
namespace std { using namespace cuda::std; }
}
`;
}

/** NVRTC's own `offsetof` is not a constant expression. */
const offsetOf = `#undef offsetof
#define offsetof(type, member) __INTADDR__(&(((type*)0)->member))
`;

/** The name of `ncclPrelude` among the headers. */
export const ncclPreludeName = 'nccl_ts_prelude.h';

/**
 * The text that precedes everything else if NCCL's headers are included.
 *
 * - NVRTC rejects host functions. Without `__host__`, and with `-default-device`, they become GPU
 *   functions that nothing calls.
 * - NCCL's `loadConst` is a template with arrays of no elements in the branches that a type does
 *   not take, which NVRTC rejects. These overloads are equivalent for the types that NCCL loads
 *   with it, and C++ prefers them.
 */
const ncclPrelude = `#pragma once
#undef __host__
#define __host__
namespace nccl {
namespace utility {
template <class T> __device__ __forceinline__ T* loadConst(T* const* p) {
  return reinterpret_cast<T*>(__ldg(reinterpret_cast<unsigned long long const*>(p)));
}
__device__ __forceinline__ int loadConst(int const* p) { return __ldg(p); }
__device__ __forceinline__ unsigned int loadConst(unsigned int const* p) { return __ldg(p); }
__device__ __forceinline__ unsigned long long loadConst(unsigned long long const* p) { return __ldg(p); }
}  // namespace utility
}  // namespace nccl
`;

/**
 * The part of libcu++'s threads that its atomics need for `wait`, which kernels here do not call.
 * It is only declared, so a text that calls it does not link, and nvcc compiles it. The real header
 * includes all of `chrono`, which takes half of NVRTC's time. It also leaves a thousand constants
 * in the code, which a driver then takes milliseconds to load.
 */
const threadingSupport = `#pragma once
#include <cuda/std/detail/__config>
#define _LIBCUDACXX_POLLING_COUNT 16
_LIBCUDACXX_BEGIN_NAMESPACE_STD
template <class F, class... A> __device__ bool __cccl_thread_poll_with_backoff(F&&, A...);
__device__ void __cccl_thread_yield_processor();
__device__ void __cccl_thread_yield();
_LIBCUDACXX_END_NAMESPACE_STD
`;

/** Headers by name. NVRTC finds them before those of any directory. */
export const nvrtcHeaders: Readonly<Record<string, string>> = {
  [ncclPreludeName]: ncclPrelude,
  'assert.h': nothing,
  'limits.h': fromLibcudacxx('climits'),
  'stdbool.h': nothing,
  'stddef.h': fromLibcudacxx('cstddef') + offsetOf,
  'stdint.h': fromLibcudacxx('cstdint'),
  'stdio.h': nothing,
  'stdlib.h': nothing,
  'string.h': nothing,
  'cuda/std/__thread/threading_support.h': threadingSupport,
  cassert: nothing,
  climits: fromLibcudacxx('climits'),
  cstddef: fromLibcudacxx('cstddef') + offsetOf,
  cstdint: fromLibcudacxx('cstdint'),
  cstdio: nothing,
  cstdlib: nothing,
  cstring: nothing,
  new: nothing,
  type_traits: fromLibcudacxx('type_traits'),
};

/**
 * The number of types up to which libcu++ instantiates templates. Its default for NVRTC is 16,
 * which takes NVRTC half a second for each kernel. Its default for nvcc is 10.
 */
export const unrollLimit = '-D_CCCL_META_UNROLL_LIMIT=10';
