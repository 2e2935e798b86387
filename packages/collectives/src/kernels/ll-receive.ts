import { deviceFn, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { LLA2ASession } from '@nccl-ts/ll-a2a';
import { llWords } from './ll-word.ts';

/**
 * A thread's receive in an epoch: it waits for the words of all peers, and passes the word of each
 * rank to `take`, in rank order.
 */
export type LLReceive = DeviceFn<
  (
    type: TypeFn,
    session: LLA2ASession,
    rank: number,
    nRanks: number,
    own: Ptr,
    take: (from: number, word: number) => void,
  ) => void
>;

/**
 * `ranks` is the number of ranks, so that the waits for all of them overlap and words stay in
 * registers; 0 means any number. `own` holds the word of the calling rank, which is `rank`.
 */
export function llReceive(ranks: number): LLReceive {
  return deviceFn(
    { name: 'llReceive', use: { llWords, RANKS: ranks } },
    (
      { llWords, RANKS, threadIdx, blockDim, localArray, unroll, u32 },
      T: TypeFn,
      session: LLA2ASession,
      rank: number,
      nRanks: number,
      own: Ptr,
      take: (from: number, word: number) => void,
    ) => {
      const V = llWords.type(T);
      if (RANKS === 0) {
        for (let from = u32(0); from < nRanks; from++) {
          let word = own.load(0);
          if (from !== rank) word = session.recv(V, llWords.peerSlot(from, rank) * blockDim.x + threadIdx.x);
          take(from, word);
        }
      } else {
        const came = localArray(V, RANKS - 1);
        session.recvUnrolled(RANKS - 1, RANKS - 1, threadIdx.x, RANKS - 1, blockDim.x, came);
        for (const from of unroll(RANKS)) {
          // The compiler keeps an array in registers only if all indices are constants.
          const before = came.load(from === RANKS - 1 ? from - 1 : from);
          const behind = came.load(from === 0 ? from : from - 1);
          const theirs = from === 0 ? before : from === RANKS - 1 ? behind : rank < from ? behind : before;
          take(from, from === rank ? own.load(0) : theirs);
        }
      }
    },
  );
}
