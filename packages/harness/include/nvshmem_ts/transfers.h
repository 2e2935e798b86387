// Puts and gets of many bytes, by a thread, a warp or a block.
#ifndef NCCL_TS_NVSHMEM_TRANSFERS_H
#define NCCL_TS_NVSHMEM_TRANSFERS_H

namespace nvshmem_ts {
template <int nonblocking, int coop>
NVSHMEM_TS_INLINE void putSignal(void *to, const void *from, size_t bytes, uint64_t *signal, uint64_t value, int op,
                                 int pe) {
  if (op == NVSHMEM_SIGNAL_SET) __nccl_ts_shmem_put_signal(to, from, bytes, signal, value, pe, nonblocking, 0, coop);
  else __nccl_ts_shmem_put_signal(to, from, bytes, signal, value, pe, nonblocking, 1, coop);
}
} // namespace nvshmem_ts

// x: the prefix. group: how a name ends. coop: threads.
#define NVSHMEM_TS_BYTES(x, group, coop)                                                                               \
  NVSHMEM_TS_INLINE void x##_putmem##group(void *to, const void *from, size_t bytes, int pe) {                         \
    __nccl_ts_shmem_put(to, from, bytes, pe, 0, coop);                                                                 \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_putmem_nbi##group(void *to, const void *from, size_t bytes, int pe) {                     \
    __nccl_ts_shmem_put(to, from, bytes, pe, 1, coop);                                                                 \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_getmem##group(void *to, const void *from, size_t bytes, int pe) {                         \
    __nccl_ts_shmem_get(to, from, bytes, pe, 0, coop);                                                                 \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_getmem_nbi##group(void *to, const void *from, size_t bytes, int pe) {                     \
    __nccl_ts_shmem_get(to, from, bytes, pe, 1, coop);                                                                 \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_putmem_signal##group(void *to, const void *from, size_t bytes, uint64_t *signal,          \
                                                  uint64_t value, int op, int pe) {                                    \
    nvshmem_ts::putSignal<0, coop>(to, from, bytes, signal, value, op, pe);                                            \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_putmem_signal_nbi##group(void *to, const void *from, size_t bytes, uint64_t *signal,      \
                                                      uint64_t value, int op, int pe) {                                \
    nvshmem_ts::putSignal<1, coop>(to, from, bytes, signal, value, op, pe);                                            \
  }
NVSHMEM_TS_BYTES(nvshmem, , 1)
NVSHMEM_TS_BYTES(nvshmemx, _warp, 32)
NVSHMEM_TS_BYTES(nvshmemx, _block, 0)

#define NVSHMEM_TS_ELEMENTS_OF(x, name, T, group)                                                                      \
  NVSHMEM_TS_INLINE void x##_##name##_put##group(T *to, const T *from, size_t count, int pe) {                         \
    x##_putmem##group(to, from, count * sizeof(T), pe);                                                                \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_##name##_put_nbi##group(T *to, const T *from, size_t count, int pe) {                     \
    x##_putmem_nbi##group(to, from, count * sizeof(T), pe);                                                            \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_##name##_get##group(T *to, const T *from, size_t count, int pe) {                         \
    x##_getmem##group(to, from, count * sizeof(T), pe);                                                                \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_##name##_get_nbi##group(T *to, const T *from, size_t count, int pe) {                     \
    x##_getmem_nbi##group(to, from, count * sizeof(T), pe);                                                            \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_##name##_put_signal##group(T *to, const T *from, size_t count, uint64_t *signal,          \
                                                        uint64_t value, int op, int pe) {                              \
    x##_putmem_signal##group(to, from, count * sizeof(T), signal, value, op, pe);                                      \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void x##_##name##_put_signal_nbi##group(T *to, const T *from, size_t count, uint64_t *signal,      \
                                                            uint64_t value, int op, int pe) {                          \
    x##_putmem_signal_nbi##group(to, from, count * sizeof(T), signal, value, op, pe);                                  \
  }
#define NVSHMEM_TS_ELEMENTS(name, T)                                                                                   \
  NVSHMEM_TS_ELEMENTS_OF(nvshmem, name, T, )                                                                           \
  NVSHMEM_TS_ELEMENTS_OF(nvshmemx, name, T, _warp)                                                                     \
  NVSHMEM_TS_ELEMENTS_OF(nvshmemx, name, T, _block)

NVSHMEM_TS_ELEMENTS(float, float)
NVSHMEM_TS_ELEMENTS(double, double)
NVSHMEM_TS_ELEMENTS(char, char)
NVSHMEM_TS_ELEMENTS(schar, signed char)
NVSHMEM_TS_ELEMENTS(uchar, unsigned char)
NVSHMEM_TS_ELEMENTS(ushort, unsigned short)
NVSHMEM_TS_ELEMENTS(half, __half)
NVSHMEM_TS_ELEMENTS(bfloat16, __nv_bfloat16)
NVSHMEM_TS_ELEMENTS(ptrdiff, ptrdiff_t)
NVSHMEM_TS_ELEMENTS(short, short)
NVSHMEM_TS_ELEMENTS(int, int)
NVSHMEM_TS_ELEMENTS(long, long)
NVSHMEM_TS_ELEMENTS(longlong, long long)
NVSHMEM_TS_ELEMENTS(uint, unsigned int)
NVSHMEM_TS_ELEMENTS(ulong, unsigned long)
NVSHMEM_TS_ELEMENTS(ulonglong, unsigned long long)
NVSHMEM_TS_ELEMENTS(int8, int8_t)
NVSHMEM_TS_ELEMENTS(int16, int16_t)
NVSHMEM_TS_ELEMENTS(int32, int32_t)
NVSHMEM_TS_ELEMENTS(int64, int64_t)
NVSHMEM_TS_ELEMENTS(uint8, uint8_t)
NVSHMEM_TS_ELEMENTS(uint16, uint16_t)
NVSHMEM_TS_ELEMENTS(uint32, uint32_t)
NVSHMEM_TS_ELEMENTS(uint64, uint64_t)
NVSHMEM_TS_ELEMENTS(size, size_t)

#endif
