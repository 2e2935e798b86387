import { expectInteger } from '@nccl-ts/core';
import type { Allocation } from '../memory/allocation.ts';
import { alignedTo, array, struct, type StructType } from '../compound-types.ts';
import type { RankSetup } from '../rank-setup.ts';
import type { MemoryType, TypedValue } from '../memory/memory-type.ts';
import { ptr, u32, u8 } from '../scalar-types.ts';
import type { Address } from '../memory/pointer.ts';

/**
 * Flags of the custom AllReduce:
 * - `flags`: `start`, `end` and `_flag` (vLLM, aiter);
 * - `counters`: `self_counter` and two sets of `peer_counter` (vLLM before, SGLang, FlashInfer).
 */
export type SignalLayout = 'flags' | 'counters';

export interface CustomAllReduceOptions {
  /** The contribution of each rank. */
  readonly input: Allocation;
  /** The size of the scratch buffer after the flags, which two-stage kernels use. @default 0 */
  readonly scratchBytes?: number;
  /** @default `flags` */
  readonly signal?: SignalLayout;
  /** `kMaxBlocks`. @default 36, which vLLM and SGLang have; aiter has 80 */
  readonly maxBlocks?: number;
  /** The number of ranks for which the arrays have room. @default 8 */
  readonly maxRanks?: number;
}

/** The arguments of kernels of the custom AllReduce. */
export interface CustomAllReduceMemory {
  /** `RankData *`: the addresses of the ranks' inputs. */
  readonly rankData: Allocation;
  /** `RankSignals`, by value: the addresses of the ranks' flags. */
  readonly rankSignals: TypedValue;
  /** `Signal *`: the rank's own flags. */
  readonly signal: Allocation;
}

/**
 * The memory of the custom AllReduce that vLLM, SGLang, FlashInfer and aiter share: a `Signal`
 * followed by the scratch buffer, a `RankData` in memory, and `RankSignals`.
 *
 * @example
 * setup(setup) {
 *   const { rank, ranks, alloc } = setup;
 *   const input = alloc('input', f32, 512, (i) => rank + i);
 *   const result = alloc('result', f32, 512);
 *   const memory = customAllReduce(setup, { input, scratchBytes: 2048 });
 *   const { rankData, rankSignals, signal } = memory;
 *   return {
 *     // (RankData *, RankSignals, Signal *, T *result, int rank, int size)
 *     // size counts packs of 16 bytes.
 *     args: [rankData, rankSignals, signal, result, rank, 128],
 *     expect: () => result.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
 *   };
 * }
 */
export function customAllReduce(
  { ranks, alloc, peer }: Pick<RankSetup, 'ranks' | 'alloc' | 'peer'>,
  { input, scratchBytes = 0, signal: layout = 'flags', maxBlocks = 36, maxRanks = 8 }: CustomAllReduceOptions,
): CustomAllReduceMemory {
  expectInteger('customAllReduce: maxRanks', maxRanks, ranks.length);
  expectInteger('customAllReduce: scratchBytes', scratchBytes, 0);
  const flags = signalType(layout, maxBlocks, maxRanks);
  const signal = alloc('signal', u8, flags.bytes + scratchBytes);
  const Pointers = struct({ at: array(ptr, maxRanks) }, { align: 16 });
  const rankData = alloc('RankData', Pointers, 1, () => ({ at: ranks.map((r): Address => peer(input, r)) }));
  const rankSignals = Pointers({ at: ranks.map((r): Address => peer(signal, r)) });
  return { rankData, rankSignals, signal };
}

/** The type `Signal`. Harnesses that write between launches use its offsets. */
export function signalType(layout: SignalLayout, maxBlocks: number = 36, maxRanks: number = 8): StructType {
  const row = (count: number): MemoryType<ArrayLike<number | bigint>> => line(array(u32, count));
  if (layout === 'flags') {
    return struct(
      { start: row(maxBlocks * maxRanks), end: row(maxBlocks * maxRanks), _flag: row(maxBlocks) },
      { align: 128 },
    );
  }
  return struct(
    { self_counter: row(maxBlocks * maxRanks), peer_counter: row(2 * maxBlocks * maxRanks) },
    { align: 128 },
  );
}

/** Aligned to a cache line. */
function line<V>(type: MemoryType<V>): MemoryType<V> {
  return alignedTo(type, 128);
}
