import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { Topology } from '@nccl-ts/topology';
import type { WindowFlags } from '@nccl-ts/window';
import { RegionTable } from './region-table.ts';
import { WebgpuWindow, type WindowValue } from './webgpu-window.ts';

/** A byte of a window, at one rank. `offset` may lie outside of the window. */
export interface WindowByte {
  readonly window: WebgpuWindow;
  readonly rank: number;
  readonly offset: number;
}

/** An address and the region it was made for. */
export interface PointerValue {
  readonly address: number;
  readonly region: number;
}

export interface WindowInit {
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  /** By rank. */
  readonly addresses: Uint32Array<ArrayBuffer>;
  readonly plan?: DevCommPlan;
}

const NULL: PointerValue = Object.freeze({ address: 0, region: 0 });

/** Which windows there are and where. Hosts and kernels use the same addresses. */
export class AddressSpace {
  readonly regions: RegionTable = new RegionTable();
  readonly #topology: Topology;
  readonly #windows = new Set<WebgpuWindow>();
  /** By region: whose copy of what, also of windows that are gone. */
  readonly #owners: (Omit<WindowByte, 'offset'> | undefined)[] = [];

  constructor(topology: Topology) {
    this.#topology = topology;
  }

  add({ name, bytes, flags, addresses, plan }: WindowInit): WebgpuWindow {
    const values: WindowValue[] = [];
    const { nRanks, lsaSize } = this.#topology;
    for (let first = 0; first < nRanks; first += lsaSize) {
      const bases = addresses.slice(first, first + lsaSize);
      const firstRegion = this.regions.add(bases, bytes);
      for (let lsaRank = 0; lsaRank < bases.length; lsaRank++) {
        const fields = Object.freeze({ bytes, lsaRank, lsaSize: bases.length, worldRank: first + lsaRank });
        values.push(Object.freeze({ bases, firstRegion, lsaSize: bases.length, fields }));
      }
    }
    const window = new WebgpuWindow({ name, bytes, flags, addresses, values, plan });
    this.#windows.add(window);
    for (let rank = 0; rank < nRanks; rank++) this.#owners[this.#regionAt(window, rank)] = { window, rank };
    return window;
  }

  /** Takes the window away: pointers into it lead nowhere from now on. */
  remove(window: WebgpuWindow): void {
    if (!this.#windows.delete(window)) return;
    const { nRanks, lsaSize } = this.#topology;
    for (let rank = 0; rank < nRanks; rank += lsaSize) {
      const value = window.valueAt(rank);
      this.regions.clear(value.firstRegion, value.lsaSize);
    }
  }

  /** The address of byte `offset` of the copy at `peer`, or `undefined` where `rank` cannot load and store there. */
  devicePointer(window: WebgpuWindow, rank: number, peer: number, offset: number): number | undefined {
    return this.#sameTeam(rank, peer) ? window.addressAt(peer) + offset : undefined;
  }

  /** The window byte that an address of a region stands for, also where it lies outside of the window. */
  locate({ address, region }: PointerValue): WindowByte | undefined {
    const owner = this.#owners[region];
    if (owner === undefined || !this.#windows.has(owner.window)) return undefined;
    return { ...owner, offset: address - owner.window.addressAt(owner.rank) };
  }

  /** The window that owned a region before it was taken away. */
  formerOwner(region: number): WebgpuWindow | undefined {
    return this.#owners[region]?.window;
  }

  /** What lies at an address; behind the last byte of a window, where nothing else begins, that window's end. */
  find(address: number): WindowByte | undefined {
    return this.#search(address, 0, this.#topology.nRanks);
  }

  /** What lies where byte `offset` of a window's copy would be. */
  beside({ window, rank }: Omit<WindowByte, 'offset'>, offset: number): WindowByte | undefined {
    return this.find(window.addressAt(rank) + offset);
  }

  /** The region of the copy that an address lies in; 0 where it lies in none. */
  regionAt(address: number): number {
    const found = this.find(address);
    return found === undefined ? 0 : this.#regionAt(found.window, found.rank);
  }

  /** The region that begins at an address; 0 where none does. */
  regionFrom(low: number): number {
    const found = low === 0 ? undefined : this.#search(low, 0, this.#topology.nRanks);
    return found === undefined ? 0 : this.#regionAt(found.window, found.rank);
  }

  /** An address as kernels of `rank` use it: the null pointer where nothing that they reach lies there. */
  pointerOf(rank: number, address: number): PointerValue {
    const { lsaSize } = this.#topology;
    const first = rank - (rank % lsaSize);
    const found = this.#search(address, first, first + lsaSize);
    if (found === undefined) return NULL;
    return { address, region: this.#regionAt(found.window, found.rank) };
  }

  /**
   * Where windows overlap, being made of the same buffer, the widest counts: an address does not say which was meant, and
   * what is allowed through one of them is allowed.
   */
  #search(address: number, firstRank: number, endRank: number): WindowByte | undefined {
    let inside: WindowByte | undefined;
    let end: WindowByte | undefined;
    for (const window of this.#windows) {
      if (inside !== undefined && inside.window.bytes >= window.bytes) continue;
      for (let rank = firstRank; rank < endRank; rank++) {
        const offset = address - window.addressAt(rank);
        if (offset < 0 || offset > window.bytes) continue;
        if (offset < window.bytes) inside = { window, rank, offset };
        else end ??= { window, rank, offset };
      }
    }
    return inside ?? end;
  }

  #regionAt(window: WebgpuWindow, rank: number): number {
    return window.valueAt(rank).firstRegion + (rank % this.#topology.lsaSize);
  }

  #sameTeam(rank: number, peer: number): boolean {
    const { lsaSize } = this.#topology;
    return Math.floor(rank / lsaSize) === Math.floor(peer / lsaSize);
  }
}
