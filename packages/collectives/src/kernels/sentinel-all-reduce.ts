import { resourceLsaPointer, type DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape, Pace } from './kernel-shape.ts';
import { sentinelReceive, sentinelSend, type SentinelBank } from './sentinel-exchange.ts';
import { sentinel } from './sentinel-word.ts';
import { wideWords } from './wide-word.ts';

/** The memory of the words. It also holds the number of turns, so calls share no other state. */
export interface SentinelScratch {
  readonly words: number;
}

const scratchParam = /* @__PURE__ */ structParam<SentinelScratch, SentinelScratch>({
  struct: 'SentinelScratch',
  fields: { words: u32 },
});

const withWords: DeviceFn<
  (comm: DevComm, buffers: SentinelScratch, calls: (session: SentinelScratch) => void) => void
> = /* @__PURE__ */ deviceFn(
  { name: 'withWords' },
  (_context, _comm: DevComm, places: SentinelScratch, calls: (session: SentinelScratch) => void) => {
    calls(places);
  },
);

/**
 * The number of words from each peer that a thread has in flight in a long call. Registers limit
 * it.
 */
function wordsAtOnce({ ranks }: Pace): number {
  return ranks === 2 || ranks === 4 ? 2 : 1;
}

/**
 * AllReduce of floats of 2 and 4 bytes within one load-store domain. Every rank stores all of its
 * elements to all peers, 16 bytes at a time, and reduces the words that it receives, in rank order.
 * There are no flags and no barriers. All ranks get the same bits. `send` may be `recv`, and ranks
 * may use different offsets for both. All ranks launch the same grid.
 *
 * **A word shows by itself that it has arrived.** Each 4 bytes of it travel after an exclusive or
 * with the sentinel, a NaN, and its slot holds zeros before. So 4 bytes have arrived when they are
 * not zero. Every bit pattern arrives as it was sent, except the sentinel itself, which arrives as
 * another NaN. The sign of a zero is kept.
 *
 * **No store of 16 bytes has to be whole.** Words are stored and polled by relaxed accesses of a
 * vector at system scope, which PTX defines as four accesses in no order. The reader waits for each
 * of the four parts, and uses the values that its wait has seen. A word guards no other memory, so
 * its store does not release and its poll does not acquire.
 *
 * **A slot is cleared before it is stored to again.** The thread that has read a word clears its
 * slot. The read precedes the clearing store, because one thread performs both. The clearing store
 * is a plain store, so it must be ordered before the next word in that slot; otherwise check mode
 * reports a race. Each CTA has its own slots and its own counter of turns, and its turns alternate
 * between two banks. CTA c of rank R stores turn t + 2 at its peer P after this chain:
 *
 * 1. CTA c of P clears the word of turn t;
 * 2. a release orders that before each store that CTA c of P makes in turn t + 1;
 * 3. CTA c of R reads one of these stores in turn t + 1, since each rank sends at least one word to
 *    each peer;
 * 4. an acquire orders that before each store that CTA c of R makes in turn t + 2.
 *
 * Between turns of different launches, steps 2 and 4 need no fence of their own: a launch begins
 * and ends with a fence at system scope, and launches of one stream follow each other. Later turns
 * of the same launch need fences: the reading thread acquires, the CTA synchronizes, and the
 * storing thread releases. A CTA without words takes no turn, on any rank, so its chain continues
 * in its next turn. The chain concerns one pair of ranks. A third rank that is late does not change
 * it, since R starts turn t + 2 only after it has the words of turn t + 1 from every peer.
 *
 * **Short calls take a short path.** If each thread has at most one word, the CTA does not divide
 * or loop, and it counts its turn while words travel. In long calls whose words are all whole and
 * aligned, threads do not test each word. Few registers matter more than a link that never idles:
 * the CTAs of the next launch then find room while this one runs.
 */
export function sentinelAllReduce(shape: KernelShape): CollectiveKernels<SentinelScratch> {
  const { T, pace, wordRoom } = shape;
  const givenOf = (scratch: SentinelScratch): SentinelScratch => scratch;
  return collectiveKernels(
    deviceFn(
      {
        name: 'sentinelAllReduce',
        use: {
          resourceLsaPointer,
          sendOne: sentinelSend(shape, { words: 1, whole: false }),
          receiveOne: sentinelReceive(shape, { words: 1, whole: false }),
          sendWhole: sentinelSend(shape, { words: wordsAtOnce(pace), whole: true }),
          receiveWhole: sentinelReceive(shape, { words: wordsAtOnce(pace), whole: true }),
          sentinel,
          wideWords,
          T,
          RANKS: pace.ranks,
          WORDS: wordsAtOnce(pace),
          ROOM: wordRoom,
          // With more ranks, a second path would leave too few registers for two CTAs of a
          // multiprocessor.
          SPLIT: pace.ranks === 2 || pace.ranks === 4,
        },
      },
      (
        {
          resourceLsaPointer,
          sendOne,
          receiveOne,
          sendWhole,
          receiveWhole,
          sentinel,
          wideWords,
          T,
          RANKS,
          WORDS,
          ROOM,
          SPLIT,
          coopCta,
          threadIdx,
          blockIdx,
          blockDim,
          gridDim,
          fence,
          localArray,
          typeOf,
          u8,
          u32,
          vec,
        },
        comm: DevComm,
        { words }: SentinelScratch,
        call: DeviceCall,
        nth: number,
      ) => {
        const { send, recv, count } = call;
        const width = wideWords.width(T);
        const I = typeOf(count);
        const V = vec(u32, 4);
        const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
        const rank = u32(comm.lsaRank);
        const bankBytes = (nRanks - 1) * (16 * ROOM);
        const region = blockIdx.x * (sentinel.HEAD + sentinel.BANKS * bankBytes);
        const regionAt = (peer: number): Ptr => resourceLsaPointer(comm, u8, words, peer).offset(region);
        const state = regionAt(comm.lsaRank).cast(u32);
        const bankOf = (turn: number): SentinelBank => {
          // Computed at the point of use, since the turn comes from memory.
          const of = (from: number): number => sentinel.HEAD + (turn % sentinel.BANKS) * bankBytes + from * (16 * ROOM);
          return {
            rank,
            nRanks,
            outboxAt: (peer) =>
              regionAt(peer)
                .offset(of(rank < peer ? rank : rank - 1))
                .cast(V),
            inboxOf: (from) => regionAt(comm.lsaRank).offset(of(from)).cast(V),
          };
        };
        // Everything that needs no memory comes before the first load, so that a launch computes it
        // early.
        const input = send.localPtr();
        const output = recv.localPtr();
        const first = I(blockIdx.x) * blockDim.x;
        const step = I(gridDim.x) * blockDim.x;
        const mine = first + threadIdx.x;
        let turn = state.load(0);

        if (RANKS !== 0 && nth === 0 && count <= step * width) {
          if (first * width < count) {
            const own = localArray(V, 1);
            const words = { count, first: mine, step, slot: threadIdx.x };
            sendOne(bankOf(turn), input, words, own);
            coopCta().sync();
            if (threadIdx.x === 0) state[0] = turn + 1;
            receiveOne(bankOf(turn), output, words, own);
          }
        } else {
          // The same for all threads, so that they do not test each word.
          let isWhole = false;
          if (SPLIT) isWhole = input.misalignment(16) === 0 && output.misalignment(16) === 0 && count % width === 0;
          let slot = u32(0);
          let isFirst = nth === 0;
          for (let at = first; at * width < count; at += step * WORDS) {
            if (slot + WORDS * blockDim.x > ROOM) {
              slot = u32(0);
              turn++;
            }
            if (slot === 0 && !isFirst) {
              fence('acquire', 'system');
              coopCta().sync();
              fence('release', 'system');
            }
            isFirst = false;
            if (SPLIT && isWhole) {
              const own = localArray(V, WORDS);
              const words = { count, first: at + threadIdx.x, step, slot: slot + threadIdx.x };
              sendWhole(bankOf(turn), input, words, own);
              receiveWhole(bankOf(turn), output, words, own);
            } else {
              // Peers may have other offsets, so the words have the same slots.
              const own = localArray(V, 1);
              for (let k = u32(0); k < WORDS; k++) {
                const place = slot + k * blockDim.x + threadIdx.x;
                const words = { count, first: at + k * step + threadIdx.x, step, slot: place };
                sendOne(bankOf(turn), input, words, own);
                receiveOne(bankOf(turn), output, words, own);
              }
            }
            slot += WORDS * blockDim.x;
          }
          if (slot > 0) turn++;
          coopCta().sync();
          if (threadIdx.x === 0) state[0] = turn;
        }
      },
    ),
    { param: scratchParam, givenOf, open: withWords },
    shape,
  );
}
