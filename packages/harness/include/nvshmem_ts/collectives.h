// Collectives of a team, by a thread, a warp or a block: all its PEs meet, load from each other, and meet again. NVSHMEM promises less: a PE
// may leave before others have come.
#ifndef NCCL_TS_NVSHMEM_COLLECTIVES_H
#define NCCL_TS_NVSHMEM_COLLECTIVES_H

namespace nvshmem_ts {
struct Sum {
  template <typename T>
  NVSHMEM_TS_INLINE static T of(T a, T b) { return a + b; }
};
struct Product {
  template <typename T>
  NVSHMEM_TS_INLINE static T of(T a, T b) { return a * b; }
};
struct Least {
  template <typename T>
  NVSHMEM_TS_INLINE static T of(T a, T b) { return b < a ? b : a; }
};
struct Most {
  template <typename T>
  NVSHMEM_TS_INLINE static T of(T a, T b) { return a < b ? b : a; }
};
struct And {
  template <typename T>
  NVSHMEM_TS_INLINE static T of(T a, T b) { return a & b; }
};
struct Or {
  template <typename T>
  NVSHMEM_TS_INLINE static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T>
  NVSHMEM_TS_INLINE static T of(T a, T b) { return a ^ b; }
};

// coop: threads of a tile; 0 for the block.
template <int coop>
struct Group {
  NVSHMEM_TS_INLINE static size_t rank() {
    if (coop == 1) return 0;
    size_t inBlock = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return coop == 0 ? inBlock : inBlock % 32;
  }
  NVSHMEM_TS_INLINE static size_t size() { return coop == 0 ? blockDim.x * blockDim.y * blockDim.z : coop; }
  NVSHMEM_TS_INLINE static void meet(nvshmem_team_t team) {
    if (isWorld(team)) __nccl_ts_shmem_meet(coop);
  }
};
template <typename T>
NVSHMEM_TS_INLINE const T *at(const T *source, nvshmem_team_t team, int pe) {
  return (const T *)__nccl_ts_shmem_ptr(source, isWorld(team) ? pe : __nccl_ts_shmem_my_pe());
}

// Each PE copies `count` elements from `from` of PE `pe`, to each PE's place if there are several.
template <int coop, typename T>
NVSHMEM_TS_INLINE int broadcast(nvshmem_team_t team, T *to, const T *from, size_t count, int root) {
  Group<coop>::meet(team);
  const T *there = at(from, team, root);
  if (to != there)
    for (size_t i = Group<coop>::rank(); i < count; i += Group<coop>::size()) to[i] = there[i];
  Group<coop>::meet(team);
  return 0;
}
template <int coop, typename T>
NVSHMEM_TS_INLINE int collect(nvshmem_team_t team, T *to, const T *from, size_t count, size_t each) {
  Group<coop>::meet(team);
  int pes = nvshmem_team_n_pes(team);
  for (int pe = 0; pe < pes; pe++) {
    const T *there = at(from, team, pe) + each * nvshmem_team_my_pe(team);
    for (size_t i = Group<coop>::rank(); i < count; i += Group<coop>::size()) to[pe * count + i] = there[i];
  }
  Group<coop>::meet(team);
  return 0;
}
// Source and result may be the same memory, so all PEs have loaded before one stores.
template <int coop, typename Op, typename T>
NVSHMEM_TS_INLINE int reduce(nvshmem_team_t team, T *to, const T *from, size_t count, size_t each) {
  Group<coop>::meet(team);
  int pes = nvshmem_team_n_pes(team);
  size_t first = each * nvshmem_team_my_pe(team);
  for (size_t base = 0; base < count; base += Group<coop>::size()) {
    size_t i = base + Group<coop>::rank();
    T all = T();
    if (i < count) {
      all = at(from, team, 0)[first + i];
      for (int pe = 1; pe < pes; pe++) all = Op::of(all, at(from, team, pe)[first + i]);
    }
    if (to == from + first || each != 0) Group<coop>::meet(team);
    if (i < count) to[i] = all;
  }
  Group<coop>::meet(team);
  return 0;
}
} // namespace nvshmem_ts

// scope: who calls it. x: the prefix. group: how a name ends. coop: threads.
#define NVSHMEM_TS_COPIES_OF(scope, x, name, T, group, coop)                                                           \
  scope int x##_##name##_broadcast##group(nvshmem_team_t team, T *to, const T *from, size_t count, int root) {         \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::broadcast<coop>(team, to, from, count, root);)                             \
    return 0;                                                                                                          \
  }                                                                                                                    \
  scope int x##_##name##_fcollect##group(nvshmem_team_t team, T *to, const T *from, size_t count) {                    \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::collect<coop>(team, to, from, count, 0);)                                  \
    return 0;                                                                                                          \
  }                                                                                                                    \
  scope int x##_##name##_alltoall##group(nvshmem_team_t team, T *to, const T *from, size_t count) {                    \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::collect<coop>(team, to, from, count, count);)                              \
    return 0;                                                                                                          \
  }
#define NVSHMEM_TS_REDUCTION_OF(scope, x, name, T, group, coop, op, Op)                                                \
  scope int x##_##name##_##op##_reduce##group(nvshmem_team_t team, T *to, const T *from, size_t count) {               \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::reduce<coop, nvshmem_ts::Op>(team, to, from, count, 0);)                   \
    return 0;                                                                                                          \
  }                                                                                                                    \
  scope int x##_##name##_##op##_reducescatter##group(nvshmem_team_t team, T *to, const T *from, size_t count) {        \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::reduce<coop, nvshmem_ts::Op>(team, to, from, count, count);)               \
    return 0;                                                                                                          \
  }
#define NVSHMEM_TS_FOR_GROUPS(make, name, T, ...)                                                                      \
  make(NVSHMEM_TS_BOTH, nvshmem, name, T, , 1, ##__VA_ARGS__) make(NVSHMEM_TS_INLINE, nvshmemx, name, T, _warp, 32,    \
                                                                    ##__VA_ARGS__)                                     \
      make(NVSHMEM_TS_INLINE, nvshmemx, name, T, _block, 0, ##__VA_ARGS__)
// The host's, on streams, are declared alone.
#define NVSHMEM_TS_COPIES(name, T)                                                                                     \
  int nvshmemx_##name##_broadcast_on_stream(nvshmem_team_t, T *, const T *, size_t, int root, cudaStream_t);           \
  int nvshmemx_##name##_fcollect_on_stream(nvshmem_team_t, T *, const T *, size_t, cudaStream_t);                      \
  int nvshmemx_##name##_alltoall_on_stream(nvshmem_team_t, T *, const T *, size_t, cudaStream_t);                      \
  NVSHMEM_TS_FOR_GROUPS(NVSHMEM_TS_COPIES_OF, name, T)
#define NVSHMEM_TS_REDUCTION(name, T, op, Op)                                                                          \
  int nvshmemx_##name##_##op##_reduce_on_stream(nvshmem_team_t, T *, const T *, size_t, cudaStream_t);                 \
  int nvshmemx_##name##_##op##_reducescatter_on_stream(nvshmem_team_t, T *, const T *, size_t, cudaStream_t);          \
  NVSHMEM_TS_FOR_GROUPS(NVSHMEM_TS_REDUCTION_OF, name, T, op, Op)
#define NVSHMEM_TS_NUMBERS(name, T)                                                                                    \
  NVSHMEM_TS_COPIES(name, T)                                                                                           \
  NVSHMEM_TS_REDUCTION(name, T, sum, Sum)                                                                              \
  NVSHMEM_TS_REDUCTION(name, T, prod, Product)                                                                         \
  NVSHMEM_TS_REDUCTION(name, T, min, Least)                                                                            \
  NVSHMEM_TS_REDUCTION(name, T, max, Most)
#define NVSHMEM_TS_INTEGERS(name, T)                                                                                   \
  NVSHMEM_TS_NUMBERS(name, T)                                                                                          \
  NVSHMEM_TS_REDUCTION(name, T, and, And)                                                                              \
  NVSHMEM_TS_REDUCTION(name, T, or, Or)                                                                                \
  NVSHMEM_TS_REDUCTION(name, T, xor, Xor)

#define NVSHMEM_TS_BYTE_COPIES(scope, x, group, coop)                                                                  \
  scope int x##_broadcastmem##group(nvshmem_team_t team, void *to, const void *from, size_t bytes, int root) {         \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::broadcast<coop>(team, (char *)to, (const char *)from, bytes, root);)       \
    return 0;                                                                                                          \
  }                                                                                                                    \
  scope int x##_fcollectmem##group(nvshmem_team_t team, void *to, const void *from, size_t bytes) {                    \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::collect<coop>(team, (char *)to, (const char *)from, bytes, 0);)            \
    return 0;                                                                                                          \
  }                                                                                                                    \
  scope int x##_alltoallmem##group(nvshmem_team_t team, void *to, const void *from, size_t bytes) {                    \
    NVSHMEM_TS_ON_DEVICE(return nvshmem_ts::collect<coop>(team, (char *)to, (const char *)from, bytes, bytes);)        \
    return 0;                                                                                                          \
  }
NVSHMEM_TS_BYTE_COPIES(NVSHMEM_TS_BOTH, nvshmem, , 1)
NVSHMEM_TS_BYTE_COPIES(NVSHMEM_TS_INLINE, nvshmemx, _warp, 32)
NVSHMEM_TS_BYTE_COPIES(NVSHMEM_TS_INLINE, nvshmemx, _block, 0)
NVSHMEM_TS_NUMBERS(float, float)
NVSHMEM_TS_NUMBERS(double, double)
NVSHMEM_TS_NUMBERS(half, __half)
NVSHMEM_TS_NUMBERS(bfloat16, __nv_bfloat16)
NVSHMEM_TS_INTEGERS(char, char)
NVSHMEM_TS_INTEGERS(schar, signed char)
NVSHMEM_TS_INTEGERS(uchar, unsigned char)
NVSHMEM_TS_INTEGERS(short, short)
NVSHMEM_TS_INTEGERS(ushort, unsigned short)
NVSHMEM_TS_INTEGERS(int, int)
NVSHMEM_TS_INTEGERS(uint, unsigned int)
NVSHMEM_TS_INTEGERS(long, long)
NVSHMEM_TS_INTEGERS(ulong, unsigned long)
NVSHMEM_TS_INTEGERS(longlong, long long)
NVSHMEM_TS_INTEGERS(ulonglong, unsigned long long)
NVSHMEM_TS_INTEGERS(int8, int8_t)
NVSHMEM_TS_INTEGERS(uint8, uint8_t)
NVSHMEM_TS_INTEGERS(int16, int16_t)
NVSHMEM_TS_INTEGERS(uint16, uint16_t)
NVSHMEM_TS_INTEGERS(int32, int32_t)
NVSHMEM_TS_INTEGERS(uint32, uint32_t)
NVSHMEM_TS_INTEGERS(int64, int64_t)
NVSHMEM_TS_INTEGERS(uint64, uint64_t)
NVSHMEM_TS_INTEGERS(size, size_t)

#endif
