#include <cuda_bf16.h>
#include <cuda/atomic>
#include <new>
#include <nccl.h>
#include <nccl_device/impl/comm__types.h>
#include <nccl_device/impl/core__funcs.h>
#include <nccl_device/impl/ptr__funcs.h>

namespace nts {
// Waits until the launch before this one has ended and its writes are visible. The CTAs of the next one may then begin.
__device__ __forceinline__ void wait_for_earlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Some of the values are addresses of windows, and not null. The branch makes ptxas compute all of them here.
template <class... T> __device__ __forceinline__ void early(T const*... values) {
  if ((... | reinterpret_cast<unsigned long long>(values)) == 0) __trap();
}

__device__ __forceinline__ unsigned int thread_linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ unsigned int lane_id() { return thread_linear() & 31u; }

template <class T, int N> struct alignas(sizeof(T) * N) vec { T v[N]; };
template <class T, int N, class F> __device__ __forceinline__ auto map(vec<T, N> const& a, F f) -> vec<decltype(f(a.v[0])), N> {
  vec<decltype(f(a.v[0])), N> r;
#pragma unroll
  for (int i = 0; i < N; i++) r.v[i] = f(a.v[i]);
  return r;
}
template <class T, int N, class F> __device__ __forceinline__ auto zip(vec<T, N> const& a, vec<T, N> const& b, F f) -> vec<decltype(f(a.v[0], b.v[0])), N> {
  vec<decltype(f(a.v[0], b.v[0])), N> r;
#pragma unroll
  for (int i = 0; i < N; i++) r.v[i] = f(a.v[i], b.v[i]);
  return r;
}
template <class T, int N> __device__ __forceinline__ vec<T, N> splat(T x) {
  vec<T, N> r;
#pragma unroll
  for (int i = 0; i < N; i++) r.v[i] = x;
  return r;
}
template <class T, int N> __device__ __forceinline__ vec<T, N> with_lane(vec<T, N> a, unsigned int i, T x) {
#pragma unroll
  for (int k = 0; k < N; k++) if (k == i) a.v[k] = x;
  return a;
}
template <class T, int N> __device__ __forceinline__ T lane(vec<T, N> const& a, unsigned int i) {
  T r = a.v[0];
#pragma unroll
  for (int k = 1; k < N; k++) if (k == i) r = a.v[k];
  return r;
}

__device__ __forceinline__ float f(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ __forceinline__ __nv_bfloat16 bf16(float x) { return __float2bfloat16_rn(x); }

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

// Reads a value of any type from a lane of the warp, as 32-bit words.
template <class T> __device__ __forceinline__ T from_lane(unsigned int mask, T const& x, unsigned int lane) {
  unsigned int words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &x, sizeof(T));
#pragma unroll
  for (int i = 0; i < (sizeof(T) + 3) / 4; i++) words[i] = __shfl_sync(mask, words[i], lane);
  T r;
  memcpy(&r, words, sizeof(T));
  return r;
}

__device__ __forceinline__ void store_sys_v4_b32(void* p, unsigned int x0, unsigned int x1, unsigned int x2, unsigned int x3) {
  asm volatile("st.relaxed.sys.v4.b32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"(x0), "r"(x1), "r"(x2), "r"(x3) : "memory");
}

__device__ __forceinline__ vec<unsigned int, 4> load_sys_v4_b32(void const* p) {
  vec<unsigned int, 4> r;
  asm volatile("ld.relaxed.sys.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3]) : "l"(p) : "memory");
  return r;
}
}  // namespace nts

extern "C" __global__ void fusedRMSNorm1of1(ncclDevComm const comm, unsigned int const exchange_words, unsigned int const exchange_turnWords, ncclWindow_t const send_window, unsigned long long const send_offset, ncclWindow_t const residual_window, unsigned long long const residual_offset, ncclWindow_t const weight_window, unsigned long long const weight_offset, ncclWindow_t const out_window, unsigned long long const out_offset, ncclWindow_t const residualOut_window, unsigned long long const residualOut_offset, unsigned int const rows, unsigned int const hidden) {
  const int send_window_lsaRank = send_window->lsaRank;
  char* const send_window_at = static_cast<char*>(ncclGetLsaPointer(send_window, 0, send_window_lsaRank));
  const int residual_window_lsaRank = residual_window->lsaRank;
  char* const residual_window_at = static_cast<char*>(ncclGetLsaPointer(residual_window, 0, residual_window_lsaRank));
  const int residualOut_window_lsaRank = residualOut_window->lsaRank;
  char* const residualOut_window_at = static_cast<char*>(ncclGetLsaPointer(residualOut_window, 0, residualOut_window_lsaRank));
  const int weight_window_lsaRank = weight_window->lsaRank;
  char* const weight_window_at = static_cast<char*>(ncclGetLsaPointer(weight_window, 0, weight_window_lsaRank));
  const int out_window_lsaRank = out_window->lsaRank;
  char* const out_window_at = static_cast<char*>(ncclGetLsaPointer(out_window, 0, out_window_lsaRank));
  const int comm_lsaRank = comm.lsaRank;
  const ncclWindow_t comm_resourceWindow = comm.resourceWindow;
  char* const comm_resourceWindow_at = static_cast<char*>(ncclGetLsaPointer(comm_resourceWindow, 0, comm_lsaRank));
  char* const comm_resourceWindow_base = static_cast<char*>(ncclGetLsaPointer(comm_resourceWindow, 0, 0));
  const unsigned long long comm_resourceWindow_step = (unsigned long long)(static_cast<char*>(ncclGetLsaPointer(comm_resourceWindow, 0, 1)) - comm_resourceWindow_base);
  unsigned int turnRows;
  unsigned int turn;
  unsigned int nth;
  unsigned int first;
  unsigned int j;
  nts::vec<__nv_bfloat16, 8> all;
  unsigned int k;
  unsigned int j_2;
  nts::vec<__nv_bfloat16, 8> all_1;
  unsigned int k_1;
  nts::vec<__nv_bfloat16, 8> all_2;
  unsigned int k_2;
  nts::vec<__nv_bfloat16, 8> all_3;
  unsigned int k_3;
  bool isHere;
  nts::vec<unsigned int, 4> chosen;
  nts::vec<unsigned int, 4> chosen_1;
  float squares;
  nts::vec<__nv_bfloat16, 8> word_2;
  float value;
  float value_1;
  float value_2;
  float value_3;
  float value_4;
  float value_5;
  float value_6;
  float value_7;
  unsigned int k_4;
  float total;
  unsigned int half_1;
  unsigned int first_6;
  float value_10;
  float value_11;
  float value_12;
  float value_13;
  float value_14;
  float value_15;
  float value_16;
  float value_17;
  nts::vec<__nv_bfloat16, 8> word_4;
  unsigned int k_5;
  nts::vec<unsigned int, 4> localArray[1];
  nts::vec<unsigned int, 4> localArray_1[1];
  nts::vec<unsigned int, 4> localArray_2[1];
  float localArray_3[8];
  nts::vec<unsigned int, 4> localArray_4[1];
  __shared__ float sharedArray[64];
  __nv_bfloat16* const send = reinterpret_cast<__nv_bfloat16*>(send_window_at + send_offset);
  __nv_bfloat16* const residual = reinterpret_cast<__nv_bfloat16*>(residual_window_at + residual_offset);
  __nv_bfloat16* const residualOut = reinterpret_cast<__nv_bfloat16*>(residualOut_window_at + residualOut_offset);
  __nv_bfloat16* const weight = reinterpret_cast<__nv_bfloat16*>(weight_window_at + weight_offset);
  __nv_bfloat16* const out = reinterpret_cast<__nv_bfloat16*>(out_window_at + out_offset);
  const unsigned int rank = (unsigned int)comm_lsaRank;
  const unsigned int bankBytes = (2u - 1u) * (16u * exchange_turnWords);
  const unsigned int regionBytes = (128u + (2u * bankBytes)) + 128u;
  const unsigned int region = blockIdx.x * regionBytes;
  unsigned int* const state = reinterpret_cast<unsigned int*>((reinterpret_cast<unsigned char*>(comm_resourceWindow_at + ((unsigned long long)exchange_words * 128ull)) + region));
  const unsigned int part = blockIdx.x % 1u;
  const unsigned int group = blockIdx.x / 1u;
  const unsigned int groups = gridDim.x / 1u;
  const unsigned int rowWords = 1u * blockDim.x;
  turnRows = 0u;
  turnRows = exchange_turnWords / rowWords;
  nts::early(send_window_at, residual_window_at, residualOut_window_at, weight_window_at, out_window_at, comm_resourceWindow_at, comm_resourceWindow_base, send, residual, residualOut, weight, out, state); nts::wait_for_earlier();
  const unsigned int v = *state;
  turn = v;
  nth = 0u;
  first = group;
  for (; first < rows; first = first + (groups * turnRows)) {
    if (nth > 0u) {
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
      __syncthreads();
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
    }
    j = 0u;
    for (; (j < turnRows) && ((first + (j * groups)) < rows); j = j + 1u) {
      __nv_bfloat16* const row = send + ((first + (j * groups)) * hidden);
      const unsigned int first_1 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u;
      if ((((unsigned int)reinterpret_cast<unsigned long long>(row) & 15u) == 0u) && ((first_1 + 8u) <= hidden)) {
        const nts::vec<unsigned int, 4> v_1 = *reinterpret_cast<nts::vec<unsigned int, 4>*>((row + first_1));
        *localArray = v_1;
      } else {
        all = nts::splat<__nv_bfloat16, 8>(__ushort_as_bfloat16(0x0));
        k = 0u;
        for (; (k < 8u) && ((first_1 + k) < hidden); k = k + 1u) {
          const __nv_bfloat16 v_2 = row[first_1 + k];
          all = nts::with_lane(all, k, v_2);
        }
        *localArray = nts::bitcast<nts::vec<unsigned int, 4>>(all);
      }
      const unsigned int peer = (rank + 1u) % 2u;
      const unsigned int from = (rank < peer) ? rank : (rank - 1u);
      nts::vec<unsigned int, 4>* const outbox = reinterpret_cast<nts::vec<unsigned int, 4>*>(((reinterpret_cast<unsigned char*>(comm_resourceWindow_base + (comm_resourceWindow_step * (int)peer + ((unsigned long long)exchange_words * 128ull))) + region) + ((128u + ((turn % 2u) * bankBytes)) + (from * (16u * exchange_turnWords)))));
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        const unsigned int j_1 = j;
        const nts::vec<unsigned int, 4> v_3 = *localArray;
        const unsigned int masked = v_3.v[0] ^ 4294639610u;
        const unsigned int masked_1 = v_3.v[1] ^ 4294639610u;
        const unsigned int masked_2 = v_3.v[2] ^ 4294639610u;
        const unsigned int masked_3 = v_3.v[3] ^ 4294639610u;
        nts::vec<unsigned int, 4>* const at = outbox + (((j_1 * rowWords) + (0u * blockDim.x)) + threadIdx.x);
        const nts::vec<unsigned int, 4> v_4 = nts::vec<unsigned int, 4>{{((masked == 0u) ? 65537u : masked), ((masked_1 == 0u) ? 65537u : masked_1), ((masked_2 == 0u) ? 65537u : masked_2), ((masked_3 == 0u) ? 65537u : masked_3)}};
        nts::store_sys_v4_b32(at, nts::bitcast<unsigned int>(v_4.v[0]), nts::bitcast<unsigned int>(v_4.v[1]), nts::bitcast<unsigned int>(v_4.v[2]), nts::bitcast<unsigned int>(v_4.v[3]));
      }
    }
    j_2 = 0u;
    for (; (j_2 < turnRows) && ((first + (j_2 * groups)) < rows); j_2 = j_2 + 1u) {
      const unsigned int at_1 = (first + (j_2 * groups)) * hidden;
      __nv_bfloat16* const from_1 = send + at_1;
      const unsigned int first_2 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u;
      if ((((unsigned int)reinterpret_cast<unsigned long long>(from_1) & 15u) == 0u) && ((first_2 + 8u) <= hidden)) {
        const nts::vec<unsigned int, 4> v_5 = *reinterpret_cast<nts::vec<unsigned int, 4>*>((from_1 + first_2));
        *localArray = v_5;
      } else {
        all_1 = nts::splat<__nv_bfloat16, 8>(__ushort_as_bfloat16(0x0));
        k_1 = 0u;
        for (; (k_1 < 8u) && ((first_2 + k_1) < hidden); k_1 = k_1 + 1u) {
          const __nv_bfloat16 v_6 = from_1[first_2 + k_1];
          all_1 = nts::with_lane(all_1, k_1, v_6);
        }
        *localArray = nts::bitcast<nts::vec<unsigned int, 4>>(all_1);
      }
      __nv_bfloat16* const from_2 = residual + at_1;
      const unsigned int first_3 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u;
      if ((((unsigned int)reinterpret_cast<unsigned long long>(from_2) & 15u) == 0u) && ((first_3 + 8u) <= hidden)) {
        const nts::vec<unsigned int, 4> v_7 = *reinterpret_cast<nts::vec<unsigned int, 4>*>((from_2 + first_3));
        *localArray_1 = v_7;
      } else {
        all_2 = nts::splat<__nv_bfloat16, 8>(__ushort_as_bfloat16(0x0));
        k_2 = 0u;
        for (; (k_2 < 8u) && ((first_3 + k_2) < hidden); k_2 = k_2 + 1u) {
          const __nv_bfloat16 v_8 = from_2[first_3 + k_2];
          all_2 = nts::with_lane(all_2, k_2, v_8);
        }
        *localArray_1 = nts::bitcast<nts::vec<unsigned int, 4>>(all_2);
      }
      const unsigned int first_4 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u;
      if ((((unsigned int)reinterpret_cast<unsigned long long>(weight) & 15u) == 0u) && ((first_4 + 8u) <= hidden)) {
        const nts::vec<unsigned int, 4> v_9 = *reinterpret_cast<nts::vec<unsigned int, 4>*>((weight + first_4));
        *localArray_2 = v_9;
      } else {
        all_3 = nts::splat<__nv_bfloat16, 8>(__ushort_as_bfloat16(0x0));
        k_3 = 0u;
        for (; (k_3 < 8u) && ((first_4 + k_3) < hidden); k_3 = k_3 + 1u) {
          const __nv_bfloat16 v_10 = weight[first_4 + k_3];
          all_3 = nts::with_lane(all_3, k_3, v_10);
        }
        *localArray_2 = nts::bitcast<nts::vec<unsigned int, 4>>(all_3);
      }
      for (;;) {
        isHere = true;
        if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
          const unsigned int j_3 = j_2;
          nts::vec<unsigned int, 4>* const at_2 = reinterpret_cast<nts::vec<unsigned int, 4>*>(((reinterpret_cast<unsigned char*>(comm_resourceWindow_at + ((unsigned long long)exchange_words * 128ull)) + region) + ((128u + ((turn % 2u) * bankBytes)) + (0u * (16u * exchange_turnWords))))) + (((j_3 * rowWords) + (0u * blockDim.x)) + threadIdx.x);
          const auto line = nts::load_sys_v4_b32(at_2);
          const unsigned int v_11 = nts::bitcast<unsigned int>(line.v[0]);
          const unsigned int v_12 = nts::bitcast<unsigned int>(line.v[1]);
          const unsigned int v_13 = nts::bitcast<unsigned int>(line.v[2]);
          const unsigned int v_14 = nts::bitcast<unsigned int>(line.v[3]);
          const nts::vec<unsigned int, 4> v_15 = nts::vec<unsigned int, 4>{{v_11, v_12, v_13, v_14}};
          *localArray_4 = v_15;
          isHere = isHere && (((v_15.v[0] < v_15.v[1] ? v_15.v[0] : v_15.v[1]) < (v_15.v[2] < v_15.v[3] ? v_15.v[2] : v_15.v[3]) ? (v_15.v[0] < v_15.v[1] ? v_15.v[0] : v_15.v[1]) : (v_15.v[2] < v_15.v[3] ? v_15.v[2] : v_15.v[3])) != 0u);
        }
        if (isHere) break;
      }
      const nts::vec<unsigned int, 4> v_16 = *localArray_4;
      const nts::vec<unsigned int, 4> v_17 = *localArray_4;
      if (0u == rank) {
        const nts::vec<unsigned int, 4> v_18 = *localArray;
        chosen = v_18;
      } else {
        chosen = nts::zip(v_16, nts::splat<unsigned int, 4>(4294639610u), [](unsigned int x, unsigned int y) { return (x ^ y); });
      }
      const nts::vec<unsigned int, 4> word = chosen;
      const nts::vec<__nv_bfloat16, 8> came = nts::bitcast<nts::vec<__nv_bfloat16, 8>>(word);
      const float next = (float)nts::f(came.v[0]);
      *localArray_3 = next;
      const float next_1 = (float)nts::f(came.v[1]);
      localArray_3[1] = next_1;
      const float next_2 = (float)nts::f(came.v[2]);
      localArray_3[2] = next_2;
      const float next_3 = (float)nts::f(came.v[3]);
      localArray_3[3] = next_3;
      const float next_4 = (float)nts::f(came.v[4]);
      localArray_3[4] = next_4;
      const float next_5 = (float)nts::f(came.v[5]);
      localArray_3[5] = next_5;
      const float next_6 = (float)nts::f(came.v[6]);
      localArray_3[6] = next_6;
      const float next_7 = (float)nts::f(came.v[7]);
      localArray_3[7] = next_7;
      const nts::vec<unsigned int, 4> v_19 = *localArray_4;
      const nts::vec<unsigned int, 4> v_20 = *localArray_4;
      if (1u == rank) {
        const nts::vec<unsigned int, 4> v_21 = *localArray;
        chosen_1 = v_21;
      } else {
        chosen_1 = nts::zip(v_20, nts::splat<unsigned int, 4>(4294639610u), [](unsigned int x, unsigned int y) { return (x ^ y); });
      }
      const nts::vec<unsigned int, 4> word_1 = chosen_1;
      const nts::vec<__nv_bfloat16, 8> came_1 = nts::bitcast<nts::vec<__nv_bfloat16, 8>>(word_1);
      const float next_8 = (float)nts::f(came_1.v[0]);
      const float v_22 = *localArray_3;
      *localArray_3 = v_22 + next_8;
      const float next_9 = (float)nts::f(came_1.v[1]);
      const float v_23 = localArray_3[1];
      localArray_3[1] = v_23 + next_9;
      const float next_10 = (float)nts::f(came_1.v[2]);
      const float v_24 = localArray_3[2];
      localArray_3[2] = v_24 + next_10;
      const float next_11 = (float)nts::f(came_1.v[3]);
      const float v_25 = localArray_3[3];
      localArray_3[3] = v_25 + next_11;
      const float next_12 = (float)nts::f(came_1.v[4]);
      const float v_26 = localArray_3[4];
      localArray_3[4] = v_26 + next_12;
      const float next_13 = (float)nts::f(came_1.v[5]);
      const float v_27 = localArray_3[5];
      localArray_3[5] = v_27 + next_13;
      const float next_14 = (float)nts::f(came_1.v[6]);
      const float v_28 = localArray_3[6];
      localArray_3[6] = v_28 + next_14;
      const float next_15 = (float)nts::f(came_1.v[7]);
      const float v_29 = localArray_3[7];
      localArray_3[7] = v_29 + next_15;
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        const unsigned int j_4 = j_2;
        reinterpret_cast<nts::vec<unsigned int, 4>*>(((reinterpret_cast<unsigned char*>(comm_resourceWindow_at + ((unsigned long long)exchange_words * 128ull)) + region) + ((128u + ((turn % 2u) * bankBytes)) + (0u * (16u * exchange_turnWords)))))[((j_4 * rowWords) + (0u * blockDim.x)) + threadIdx.x] = nts::splat<unsigned int, 4>(0u);
      }
      squares = 0.0f;
      word_2 = nts::splat<__nv_bfloat16, 8>(__ushort_as_bfloat16(0x0));
      const nts::vec<unsigned int, 4> v_30 = *localArray_1;
      const nts::vec<__nv_bfloat16, 8> extra = nts::bitcast<nts::vec<__nv_bfloat16, 8>>(v_30);
      const float v_31 = *localArray_3;
      value = v_31;
      value = value + (float)nts::f(extra.v[0]);
      const __nv_bfloat16 rounded = nts::bf16(value);
      word_2 = nts::with_lane(word_2, 0u, rounded);
      *localArray_3 = (float)nts::f(rounded);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded) * (float)nts::f(rounded));
      }
      const float v_32 = localArray_3[1];
      value_1 = v_32;
      value_1 = value_1 + (float)nts::f(extra.v[1]);
      const __nv_bfloat16 rounded_1 = nts::bf16(value_1);
      word_2 = nts::with_lane(word_2, 1u, rounded_1);
      localArray_3[1] = (float)nts::f(rounded_1);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded_1) * (float)nts::f(rounded_1));
      }
      const float v_33 = localArray_3[2];
      value_2 = v_33;
      value_2 = value_2 + (float)nts::f(extra.v[2]);
      const __nv_bfloat16 rounded_2 = nts::bf16(value_2);
      word_2 = nts::with_lane(word_2, 2u, rounded_2);
      localArray_3[2] = (float)nts::f(rounded_2);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded_2) * (float)nts::f(rounded_2));
      }
      const float v_34 = localArray_3[3];
      value_3 = v_34;
      value_3 = value_3 + (float)nts::f(extra.v[3]);
      const __nv_bfloat16 rounded_3 = nts::bf16(value_3);
      word_2 = nts::with_lane(word_2, 3u, rounded_3);
      localArray_3[3] = (float)nts::f(rounded_3);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded_3) * (float)nts::f(rounded_3));
      }
      const float v_35 = localArray_3[4];
      value_4 = v_35;
      value_4 = value_4 + (float)nts::f(extra.v[4]);
      const __nv_bfloat16 rounded_4 = nts::bf16(value_4);
      word_2 = nts::with_lane(word_2, 4u, rounded_4);
      localArray_3[4] = (float)nts::f(rounded_4);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded_4) * (float)nts::f(rounded_4));
      }
      const float v_36 = localArray_3[5];
      value_5 = v_36;
      value_5 = value_5 + (float)nts::f(extra.v[5]);
      const __nv_bfloat16 rounded_5 = nts::bf16(value_5);
      word_2 = nts::with_lane(word_2, 5u, rounded_5);
      localArray_3[5] = (float)nts::f(rounded_5);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded_5) * (float)nts::f(rounded_5));
      }
      const float v_37 = localArray_3[6];
      value_6 = v_37;
      value_6 = value_6 + (float)nts::f(extra.v[6]);
      const __nv_bfloat16 rounded_6 = nts::bf16(value_6);
      word_2 = nts::with_lane(word_2, 6u, rounded_6);
      localArray_3[6] = (float)nts::f(rounded_6);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded_6) * (float)nts::f(rounded_6));
      }
      const float v_38 = localArray_3[7];
      value_7 = v_38;
      value_7 = value_7 + (float)nts::f(extra.v[7]);
      const __nv_bfloat16 rounded_7 = nts::bf16(value_7);
      word_2 = nts::with_lane(word_2, 7u, rounded_7);
      localArray_3[7] = (float)nts::f(rounded_7);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        squares = squares + ((float)nts::f(rounded_7) * (float)nts::f(rounded_7));
      }
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        const nts::vec<__nv_bfloat16, 8> word_3 = word_2;
        __nv_bfloat16* const to = residualOut + at_1;
        const unsigned int first_5 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u;
        if ((((unsigned int)reinterpret_cast<unsigned long long>(to) & 15u) == 0u) && ((first_5 + 8u) <= hidden)) {
          *reinterpret_cast<nts::vec<__nv_bfloat16, 8>*>((to + first_5)) = word_3;
        } else {
          k_4 = 0u;
          for (; (k_4 < 8u) && ((first_5 + k_4) < hidden); k_4 = k_4 + 1u) {
            to[first_5 + k_4] = nts::lane(word_3, k_4);
          }
        }
      }
      const unsigned int sumPlace = ((turn % 2u) * turnRows) + j_2;
      const float value_8 = squares;
      const unsigned int nth_1 = nth;
      const unsigned int nWarps = blockDim.x / 32u;
      total = value_8;
      half_1 = 16u;
      for (; half_1 > 0u; half_1 = half_1 / 2u) {
        const unsigned int mask = half_1;
        const float shflXor = nts::from_lane(0xffffffffu, total, (((nts::lane_id() & 31u) ^ mask) <= 31u ? (nts::lane_id() & 0u) + ((nts::lane_id() & 31u) ^ mask) : nts::lane_id()));
        const float a = total;
        total = a + shflXor;
      }
      float* const sums = sharedArray + ((nth_1 % 2u) * 32u);
      if ((threadIdx.x % 32u) == 0u) {
        sums[threadIdx.x / 32u] = total;
      }
      __syncthreads();
      const float v_39 = *sums;
      total = v_39;
      first_6 = 0u;
      for (; first_6 < nWarps; first_6 = first_6 + 8u) {
        if (((first_6 + 0u) > 0u) && ((first_6 + 0u) < nWarps)) {
          const float v_40 = sums[first_6 + 0u];
          const float a_1 = total;
          total = a_1 + v_40;
        }
        if (((first_6 + 1u) > 0u) && ((first_6 + 1u) < nWarps)) {
          const float v_41 = sums[first_6 + 1u];
          const float a_2 = total;
          total = a_2 + v_41;
        }
        if (((first_6 + 2u) > 0u) && ((first_6 + 2u) < nWarps)) {
          const float v_42 = sums[first_6 + 2u];
          const float a_3 = total;
          total = a_3 + v_42;
        }
        if (((first_6 + 3u) > 0u) && ((first_6 + 3u) < nWarps)) {
          const float v_43 = sums[first_6 + 3u];
          const float a_4 = total;
          total = a_4 + v_43;
        }
        if (((first_6 + 4u) > 0u) && ((first_6 + 4u) < nWarps)) {
          const float v_44 = sums[first_6 + 4u];
          const float a_5 = total;
          total = a_5 + v_44;
        }
        if (((first_6 + 5u) > 0u) && ((first_6 + 5u) < nWarps)) {
          const float v_45 = sums[first_6 + 5u];
          const float a_6 = total;
          total = a_6 + v_45;
        }
        if (((first_6 + 6u) > 0u) && ((first_6 + 6u) < nWarps)) {
          const float v_46 = sums[first_6 + 6u];
          const float a_7 = total;
          total = a_7 + v_46;
        }
        if (((first_6 + 7u) > 0u) && ((first_6 + 7u) < nWarps)) {
          const float v_47 = sums[first_6 + 7u];
          const float a_8 = total;
          total = a_8 + v_47;
        }
      }
      const float value_9 = total;
      const unsigned int turn_1 = turn;
      const float factor = __frsqrt_rn(((value_9 / (float)hidden) + 0.000009999999747378752f));
      const float largest = 0.0f;
      const nts::vec<unsigned int, 4> v_48 = *localArray_2;
      const nts::vec<__nv_bfloat16, 8> factorsOfWord = nts::bitcast<nts::vec<__nv_bfloat16, 8>>(v_48);
      const float v_49 = *localArray_3;
      value_10 = v_49 * factor;
      value_10 = value_10 * (float)nts::f(factorsOfWord.v[0]);
      *localArray_3 = value_10;
      const float v_50 = localArray_3[1];
      value_11 = v_50 * factor;
      value_11 = value_11 * (float)nts::f(factorsOfWord.v[1]);
      localArray_3[1] = value_11;
      const float v_51 = localArray_3[2];
      value_12 = v_51 * factor;
      value_12 = value_12 * (float)nts::f(factorsOfWord.v[2]);
      localArray_3[2] = value_12;
      const float v_52 = localArray_3[3];
      value_13 = v_52 * factor;
      value_13 = value_13 * (float)nts::f(factorsOfWord.v[3]);
      localArray_3[3] = value_13;
      const float v_53 = localArray_3[4];
      value_14 = v_53 * factor;
      value_14 = value_14 * (float)nts::f(factorsOfWord.v[4]);
      localArray_3[4] = value_14;
      const float v_54 = localArray_3[5];
      value_15 = v_54 * factor;
      value_15 = value_15 * (float)nts::f(factorsOfWord.v[5]);
      localArray_3[5] = value_15;
      const float v_55 = localArray_3[6];
      value_16 = v_55 * factor;
      value_16 = value_16 * (float)nts::f(factorsOfWord.v[6]);
      localArray_3[6] = value_16;
      const float v_56 = localArray_3[7];
      value_17 = v_56 * factor;
      value_17 = value_17 * (float)nts::f(factorsOfWord.v[7]);
      localArray_3[7] = value_17;
      const float inverse = 1.0f;
      word_4 = nts::splat<__nv_bfloat16, 8>(__ushort_as_bfloat16(0x0));
      const float v_57 = *localArray_3;
      const float value_18 = v_57;
      word_4 = nts::with_lane(word_4, 0u, nts::bf16(value_18));
      const float v_58 = localArray_3[1];
      const float value_19 = v_58;
      word_4 = nts::with_lane(word_4, 1u, nts::bf16(value_19));
      const float v_59 = localArray_3[2];
      const float value_20 = v_59;
      word_4 = nts::with_lane(word_4, 2u, nts::bf16(value_20));
      const float v_60 = localArray_3[3];
      const float value_21 = v_60;
      word_4 = nts::with_lane(word_4, 3u, nts::bf16(value_21));
      const float v_61 = localArray_3[4];
      const float value_22 = v_61;
      word_4 = nts::with_lane(word_4, 4u, nts::bf16(value_22));
      const float v_62 = localArray_3[5];
      const float value_23 = v_62;
      word_4 = nts::with_lane(word_4, 5u, nts::bf16(value_23));
      const float v_63 = localArray_3[6];
      const float value_24 = v_63;
      word_4 = nts::with_lane(word_4, 6u, nts::bf16(value_24));
      const float v_64 = localArray_3[7];
      const float value_25 = v_64;
      word_4 = nts::with_lane(word_4, 7u, nts::bf16(value_25));
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u) < hidden) {
        const nts::vec<__nv_bfloat16, 8> word_5 = word_4;
        __nv_bfloat16* const to_1 = out + at_1;
        const unsigned int first_7 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 8u;
        if ((((unsigned int)reinterpret_cast<unsigned long long>(to_1) & 15u) == 0u) && ((first_7 + 8u) <= hidden)) {
          *reinterpret_cast<nts::vec<__nv_bfloat16, 8>*>((to_1 + first_7)) = word_5;
        } else {
          k_5 = 0u;
          for (; (k_5 < 8u) && ((first_7 + k_5) < hidden); k_5 = k_5 + 1u) {
            to_1[first_7 + k_5] = nts::lane(word_5, k_5);
          }
        }
      }
      nth = nth + 1u;
    }
    turn = turn + 1u;
  }
  __syncthreads();
  if (threadIdx.x == 0u) {
    *state = turn;
  }
}
