// Single words: put, get, atomics, signals and waits. They are loads and stores at the peer's address, in no order with puts that are posted.
#ifndef NCCL_TS_NVSHMEM_WORDS_H
#define NCCL_TS_NVSHMEM_WORDS_H

namespace nvshmem_ts {
// Words in global memory, as all GPUs see them.
template <int bytes>
struct Bits;

#define NVSHMEM_TS_BITS(size, U, letter, suffix)                                                                       \
  template <>                                                                                                          \
  struct Bits<size> {                                                                                                  \
    U bits;                                                                                                            \
    NVSHMEM_TS_INLINE static U load(const void *at) {                                                                  \
      U value;                                                                                                         \
      asm volatile("ld.relaxed.sys.global." suffix " %0, [%1];" : "=" letter(value) : "l"(at) : "memory");             \
      return value;                                                                                                    \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static U acquire(const void *at) {                                                               \
      U value;                                                                                                         \
      asm volatile("ld.acquire.sys.global." suffix " %0, [%1];" : "=" letter(value) : "l"(at) : "memory");             \
      return value;                                                                                                    \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static void store(void *at, U value) {                                                           \
      asm volatile("st.relaxed.sys.global." suffix " [%0], %1;" ::"l"(at), letter(value) : "memory");                  \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static U add(void *at, U value) {                                                                \
      U before;                                                                                                        \
      asm volatile("atom.relaxed.sys.global.add." suffix " %0, [%1], %2;"                                              \
                   : "=" letter(before)                                                                                \
                   : "l"(at), letter(value)                                                                            \
                   : "memory");                                                                                        \
      return before;                                                                                                   \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static U andBits(void *at, U value) {                                                               \
      U before;                                                                                                        \
      asm volatile("atom.relaxed.sys.global.and.b%3 %0, [%1], %2;"                                                   \
                   : "=" letter(before)                                                                                  \
                   : "l"(at), letter(value), "n"(8 * size)                                                               \
                   : "memory");                                                                                          \
      return before;                                                                                                   \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static U orBits(void *at, U value) {                                                                \
      U before;                                                                                                        \
      asm volatile("atom.relaxed.sys.global.or.b%3 %0, [%1], %2;"                                                    \
                   : "=" letter(before)                                                                                  \
                   : "l"(at), letter(value), "n"(8 * size)                                                               \
                   : "memory");                                                                                          \
      return before;                                                                                                   \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static U xorBits(void *at, U value) {                                                               \
      U before;                                                                                                        \
      asm volatile("atom.relaxed.sys.global.xor.b%3 %0, [%1], %2;"                                                   \
                   : "=" letter(before)                                                                                  \
                   : "l"(at), letter(value), "n"(8 * size)                                                               \
                   : "memory");                                                                                          \
      return before;                                                                                                   \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static U exchange(void *at, U value) {                                                           \
      U before;                                                                                                        \
      asm volatile("atom.relaxed.sys.global.exch.b%3 %0, [%1], %2;"                                                    \
                   : "=" letter(before)                                                                                \
                   : "l"(at), letter(value), "n"(8 * size)                                                             \
                   : "memory");                                                                                        \
      return before;                                                                                                   \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static U compareSwap(void *at, U expected, U value) {                                            \
      U before;                                                                                                        \
      asm volatile("atom.relaxed.sys.global.cas.b%4 %0, [%1], %2, %3;"                                                 \
                   : "=" letter(before)                                                                                \
                   : "l"(at), letter(expected), letter(value), "n"(8 * size)                                           \
                   : "memory");                                                                                        \
      return before;                                                                                                   \
    }                                                                                                                  \
  }
#define NVSHMEM_TS_SMALL_BITS(size, suffix)                                                                              \
  template <>                                                                                                          \
  struct Bits<size> {                                                                                                  \
    uint##suffix##_t bits;                                                                                             \
    NVSHMEM_TS_INLINE static uint##suffix##_t load(const void *at) {                                                   \
      uint16_t value;                                                                                                  \
      asm volatile("ld.relaxed.sys.global.u" #suffix " %0, [%1];" : "=h"(value) : "l"(at) : "memory");                 \
      return value;                                                                                                    \
    }                                                                                                                  \
    NVSHMEM_TS_INLINE static void store(void *at, uint##suffix##_t value) {                                            \
      asm volatile("st.relaxed.sys.global.u" #suffix " [%0], %1;" ::"l"(at), "h"((uint16_t)value) : "memory");         \
    }                                                                                                                  \
  }
NVSHMEM_TS_SMALL_BITS(1, 8);
NVSHMEM_TS_SMALL_BITS(2, 16);
NVSHMEM_TS_BITS(4, uint32_t, "r", "u32");
NVSHMEM_TS_BITS(8, uint64_t, "l", "u64");

// A value as its bits and back.
template <typename T>
union Both {
  T value;
  decltype(Bits<sizeof(T)>::bits) bits;
};
template <typename T>
struct Word {
  T *at;
  NVSHMEM_TS_INLINE static decltype(Bits<sizeof(T)>::bits) bitsOf(T value) {
    Both<T> both;
    both.value = value;
    return both.bits;
  }
  NVSHMEM_TS_INLINE static T valueOf(decltype(Bits<sizeof(T)>::bits) bits) {
    Both<T> both;
    both.bits = bits;
    return both.value;
  }
  NVSHMEM_TS_INLINE T load() const { return valueOf(Bits<sizeof(T)>::load(at)); }
  NVSHMEM_TS_INLINE T acquire() const { return valueOf(Bits<sizeof(T)>::acquire(at)); }
  NVSHMEM_TS_INLINE void store(T value) const { Bits<sizeof(T)>::store(at, bitsOf(value)); }
  NVSHMEM_TS_INLINE T add(T value) const { return valueOf(Bits<sizeof(T)>::add(at, bitsOf(value))); }
  NVSHMEM_TS_INLINE T andBits(T value) const { return valueOf(Bits<sizeof(T)>::andBits(at, bitsOf(value))); }
  NVSHMEM_TS_INLINE T orBits(T value) const { return valueOf(Bits<sizeof(T)>::orBits(at, bitsOf(value))); }
  NVSHMEM_TS_INLINE T xorBits(T value) const { return valueOf(Bits<sizeof(T)>::xorBits(at, bitsOf(value))); }
  NVSHMEM_TS_INLINE T exchange(T value) const { return valueOf(Bits<sizeof(T)>::exchange(at, bitsOf(value))); }
  NVSHMEM_TS_INLINE T compareSwap(T expected, T value) const {
    return valueOf(Bits<sizeof(T)>::compareSwap(at, bitsOf(expected), bitsOf(value)));
  }
};

template <typename T>
NVSHMEM_TS_INLINE Word<T> wordAt(const T *pointer, int pe) {
  return {(T *)__nccl_ts_shmem_ptr(pointer, pe)};
}
template <typename T>
NVSHMEM_TS_INLINE bool holds(T word, int compare, T value) {
  switch (compare) {
  case NVSHMEM_CMP_EQ:
    return word == value;
  case NVSHMEM_CMP_NE:
    return word != value;
  case NVSHMEM_CMP_GT:
    return word > value;
  case NVSHMEM_CMP_LE:
    return word <= value;
  case NVSHMEM_CMP_LT:
    return word < value;
  default:
    return word >= value;
  }
}
template <typename T>
NVSHMEM_TS_INLINE T look(T *word) {
  return Word<T>{word}.acquire();
}
template <typename T>
NVSHMEM_TS_INLINE T wait(T *word, int compare, T value) {
  T seen;
  do {
    seen = look(word);
  } while (!holds(seen, compare, value));
  return seen;
}
// Which of several words hold, without those whose status is not 0. first: the first of them, or the greatest number.
struct Held {
  bool isAll, isNone;
  size_t first;
};
template <typename T>
NVSHMEM_TS_INLINE Held heldBy(T *words, size_t count, const int *status, int compare, T value) {
  Held held = {true, true, ~(size_t)0};
  for (size_t i = 0; i < count; i++) {
    if (status != nullptr && status[i] != 0) continue;
    held.isNone = false;
    bool is = holds(look(words + i), compare, value);
    if (is && held.first == ~(size_t)0) held.first = i;
    held.isAll = held.isAll && is;
  }
  return held;
}
template <typename T>
NVSHMEM_TS_INLINE size_t waitAny(T *words, size_t count, const int *status, int compare, T value) {
  Held held;
  do {
    held = heldBy(words, count, status, compare, value);
  } while (!held.isNone && held.first == ~(size_t)0);
  return held.first;
}
} // namespace nvshmem_ts

NVSHMEM_TS_INLINE void nvshmemx_signal_op(uint64_t *signal, uint64_t value, int op, int pe) {
  if (op == NVSHMEM_SIGNAL_SET) nvshmem_ts::wordAt(signal, pe).store(value);
  else nvshmem_ts::wordAt(signal, pe).add(value);
}
NVSHMEM_TS_INLINE uint64_t nvshmem_signal_fetch(uint64_t *signal) { return nvshmem_ts::look(signal); }
NVSHMEM_TS_INLINE uint64_t nvshmem_signal_wait_until(uint64_t *signal, int compare, uint64_t value) {
  return nvshmem_ts::wait(signal, compare, value);
}

#define NVSHMEM_TS_WORD(name, T)                                                                                       \
  NVSHMEM_TS_INLINE void nvshmem_##name##_p(T *to, const T value, int pe) {                                            \
    nvshmem_ts::wordAt(to, pe).store(value);                                                                           \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE T nvshmem_##name##_g(const T *from, int pe) { return nvshmem_ts::wordAt(from, pe).load(); }
#define NVSHMEM_TS_WAIT(name, T)                                                                                       \
  NVSHMEM_TS_INLINE void nvshmem_##name##_wait_until(T *word, int compare, T value) {                                  \
    nvshmem_ts::wait(word, compare, value);                                                                            \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void nvshmem_##name##_wait_until_all(T *words, size_t count, const int *status, int compare,       \
                                                         T value) {                                                    \
    for (size_t i = 0; i < count; i++)                                                                                 \
      if (status == nullptr || status[i] == 0) nvshmem_ts::wait(words + i, compare, value);                            \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE size_t nvshmem_##name##_wait_until_any(T *words, size_t count, const int *status, int compare,     \
                                                           T value) {                                                  \
    return nvshmem_ts::waitAny(words, count, status, compare, value);                                                  \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE int nvshmem_##name##_test_all(T *words, size_t count, const int *status, int compare, T value) {   \
    return nvshmem_ts::heldBy(words, count, status, compare, value).isAll;                                             \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE size_t nvshmem_##name##_test_any(T *words, size_t count, const int *status, int compare,           \
                                                      T value) {                                                       \
    return nvshmem_ts::heldBy(words, count, status, compare, value).first;                                             \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE int nvshmem_##name##_test(T *word, int compare, T value) {                                         \
    return nvshmem_ts::holds(nvshmem_ts::look(word), compare, value);                                                  \
  }
#define NVSHMEM_TS_ATOMIC(name, T)                                                                                     \
  NVSHMEM_TS_INLINE T nvshmem_##name##_atomic_fetch(const T *from, int pe) { return nvshmem_##name##_g(from, pe); }    \
  NVSHMEM_TS_INLINE void nvshmem_##name##_atomic_set(T *to, T value, int pe) { nvshmem_##name##_p(to, value, pe); }    \
  NVSHMEM_TS_INLINE T nvshmem_##name##_atomic_swap(T *to, T value, int pe) {                                           \
    return nvshmem_ts::wordAt(to, pe).exchange(value);                                                                 \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE T nvshmem_##name##_atomic_compare_swap(T *to, T expected, T value, int pe) {                       \
    return nvshmem_ts::wordAt(to, pe).compareSwap(expected, value);                                                    \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE T nvshmem_##name##_atomic_fetch_add(T *to, T value, int pe) {                                      \
    return nvshmem_ts::wordAt(to, pe).add(value);                                                                      \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void nvshmem_##name##_atomic_add(T *to, T value, int pe) {                                         \
    nvshmem_ts::wordAt(to, pe).add(value);                                                                             \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE T nvshmem_##name##_atomic_fetch_inc(T *to, int pe) { return nvshmem_ts::wordAt(to, pe).add(1); }   \
  NVSHMEM_TS_INLINE void nvshmem_##name##_atomic_inc(T *to, int pe) { nvshmem_ts::wordAt(to, pe).add(1); }
#define NVSHMEM_TS_BITWISE_OP(name, T, op)                                                                             \
  NVSHMEM_TS_INLINE T nvshmem_##name##_atomic_fetch_##op(T *to, T value, int pe) {                                     \
    return nvshmem_ts::wordAt(to, pe).op##Bits(value);                                                                 \
  }                                                                                                                    \
  NVSHMEM_TS_INLINE void nvshmem_##name##_atomic_##op(T *to, T value, int pe) {                                        \
    nvshmem_ts::wordAt(to, pe).op##Bits(value);                                                                        \
  }
#define NVSHMEM_TS_BITWISE(name, T)                                                                                    \
  NVSHMEM_TS_BITWISE_OP(name, T, and) NVSHMEM_TS_BITWISE_OP(name, T, or) NVSHMEM_TS_BITWISE_OP(name, T, xor)
#define NVSHMEM_TS_WHOLE(name, T) NVSHMEM_TS_WORD(name, T) NVSHMEM_TS_WAIT(name, T) NVSHMEM_TS_ATOMIC(name, T)

NVSHMEM_TS_WORD(float, float)
NVSHMEM_TS_WORD(double, double)
NVSHMEM_TS_WORD(char, char)
NVSHMEM_TS_WORD(schar, signed char)
NVSHMEM_TS_WORD(uchar, unsigned char)
NVSHMEM_TS_WORD(short, short)
NVSHMEM_TS_WORD(ushort, unsigned short)
NVSHMEM_TS_WORD(int8, int8_t)
NVSHMEM_TS_WORD(uint8, uint8_t)
NVSHMEM_TS_WORD(int16, int16_t)
NVSHMEM_TS_WORD(uint16, uint16_t)
NVSHMEM_TS_WHOLE(int, int)
NVSHMEM_TS_WHOLE(long, long)
NVSHMEM_TS_WHOLE(longlong, long long)
NVSHMEM_TS_WHOLE(uint, unsigned int)
NVSHMEM_TS_WHOLE(ulong, unsigned long)
NVSHMEM_TS_WHOLE(ulonglong, unsigned long long)
NVSHMEM_TS_WHOLE(int32, int32_t)
NVSHMEM_TS_WHOLE(int64, int64_t)
NVSHMEM_TS_WHOLE(uint32, uint32_t)
NVSHMEM_TS_WHOLE(uint64, uint64_t)
NVSHMEM_TS_WHOLE(size, size_t)

NVSHMEM_TS_WHOLE(ptrdiff, ptrdiff_t)
NVSHMEM_TS_BITWISE(uint, unsigned int)
NVSHMEM_TS_BITWISE(ulong, unsigned long)
NVSHMEM_TS_BITWISE(ulonglong, unsigned long long)
NVSHMEM_TS_BITWISE(int32, int32_t)
NVSHMEM_TS_BITWISE(int64, int64_t)
NVSHMEM_TS_BITWISE(uint32, uint32_t)
NVSHMEM_TS_BITWISE(uint64, uint64_t)
#endif
