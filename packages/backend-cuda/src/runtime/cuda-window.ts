import type { WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import { getPointer } from '../ffi/native-memory.ts';
import { memberOf, structLayout, type NcclLayout } from '../ffi/nccl-layout.ts';

/** What one rank's kernels use of a window. */
export interface RankWindow {
  /** `ncclWindow_t`: the address of a struct in the GPU's memory. */
  readonly handle: number;
  /** The address of the window's memory of LSA rank 0, as this rank maps it. */
  readonly lsaFlatBase: number;
  /** Bytes between the memory of two neighbours in the LSA team. */
  readonly stride: number;
  readonly lsaRank: number;
  /** Where the memory is that the window was made over. */
  readonly memory: number;
}

/** A window over memory of all ranks of this process. */
export class CudaWindow implements WindowHandle {
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly #ranks: ReadonlyMap<number, RankWindow>;
  isOpen: boolean = true;

  constructor(bytes: number, flags: WindowFlags, ranks: ReadonlyMap<number, RankWindow>) {
    this.bytes = bytes;
    this.flags = flags;
    this.#ranks = ranks;
  }

  /** @throws RangeError where the rank is of another process. */
  at(rank: number): RankWindow {
    const found = this.#ranks.get(rank);
    if (found === undefined) throw new RangeError(`Rank ${rank} is not a rank of this process.`);
    return found;
  }

  get ranks(): Iterable<readonly [number, RankWindow]> {
    return this.#ranks;
  }
}

/** Reads a window's struct, which lies in the GPU's memory. */
export function readRankWindow(layout: NcclLayout, handle: number, bytes: Uint8Array, memory: number): RankWindow {
  const struct = structLayout(layout, 'window');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u32 = (name: string): number => view.getUint32(memberOf(struct, name).offset, true);
  return {
    handle,
    lsaFlatBase: getPointer(view, memberOf(struct, 'lsaFlatBase').offset),
    stride: u32('stride4G') * 2 ** 32,
    lsaRank: u32('lsaRank'),
    memory,
  };
}
