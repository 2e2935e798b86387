// Reductions and copies of a group of threads, by loads and stores. Each thread has every n-th element.
#ifndef NCCL_TS_REDUCE_COPY_H
#define NCCL_TS_REDUCE_COPY_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nccl_ts {
// Sums of half precision are computed in single precision, and rounded once.
template <typename T>
struct Sum {
  typedef T Type;
};
template <>
struct Sum<__half> {
  typedef float Type;
};
template <>
struct Sum<__nv_bfloat16> {
  typedef float Type;
};

// One access of all ranks: the type, the number of elements, and the words of the instruction.
template <typename T>
struct Multi {
  static_assert(sizeof(T) == 0, "nccl-ts knows multimem for float, double, half, bfloat16 and integers of 4 and 8 bytes");
};
#define NCCL_TS_MULTI(T, Word, many, words, constraint)                                                                \
  template <>                                                                                                          \
  struct Multi<T> {                                                                                                    \
    typedef Word Bits;                                                                                                 \
    static constexpr int elements = many;                                                                              \
    static NCCL_TS_INLINE Bits sum(T const *from) {                                                                    \
      Bits bits;                                                                                                       \
      asm volatile("multimem.ld_reduce.relaxed.sys.global.add." words " %0, [%1];"                                     \
                   : "=" constraint(bits)                                                                              \
                   : "l"(from)                                                                                         \
                   : "memory");                                                                                        \
      return bits;                                                                                                     \
    }                                                                                                                  \
  };
NCCL_TS_MULTI(float, float, 1, "f32", "f")
NCCL_TS_MULTI(double, double, 1, "f64", "d")
NCCL_TS_MULTI(int32_t, int32_t, 1, "s32", "r")
NCCL_TS_MULTI(uint32_t, uint32_t, 1, "u32", "r")
NCCL_TS_MULTI(uint64_t, uint64_t, 1, "u64", "l")
NCCL_TS_MULTI(__half, uint32_t, 2, "f16x2", "r")
NCCL_TS_MULTI(__nv_bfloat16, uint32_t, 2, "bf16x2", "r")
#undef NCCL_TS_MULTI

NCCL_TS_INLINE void multiStore(void *to, uint32_t bits) {
  asm volatile("multimem.st.relaxed.sys.global.b32 [%0], %1;" ::"l"(to), "r"(bits) : "memory");
}
NCCL_TS_INLINE void multiStore(void *to, int32_t bits) { multiStore(to, (uint32_t)bits); }
NCCL_TS_INLINE void multiStore(void *to, float value) { multiStore(to, __float_as_uint(value)); }
NCCL_TS_INLINE void multiStore(void *to, uint64_t bits) {
  asm volatile("multimem.st.relaxed.sys.global.b64 [%0], %1;" ::"l"(to), "l"(bits) : "memory");
}
NCCL_TS_INLINE void multiStore(void *to, double value) { multiStore(to, (uint64_t)__double_as_longlong(value)); }

// Elements, as many as a multimem access has, as the bits of one.
template <typename T, typename Get>
NCCL_TS_INLINE typename Multi<T>::Bits together(Get get) {
  union {
    typename Multi<T>::Bits bits;
    T values[Multi<T>::elements];
  } all;
  all.bits = 0;
  for (int e = 0; e < Multi<T>::elements; e++) all.values[e] = get(e);
  return all.bits;
}

template <typename T, typename Src, typename Op>
NCCL_TS_INLINE T reduced(Src src, int nSrc, size_t i, Op const &op) {
  T result = src(0)[i];
  for (int s = 1; s < nSrc; s++) result = op(result, src(s)[i]);
  return result;
}
template <typename T, typename Src>
NCCL_TS_INLINE T summed(Src src, int nSrc, size_t i) {
  typename Sum<T>::Type result = (typename Sum<T>::Type)src(0)[i];
  for (int s = 1; s < nSrc; s++) result = result + (typename Sum<T>::Type)src(s)[i];
  return (T)result;
}

template <typename T, typename Coop, typename Int, typename Get, typename Dst>
NCCL_TS_INLINE void toEach(Coop coop, Get get, Dst dst, int nDst, Int count) {
  for (Int i = coop.thread_rank(); i < count; i += coop.size()) {
    T value = get(i);
    for (int d = 0; d < nDst; d++) dst(d)[i] = value;
  }
}
// The number of elements of half precision must be even.
template <typename T, typename Coop, typename Int, typename Get, typename Dst>
NCCL_TS_INLINE void toAll(Coop coop, Get get, Dst dst, int nDst, Int count) {
  constexpr int n = Multi<T>::elements;
  for (Int i = n * coop.thread_rank(); i < count; i += n * coop.size()) {
    auto bits = together<T>([=](int e) { return get(i + e); });
    for (int d = 0; d < nDst; d++) multiStore(dst(d) + i, bits);
  }
}
// From the sum over all ranks, of several sources.
template <typename T, typename Coop, typename Int, typename Src, typename Put>
NCCL_TS_INLINE void fromAll(Coop coop, Src src, int nSrc, Put put, Int count) {
  constexpr int n = Multi<T>::elements;
  for (Int i = n * coop.thread_rank(); i < count; i += n * coop.size()) {
    union {
      typename Multi<T>::Bits bits;
      T values[n];
    } sum, next;
    sum.bits = Multi<T>::sum(src(0) + i);
    for (int s = 1; s < nSrc; s++) {
      next.bits = Multi<T>::sum(src(s) + i);
      for (int e = 0; e < n; e++) {
        typedef typename Sum<T>::Type Wide;
        sum.values[e] = (T)((Wide)sum.values[e] + (Wide)next.values[e]);
      }
    }
    put(i, sum.bits, sum.values);
  }
}

template <typename T>
NCCL_TS_INLINE auto ofTeam(ncclSymPtr<T> p, ncclTeam team) {
  return [=](int r) { return p.peerPtr(team, r); };
}
template <typename T>
NCCL_TS_INLINE auto strided(T *p, size_t stride) {
  return [=](int i) { return p + i * stride; };
}
template <typename T>
NCCL_TS_INLINE auto only(T *p) {
  return [=](int) { return p; };
}
} // namespace nccl_ts

#define NCCL_TS_UNROLL int UNROLL = 4 * 16 / sizeof(T)
#define NCCL_TS_GROUP template <typename T, typename Coop, typename Int, NCCL_TS_UNROLL> NCCL_TS_INLINE void
#define NCCL_TS_FROM template <typename T, typename Coop, typename Src, typename Int, NCCL_TS_UNROLL> NCCL_TS_INLINE void
#define NCCL_TS_TO template <typename T, typename Coop, typename Dst, typename Int, NCCL_TS_UNROLL> NCCL_TS_INLINE void
#define NCCL_TS_FROM_TO                                                                                                \
  template <typename T, typename Coop, typename Src, typename Dst, typename Int, NCCL_TS_UNROLL> NCCL_TS_INLINE void
#define NCCL_TS_WITH                                                                                                   \
  template <typename T, typename Coop, typename Src, typename Dst, typename Op, typename Int, NCCL_TS_UNROLL>         \
  NCCL_TS_INLINE void

// From several places to several, by an operator and by a sum.
NCCL_TS_WITH ncclLsaReduceLsaCopy(Coop coop, Src src, int nSrc, Dst dst, int nDst, Op const &op, Int count) {
  nccl_ts::toEach<T>(coop, [=](Int i) { return nccl_ts::reduced<T>(src, nSrc, i, op); }, dst, nDst, count);
}
NCCL_TS_WITH ncclLsaReduceMultimemCopy(Coop coop, Src src, int nSrc, Dst dst, int nDst, Op const &op, Int count) {
  nccl_ts::toAll<T>(coop, [=](Int i) { return nccl_ts::reduced<T>(src, nSrc, i, op); }, dst, nDst, count);
}
NCCL_TS_FROM_TO ncclLsaReduceSumLsaCopy(Coop coop, Src src, int nSrc, Dst dst, int nDst, Int count) {
  nccl_ts::toEach<T>(coop, [=](Int i) { return nccl_ts::summed<T>(src, nSrc, i); }, dst, nDst, count);
}
NCCL_TS_FROM_TO ncclLsaReduceSumMultimemCopy(Coop coop, Src src, int nSrc, Dst dst, int nDst, Int count) {
  nccl_ts::toAll<T>(coop, [=](Int i) { return nccl_ts::summed<T>(src, nSrc, i); }, dst, nDst, count);
}
NCCL_TS_FROM_TO ncclMultimemReduceSumLsaCopy(Coop coop, Src src, int nSrc, Dst dst, int nDst, Int count) {
  nccl_ts::fromAll<T>(
      coop, src, nSrc,
      [=](Int i, auto, T const *values) {
        for (int d = 0; d < nDst; d++) {
          for (int e = 0; e < nccl_ts::Multi<T>::elements; e++) dst(d)[i + e] = values[e];
        }
      },
      count);
}
NCCL_TS_FROM_TO ncclMultimemReduceSumMultimemCopy(Coop coop, Src src, int nSrc, Dst dst, int nDst, Int count) {
  nccl_ts::fromAll<T>(
      coop, src, nSrc,
      [=](Int i, auto bits, T const *) {
        for (int d = 0; d < nDst; d++) nccl_ts::multiStore(dst(d) + i, bits);
      },
      count);
}

// To one place.
NCCL_TS_FROM ncclLsaReduceSum(Coop coop, Src src, int nSrc, T *dst, Int count) {
  ncclLsaReduceSumLsaCopy<T>(coop, src, nSrc, nccl_ts::only(dst), 1, count);
}
NCCL_TS_GROUP ncclLsaReduceSum(Coop coop, ncclSymPtr<T> src, T *dst, Int count, ncclTeam team) {
  ncclLsaReduceSum<T>(coop, nccl_ts::ofTeam(src, team), team.nRanks, dst, count);
}
NCCL_TS_GROUP ncclLsaReduceSum(Coop coop, ncclSymPtr<T> src, T *dst, Int count, ncclDevComm comm) {
  ncclLsaReduceSum<T>(coop, src, dst, count, ncclTeamLsa(comm));
}
NCCL_TS_GROUP ncclLsaReduceSum(Coop coop, ncclWindow_t src, size_t offset, T *dst, Int count, ncclTeam team) {
  ncclLsaReduceSum<T>(coop, ncclSymPtr<T>(src, offset), dst, count, team);
}
NCCL_TS_GROUP ncclLsaReduceSum(Coop coop, ncclWindow_t src, size_t offset, T *dst, Int count, ncclDevComm comm) {
  ncclLsaReduceSum<T>(coop, ncclSymPtr<T>(src, offset), dst, count, ncclTeamLsa(comm));
}
NCCL_TS_GROUP ncclMultimemReduceSum(Coop coop, T *src, T *dst, Int count) {
  ncclMultimemReduceSumLsaCopy<T>(coop, nccl_ts::only(src), 1, nccl_ts::only(dst), 1, count);
}
NCCL_TS_GROUP ncclMultimemReduceSum(Coop coop, ncclSymPtr<T> src, T *dst, Int count, ncclMultimemHandle handle) {
  ncclMultimemReduceSum<T>(coop, src.multimemPtr(handle), dst, count);
}
NCCL_TS_GROUP ncclMultimemReduceSum(Coop coop, ncclWindow_t src, size_t offset, T *dst, Int count,
                                    ncclMultimemHandle handle) {
  ncclMultimemReduceSum<T>(coop, ncclSymPtr<T>(src, offset), dst, count, handle);
}
NCCL_TS_FROM ncclLocalReduceSum(Coop coop, Src src, int nSrc, T *dst, Int count) {
  ncclLsaReduceSum<T>(coop, src, nSrc, dst, count);
}
NCCL_TS_GROUP ncclLocalReduceSum(Coop coop, int nSrc, T *src, size_t stride, T *dst, Int count) {
  ncclLsaReduceSum<T>(coop, nccl_ts::strided(src, stride), nSrc, dst, count);
}

// From one place.
NCCL_TS_TO ncclLsaCopy(Coop coop, T *src, Dst dst, int nDst, Int count) {
  nccl_ts::toEach<T>(coop, [=](Int i) { return src[i]; }, dst, nDst, count);
}
NCCL_TS_GROUP ncclLsaCopy(Coop coop, T *src, ncclSymPtr<T> dst, Int count, ncclTeam team) {
  ncclLsaCopy<T>(coop, src, nccl_ts::ofTeam(dst, team), team.nRanks, count);
}
NCCL_TS_GROUP ncclLsaCopy(Coop coop, T *src, ncclSymPtr<T> dst, Int count, ncclDevComm comm) {
  ncclLsaCopy<T>(coop, src, dst, count, ncclTeamLsa(comm));
}
NCCL_TS_GROUP ncclLsaCopy(Coop coop, T *src, ncclWindow_t dst, size_t offset, Int count, ncclTeam team) {
  ncclLsaCopy<T>(coop, src, ncclSymPtr<T>(dst, offset), count, team);
}
NCCL_TS_GROUP ncclLsaCopy(Coop coop, T *src, ncclWindow_t dst, size_t offset, Int count, ncclDevComm comm) {
  ncclLsaCopy<T>(coop, src, ncclSymPtr<T>(dst, offset), count, ncclTeamLsa(comm));
}
NCCL_TS_GROUP ncclMultimemCopy(Coop coop, T *src, T *dst, Int count) {
  nccl_ts::toAll<T>(coop, [=](Int i) { return src[i]; }, nccl_ts::only(dst), 1, count);
}
NCCL_TS_GROUP ncclMultimemCopy(Coop coop, T *src, ncclSymPtr<T> dst, Int count, ncclMultimemHandle handle) {
  ncclMultimemCopy<T>(coop, src, dst.multimemPtr(handle), count);
}
NCCL_TS_GROUP ncclMultimemCopy(Coop coop, T *src, ncclWindow_t dst, size_t offset, Int count,
                               ncclMultimemHandle handle) {
  ncclMultimemCopy<T>(coop, src, ncclSymPtr<T>(dst, offset), count, handle);
}
NCCL_TS_TO ncclLocalCopy(Coop coop, T *src, Dst dst, int nDst, Int count) {
  ncclLsaCopy<T>(coop, src, dst, nDst, count);
}
NCCL_TS_GROUP ncclLocalCopy(Coop coop, T *src, int nDst, T *dst, size_t stride, Int count) {
  ncclLsaCopy<T>(coop, src, nccl_ts::strided(dst, stride), nDst, count);
}

// From the ranks of a team to those of another.
NCCL_TS_GROUP ncclLsaReduceSumCopy(Coop coop, ncclSymPtr<T> src, ncclTeam from, ncclSymPtr<T> dst, ncclTeam to,
                                   Int count) {
  ncclLsaReduceSumLsaCopy<T>(coop, nccl_ts::ofTeam(src, from), from.nRanks, nccl_ts::ofTeam(dst, to), to.nRanks, count);
}
NCCL_TS_GROUP ncclLsaReduceSumCopy(Coop coop, ncclSymPtr<T> src, ncclSymPtr<T> dst, Int count, ncclTeam team) {
  ncclLsaReduceSumCopy<T>(coop, src, team, dst, team, count);
}
NCCL_TS_GROUP ncclLsaReduceSumCopy(Coop coop, ncclSymPtr<T> src, ncclSymPtr<T> dst, Int count, ncclDevComm comm) {
  ncclLsaReduceSumCopy<T>(coop, src, dst, count, ncclTeamLsa(comm));
}
NCCL_TS_GROUP ncclLsaReduceSumCopy(Coop coop, ncclWindow_t src, size_t srcOffset, ncclWindow_t dst, size_t dstOffset,
                                   Int count, ncclTeam team) {
  ncclLsaReduceSumCopy<T>(coop, ncclSymPtr<T>(src, srcOffset), ncclSymPtr<T>(dst, dstOffset), count, team);
}
NCCL_TS_GROUP ncclLsaReduceSumCopy(Coop coop, ncclWindow_t src, size_t srcOffset, ncclWindow_t dst, size_t dstOffset,
                                   Int count, ncclDevComm comm) {
  ncclLsaReduceSumCopy<T>(coop, src, srcOffset, dst, dstOffset, count, ncclTeamLsa(comm));
}
NCCL_TS_GROUP ncclMultimemReduceSumCopy(Coop coop, T *src, T *dst, Int count) {
  ncclMultimemReduceSumMultimemCopy<T>(coop, nccl_ts::only(src), 1, nccl_ts::only(dst), 1, count);
}
NCCL_TS_GROUP ncclMultimemReduceSumCopy(Coop coop, ncclSymPtr<T> src, ncclMultimemHandle from, ncclSymPtr<T> dst,
                                        ncclMultimemHandle to, Int count) {
  ncclMultimemReduceSumCopy<T>(coop, src.multimemPtr(from), dst.multimemPtr(to), count);
}
NCCL_TS_GROUP ncclMultimemReduceSumCopy(Coop coop, ncclWindow_t src, size_t srcOffset, ncclMultimemHandle from,
                                        ncclWindow_t dst, size_t dstOffset, ncclMultimemHandle to, Int count) {
  ncclMultimemReduceSumCopy<T>(coop, ncclSymPtr<T>(src, srcOffset), from, ncclSymPtr<T>(dst, dstOffset), to, count);
}
NCCL_TS_GROUP ncclLsaReduceSumMultimemCopy(Coop coop, ncclSymPtr<T> src, ncclTeam team, T *dst, Int count) {
  ncclLsaReduceSumMultimemCopy<T>(coop, nccl_ts::ofTeam(src, team), team.nRanks, nccl_ts::only(dst), 1, count);
}
NCCL_TS_GROUP ncclLsaReduceSumMultimemCopy(Coop coop, ncclSymPtr<T> src, ncclTeam team, ncclSymPtr<T> dst,
                                           ncclMultimemHandle handle, Int count) {
  ncclLsaReduceSumMultimemCopy<T>(coop, src, team, dst.multimemPtr(handle), count);
}
NCCL_TS_GROUP ncclMultimemReduceSumLsaCopy(Coop coop, T *src, ncclSymPtr<T> dst, ncclTeam team, Int count) {
  ncclMultimemReduceSumLsaCopy<T>(coop, nccl_ts::only(src), 1, nccl_ts::ofTeam(dst, team), team.nRanks, count);
}
NCCL_TS_GROUP ncclMultimemReduceSumLsaCopy(Coop coop, ncclSymPtr<T> src, ncclMultimemHandle handle, ncclSymPtr<T> dst,
                                           ncclTeam team, Int count) {
  ncclMultimemReduceSumLsaCopy<T>(coop, src.multimemPtr(handle), dst, team, count);
}
NCCL_TS_GROUP ncclLocalReduceSumCopy(Coop coop, int nSrc, T *src, size_t srcStride, int nDst, T *dst, size_t dstStride,
                                     Int count) {
  ncclLsaReduceSumLsaCopy<T>(coop, nccl_ts::strided(src, srcStride), nSrc, nccl_ts::strided(dst, dstStride), nDst, count);
}

#undef NCCL_TS_WITH
#undef NCCL_TS_FROM_TO
#undef NCCL_TS_TO
#undef NCCL_TS_FROM
#undef NCCL_TS_GROUP
#undef NCCL_TS_UNROLL

#endif
