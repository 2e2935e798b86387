import { resourceLsaPointer, type DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { SENTINEL_BANKS, SENTINEL_HEAD } from '../fifo/sentinel.ts';
import type { CollectivePlaces, DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape, Pace } from './kernel-shape.ts';
import { hasCome, maskedWord, unmaskedWord } from './sentinel-word.ts';
import { loadWide, storeWide, wideWidth } from './wide-word.ts';

/** Where the words are, and how many a CTA has room for from each peer in a turn. */
interface Places {
  readonly buffers: number;
  readonly room: number;
}

const places = /* @__PURE__ */ structParam<Places, Places>({
  struct: 'SentinelPlaces',
  fields: { buffers: u32, room: u32 },
});

const withWords: DeviceFn<(comm: DevComm, places: Places, calls: (session: Places) => void) => void> =
  /* @__PURE__ */ deviceFn(
    { name: 'withWords' },
    (_context, _comm: DevComm, places: Places, calls: (session: Places) => void) => {
      calls(places);
    },
  );

/** Words of each peer that a thread has under way: what registers hold. */
function wordsAtOnce({ ranks }: Pace): number {
  return ranks === 2 || ranks === 4 ? 2 : 1;
}

/**
 * AllReduce of floats of 2 and 4 bytes within one load-store domain: every rank stores all of its elements to all
 * peers, 16 bytes at a time, and reduces what it receives in the order of the ranks. No flags travel, and no rank waits
 * for a barrier. All ranks get the same bits. `send` may be `recv`, and neither need be at the same place on all ranks.
 * Every rank has the same grid.
 *
 * **A word says itself that it has come.** Each 4 bytes of it travel after an exclusive or with the sentinel, a NaN, and
 * its place holds zeros before. So a part of 4 bytes has come when it is not zero. Every bit pattern arrives as it was
 * sent, except the sentinel itself, which arrives as another NaN; the sign of a zero stays.
 *
 * **No store of 16 bytes has to be whole.** A word is stored and polled by relaxed accesses of a vector at system scope,
 * which PTX defines as four accesses in no order. The reader waits for each of the four parts, and uses the values that
 * its wait has seen. Words say nothing of any other memory, so nothing is released or acquired between a store and
 * its poll.
 *
 * **A place is stored to again only after it was cleared.** The thread that has read a word clears it. The read
 * precedes the clearing store, because one thread makes both. The clearing store is a plain one, so it has to be ordered
 * before the next word that comes there, and check mode reports a race where it is not. Each CTA has places and a counter of
 * turns of its own, and its turns alternate between two banks. CTA c of rank R stores turn t + 2 at its peer P behind
 * this chain:
 *
 * 1. CTA c of P clears the word of turn t;
 * 2. a release orders that before each store that CTA c of P makes in turn t + 1;
 * 3. CTA c of R reads one of these stores in turn t + 1, since each rank sends at least one word to each peer;
 * 4. an acquire orders that before each store that CTA c of R makes in turn t + 2.
 *
 * The turns of different launches need no fence for 2 and 4: a launch ends and begins with one at system scope, and
 * launches of one stream follow each other. Further turns of one launch fence: the thread that has read acquires, the
 * CTA meets, the thread that stores releases. A CTA without elements takes no turn, on all ranks alike, so its chain
 * goes on in its next turn. The chain is one of each pair of ranks: a third rank that is late delays nobody's
 * argument, since R takes turn t + 2 only after it has the words of turn t + 1 from every peer.
 */
export function sentinelAllReduce(shape: KernelShape): CollectiveKernels {
  const { T, A, element, pace } = shape;
  const { join, after } = element;
  const givenOf = ({ sentinels }: CollectivePlaces): Places => sentinels;
  return collectiveKernels(
    deviceFn(
      {
        name: 'sentinelAllReduce',
        use: {
          resourceLsaPointer,
          hasCome,
          maskedWord,
          unmaskedWord,
          loadWide,
          storeWide,
          wideWidth,
          join,
          after,
          T,
          A,
          RANKS: pace.ranks,
          WORDS: wordsAtOnce(pace),
          BANKS: SENTINEL_BANKS,
          HEAD: SENTINEL_HEAD,
        },
      },
      (
        {
          resourceLsaPointer,
          hasCome,
          maskedWord,
          unmaskedWord,
          loadWide,
          storeWide,
          wideWidth,
          join,
          after,
          T,
          A,
          RANKS,
          WORDS,
          BANKS,
          HEAD,
          coopCta,
          threadIdx,
          blockIdx,
          blockDim,
          gridDim,
          fence,
          lane,
          localArray,
          min,
          typeOf,
          u8,
          u32,
          unroll,
          vec,
          waitUntil,
          withLane,
        },
        comm: DevComm,
        { buffers, room }: Places,
        { send, recv, count }: DeviceCall,
        nth: number,
      ) => {
        const width = wideWidth(T);
        const I = typeOf(count);
        const V = vec(u32, 4);
        const W = vec(T, width);
        const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
        const rank = u32(comm.lsaRank);
        const bank = (nRanks - 1) * room;
        const region = blockIdx.x * (HEAD + 16 * BANKS * bank);
        const state = resourceLsaPointer(comm, u8, buffers, comm.lsaRank).offset(region).cast(u32);
        const wordsAt = (peer: number): Ptr =>
          resourceLsaPointer(comm, u8, buffers, peer)
            .offset(region + HEAD)
            .cast(V);
        const inbox = wordsAt(comm.lsaRank);
        const input = send.localPtr();
        const output = recv.localPtr();
        const words = (count + (width - 1)) / width;
        const most = I(gridDim.x) * room;
        let turn = state.load(0);

        for (let base = I(0); base < words; base += most) {
          const all = min(words - base, most);
          const share = ((all + (8 * gridDim.x - 1)) / (8 * gridDim.x)) * 8;
          const begin = I(base + share * blockIdx.x);
          const end = min(begin + share, base + all);
          if (begin < end) {
            const here = u32(end - begin);
            // In place, the CTA behind stores what is behind the own share.
            const limit = min(count, end * width);
            const now = (turn % BANKS) * bank;
            if (base > 0 || nth > 0) {
              fence('acquire', 'system');
              coopCta().sync();
              fence('release', 'system');
            }
            for (let at = u32(0); at < here; at += WORDS * blockDim.x) {
              const own = localArray(W, WORDS);
              const wire = localArray(V, WORDS);
              const total = localArray(A, width);
              const wordAt = (k: number): number => at + k * blockDim.x + threadIdx.x;
              const take = (r: number, came: number): void => {
                for (const j of unroll(width)) {
                  const next = A(lane(came, j));
                  if (r === 0) total[j] = next;
                  else total[j] = A(join(total.load(j), next));
                }
              };
              const finish = (k: number): void => {
                let word = W(T(0));
                for (const j of unroll(width)) word = withLane(word, j, T(A(after(total.load(j), nRanks))));
                storeWide(T, word, output, (begin + wordAt(k)) * width, limit);
              };

              for (const k of unroll(WORDS)) {
                loadWide(T, own.offset(k), input, (begin + wordAt(k)) * width, limit);
              }
              for (const k of unroll(WORDS)) wire.store(k, maskedWord(own.load(k)));
              const sendTo = (peer: number): void => {
                const outbox = wordsAt(peer).offset(now + (rank < peer ? rank : rank - 1) * room);
                for (const k of unroll(WORDS)) {
                  if (wordAt(k) < here) outbox.store(wordAt(k), wire.load(k), 'relaxed', 'system');
                }
              };

              if (RANKS === 0) {
                for (let step = u32(1); step < nRanks; step++) sendTo((rank + step) % nRanks);
                for (let r = u32(0); r < nRanks; r++) {
                  const came = localArray(V, 1);
                  const place = now + (r < rank ? r : r - 1) * room + wordAt(0);
                  came.store(0, wire.load(0));
                  if (r !== rank) {
                    waitUntil(() => {
                      let isHere = true;
                      if (wordAt(0) < here) {
                        const word = inbox.load(place, 'relaxed', 'system');
                        came.store(0, word);
                        isHere = hasCome(word);
                      }
                      return isHere;
                    });
                    if (wordAt(0) < here) inbox.store(place, V(0));
                  }
                  take(r, r === rank ? own.load(0) : unmaskedWord(W, came.load(0)));
                }
                if (wordAt(0) < here) finish(0);
              } else {
                const came = localArray(V, (RANKS - 1) * WORDS);
                for (const step of unroll(RANKS)) if (step > 0) sendTo((rank + step) % nRanks);
                waitUntil(() => {
                  let isHere = true;
                  for (const p of unroll(RANKS - 1)) {
                    for (const k of unroll(WORDS)) {
                      if (wordAt(k) < here) {
                        const word = inbox.load(now + p * room + wordAt(k), 'relaxed', 'system');
                        came.store(p * WORDS + k, word);
                        isHere = isHere && hasCome(word);
                      }
                    }
                  }
                  return isHere;
                });
                for (const k of unroll(WORDS)) {
                  if (wordAt(k) < here) {
                    for (const r of unroll(RANKS)) {
                      // Arrays are registers as long as their indices are constants.
                      const before = came.load((r === RANKS - 1 ? r - 1 : r) * WORDS + k);
                      const behind = came.load((r === 0 ? r : r - 1) * WORDS + k);
                      const theirs = r === 0 ? before : r === RANKS - 1 ? behind : rank < r ? behind : before;
                      take(r, r === rank ? own.load(k) : unmaskedWord(W, theirs));
                    }
                    finish(k);
                    for (const p of unroll(RANKS - 1)) {
                      inbox.store(now + p * room + wordAt(k), V(0));
                    }
                  }
                }
              }
            }
            turn++;
          }
        }
        coopCta().sync();
        if (threadIdx.x === 0) state[0] = turn;
      },
    ),
    { param: places, givenOf, open: withWords },
    shape,
  );
}
