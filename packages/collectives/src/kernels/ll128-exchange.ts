import { deviceFn, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { KernelShape } from './kernel-shape.ts';
import { blocks, type LineFlag } from './ll128-block.ts';

/** The lines of a CTA's turn. */
export interface LineBank {
  readonly rank: number;
  readonly nRanks: number;
  /** The flag of all lines of the turn. */
  readonly flag: LineFlag;
  /** Returns the lines at rank `peer` for blocks of this rank. */
  readonly outboxAt: (peer: number) => Ptr;
  /** Returns the lines for blocks of peer `from`, counted without this rank. */
  readonly inboxOf: (from: number) => Ptr;
}

/**
 * A warp's exchange with all peers of the block that begins at element `begin` of `count`. It
 * travels through block `slot` of each bank. `send(peer)` returns the elements for a rank. It calls
 * `sent` between the last store and the first poll. Then it calls `take` with each rank's pieces,
 * in rank order. All threads of a CTA must take part, even those past the last block.
 */
export type LL128Exchange = DeviceFn<
  (
    bank: LineBank,
    send: (peer: number) => Ptr,
    begin: number,
    count: number,
    slot: number,
    sent: () => void,
    take: (from: number, g: number, piece: number) => void,
  ) => void
>;

/** With `toEach`, each rank gets elements of its own; otherwise all get the same. */
export function ll128Exchange({ T, pace, wholeLines }: KernelShape, toEach: boolean): LL128Exchange {
  return deviceFn(
    {
      name: 'll128Exchange',
      use: { blocks, T, RANKS: pace.ranks, TO_EACH: toEach, WHOLE: wholeLines },
    },
    (
      {
        blocks,
        T,
        RANKS,
        TO_EACH,
        WHOLE,
        coopCta,
        coopWarp,
        localArray,
        threadIdx,
        u32,
        unroll,
        vec,
        waitUntil,
        warpSize,
      },
      { rank, nRanks, flag, outboxAt, inboxOf }: LineBank,
      send: (peer: number) => Ptr,
      begin: number,
      count: number,
      slot: number,
      sent: () => void,
      take: (from: number, g: number, piece: number) => void,
    ) => {
      const V = vec(u32, 4);
      // Whole warps are there, because the lanes of a line must store it together.
      const isThere = begin < count;
      const place = (g: number): number => (slot * 2 + g) * warpSize + (threadIdx.x % warpSize);
      const load = (pieces: Ptr, from: Ptr): void => blocks.load(T, pieces, from, begin, count);
      const sendTo = (peer: number, pieces: Ptr): void => {
        const outbox = outboxAt(peer);
        if (WHOLE) coopWarp().sync();
        if (isThere) {
          for (const g of unroll(2)) outbox.store(place(g), blocks.packed(pieces, g, flag), 'relaxed', 'system');
        }
      };
      /** Loads lines of `peers` peers. Returns 0 if all that this lane sees have arrived. */
      const look = (lines: Ptr, first: number, peers: number): number => {
        let missing = u32(0);
        for (const p of unroll(peers)) {
          const inbox = inboxOf(first + p);
          for (const g of unroll(2)) {
            const word = inbox.load(place(g), 'relaxed', 'system');
            lines.store(2 * p + g, word);
            missing |= blocks.missing(word, flag);
          }
        }
        return missing;
      };
      const lookIfThere = (lines: Ptr, first: number, peers: number): boolean => {
        let isHere = true;
        if (isThere) isHere = look(lines, first, peers) === 0;
        return isHere;
      };
      /** Waits for the lines of `peers` peers, which `lines` then holds. */
      const receive = (lines: Ptr, first: number, peers: number): void => {
        if (WHOLE) {
          let isHere = false;
          while (!isHere) isHere = coopWarp().all(lookIfThere(lines, first, peers));
        } else {
          waitUntil(() => lookIfThere(lines, first, peers));
          coopCta().sync();
          lookIfThere(lines, first, peers);
        }
      };

      if (RANKS === 0) {
        const own = localArray(V, 2);
        const lines = localArray(V, 2);
        if (!TO_EACH) load(own, send(rank));
        for (let away = u32(1); away < nRanks; away++) {
          const peer = (rank + away) % nRanks;
          if (TO_EACH) load(own, send(peer));
          sendTo(peer, own);
        }
        if (TO_EACH) load(own, send(rank));
        sent();
        for (let from = u32(0); from < nRanks; from++) {
          if (from !== rank) receive(lines, from < rank ? from : from - 1, 1);
          for (const g of unroll(2)) {
            const theirs = blocks.unpacked(g, lines.load(0), lines.load(1));
            take(from, g, from === rank ? own.load(g) : theirs);
          }
        }
      } else {
        const own = localArray(V, TO_EACH ? 2 * RANKS : 2);
        const lines = localArray(V, 2 * (RANKS - 1));
        for (const away of unroll(TO_EACH ? RANKS : 1)) load(own.offset(2 * away), send((rank + away) % nRanks));
        for (const away of unroll(RANKS)) {
          if (away > 0) sendTo((rank + away) % nRanks, own.offset(TO_EACH ? 2 * away : 0));
        }
        sent();
        receive(lines, 0, RANKS - 1);
        for (const from of unroll(RANKS)) {
          for (const g of unroll(2)) {
            // The compiler keeps an array in registers only if all indices are constants.
            const at = (p: number): number => blocks.unpacked(g, lines.load(2 * p), lines.load(2 * p + 1));
            const before = at(from === RANKS - 1 ? from - 1 : from);
            const behind = at(from === 0 ? from : from - 1);
            const theirs = from === 0 ? before : from === RANKS - 1 ? behind : rank < from ? behind : before;
            take(from, g, from === rank ? own.load(g) : theirs);
          }
        }
      }
    },
  );
}
