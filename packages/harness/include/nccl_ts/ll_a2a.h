// Low-latency all-to-all through resource buffers. A slot has 16 bytes: twice 4 bytes of a value and the number of the epoch. Each block has a
// line for the epoch at which its session ended, and two banks of slots, which epochs use in turn.
#ifndef NCCL_TS_LL_A2A_H
#define NCCL_TS_LL_A2A_H

template <typename Coop>
struct ncclLLA2ASession {
  ncclLLA2ASession(ncclLLA2ASession const &) = delete;

  // A broadcast with `multimem` fills the same slots as one without, and is made without it here.
  NCCL_TS_INLINE ncclLLA2ASession(Coop coop, ncclDevComm const &comm, ncclTeam team, ncclLLA2AHandle handle,
                                  uint32_t block, int maxElts, bool = false, ncclMultimemHandle = {})
      : coop(coop), comm(comm), team(team), handle(handle), block(block), pitch(maxElts) {
    epoch = *(uint32_t *)at(team.rank, 0) + 2;
  }
  NCCL_TS_INLINE ~ncclLLA2ASession() {
    coop.sync();
    if (coop.thread_rank() == 0) *(uint32_t *)at(team.rank, 0) = epoch - 2;
    coop.sync();
  }

  template <typename T>
  NCCL_TS_INLINE void send(int peer, int elt, T data) {
    Halves<T> halves = {};
    halves.value = data;
    uint4 *to = at(peer, bank() + elt);
    for (int i = 0; i < Halves<T>::slots; i++) {
      asm volatile("st.relaxed.sys.v4.u32 [%0],{%1,%3,%2,%3};" ::"l"(to + i * pitch), "r"(halves.words[i][0]),
                   "r"(halves.words[i][1]), "r"(epoch)
                   : "memory");
    }
  }
  template <typename T>
  NCCL_TS_INLINE void bcast(int elt, T data) {
    for (int i = 0; i < team.nRanks; i++) send((team.rank + i) % team.nRanks, elt, data);
  }

  template <typename T>
  NCCL_TS_INLINE T recv(int elt) {
    T value[1];
    recvUnrolled<1, 1>(elt, 1, 0, value);
    return value[0];
  }
  template <int minElts, int maxElts, typename T>
  NCCL_TS_INLINE void recvUnrolled(int start, int count, int stride, T (&values)[maxElts]) {
    uint4 const *from = at(team.rank, bank() + start);
    for (int u = 0; u < maxElts; u++) {
      if (u >= minElts && u >= count) break;
      Halves<T> halves;
      for (int i = 0; i < Halves<T>::slots; i++) {
        uint4 line;
        do {
          asm volatile("ld.relaxed.sys.v4.u32 {%0,%1,%2,%3},[%4];"
                       : "=r"(line.x), "=r"(line.y), "=r"(line.z), "=r"(line.w)
                       : "l"(from + u * stride + i * pitch)
                       : "memory");
        } while (line.y != epoch || line.w != epoch);
        halves.words[i][0] = line.x;
        halves.words[i][1] = line.z;
      }
      values[u] = halves.value;
    }
  }
  template <int unroll, typename T, typename ToAcc, typename Reduce>
  NCCL_TS_INLINE auto recvReduce(int start, int count, int stride, ToAcc toAcc, Reduce reduce)
      -> decltype(toAcc(*(T *)nullptr)) {
    decltype(toAcc(*(T *)nullptr)) sum;
    for (int i = 0; i < count; i++) {
      auto next = toAcc(recv<T>(start + i * stride));
      sum = i == 0 ? next : reduce(sum, next);
    }
    return sum;
  }

  NCCL_TS_INLINE void endEpoch(Coop) {
    // The numbers 0 and 1 are those of slots that were never used.
    if (epoch >= -2u) {
      coop.sync();
      for (uint32_t i = coop.thread_rank(); i < handle.nSlots; i += coop.size()) {
        *at(team.rank, bank() + i) = make_uint4(0, 0, 0, 0);
      }
    }
    coop.sync();
    epoch += epoch == -1u ? 3 : 1;
  }

private:
  template <typename T>
  union Halves {
    static constexpr int slots = (sizeof(T) + 7) / 8;
    uint32_t words[slots][2];
    T value;
    NCCL_TS_INLINE Halves() : words{} {}
  };

  Coop coop;
  ncclDevComm const &comm;
  ncclTeam team;
  ncclLLA2AHandle handle;
  uint32_t block;
  int pitch;
  uint32_t epoch;

  NCCL_TS_INLINE uint32_t bank() const { return 1 + (epoch & 1) * handle.nSlots; }
  NCCL_TS_INLINE uint4 *at(int peer, uint32_t line) const {
    uint4 *lines = (uint4 *)ncclGetResourceBufferPeerPointer(comm, handle.bufHandle, team, peer);
    return lines + block * (1 + 2 * handle.nSlots) + line;
  }
};

#endif
