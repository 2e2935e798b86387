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

__device__ __forceinline__ void store_sys_v4_b32(void* p, unsigned int x0, unsigned int x1, unsigned int x2, unsigned int x3) {
  asm volatile("st.relaxed.sys.v4.b32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"(x0), "r"(x1), "r"(x2), "r"(x3) : "memory");
}

__device__ __forceinline__ vec<unsigned int, 4> load_sys_v4_b32(void const* p) {
  vec<unsigned int, 4> r;
  asm volatile("ld.relaxed.sys.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3]) : "l"(p) : "memory");
  return r;
}
}  // namespace nts

extern "C" __global__ void rmsNormPush(ncclWindow_t const data_window, unsigned long long const data_offset, unsigned int const tokens, unsigned int const hidden, float const eps, unsigned int const exchange_words, unsigned int const exchange_turnWords, ncclDevComm const comm) {
  const int data_window_lsaRank = data_window->lsaRank;
  char* const data_window_at = static_cast<char*>(ncclGetLsaPointer(data_window, 0, data_window_lsaRank));
  const int comm_lsaSize = comm.lsaSize;
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
  nts::vec<float, 4> all;
  unsigned int k;
  unsigned int away;
  unsigned int j_2;
  nts::vec<float, 4> all_1;
  unsigned int k_1;
  unsigned int r;
  bool isHere;
  nts::vec<unsigned int, 4> chosen;
  float squares;
  nts::vec<float, 4> word_1;
  float total;
  unsigned int half_1;
  unsigned int warp;
  nts::vec<float, 4> word_2;
  unsigned int k_2;
  nts::vec<unsigned int, 4> localArray[1];
  nts::vec<unsigned int, 4> localArray_1[1];
  nts::vec<unsigned int, 4> localArray_2[1];
  float localArray_3[4];
  nts::vec<unsigned int, 4> localArray_4[1];
  __shared__ float sharedArray[1024];
  float* const rows = reinterpret_cast<float*>(data_window_at + data_offset);
  const unsigned int nRanks = (unsigned int)comm_lsaSize;
  const unsigned int rank = (unsigned int)comm_lsaRank;
  const unsigned int bankBytes = (nRanks - 1u) * (16u * exchange_turnWords);
  const unsigned int regionBytes = (128u + (2u * bankBytes)) + 128u;
  const unsigned int region = blockIdx.x * regionBytes;
  unsigned int* const state = reinterpret_cast<unsigned int*>((reinterpret_cast<unsigned char*>(comm_resourceWindow_at + ((unsigned long long)exchange_words * 128ull)) + region));
  const unsigned int part = blockIdx.x % 1u;
  const unsigned int group = blockIdx.x / 1u;
  const unsigned int groups = gridDim.x / 1u;
  const unsigned int rowWords = 1u * blockDim.x;
  turnRows = 0u;
  turnRows = exchange_turnWords / rowWords;
  nts::early(data_window_at, comm_resourceWindow_at, comm_resourceWindow_base, rows, state); nts::wait_for_earlier();
  const unsigned int v = *state;
  turn = v;
  nth = 0u;
  first = group;
  for (; first < tokens; first = first + (groups * turnRows)) {
    if (nth > 0u) {
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
      __syncthreads();
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
    }
    j = 0u;
    for (; (j < turnRows) && ((first + (j * groups)) < tokens); j = j + 1u) {
      float* const row = rows + ((first + (j * groups)) * hidden);
      const unsigned int first_1 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u;
      if ((((unsigned int)reinterpret_cast<unsigned long long>(row) & 15u) == 0u) && ((first_1 + 4u) <= hidden)) {
        const nts::vec<unsigned int, 4> v_1 = *reinterpret_cast<nts::vec<unsigned int, 4>*>((row + first_1));
        *localArray = v_1;
      } else {
        all = nts::splat<float, 4>(0.0f);
        k = 0u;
        for (; (k < 4u) && ((first_1 + k) < hidden); k = k + 1u) {
          const float v_2 = row[first_1 + k];
          all = nts::with_lane(all, k, v_2);
        }
        *localArray = nts::bitcast<nts::vec<unsigned int, 4>>(all);
      }
      away = 1u;
      for (; away < nRanks; away++) {
        const unsigned int peer = (rank + away) % nRanks;
        const unsigned int from = (rank < peer) ? rank : (rank - 1u);
        nts::vec<unsigned int, 4>* const outbox = reinterpret_cast<nts::vec<unsigned int, 4>*>(((reinterpret_cast<unsigned char*>(comm_resourceWindow_base + (comm_resourceWindow_step * (int)peer + ((unsigned long long)exchange_words * 128ull))) + region) + ((128u + ((turn % 2u) * bankBytes)) + (from * (16u * exchange_turnWords)))));
        if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
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
    }
    j_2 = 0u;
    for (; (j_2 < turnRows) && ((first + (j_2 * groups)) < tokens); j_2 = j_2 + 1u) {
      const unsigned int at_1 = (first + (j_2 * groups)) * hidden;
      float* const from_1 = rows + at_1;
      const unsigned int first_2 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u;
      if ((((unsigned int)reinterpret_cast<unsigned long long>(from_1) & 15u) == 0u) && ((first_2 + 4u) <= hidden)) {
        const nts::vec<unsigned int, 4> v_5 = *reinterpret_cast<nts::vec<unsigned int, 4>*>((from_1 + first_2));
        *localArray = v_5;
      } else {
        all_1 = nts::splat<float, 4>(0.0f);
        k_1 = 0u;
        for (; (k_1 < 4u) && ((first_2 + k_1) < hidden); k_1 = k_1 + 1u) {
          const float v_6 = from_1[first_2 + k_1];
          all_1 = nts::with_lane(all_1, k_1, v_6);
        }
        *localArray = nts::bitcast<nts::vec<unsigned int, 4>>(all_1);
      }
      r = 0u;
      for (; r < nRanks; r++) {
        const unsigned int from_2 = (r < rank) ? r : (r - 1u);
        nts::vec<unsigned int, 4>* const inbox = reinterpret_cast<nts::vec<unsigned int, 4>*>(((reinterpret_cast<unsigned char*>(comm_resourceWindow_at + ((unsigned long long)exchange_words * 128ull)) + region) + ((128u + ((turn % 2u) * bankBytes)) + (from_2 * (16u * exchange_turnWords)))));
        const nts::vec<unsigned int, 4> v_7 = *localArray;
        *localArray_4 = v_7;
        if (r != rank) {
          for (;;) {
            isHere = true;
            if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
              const unsigned int j_3 = j_2;
              nts::vec<unsigned int, 4>* const at_2 = inbox + (((j_3 * rowWords) + (0u * blockDim.x)) + threadIdx.x);
              const auto line = nts::load_sys_v4_b32(at_2);
              const unsigned int v_8 = nts::bitcast<unsigned int>(line.v[0]);
              const unsigned int v_9 = nts::bitcast<unsigned int>(line.v[1]);
              const unsigned int v_10 = nts::bitcast<unsigned int>(line.v[2]);
              const unsigned int v_11 = nts::bitcast<unsigned int>(line.v[3]);
              const nts::vec<unsigned int, 4> v_12 = nts::vec<unsigned int, 4>{{v_8, v_9, v_10, v_11}};
              *localArray_4 = v_12;
              isHere = ((v_12.v[0] < v_12.v[1] ? v_12.v[0] : v_12.v[1]) < (v_12.v[2] < v_12.v[3] ? v_12.v[2] : v_12.v[3]) ? (v_12.v[0] < v_12.v[1] ? v_12.v[0] : v_12.v[1]) : (v_12.v[2] < v_12.v[3] ? v_12.v[2] : v_12.v[3])) != 0u;
            }
            if (isHere) break;
          }
          if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
            const unsigned int j_4 = j_2;
            inbox[((j_4 * rowWords) + (0u * blockDim.x)) + threadIdx.x] = nts::splat<unsigned int, 4>(0u);
          }
        }
        if (r == rank) {
          const nts::vec<unsigned int, 4> v_13 = *localArray;
          chosen = v_13;
        } else {
          const nts::vec<unsigned int, 4> v_14 = *localArray_4;
          chosen = nts::zip(v_14, nts::splat<unsigned int, 4>(4294639610u), [](unsigned int x, unsigned int y) { return (x ^ y); });
        }
        const unsigned int r_1 = r;
        const nts::vec<unsigned int, 4> word = chosen;
        const nts::vec<float, 4> came = nts::bitcast<nts::vec<float, 4>>(word);
        const float next = came.v[0];
        if (r_1 == 0u) {
          *localArray_3 = next;
        } else {
          const float v_15 = *localArray_3;
          *localArray_3 = v_15 + next;
        }
        const float next_1 = came.v[1];
        if (r_1 == 0u) {
          localArray_3[1] = next_1;
        } else {
          const float v_16 = localArray_3[1];
          localArray_3[1] = v_16 + next_1;
        }
        const float next_2 = came.v[2];
        if (r_1 == 0u) {
          localArray_3[2] = next_2;
        } else {
          const float v_17 = localArray_3[2];
          localArray_3[2] = v_17 + next_2;
        }
        const float next_3 = came.v[3];
        if (r_1 == 0u) {
          localArray_3[3] = next_3;
        } else {
          const float v_18 = localArray_3[3];
          localArray_3[3] = v_18 + next_3;
        }
      }
      squares = 0.0f;
      word_1 = nts::splat<float, 4>(0.0f);
      const nts::vec<unsigned int, 4> v_19 = *localArray_1;
      const nts::vec<float, 4> extra = nts::bitcast<nts::vec<float, 4>>(v_19);
      const float v_20 = *localArray_3;
      const float value = v_20;
      const float rounded = value;
      word_1 = nts::with_lane(word_1, 0u, rounded);
      *localArray_3 = rounded;
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
        squares = squares + (rounded * rounded);
      }
      const float v_21 = localArray_3[1];
      const float value_1 = v_21;
      const float rounded_1 = value_1;
      word_1 = nts::with_lane(word_1, 1u, rounded_1);
      localArray_3[1] = rounded_1;
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
        squares = squares + (rounded_1 * rounded_1);
      }
      const float v_22 = localArray_3[2];
      const float value_2 = v_22;
      const float rounded_2 = value_2;
      word_1 = nts::with_lane(word_1, 2u, rounded_2);
      localArray_3[2] = rounded_2;
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
        squares = squares + (rounded_2 * rounded_2);
      }
      const float v_23 = localArray_3[3];
      const float value_3 = v_23;
      const float rounded_3 = value_3;
      word_1 = nts::with_lane(word_1, 3u, rounded_3);
      localArray_3[3] = rounded_3;
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
        squares = squares + (rounded_3 * rounded_3);
      }
      const unsigned int sumPlace = ((turn % 2u) * turnRows) + j_2;
      const float value_4 = squares;
      const unsigned int nth_1 = nth;
      const unsigned int nWarps = blockDim.x / 32u;
      total = value_4;
      __syncthreads();
      sharedArray[threadIdx.x] = total;
      __syncthreads();
      half_1 = 16u;
      for (; half_1 > 0u; half_1 = half_1 / 2u) {
        if ((threadIdx.x % 32u) < half_1) {
          const float v_24 = sharedArray[threadIdx.x];
          const float v_25 = sharedArray[threadIdx.x + half_1];
          sharedArray[threadIdx.x] = v_24 + v_25;
        }
        __syncthreads();
      }
      const float v_26 = *sharedArray;
      total = v_26;
      warp = 1u;
      for (; warp < nWarps; warp++) {
        const float v_27 = sharedArray[warp * 32u];
        const float a = total;
        total = a + v_27;
      }
      const float value_5 = total;
      const unsigned int turn_1 = turn;
      const float factor = __frsqrt_rn(((value_5 / (float)hidden) + eps));
      const float largest = 0.0f;
      const nts::vec<unsigned int, 4> v_28 = *localArray_2;
      const nts::vec<float, 4> factorsOfWord = nts::bitcast<nts::vec<float, 4>>(v_28);
      const float v_29 = *localArray_3;
      const float value_6 = v_29 * factor;
      *localArray_3 = value_6;
      const float v_30 = localArray_3[1];
      const float value_7 = v_30 * factor;
      localArray_3[1] = value_7;
      const float v_31 = localArray_3[2];
      const float value_8 = v_31 * factor;
      localArray_3[2] = value_8;
      const float v_32 = localArray_3[3];
      const float value_9 = v_32 * factor;
      localArray_3[3] = value_9;
      const float inverse = 1.0f;
      word_2 = nts::splat<float, 4>(0.0f);
      const float v_33 = *localArray_3;
      const float value_10 = v_33;
      word_2 = nts::with_lane(word_2, 0u, value_10);
      const float v_34 = localArray_3[1];
      const float value_11 = v_34;
      word_2 = nts::with_lane(word_2, 1u, value_11);
      const float v_35 = localArray_3[2];
      const float value_12 = v_35;
      word_2 = nts::with_lane(word_2, 2u, value_12);
      const float v_36 = localArray_3[3];
      const float value_13 = v_36;
      word_2 = nts::with_lane(word_2, 3u, value_13);
      if (((((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u) < hidden) {
        const nts::vec<float, 4> word_3 = word_2;
        float* const to = rows + at_1;
        const unsigned int first_3 = (((part * rowWords) + threadIdx.x) + (0u * blockDim.x)) * 4u;
        if ((((unsigned int)reinterpret_cast<unsigned long long>(to) & 15u) == 0u) && ((first_3 + 4u) <= hidden)) {
          *reinterpret_cast<nts::vec<float, 4>*>((to + first_3)) = word_3;
        } else {
          k_2 = 0u;
          for (; (k_2 < 4u) && ((first_3 + k_2) < hidden); k_2 = k_2 + 1u) {
            to[first_3 + k_2] = nts::lane(word_3, k_2);
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
