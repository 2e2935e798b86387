// Kernels that each repeat one synchronization between two ranks, as published kernels have them.
// apps/bench/src/public-kernels/micro-kernels.ts has their launches. Compile them to PTX:
//
//   nvcc -ptx -arch=sm_90a -std=c++17 -o PTX/micro-kernels.ptx apps/bench/native/micro-kernels.cu
//
// A rank has a line of words for each CTA in `mine`, and its peer's are `theirs`. `turns` counts the
// launches, because each launch of a graph has the same arguments.

using u32 = unsigned;

constexpr int LINE = 32;

__device__ __forceinline__ void waitForEarlier() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ __forceinline__ void letLaterBegin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

__device__ __forceinline__ void store(u32* to, u32 value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ __forceinline__ void storeRelease(u32* to, u32 value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ __forceinline__ void addRelease(u32* to) {
  asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
}
__device__ __forceinline__ u32 load(u32 const* from) {
  u32 value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ u32 loadAcquire(u32 const* from) {
  u32 value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

// When a launch lets the next one begin.
enum Launch { PLAIN, EARLY, LATE };

template <Launch launch>
__device__ __forceinline__ void exchangeOnce(u32* mine, u32* theirs, u32* turns) {
  if (launch == EARLY) letLaterBegin();
  if (launch != PLAIN) waitForEarlier();
  const u32 turn = load(turns + LINE * blockIdx.x) + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    store(theirs + LINE * blockIdx.x, turn);
    while (load(mine + LINE * blockIdx.x) < turn) {
    }
    store(turns + LINE * blockIdx.x, turn);
  }
  if (launch == LATE) letLaterBegin();
}

extern "C" __global__ void flagsPlain(u32* mine, u32* theirs, u32* turns) { exchangeOnce<PLAIN>(mine, theirs, turns); }
extern "C" __global__ void flagsEarly(u32* mine, u32* theirs, u32* turns) { exchangeOnce<EARLY>(mine, theirs, turns); }
extern "C" __global__ void flagsLate(u32* mine, u32* theirs, u32* turns) { exchangeOnce<LATE>(mine, theirs, turns); }

// The same after `count` additions, each of which needs the one before: an exchange that begins later
// by a known time.
template <Launch launch, bool isAlone>
__device__ __forceinline__ void delayed(u32* mine, u32* theirs, u32* turns, u32 count) {
  if (launch == EARLY) letLaterBegin();
  if (launch != PLAIN) waitForEarlier();
  const u32 turn = load(turns + LINE * blockIdx.x) + 1;
  u32 sum = turn;
#pragma unroll 1
  for (u32 i = 0; i < count; i++) asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(sum));
  __syncthreads();
  if (threadIdx.x == 0) {
    if (!isAlone) {
      store(theirs + LINE * blockIdx.x, turn);
      while (load(mine + LINE * blockIdx.x) < turn) {
      }
    }
    store(turns + LINE * blockIdx.x, turn);
    store(turns + LINE * blockIdx.x + 1, sum);
  }
  if (launch == LATE) letLaterBegin();
}
extern "C" __global__ void delayedPlain(u32* mine, u32* theirs, u32* turns, u32 count) { delayed<PLAIN, false>(mine, theirs, turns, count); }
extern "C" __global__ void delayedEarly(u32* mine, u32* theirs, u32* turns, u32 count) { delayed<EARLY, false>(mine, theirs, turns, count); }
extern "C" __global__ void delayedLate(u32* mine, u32* theirs, u32* turns, u32 count) { delayed<LATE, false>(mine, theirs, turns, count); }
extern "C" __global__ void alonePlain(u32* mine, u32* theirs, u32* turns, u32 count) { delayed<PLAIN, true>(mine, theirs, turns, count); }
extern "C" __global__ void aloneEarly(u32* mine, u32* theirs, u32* turns, u32 count) { delayed<EARLY, true>(mine, theirs, turns, count); }

// The signals that are measured, and where each thread has stored 16 bytes before.
enum Signal { RELAXED, RELEASE, ADD, FENCE };
enum Before { NOTHING, OWN, PEER };

template <Signal signal, Before before>
__device__ __forceinline__ void rounds(u32* mine, u32* theirs, u32* turns, uint4* own, uint4* peer, u32 count) {
  const u32 base = load(turns + LINE * blockIdx.x);
  const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
  for (u32 i = 1; i <= count; i++) {
    if (before == OWN) own[at] = make_uint4(i, i, i, i);
    if (before == PEER) peer[at] = make_uint4(i, i, i, i);
    if (signal == FENCE) __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
      u32* const to = theirs + LINE * blockIdx.x;
      if (signal == RELEASE) storeRelease(to, base + i);
      else if (signal == ADD) addRelease(to);
      else store(to, base + i);
      while (loadAcquire(mine + LINE * blockIdx.x) < base + i) {
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) store(turns + LINE * blockIdx.x, base + count);
}

#define ROUNDS(NAME, SIGNAL, BEFORE)                                                                       \
  extern "C" __global__ void __launch_bounds__(1024)                                                       \
      NAME(u32* mine, u32* theirs, u32* turns, uint4* own, uint4* peer, u32 count) {                       \
    rounds<SIGNAL, BEFORE>(mine, theirs, turns, own, peer, count);                                         \
  }
ROUNDS(relaxedAfterNothing, RELAXED, NOTHING)
ROUNDS(releaseAfterNothing, RELEASE, NOTHING)
ROUNDS(releaseAfterOwn, RELEASE, OWN)
ROUNDS(releaseAfterPeer, RELEASE, PEER)
ROUNDS(addAfterNothing, ADD, NOTHING)
ROUNDS(addAfterOwn, ADD, OWN)
ROUNDS(addAfterPeer, ADD, PEER)
ROUNDS(fenceAfterNothing, FENCE, NOTHING)
ROUNDS(fenceAfterPeer, FENCE, PEER)

// Barriers of the ranks by loops of compare-and-swap: a thread for each rank sets the flag of that
// rank from 0 to 1, and takes its own back to 0.
template <bool isOrdered>
__device__ __forceinline__ void swaps(u32* first, u32* second, u32 rank, u32 count) {
  u32* const self = rank == 0 ? first : second;
  for (u32 i = 0; i < count; i++) {
    __syncthreads();
    if (threadIdx.x < 2) {
      u32* const to = (threadIdx.x == 0 ? first : second) + LINE * blockIdx.x + rank;
      u32* const from = self + LINE * blockIdx.x + threadIdx.x;
      u32 old;
      do {
        if (isOrdered) asm volatile("atom.global.release.sys.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(to) : "memory");
        else asm volatile("atom.global.relaxed.sys.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(to) : "memory");
      } while (old != 0);
      do {
        if (isOrdered) asm volatile("atom.global.acquire.sys.cas.b32 %0, [%1], 1, 0;" : "=r"(old) : "l"(from) : "memory");
        else asm volatile("atom.global.relaxed.sys.cas.b32 %0, [%1], 1, 0;" : "=r"(old) : "l"(from) : "memory");
      } while (old != 1);
    }
    __syncthreads();
  }
}
extern "C" __global__ void swapsOrdered(u32* first, u32* second, u32 rank, u32 count) { swaps<true>(first, second, rank, count); }
extern "C" __global__ void swapsRelaxed(u32* first, u32* second, u32 rank, u32 count) { swaps<false>(first, second, rank, count); }

// The CTAs of a cluster meet, and then each reads what the others have in shared memory.
extern "C" __global__ void clusterBarriers(u32* out, u32 count) {
  for (u32 i = 0; i < count; i++) asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
extern "C" __global__ void clusterReads(u32* out, u32 count) {
  __shared__ u32 word;
  if (threadIdx.x == 0) word = 0;
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  u32 value = 1;
  if (threadIdx.x == 0) {
    const u32 local = (u32)__cvta_generic_to_shared(&word);
    for (u32 i = 0; i < count; i++) {
      u32 place;
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(local), "r"(value));
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(place) : "memory");
      value ^= 1;
    }
    out[blockIdx.x] = value;
  }
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// One warp of each CTA sends words with a flag each, as kernels by packets do.
template <bool isUnrolled>
__device__ __forceinline__ void packets(u32 const* from, uint2* peer, u32 count, u32 flag) {
  if (threadIdx.x >= 32) return;
  const u32 stride = 32 * gridDim.x;
  const u32 first = threadIdx.x + 32 * blockIdx.x;
  if (isUnrolled) {
    for (u32 i = first; i < count * stride; i += stride)
      asm volatile("st.volatile.global.v2.u32 [%0], {%1,%2};" ::"l"(peer + i), "r"(from[i]), "r"(flag) : "memory");
  } else {
#pragma unroll 1
    for (u32 i = first; i < count * stride; i += stride)
      asm volatile("st.volatile.global.v2.u32 [%0], {%1,%2};" ::"l"(peer + i), "r"(from[i]), "r"(flag) : "memory");
  }
}
extern "C" __global__ void packetsUnrolled(u32 const* from, uint2* peer, u32 count, u32 flag) { packets<true>(from, peer, count, flag); }
extern "C" __global__ void packetsRolled(u32 const* from, uint2* peer, u32 count, u32 flag) { packets<false>(from, peer, count, flag); }
