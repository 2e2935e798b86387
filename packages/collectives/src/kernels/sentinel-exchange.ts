import { deviceFn, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { elementReductions } from './element-reductions.ts';
import type { KernelShape } from './kernel-shape.ts';
import { sentinel } from './sentinel-word.ts';
import { wideWords } from './wide-word.ts';

/** The slots for the words that a CTA exchanges in a turn. */
export interface SentinelBank {
  readonly rank: number;
  readonly nRanks: number;
  /** Returns the slots at rank `peer` for words of this rank. */
  readonly outboxAt: (peer: number) => Ptr;
  /** Returns the slots for words of peer `from`, counted without this rank. */
  readonly inboxOf: (from: number) => Ptr;
}

/**
 * A thread's words of one exchange: `first`, `first + step`, and so on of `count` elements. They
 * travel through the slots `slot`, `slot + blockDim`, and so on. All threads of a CTA must take
 * part, even those past the last word, because WebGPU requires the whole CTA to wait.
 */
export interface SentinelWords {
  readonly count: number;
  readonly first: number;
  readonly step: number;
  readonly slot: number;
}

/** Loads the thread's words into `own`, and stores them to all peers. */
export type SentinelSend = DeviceFn<(bank: SentinelBank, input: Ptr, words: SentinelWords, own: Ptr) => void>;

/**
 * Waits for the same words of all peers, clears their slots, and stores the sums. `own` holds the
 * thread's own words.
 */
export type SentinelReceive = DeviceFn<(bank: SentinelBank, output: Ptr, words: SentinelWords, own: Ptr) => void>;

/** The constants of an exchange. */
export interface SentinelPace {
  /** The number of words of a thread, which are in flight together. */
  readonly words: number;
  /** True if buffers are aligned to 16 bytes and have only whole words. */
  readonly whole: boolean;
}

export function sentinelSend({ T, pace }: KernelShape, { words, whole }: SentinelPace): SentinelSend {
  return deviceFn(
    { name: 'sentinelSend', use: { sentinel, wideWords, T, RANKS: pace.ranks, WORDS: words, WHOLE: whole } },
    (
      { sentinel, wideWords, T, RANKS, WORDS, WHOLE, blockDim, u32, unroll, vec },
      { rank, nRanks, outboxAt }: SentinelBank,
      input: Ptr,
      { count, first, step, slot }: SentinelWords,
      own: Ptr,
    ) => {
      const width = wideWords.width(T);
      const begin = (k: number): number => (first + k * step) * width;
      const sendTo = (peer: number): void => {
        const outbox = outboxAt(peer);
        for (const k of unroll(WORDS)) {
          if (begin(k) < count) outbox.store(slot + k * blockDim.x, sentinel.masked(own.load(k)), 'relaxed', 'system');
        }
      };
      for (const k of unroll(WORDS)) {
        if (!WHOLE) wideWords.load(T, own.offset(k), input, begin(k), count);
        else if (begin(k) < count) own.store(k, input.offset(begin(k)).cast(vec(u32, 4)).load(0));
      }
      if (RANKS === 0) for (let away = u32(1); away < nRanks; away++) sendTo((rank + away) % nRanks);
      else for (const away of unroll(RANKS)) if (away > 0) sendTo((rank + away) % nRanks);
    },
  );
}

export function sentinelReceive({ T, A, element, pace }: KernelShape, { words, whole }: SentinelPace): SentinelReceive {
  // A sum of two is the same in both orders, so no rank has to look for its own place.
  const inAnyOrder = pace.ranks === 2 && (element === elementReductions.sum || element === elementReductions.avg);
  return deviceFn(
    {
      name: 'sentinelReceive',
      use: {
        sentinel,
        wideWords,
        element,
        T,
        A,
        RANKS: pace.ranks,
        WORDS: words,
        WHOLE: whole,
        ANY_ORDER: inAnyOrder,
      },
    },
    (
      {
        sentinel,
        wideWords,
        element,
        T,
        A,
        RANKS,
        WORDS,
        WHOLE,
        ANY_ORDER,
        bitcast,
        blockDim,
        lane,
        localArray,
        u32,
        unroll,
        vec,
        waitUntil,
        withLane,
      },
      { rank, nRanks, inboxOf }: SentinelBank,
      output: Ptr,
      { count, first, step, slot }: SentinelWords,
      own: Ptr,
    ) => {
      const width = wideWords.width(T);
      const V = vec(u32, 4);
      const W = vec(T, width);
      const total = localArray(A, width);
      const begin = (k: number): number => (first + k * step) * width;
      const place = (k: number): number => slot + k * blockDim.x;
      const isThere = (k: number): boolean => begin(k) < count;
      const take = (r: number, word: number): void => {
        const came = bitcast(W, word);
        for (const j of unroll(width)) {
          const next = A(lane(came, j));
          if (r === 0) total[j] = next;
          else total[j] = A(element.join(total.load(j), next));
        }
      };
      const finish = (k: number): void => {
        let word = W(T(0));
        for (const j of unroll(width)) word = withLane(word, j, T(A(element.after(total.load(j), nRanks))));
        if (WHOLE) output.offset(begin(k)).cast(W).store(0, word);
        else wideWords.store(T, word, output, begin(k), count);
      };
      if (RANKS === 0) {
        for (let r = u32(0); r < nRanks; r++) {
          const came = localArray(V, 1);
          const inbox = inboxOf(r < rank ? r : r - 1);
          came.store(0, own.load(0));
          if (r !== rank) {
            waitUntil(() => {
              let isHere = true;
              if (isThere(0)) {
                const word = inbox.load(slot, 'relaxed', 'system');
                came.store(0, word);
                isHere = sentinel.hasCome(word);
              }
              return isHere;
            });
            if (isThere(0)) inbox.store(slot, V(0));
          }
          take(r, r === rank ? own.load(0) : sentinel.unmasked(came.load(0)));
        }
        if (isThere(0)) finish(0);
      } else {
        const came = localArray(V, (RANKS - 1) * WORDS);
        waitUntil(() => {
          let isHere = true;
          for (const p of unroll(RANKS - 1)) {
            for (const k of unroll(WORDS)) {
              if (isThere(k)) {
                const word = inboxOf(p).load(place(k), 'relaxed', 'system');
                came.store(p * WORDS + k, word);
                isHere = isHere && sentinel.hasCome(word);
              }
            }
          }
          return isHere;
        });
        for (const k of unroll(WORDS)) {
          if (isThere(k)) {
            if (ANY_ORDER) {
              take(0, own.load(k));
              take(1, sentinel.unmasked(came.load(k)));
            } else {
              for (const r of unroll(RANKS)) {
                // The compiler keeps an array in registers only if all indices are constants.
                const before = came.load((r === RANKS - 1 ? r - 1 : r) * WORDS + k);
                const behind = came.load((r === 0 ? r : r - 1) * WORDS + k);
                const theirs = r === 0 ? before : r === RANKS - 1 ? behind : rank < r ? behind : before;
                take(r, r === rank ? own.load(k) : sentinel.unmasked(theirs));
              }
            }
            finish(k);
            for (const p of unroll(RANKS - 1)) inboxOf(p).store(place(k), V(0));
          }
        }
      }
    },
  );
}
