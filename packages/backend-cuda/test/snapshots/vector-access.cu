
namespace nts {
// Waits until the launch before this one has ended and its writes are visible. The CTAs of the next one may then begin.
__device__ __forceinline__ void wait_for_earlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
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

__device__ __forceinline__ vec<unsigned int, 4> load_sys_v4_b32(void const* p) {
  vec<unsigned int, 4> r;
  asm volatile("ld.relaxed.sys.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3]) : "l"(p) : "memory");
  return r;
}

__device__ __forceinline__ void store_gpu_v4_b32(void* p, unsigned int x0, unsigned int x1, unsigned int x2, unsigned int x3) {
  asm volatile("st.relaxed.gpu.v4.b32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"(x0), "r"(x1), "r"(x2), "r"(x3) : "memory");
}

__device__ __forceinline__ vec<unsigned int, 4> load_cta_v4_b32(void const* p) {
  vec<unsigned int, 4> r;
  asm volatile("ld.relaxed.cta.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3]) : "l"(p) : "memory");
  return r;
}

__device__ __forceinline__ void store_sys_v4_b32(void* p, unsigned int x0, unsigned int x1, unsigned int x2, unsigned int x3) {
  asm volatile("st.relaxed.sys.v4.b32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"(x0), "r"(x1), "r"(x2), "r"(x3) : "memory");
}

__device__ __forceinline__ vec<unsigned long long, 2> load_sys_v2_b64(void const* p) {
  vec<unsigned long long, 2> r;
  asm volatile("ld.relaxed.sys.v2.b64 {%0, %1}, [%2];" : "=l"(r.v[0]), "=l"(r.v[1]) : "l"(p) : "memory");
  return r;
}

__device__ __forceinline__ void store_sys_v2_b64(void* p, unsigned long long x0, unsigned long long x1) {
  asm volatile("st.relaxed.sys.v2.b64 [%0], {%1, %2};" :: "l"(p), "l"(x0), "l"(x1) : "memory");
}

__device__ __forceinline__ vec<unsigned int, 2> load_sys_v2_b32(void const* p) {
  vec<unsigned int, 2> r;
  asm volatile("ld.relaxed.sys.v2.b32 {%0, %1}, [%2];" : "=r"(r.v[0]), "=r"(r.v[1]) : "l"(p) : "memory");
  return r;
}

__device__ __forceinline__ void store_sys_v2_b32(void* p, unsigned int x0, unsigned int x1) {
  asm volatile("st.relaxed.sys.v2.b32 [%0], {%1, %2};" :: "l"(p), "r"(x0), "r"(x1) : "memory");
}
}  // namespace nts

extern "C" __global__ void moves(unsigned int* const p, unsigned int const n) {
  nts::vec<unsigned int, 4> localArray[1];
  nts::wait_for_earlier();
  for (;;) {
    nts::vec<unsigned int, 4>* const at = reinterpret_cast<nts::vec<unsigned int, 4>*>(p) + (n + threadIdx.x);
    const auto line = nts::load_sys_v4_b32(at);
    const unsigned int v = nts::bitcast<unsigned int>(line.v[0]);
    const unsigned int v_1 = nts::bitcast<unsigned int>(line.v[1]);
    const unsigned int v_2 = nts::bitcast<unsigned int>(line.v[2]);
    const unsigned int v_3 = nts::bitcast<unsigned int>(line.v[3]);
    const nts::vec<unsigned int, 4> v_4 = nts::vec<unsigned int, 4>{{v, v_1, v_2, v_3}};
    *localArray = v_4;
    if (v_4.v[0] != 0u) break;
  }
  const nts::vec<unsigned int, 4> v_5 = *localArray;
  nts::vec<unsigned int, 4>* const at_1 = reinterpret_cast<nts::vec<unsigned int, 4>*>(p) + threadIdx.x;
  const nts::vec<unsigned int, 4> v_6 = v_5;
  nts::store_gpu_v4_b32(at_1, nts::bitcast<unsigned int>(v_6.v[0]), nts::bitcast<unsigned int>(v_6.v[1]), nts::bitcast<unsigned int>(v_6.v[2]), nts::bitcast<unsigned int>(v_6.v[3]));
  nts::vec<float, 4>* const at_2 = reinterpret_cast<nts::vec<float, 4>*>(p) + 6;
  const auto line_1 = nts::load_cta_v4_b32(at_2);
  const float v_7 = nts::bitcast<float>(line_1.v[0]);
  const float v_8 = nts::bitcast<float>(line_1.v[1]);
  const float v_9 = nts::bitcast<float>(line_1.v[2]);
  const float v_10 = nts::bitcast<float>(line_1.v[3]);
  const nts::vec<float, 4> v_11 = nts::vec<float, 4>{{v_7, v_8, v_9, v_10}};
  nts::vec<float, 4>* const at_3 = reinterpret_cast<nts::vec<float, 4>*>(p) + 7;
  const nts::vec<float, 4> v_12 = v_11;
  nts::store_sys_v4_b32(at_3, nts::bitcast<unsigned int>(v_12.v[0]), nts::bitcast<unsigned int>(v_12.v[1]), nts::bitcast<unsigned int>(v_12.v[2]), nts::bitcast<unsigned int>(v_12.v[3]));
  nts::vec<unsigned long long, 2>* const at_4 = reinterpret_cast<nts::vec<unsigned long long, 2>*>(p);
  const auto line_2 = nts::load_sys_v2_b64(at_4);
  const unsigned long long v_13 = nts::bitcast<unsigned long long>(line_2.v[0]);
  const unsigned long long v_14 = nts::bitcast<unsigned long long>(line_2.v[1]);
  const nts::vec<unsigned long long, 2> v_15 = nts::vec<unsigned long long, 2>{{v_13, v_14}};
  nts::vec<unsigned long long, 2>* const at_5 = reinterpret_cast<nts::vec<unsigned long long, 2>*>(p) + 1;
  const nts::vec<unsigned long long, 2> v_16 = v_15;
  nts::store_sys_v2_b64(at_5, nts::bitcast<unsigned long long>(v_16.v[0]), nts::bitcast<unsigned long long>(v_16.v[1]));
  nts::vec<unsigned int, 2>* const at_6 = reinterpret_cast<nts::vec<unsigned int, 2>*>(p);
  const auto line_3 = nts::load_sys_v2_b32(at_6);
  const unsigned int v_17 = nts::bitcast<unsigned int>(line_3.v[0]);
  const unsigned int v_18 = nts::bitcast<unsigned int>(line_3.v[1]);
  const nts::vec<unsigned int, 2> v_19 = nts::vec<unsigned int, 2>{{v_17, v_18}};
  nts::vec<unsigned int, 2>* const at_7 = reinterpret_cast<nts::vec<unsigned int, 2>*>(p) + 1;
  const nts::vec<unsigned int, 2> v_20 = v_19;
  nts::store_sys_v2_b32(at_7, nts::bitcast<unsigned int>(v_20.v[0]), nts::bitcast<unsigned int>(v_20.v[1]));
}
