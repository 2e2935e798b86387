/** The names of the pieces of helper code that a kernel may need. */
export type PreludePart =
  | 'launch'
  | 'early'
  | 'gridDependency'
  | 'vec'
  | 'run'
  | 'half'
  | 'bf16'
  | 'fp8'
  | 'bitcast'
  | 'saturate'
  | 'wrap'
  | 'atomic'
  | 'shuffle'
  | 'group'
  | 'place'
  | 'ginRequest'
  | 'print';

interface PreludeText {
  readonly includes: readonly string[];
  readonly needs: readonly PreludePart[];
  readonly text: string;
}

/**
 * Small device functions for the generated text, in namespace `nts`. A kernel contains only those
 * that it uses.
 *
 * - 16-bit floats are computed in float and rounded once. This is exact for + - * / and sqrt,
 *   because 24 bits are more than twice 11.
 * - Signed integers are computed as unsigned ones, since C++ leaves overflow undefined.
 * - Float to integer saturates, and converts NaN to 0.
 */
const parts: Readonly<Record<PreludePart, PreludeText>> = {
  launch: {
    includes: [],
    needs: [],
    text: `// Waits until the launch before this one has ended and its writes are visible. The CTAs of the next one may then begin.
__device__ __forceinline__ void wait_for_earlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}`,
  },
  early: {
    includes: [],
    needs: [],
    text: `// Some of the values are addresses of windows, and not null. The branch makes ptxas compute all of them here.
template <class... T> __device__ __forceinline__ void early(T const*... values) {
  if ((... | reinterpret_cast<unsigned long long>(values)) == 0) __trap();
}`,
  },
  gridDependency: {
    includes: [],
    needs: [],
    text: `// Waits until the launch before this one on the stream has ended and its writes are visible.
__device__ __forceinline__ void grid_dependency_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the next launch begin once all CTAs have made this call or have ended.
__device__ __forceinline__ void launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}`,
  },
  vec: {
    includes: [],
    needs: [],
    text: `template <class T, int N> struct alignas(sizeof(T) * N) vec { T v[N]; };
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
}`,
  },
  run: {
    includes: [],
    needs: [],
    text: `// Several elements in memory, as one value.
template <class T, int N> struct run { T v[N]; };`,
  },
  half: {
    includes: ['cuda_fp16.h'],
    needs: [],
    text: `__device__ __forceinline__ float f(__half x) { return __half2float(x); }
__device__ __forceinline__ __half f16(float x) { return __float2half_rn(x); }`,
  },
  bf16: {
    includes: ['cuda_bf16.h'],
    needs: [],
    text: `__device__ __forceinline__ float f(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ __forceinline__ __nv_bfloat16 bf16(float x) { return __float2bfloat16_rn(x); }`,
  },
  fp8: {
    includes: ['cuda_fp8.h'],
    needs: ['half'],
    text: `struct e4m3 { unsigned char bits; };
struct e5m2 { unsigned char bits; };
__device__ __forceinline__ float f(e4m3 x) { return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E4M3))); }
__device__ __forceinline__ float f(e5m2 x) { return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E5M2))); }
__device__ __forceinline__ e4m3 to_e4m3(float x) { return e4m3{__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)}; }
__device__ __forceinline__ e4m3 to_e4m3(double x) { return e4m3{__nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3)}; }
__device__ __forceinline__ e5m2 to_e5m2(float x) { return e5m2{__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)}; }
__device__ __forceinline__ e5m2 to_e5m2(double x) { return e5m2{__nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2)}; }`,
  },
  bitcast: {
    includes: [],
    needs: [],
    text: `template <class To, class From> __device__ __forceinline__ To bitcast(From const& x) {
  static_assert(sizeof(To) == sizeof(From), "the sizes are equal");
  To r;
  memcpy(&r, &x, sizeof(r));
  return r;
}`,
  },
  saturate: {
    includes: [],
    needs: [],
    text: `template <class I, class F> __device__ __forceinline__ I saturate(F x, F low, F high, I least, I most) {
  if (!(x == x)) return 0;
  if (x <= low) return least;
  if (x >= high) return most;
  return (I)x;
}`,
  },
  wrap: {
    includes: [],
    needs: [],
    text: `__device__ __forceinline__ int add(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
__device__ __forceinline__ int sub(int a, int b) { return (int)((unsigned int)a - (unsigned int)b); }
__device__ __forceinline__ int mul(int a, int b) { return (int)((unsigned int)a * (unsigned int)b); }
__device__ __forceinline__ int shl(int a, int b) { return (int)((unsigned int)a << (b & 31)); }
__device__ __forceinline__ long long add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
__device__ __forceinline__ long long sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
__device__ __forceinline__ long long mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
__device__ __forceinline__ long long shl(long long a, long long b) { return (long long)((unsigned long long)a << (b & 63)); }`,
  },
  atomic: {
    includes: ['cuda/atomic'],
    needs: ['bitcast'],
    text: `template <int Bytes> struct word;
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
}`,
  },
  shuffle: {
    includes: [],
    needs: [],
    text: `// Reads a value of any type from a lane of the warp, as 32-bit words.
template <class T> __device__ __forceinline__ T from_lane(unsigned int mask, T const& x, unsigned int lane) {
  unsigned int words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &x, sizeof(T));
#pragma unroll
  for (int i = 0; i < (sizeof(T) + 3) / 4; i++) words[i] = __shfl_sync(mask, words[i], lane);
  T r;
  memcpy(&r, words, sizeof(T));
  return r;
}`,
  },
  group: {
    includes: [],
    needs: ['place'],
    text: `// For groups larger than a warp, through shared memory. 'sync' synchronizes the group.
template <class T, class Sync> __device__ __forceinline__ T bcast(unsigned char* scratch, T const& x, bool root, Sync sync) {
  sync();
  if (root) memcpy(scratch, &x, sizeof(T));
  sync();
  T r;
  memcpy(&r, scratch, sizeof(T));
  sync();
  return r;
}
template <class Sync> __device__ __forceinline__ bool vote(unsigned int* scratch, bool x, bool all, bool first, Sync sync) {
  sync();
  if (first) *scratch = all;
  sync();
  if (x != all) *(volatile unsigned int*)scratch = !all;
  sync();
  bool r = *(volatile unsigned int*)scratch != 0;
  sync();
  return r;
}`,
  },
  place: {
    includes: [],
    needs: [],
    text: `__device__ __forceinline__ unsigned int thread_linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ unsigned int lane_id() { return thread_linear() & 31u; }`,
  },
  ginRequest: {
    includes: [],
    needs: [],
    text: `// NCCL's request as the words that a kernel keeps.
static_assert(sizeof(ncclGinRequest_t) == 2 * sizeof(unsigned long long), "a request is two words");
__device__ __forceinline__ void to_words(unsigned long long* words, ncclGinRequest_t const& request) { memcpy(words, &request, sizeof(request)); }
__device__ __forceinline__ ncclGinRequest_t to_request(unsigned long long first, unsigned long long second) {
  const unsigned long long words[2] = {first, second};
  ncclGinRequest_t r;
  memcpy(&r, words, sizeof(r));
  return r;
}`,
  },
  print: {
    includes: [],
    needs: ['place'],
    text: `// A line is a run of words in a ring in the host's memory: its site and stream, its thread and CTA, the bits of its
// values. The first word is written last and is never 0. The host sets the words that it has read to 0.
struct printer {
  unsigned long long* given;  // on this GPU: the words reserved so far, the lines that did not fit, the last known end of the room
  unsigned long long* read;   // on the host: the number of words that it has read, and the ring 64 bytes later
  unsigned int mask, first_site, stream;
};
// Reserves words for as many lines as fit.
__device__ __noinline__ unsigned long long give_words(printer p, unsigned int words, unsigned int lines, unsigned int& fitting) {
  unsigned long long at = *(volatile unsigned long long*)p.given;
  unsigned long long end = *(volatile unsigned long long*)(p.given + 2);
  for (;;) {
    fitting = lines;
    if ((long long)(end - at) < (long long)words * lines) {
      end = *(volatile unsigned long long*)p.read + p.mask + 1;
      atomicMax(p.given + 2, end);
      const long long room = (long long)(end - at) / words;
      fitting = room < 0 ? 0 : room < lines ? (unsigned int)room : lines;
    }
    const unsigned long long before = atomicCAS(p.given, at, at + words * fitting);
    if (before == at) break;
    at = before;
  }
  if (fitting < lines) atomicAdd(p.given + 1, (unsigned long long)(lines - fitting));
  return at;
}
template <class T> __device__ __forceinline__ unsigned long long bits(T x) {
  unsigned long long r = 0;
  memcpy(&r, &x, sizeof(T));
  return r;
}
template <class... T> __device__ __noinline__ void print(printer p, unsigned int site, T... values) {
  const unsigned long long words[] = {
      (unsigned long long)thread_linear() << 32 | blockIdx.x, (unsigned long long)blockIdx.z << 32 | blockIdx.y, bits(values)...};
  constexpr unsigned int count = 1 + sizeof(words) / sizeof(words[0]);
  // One thread reserves the words of all threads that are here together.
  const unsigned int here = __activemask();
  const int asking = __ffs(here) - 1;
  unsigned long long at = 0;
  unsigned int fitting = 0;
  if (lane_id() == asking) at = give_words(p, count, __popc(here), fitting);
  at = __shfl_sync(here, at, asking);
  fitting = __shfl_sync(here, fitting, asking);
  const unsigned int place = __popc(here & ((1u << lane_id()) - 1u));
  if (place >= fitting) return;
  at += place * count;
  volatile unsigned long long* const ring = p.read + 8;
  for (unsigned int i = 1; i < count; i++) ring[(at + i) & p.mask] = words[i - 1];
  __threadfence_system();
  ring[at & p.mask] = (unsigned long long)p.stream << 32 | (p.first_site + site + 1);
}
// Ends the kernel after the line is visible to the host, as are those of threads that fail at the same time.
__device__ __noinline__ void fail(printer p, unsigned int site) {
  print(p, site);
  __threadfence_system();
  __nanosleep(100000);
  __trap();
}`,
  },
};

const order: readonly PreludePart[] = [
  'launch',
  'early',
  'gridDependency',
  'place',
  'vec',
  'run',
  'half',
  'bf16',
  'fp8',
  'bitcast',
  'saturate',
  'wrap',
  'atomic',
  'shuffle',
  'group',
  'ginRequest',
  'print',
];

/** Returns the includes and the code of `used` parts and of their dependencies. */
export function prelude(used: ReadonlySet<PreludePart>): {
  readonly includes: readonly string[];
  readonly text: string;
} {
  const all = new Set(used);
  // A set's iteration also visits elements that are added meanwhile.
  for (const name of all) for (const need of parts[name].needs) all.add(need);
  const chosen = order.filter((name) => all.has(name));
  const includes = [...new Set(chosen.flatMap((name) => parts[name].includes))];
  const text = chosen
    .map((name) => parts[name].text)
    .filter((part) => part !== '')
    .join('\n\n');
  return { includes, text };
}
