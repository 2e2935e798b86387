import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import { RegionTable } from './region-table.ts';
import { wholeGroup } from './webgpu-group.ts';
import { WebgpuWindow, type WindowValue } from './webgpu-window.ts';

/** A byte of a window, at one rank of the world. `offset` may lie outside the window. */
export interface WebgpuWindowByte {
  readonly window: WebgpuWindow;
  readonly rank: number;
  readonly offset: number;
}

/** An address, and the region for which it was made. */
export interface PointerValue {
  readonly address: number;
  readonly region: number;
}

export interface WindowInit {
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  /** The group of its ranks. @default all */
  readonly group?: RankGroup;
  /** By rank of the group. */
  readonly addresses: Uint32Array<ArrayBuffer>;
  readonly plan?: DevCommPlan;
}

const NULL: PointerValue = Object.freeze({ address: 0, region: 0 });

/** The windows and their addresses. Hosts and kernels use the same addresses. */
export class WebgpuAddressSpace {
  readonly regions: RegionTable = new RegionTable();
  readonly #world: RankGroup;
  readonly #windows = new Set<WebgpuWindow>();
  /** By region: the window and the rank of the copy, including freed windows. */
  readonly #owners: (Omit<WebgpuWindowByte, 'offset'> | undefined)[] = [];

  constructor(topology: Topology) {
    this.#world = wholeGroup(topology);
  }

  add({ name, bytes, flags, group = this.#world, addresses, plan }: WindowInit): WebgpuWindow {
    const values: WindowValue[] = [];
    const { nRanks, lsaSize } = group.topology;
    for (let first = 0; first < nRanks; first += lsaSize) {
      const bases = addresses.slice(first, first + lsaSize);
      const firstRegion = this.regions.add(bases, bytes);
      for (let lsaRank = 0; lsaRank < bases.length; lsaRank++) {
        const fields = Object.freeze({ bytes, lsaRank, lsaSize: bases.length, worldRank: first + lsaRank });
        values.push(Object.freeze({ bases, firstRegion, lsaSize: bases.length, fields }));
      }
    }
    const window = new WebgpuWindow({ name, bytes, flags, group, addresses, values, plan });
    this.#windows.add(window);
    for (const rank of group.members) this.#owners[this.#regionAt(window, rank)] = { window, rank };
    return window;
  }

  /** Removes the window. From then on, pointers into it are invalid. */
  remove(window: WebgpuWindow): void {
    if (!this.#windows.delete(window)) return;
    for (const { firstRegion, lsaSize, fields } of window.values) {
      if (fields.lsaRank === 0) this.regions.clear(firstRegion, lsaSize);
    }
  }

  /**
   * Returns the address of byte `offset` of the copy at `peer`, or `undefined` if `rank` cannot
   * load and store there. Both are ranks of the world.
   */
  devicePointer(window: WebgpuWindow, rank: number, peer: number, offset: number): number | undefined {
    return reached(window, rank).includes(peer) ? window.addressAt(peer) + offset : undefined;
  }

  /** Returns the window byte for an address of a region, even if it lies outside the window. */
  locate({ address, region }: PointerValue): WebgpuWindowByte | undefined {
    const owner = this.#owners[region];
    if (owner === undefined || !this.#windows.has(owner.window)) return undefined;
    return { ...owner, offset: address - owner.window.addressAt(owner.rank) };
  }

  /** Returns the window that owned a region before it was removed. */
  formerOwner(region: number): WebgpuWindow | undefined {
    return this.#owners[region]?.window;
  }

  /**
   * Returns the window byte at an address. The address just after a window gives that window's end,
   * unless another window begins there.
   */
  find(address: number): WebgpuWindowByte | undefined {
    return this.#search(address, ({ group }) => group.members);
  }

  /** Returns the memory at the address where byte `offset` of a window's copy would be. */
  beside({ window, rank }: Omit<WebgpuWindowByte, 'offset'>, offset: number): WebgpuWindowByte | undefined {
    return this.find(window.addressAt(rank) + offset);
  }

  /** The region of the copy at an address; 0 if there is none. */
  regionAt(address: number): number {
    const found = this.find(address);
    return found === undefined ? 0 : this.#regionAt(found.window, found.rank);
  }

  /** The region that begins at an address; 0 where none does. */
  regionFrom(low: number): number {
    const found = low === 0 ? undefined : this.find(low);
    return found === undefined ? 0 : this.#regionAt(found.window, found.rank);
  }

  /**
   * Returns an address as a pointer for kernels of `rank`; the null pointer if they have no memory
   * there.
   */
  pointerOf(rank: number, address: number): PointerValue {
    const found = this.#search(address, (window) => reached(window, rank));
    if (found === undefined) return NULL;
    return { address, region: this.#regionAt(found.window, found.rank) };
  }

  /**
   * If windows overlap, because they are made from the same buffer, the widest counts. An address
   * does not show which window was meant, so an access is allowed if any of them allows it.
   */
  #search(address: number, at: (window: WebgpuWindow) => readonly number[]): WebgpuWindowByte | undefined {
    let inside: WebgpuWindowByte | undefined;
    let end: WebgpuWindowByte | undefined;
    for (const window of this.#windows) {
      if (inside !== undefined && inside.window.bytes >= window.bytes) continue;
      for (const rank of at(window)) {
        const offset = address - window.addressAt(rank);
        if (offset < 0 || offset > window.bytes) continue;
        if (offset < window.bytes) inside = { window, rank, offset };
        else end ??= { window, rank, offset };
      }
    }
    return inside ?? end;
  }

  #regionAt(window: WebgpuWindow, rank: number): number {
    const { firstRegion, fields } = window.valueAt(rank);
    return firstRegion + fields.lsaRank;
  }
}

/**
 * Returns the ranks of the world whose copies `rank` can load and store: those of its domain; none
 * if the rank has no part in the window.
 */
function reached({ group: { members, topology } }: WebgpuWindow, rank: number): readonly number[] {
  const index = members.indexOf(rank);
  if (index === -1) return [];
  const first = index - (index % topology.lsaSize);
  return members.slice(first, first + topology.lsaSize);
}
