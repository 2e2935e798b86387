import { lsaTeamIndex, rankCoordinates } from '@nccl-ts/topology';
import type { RankGroup, WindowHandle } from '@nccl-ts/transport';
import { hasWindowFlag, WindowFlags } from '@nccl-ts/window';
import { getPointer } from '../ffi/native-memory.ts';
import { memberOf, structLayout, type NcclLayout } from '../ffi/nccl-layout.ts';

/** One rank's part of a window for its kernels. */
export interface RankWindow {
  /** `ncclWindow_t`: the address of a struct in GPU memory. */
  readonly handle: number;
  /** The `ncclComm_t` with which it was registered. */
  readonly comm: number;
  /** The address of the window's memory at LSA rank 0, as this rank maps it. */
  readonly lsaFlatBase: number;
  /** The distance in bytes between the memory of two neighbours in the LSA team. */
  readonly stride: number;
  readonly lsaRank: number;
  /** The address of the window's memory. */
  readonly memory: number;
}

/** A window over memory of all ranks of this process, or of a group of them. */
export class CudaWindow implements WindowHandle {
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly #ranks: ReadonlyMap<number, RankWindow>;
  readonly #group: RankGroup;
  isOpen: boolean = true;

  /** `ranks` have their numbers in the world. */
  constructor(bytes: number, flags: WindowFlags, ranks: ReadonlyMap<number, RankWindow>, group: RankGroup) {
    this.bytes = bytes;
    this.flags = flags;
    this.#ranks = ranks;
    this.#group = group;
  }

  has(rank: number): boolean {
    return this.#ranks.has(rank);
  }

  /** @throws RangeError if the window has no memory of the rank in this process. */
  at(rank: number): RankWindow {
    const found = this.#ranks.get(rank);
    if (found === undefined) throw new RangeError(`The window has no memory of rank ${rank} in this process.`);
    return found;
  }

  /**
   * Returns the address of byte `offset` at `peer` as kernels of `rank` use it; undefined if they
   * cannot access it. Ranks are numbered in the world.
   */
  addressAt(rank: number, peer: number, offset: number): number | undefined {
    const { members, topology } = this.#group;
    const [from, to] = [members.indexOf(rank), members.indexOf(peer)];
    if (from < 0 || to < 0 || hasWindowFlag(this.flags, WindowFlags.GinOnly)) return undefined;
    if (lsaTeamIndex(topology, from) !== lsaTeamIndex(topology, to)) return undefined;

    const { lsaFlatBase, stride } = this.at(rank);
    return lsaFlatBase + rankCoordinates(topology, to).lsaRank * stride + offset;
  }

  get ranks(): Iterable<readonly [number, RankWindow]> {
    return this.#ranks;
  }
}

/** Reads a window's struct from GPU memory. */
export function readRankWindow(
  layout: NcclLayout,
  bytes: Uint8Array,
  known: Pick<RankWindow, 'handle' | 'comm' | 'memory'>,
): RankWindow {
  const struct = structLayout(layout, 'window');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u32 = (name: string): number => view.getUint32(memberOf(struct, name).offset, true);
  return {
    ...known,
    lsaFlatBase: getPointer(view, memberOf(struct, 'lsaFlatBase').offset),
    stride: u32('stride4G') * 2 ** 32,
    lsaRank: u32('lsaRank'),
  };
}
