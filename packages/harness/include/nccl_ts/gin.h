// The network: put, get, signal, flush.
#ifndef NCCL_TS_GIN_H
#define NCCL_TS_GIN_H

typedef struct {
  uint64_t opaque[2];
} ncclGinRequest_t;

enum ncclGinOptFlags {
  ncclGinOptFlagsDefault = 0,
  ncclGinOptFlagsMaySkipCreditCheck = 1,
  ncclGinOptFlagsAggregateRequests = 2,
};
enum ncclGinResourceSharingMode : uint8_t {
  NCCL_GIN_RESOURCE_SHARING_GPU = 0,
  NCCL_GIN_RESOURCE_SHARING_CTA = 1,
  NCCL_GIN_RESOURCE_SHARING_THREAD = 2,
};

// Where the signals of a context are. NCCL has no function that returns their addresses, so kernels with waits of their own read this
// structure of one of its backends. nccl-ts fills in the table before the first launch.
struct ncclGinGdakiGPUContext {
  struct {
    uint64_t *buffer;
  } signals_table;
};
#define NCCL_TS_GIN_CONTEXTS 256
extern "C" {
__device__ ncclGinGdakiGPUContext __nccl_ts_gin_contexts[NCCL_TS_GIN_CONTEXTS];
}

struct ncclGin_None {};
struct ncclGin_SegmentDevice {};
struct ncclGin_SegmentMixed {};
struct ncclGin_SegmentHostNuma {};
struct ncclGinDescriptorSmem {
  uint64_t words[8];
};
struct ncclGin_DescriptorSmem {
  ncclGinDescriptorSmem *descriptor;
};

struct ncclGin_WeakCounterInc {
  ncclGinCounter_t counter;
};
struct ncclGin_CounterInc {
  ncclGinCounter_t counter;
};

namespace nccl_ts {
struct Remote {
  unsigned signal;
  ncclWindow_t window;
  size_t offset;
  uint64_t amount;
};
template <typename Action>
struct RemoteCode {
  static_assert(sizeof(Action) == 0, "no remote action of GIN");
};
template <>
struct RemoteCode<ncclGin_None> {
  static constexpr int value = 0;
};
NCCL_TS_INLINE Remote remoteOf(ncclGin_None) { return {0, nullptr, 0, 0}; }

template <typename Action>
struct CounterCode {
  static constexpr int value = 1;
};
template <>
struct CounterCode<ncclGin_None> {
  static constexpr int value = 0;
};
NCCL_TS_INLINE unsigned counterOf(ncclGin_None) { return 0; }
template <typename Action>
NCCL_TS_INLINE unsigned counterOf(Action action) {
  return action.counter;
}
} // namespace nccl_ts

// Each kind of signal: its name, its code, its members, and these as what a call is given.
#define NCCL_TS_REMOTE(name, code, members, ...)                                                                       \
  struct name members;                                                                                                 \
  namespace nccl_ts {                                                                                                  \
  template <>                                                                                                          \
  struct RemoteCode<name> {                                                                                            \
    static constexpr int value = code;                                                                                 \
  };                                                                                                                   \
  NCCL_TS_INLINE Remote remoteOf(name a) { return __VA_ARGS__; }                                                       \
  }
#define NCCL_TS_SIGNALS(strength, code)                                                                                \
  NCCL_TS_REMOTE(ncclGin_##strength##SignalInc, 1 + code, { ncclGinSignal_t signal; }, {a.signal, nullptr, 0, 1})      \
  NCCL_TS_REMOTE(ncclGin_##strength##SignalAdd, 2 + code, { ncclGinSignal_t signal; uint64_t value; },                 \
                 {a.signal, nullptr, 0, a.value})                                                                      \
  NCCL_TS_REMOTE(ncclGin_##strength##VASignalInc, 7 + code, { ncclWindow_t signalWindow; size_t signalOffset; },       \
                 {0, a.signalWindow, a.signalOffset, 1})                                                               \
  NCCL_TS_REMOTE(ncclGin_##strength##VASignalAdd, 8 + code,                                                            \
                 { ncclWindow_t signalWindow; size_t signalOffset; uint64_t value; },                                  \
                 {0, a.signalWindow, a.signalOffset, a.value})
NCCL_TS_SIGNALS(Weak, 0)
NCCL_TS_SIGNALS(Strong, 2)
NCCL_TS_SIGNALS(, 4)

struct ncclGin {
  ncclDevComm const &comm;
  uint32_t contextId;
  ncclGinResourceSharingMode resourceSharingMode;
  void *_ginHandle;

  NCCL_TS_INLINE ncclGin(ncclDevComm const &comm, int contextIndex,
                         ncclGinResourceSharingMode sharing = NCCL_GIN_RESOURCE_SHARING_GPU)
      : comm(comm), contextId(contextIndex), resourceSharingMode(sharing), _ginHandle(__nccl_ts_gin_contexts) {}

  template <typename R = ncclGin_None, typename L = ncclGin_None, typename Coop = ncclCoopThread,
            typename Descriptor = ncclGin_None, typename Segment = ncclGin_SegmentDevice>
  NCCL_TS_INLINE void put(ncclTeam team, int peer, ncclWindow_t dst, size_t dstOffset, ncclWindow_t src,
                          size_t srcOffset, size_t bytes, R remote = {}, L local = {}, Coop = {}, Descriptor = {},
                          cuda::thread_scope given = cuda::thread_scope_thread,
                          cuda::thread_scope required = cuda::thread_scope_device,
                          uint32_t flags = ncclGinOptFlagsDefault, Segment = {}) const {
    nccl_ts::Remote r = nccl_ts::remoteOf(remote);
    __nccl_ts_gin_put(contextId, resourceSharingMode, team.nRanks, team.rank, team.stride, peer, dst, dstOffset, src,
                      srcOffset, bytes, nccl_ts::RemoteCode<R>::value, r.signal, r.window, r.offset, r.amount,
                      nccl_ts::CounterCode<L>::value, nccl_ts::counterOf(local), nccl_ts::CoopCode<Coop>::value,
                      (int)given, (int)required, (int)flags);
  }
  template <typename T, typename R = ncclGin_None, typename L = ncclGin_None, typename Coop = ncclCoopThread,
            typename Descriptor = ncclGin_None, typename Segment = ncclGin_SegmentDevice>
  NCCL_TS_INLINE void put(ncclTeam team, int peer, ncclSymPtr<T> dst, ncclSymPtr<T> src, size_t count, R remote = {},
                          L local = {}, Coop coop = {}, Descriptor descriptor = {},
                          cuda::thread_scope given = cuda::thread_scope_thread,
                          cuda::thread_scope required = cuda::thread_scope_device,
                          uint32_t flags = ncclGinOptFlagsDefault, Segment segment = {}) const {
    put(team, peer, dst.window, dst.offset, src.window, src.offset, count * sizeof(T), remote, local, coop, descriptor,
        given, required, flags, segment);
  }
  template <typename T, typename R = ncclGin_None, typename Coop = ncclCoopThread, typename Descriptor = ncclGin_None>
  NCCL_TS_INLINE void putValue(ncclTeam team, int peer, ncclWindow_t dst, size_t dstOffset, T value, R remote = {},
                               Coop = {}, Descriptor = {}, cuda::thread_scope given = cuda::thread_scope_thread,
                               cuda::thread_scope required = cuda::thread_scope_device,
                               uint32_t flags = ncclGinOptFlagsDefault) const {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "1, 2, 4 or 8 bytes");
    union {
      uint64_t whole;
      T value;
    } bits;
    bits.whole = 0;
    bits.value = value;
    nccl_ts::Remote r = nccl_ts::remoteOf(remote);
    __nccl_ts_gin_put_value(contextId, resourceSharingMode, team.nRanks, team.rank, team.stride, peer, dst, dstOffset,
                            bits.whole, sizeof(T), nccl_ts::RemoteCode<R>::value, r.signal, r.window, r.offset,
                            r.amount, nccl_ts::CoopCode<Coop>::value, (int)given, (int)required, (int)flags);
  }
  template <typename T, typename R = ncclGin_None, typename Coop = ncclCoopThread, typename Descriptor = ncclGin_None>
  NCCL_TS_INLINE void putValue(ncclTeam team, int peer, ncclSymPtr<T> dst, T value, R remote = {}, Coop coop = {},
                               Descriptor descriptor = {}, cuda::thread_scope given = cuda::thread_scope_thread,
                               cuda::thread_scope required = cuda::thread_scope_device,
                               uint32_t flags = ncclGinOptFlagsDefault) const {
    putValue(team, peer, dst.window, dst.offset, value, remote, coop, descriptor, given, required, flags);
  }
  template <typename Coop = ncclCoopThread, typename Descriptor = ncclGin_None,
            typename Segment = ncclGin_SegmentDevice>
  NCCL_TS_INLINE void get(ncclTeam team, int peer, ncclWindow_t src, size_t srcOffset, ncclWindow_t dst,
                          size_t dstOffset, size_t bytes, Coop = {}, Descriptor = {},
                          uint32_t flags = ncclGinOptFlagsDefault, Segment = {}) const {
    __nccl_ts_gin_get(contextId, resourceSharingMode, team.nRanks, team.rank, team.stride, peer, src, srcOffset, dst,
                      dstOffset, bytes, nccl_ts::CoopCode<Coop>::value, (int)flags);
  }
  template <typename R, typename Coop = ncclCoopThread, typename Descriptor = ncclGin_None>
  NCCL_TS_INLINE void signal(ncclTeam team, int peer, R remote, Coop = {}, Descriptor = {},
                             cuda::thread_scope given = cuda::thread_scope_thread,
                             cuda::thread_scope required = cuda::thread_scope_device,
                             uint32_t flags = ncclGinOptFlagsDefault) const {
    nccl_ts::Remote r = nccl_ts::remoteOf(remote);
    __nccl_ts_gin_signal(contextId, resourceSharingMode, team.nRanks, team.rank, team.stride, peer,
                         nccl_ts::RemoteCode<R>::value, r.signal, r.window, r.offset, r.amount,
                         nccl_ts::CoopCode<Coop>::value, (int)given, (int)required, (int)flags);
  }
  template <typename Coop, typename Descriptor = ncclGin_None>
  NCCL_TS_INLINE void flush(Coop, cuda::memory_order order = cuda::memory_order_acquire, Descriptor = {}) const {
    __nccl_ts_gin_flush(contextId, nccl_ts::CoopCode<Coop>::value, (int)order);
  }
  template <typename Coop, typename Descriptor = ncclGin_None>
  NCCL_TS_INLINE ncclResult_t flush(Coop, cuda::memory_order order, Descriptor, uint64_t timeoutCycles) const {
    return (ncclResult_t)__nccl_ts_gin_flush_timed(contextId, nccl_ts::CoopCode<Coop>::value, (int)order, timeoutCycles);
  }
  template <typename Coop = ncclCoopThread, typename Descriptor = ncclGin_None>
  NCCL_TS_INLINE void flushAsync(ncclTeam team, uint32_t peer, ncclGinRequest_t *request, Coop = {},
                                 uint32_t flags = ncclGinOptFlagsDefault, Descriptor = {}) const {
    request->opaque[0] = ncclTeamRankToWorld(comm, team, peer);
    request->opaque[1] = __nccl_ts_gin_flush_async(contextId, team.nRanks, team.rank, team.stride, peer,
                                                   nccl_ts::CoopCode<Coop>::value);
  }
  template <typename Coop = ncclCoopThread, typename Descriptor = ncclGin_None>
  NCCL_TS_INLINE void wait(ncclGinRequest_t &request, Coop = {}, Descriptor = {},
                           cuda::memory_order order = cuda::memory_order_acquire) const {
    __nccl_ts_gin_wait(contextId, request.opaque[0], request.opaque[1], nccl_ts::CoopCode<Coop>::value, (int)order);
  }
  template <typename Coop, typename Descriptor>
  NCCL_TS_INLINE ncclResult_t wait(ncclGinRequest_t &request, Coop, Descriptor, cuda::memory_order order,
                                   uint64_t timeoutCycles) const {
    return (ncclResult_t)__nccl_ts_gin_wait_timed(contextId, request.opaque[0], request.opaque[1],
                                                  nccl_ts::CoopCode<Coop>::value, (int)order, timeoutCycles);
  }

  NCCL_TS_INLINE uint64_t readSignal(ncclGinSignal_t signal, int bits = 64,
                                     cuda::memory_order order = cuda::memory_order_acquire) const {
    return __nccl_ts_gin_read_signal(contextId, signal, bits, (int)order);
  }
  NCCL_TS_INLINE uint64_t readSignal(ncclWindow_t window, size_t offset, int bits = 64,
                                     cuda::memory_order order = cuda::memory_order_acquire) const {
    return __nccl_ts_gin_read_va_signal(contextId, window, offset, bits, (int)order);
  }
  template <typename Coop>
  NCCL_TS_INLINE void waitSignal(Coop, ncclGinSignal_t signal, uint64_t least, int bits = 64,
                                 cuda::memory_order order = cuda::memory_order_acquire) const {
    __nccl_ts_gin_wait_signal(contextId, nccl_ts::CoopCode<Coop>::value, signal, least, bits, (int)order);
  }
  template <typename Coop>
  NCCL_TS_INLINE void waitSignal(Coop, ncclWindow_t window, size_t offset, uint64_t least, int bits = 64,
                                 cuda::memory_order order = cuda::memory_order_acquire) const {
    __nccl_ts_gin_wait_va_signal(contextId, nccl_ts::CoopCode<Coop>::value, window, offset, least, bits, (int)order);
  }
  template <typename Coop>
  NCCL_TS_INLINE ncclResult_t waitSignal(Coop, ncclGinSignal_t signal, uint64_t least, int bits,
                                         cuda::memory_order order, uint64_t timeoutCycles) const {
    return (ncclResult_t)__nccl_ts_gin_wait_signal_timed(contextId, nccl_ts::CoopCode<Coop>::value, signal, least, bits,
                                                         (int)order, timeoutCycles);
  }
  template <typename Coop>
  NCCL_TS_INLINE ncclResult_t waitSignal(Coop, ncclWindow_t window, size_t offset, uint64_t least, int bits,
                                         cuda::memory_order order, uint64_t timeoutCycles) const {
    return (ncclResult_t)__nccl_ts_gin_wait_va_signal_timed(contextId, nccl_ts::CoopCode<Coop>::value, window, offset,
                                                            least, bits, (int)order, timeoutCycles);
  }
  NCCL_TS_INLINE void resetSignal(ncclGinSignal_t signal) const { __nccl_ts_gin_reset_signal(contextId, signal); }
  NCCL_TS_INLINE void resetSignal(ncclWindow_t window, size_t offset) const {
    __nccl_ts_gin_reset_va_signal(contextId, window, offset);
  }
  NCCL_TS_INLINE uint64_t readCounter(ncclGinCounter_t counter, int bits = 56,
                                      cuda::memory_order order = cuda::memory_order_acquire) const {
    return __nccl_ts_gin_read_counter(contextId, counter, bits, (int)order);
  }
  template <typename Coop>
  NCCL_TS_INLINE void waitCounter(Coop, ncclGinCounter_t counter, uint64_t least, int bits = 56,
                                  cuda::memory_order order = cuda::memory_order_acquire) const {
    __nccl_ts_gin_wait_counter(contextId, nccl_ts::CoopCode<Coop>::value, counter, least, bits, (int)order);
  }
  template <typename Coop>
  NCCL_TS_INLINE ncclResult_t waitCounter(Coop, ncclGinCounter_t counter, uint64_t least, int bits,
                                          cuda::memory_order order, uint64_t timeoutCycles) const {
    return (ncclResult_t)__nccl_ts_gin_wait_counter_timed(contextId, nccl_ts::CoopCode<Coop>::value, counter, least,
                                                          bits, (int)order, timeoutCycles);
  }
  NCCL_TS_INLINE void resetCounter(ncclGinCounter_t counter) const { __nccl_ts_gin_reset_counter(contextId, counter); }
  NCCL_TS_INLINE uint64_t *getSignalShadowPtr(ncclGinSignal_t signal) const {
    return __nccl_ts_gin_shadow(contextId, signal);
  }
  NCCL_TS_INLINE void increaseSignalShadow(ncclGinSignal_t signal, uint64_t delta) const {
    __nccl_ts_gin_increase_shadow(contextId, signal, delta);
  }
  // Waits until the signal exceeds its shadow by `leastDelta`, and moves the shadow to it.
  template <typename Coop, typename Uint>
  NCCL_TS_INLINE void waitSignalFollowShadow(Coop coop, ncclGinSignal_t signal, Uint leastDelta, Uint *before,
                                             Uint *delta, int bits = 64,
                                             cuda::memory_order order = cuda::memory_order_acquire) const {
    coop.sync();
    uint64_t mask = ~(uint64_t)0 >> (64 - bits);
    uint64_t *shadow = getSignalShadowPtr(signal);
    uint64_t old = *shadow;
    waitSignal(coop, signal, old + leastDelta, bits, order);
    uint64_t more = (readSignal(signal, bits, order) - old) & mask;
    coop.sync();
    if (coop.thread_rank() == 0) *shadow = old + more;
    coop.sync();
    *before = (Uint)(old & mask);
    *delta = (Uint)more;
  }
  template <typename Coop>
  NCCL_TS_INLINE void waitSignalMeetShadow(Coop, ncclGinSignal_t signal, int bits = 64,
                                           cuda::memory_order order = cuda::memory_order_acquire) const {
    __nccl_ts_gin_wait_meet_shadow(contextId, nccl_ts::CoopCode<Coop>::value, signal, bits, (int)order);
  }
};

#endif
