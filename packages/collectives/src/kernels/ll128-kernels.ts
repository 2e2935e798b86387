import { resourceLsaPointer, type DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { BLOCK_LINE_BYTES, LL128_BANKS, LL128_HEAD } from '../fifo/ll128.ts';
import type { DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { blocks } from './ll128-block.ts';
import type { LineBank } from './ll128-exchange.ts';

/** The memory of the lines. It also holds the number of turns, so calls share no other state. */
export interface LL128Scratch {
  readonly lines: number;
}

const scratchParam = /* @__PURE__ */ structParam<LL128Scratch, LL128Scratch>({
  struct: 'LL128Scratch',
  fields: { lines: u32 },
});

const withLines: DeviceFn<(comm: DevComm, buffers: LL128Scratch, calls: (session: LL128Scratch) => void) => void> =
  /* @__PURE__ */ deviceFn(
    { name: 'withLines' },
    (_context, _comm: DevComm, places: LL128Scratch, calls: (session: LL128Scratch) => void) => {
      calls(places);
    },
  );

/**
 * A warp's work for the block that begins at element `begin` of a call. It travels through block
 * `slot` of the bank. It calls `sent` once the warp has stored its lines.
 */
export type LL128Block = DeviceFn<
  (bank: LineBank, call: DeviceCall, begin: number, slot: number, sent: () => void) => void
>;

/**
 * Kernels that exchange blocks of lines. All ranks launch the same grid. CTA c of a rank exchanges
 * lines only with CTA c of the other ranks, in turns that it counts across launches.
 *
 * **A line shows by itself that it has arrived.** Its last 8 bytes are the number of the turn, from
 * 1. 64 bits do not wrap, so lines are never cleared, and old numbers never match. The other 120
 * bytes of the line are elements. This relies on two properties of the hardware:
 *
 * - A line of 128 aligned bytes that one instruction of one warp stores arrives as a whole, over
 *   NVLink and within a GPU.
 * - One instruction of one warp loads such a line as a whole.
 *
 * No memory model promises either. So all lanes of a warp store and load together, and vote. The
 * values are those that the last load of the vote returned. NCCL's LL128 relies on the same. Check
 * mode reports it with severity `model`.
 *
 * If lines may arrive in parts (`wholeLines` of the shape is false), each lane loads its part again
 * after all flags of the CTA have been seen.
 *
 * **Lines are reused after two turns.** A turn uses one of two banks. CTA c of rank R stores turn
 * t + 2 at its peer P after this chain:
 *
 * 1. each warp of CTA c of P has seen its lines of turn t;
 * 2. CTA c of P synchronizes, and then stores lines of turn t + 1;
 * 3. a warp of CTA c of R has seen one of these, since each rank sends at least one block to each
 *    peer in a turn;
 * 4. CTA c of R synchronizes, and then stores turn t + 2.
 *
 * The CTAs synchronize because a turn may leave warps without a block. Then the line of step 3 may
 * come from another warp than the one that reads the reused line. Between launches, steps 2 and 4
 * are the end of a launch. A CTA without a block takes no turn, on any rank, so its chain continues
 * in its next turn. No turn needs a fence:
 *
 * - All accesses of lines are relaxed atomics, so they do not race.
 * - Lines order no other memory, because a rank accesses only its own buffers.
 * - The chain goes through values. The stores of turn t + 2 happen only because each load before
 *   them has seen its flag. So no load of turn t or t + 1 can see them: a value cannot cause
 *   itself. The words of LL rely on this too.
 */
export function ll128Kernels(name: string, block: LL128Block, shape: KernelShape): CollectiveKernels<LL128Scratch> {
  const { T, pace, blockRoom } = shape;
  const givenOf = (scratch: LL128Scratch): LL128Scratch => scratch;
  return collectiveKernels(
    deviceFn(
      {
        name,
        use: {
          resourceLsaPointer,
          block,
          blocks,
          T,
          RANKS: pace.ranks,
          ROOM: blockRoom,
          HEAD: LL128_HEAD,
          BANKS: LL128_BANKS,
          BYTES: BLOCK_LINE_BYTES,
        },
      },
      (
        {
          resourceLsaPointer,
          block,
          blocks,
          T,
          RANKS,
          ROOM,
          HEAD,
          BANKS,
          BYTES,
          coopCta,
          threadIdx,
          blockIdx,
          blockDim,
          gridDim,
          typeOf,
          u8,
          u32,
          u64,
          vec,
          warpSize,
        },
        comm: DevComm,
        { lines }: LL128Scratch,
        call: DeviceCall,
        nth: number,
      ) => {
        const { count } = call;
        const width = blocks.width(T);
        const I = typeOf(count);
        const V = vec(u32, 4);
        const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
        const rank = u32(comm.lsaRank);
        const bankBytes = (nRanks - 1) * (BYTES * ROOM);
        const region = blockIdx.x * (HEAD + BANKS * bankBytes);
        const regionAt = (peer: number): Ptr => resourceLsaPointer(comm, u8, lines, peer).offset(region);
        const state = regionAt(comm.lsaRank).cast(u64);
        const bankOf = (turn: number): LineBank => {
          const flag = turn + 1;
          // Computed at the point of use, since the turn comes from memory.
          const of = (from: number): number => HEAD + (u32(turn) % BANKS) * bankBytes + from * (BYTES * ROOM);
          return {
            rank,
            nRanks,
            flag: { low: u32(flag), high: u32(flag >> 32) },
            outboxAt: (peer) =>
              regionAt(peer)
                .offset(of(rank < peer ? rank : rank - 1))
                .cast(V),
            inboxOf: (from) => regionAt(comm.lsaRank).offset(of(from)).cast(V),
          };
        };
        // Everything that needs no memory comes before the first load, so that a launch computes it
        // early.
        const warps = blockDim.x / warpSize;
        const warp = threadIdx.x / warpSize;
        const first = I(blockIdx.x) * warps;
        const step = I(gridDim.x) * warps;
        let turn = state.load(0);

        // If each warp has at most one block, the turn is counted while lines travel.
        const isShort = nth === 0 && count <= step * width;
        let slot = u32(0);
        for (let at = first; at * width < count; at += step) {
          if (slot + warps > ROOM) {
            slot = u32(0);
            turn++;
            coopCta().sync();
          }
          block(bankOf(turn), call, (at + warp) * width, slot + warp, () => {
            if (isShort) {
              coopCta().sync();
              if (threadIdx.x === 0) state[0] = turn + 1;
            }
          });
          slot += warps;
        }
        if (!isShort) {
          if (slot > 0) turn++;
          coopCta().sync();
          if (threadIdx.x === 0) state[0] = turn;
        }
      },
    ),
    { param: scratchParam, givenOf, open: withLines },
    shape,
  );
}
