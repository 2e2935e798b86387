import { at as itemAt, NcclError } from '@nccl-ts/core';
import type { PeerOfNobody, WindowFinder } from '@nccl-ts/findings';
import type { Topology } from '@nccl-ts/topology';
import { FreeList, type RankGroup } from '@nccl-ts/transport';
import { hasWindowFlag, WindowFlags } from '@nccl-ts/window';
import {
  type WindowCopies,
  type WindowValue,
  flatAddress,
  splitFlatAddress,
  SLOT_BYTES,
  WINDOW_ALIGN,
  strayPeer,
} from '@nccl-ts/codegen';
import { MulticastGroups, type MulticastGroup } from './multicast-groups.ts';
import { RegionTable } from './region-table.ts';
import { SimWindow } from './sim-window.ts';
import { wholeWorld } from './whole-world.ts';

/** A byte of a window at one rank of the world. `offset` may lie outside the window. */
export interface SimWindowByte {
  readonly window: SimWindow;
  readonly rank: number;
  readonly offset: number;
}

/** An address, and the region for which it was made. */
export interface PointerValue {
  readonly address: number;
  readonly region: number;
}

/** The bytes of a region, from `low` up to but not including `high`. */
export interface AddressRange {
  readonly low: number;
  readonly high: number;
  readonly region: number;
}

/** The largest distance at which reports mention the nearest memory. */
const NEAR_BYTES = 2 ** 16;

/**
 * The least distance between two windows. Kernels that compute with addresses as numbers are caught
 * when they leave a window, unless they go further than that.
 */
const GUARD_BYTES = 2 ** 20;

/** The number of windows of a rank that are remembered for each rank that looks them up. */
const NEAR_WINDOWS = 16;

/** The window of a region, the rank of the copy, and the offset from heap to flat addresses. */
interface RegionOwner {
  readonly window: SimWindow;
  readonly rank: number;
  readonly shift: number;
}

/** The flat addresses from `low` to `high`, and their offset to heap addresses. */
interface NearWindow {
  readonly low: number;
  readonly high: number;
  readonly shift: number;
  readonly region: number;
}

const NULL: PointerValue = Object.freeze({ address: 0, region: 0 });

/**
 * The windows and their addresses. Kernels compute with heap addresses. Hosts, and reports about
 * stray accesses, use flat addresses (`flatAddress`).
 */
export class SimAddressSpace implements WindowFinder<SimWindowByte> {
  readonly regions: RegionTable;
  readonly #world: RankGroup;
  readonly #offsets = new FreeList(0, SLOT_BYTES, WINDOW_ALIGN);
  /** By offset: the addresses that were taken there, with those that guard them. */
  readonly #lengths = new Map<number, number>();
  readonly #groups: MulticastGroups;
  /**
   * The windows, each with the regions of its multicast addresses by rank, for
   * `WindowValue.multicast`.
   */
  readonly #windows = new Map<SimWindow, readonly Map<number, number>[]>();
  /**
   * By the rank that looks up device addresses, and the rank that owns the memory: the windows of
   * the last lookups.
   */
  readonly #near: (NearWindow[] | undefined)[][] = [];
  /** By region: the owner. */
  readonly #owners: (RegionOwner | undefined)[] = [];

  /**
   * With `multimem`, each LSA team has a multicast group from the start. Without it there are none.
   * `shared` is true if other host threads use it.
   */
  constructor(topology: Topology, multimem = false, shared = false) {
    this.regions = new RegionTable(shared);
    this.#world = wholeWorld(topology);
    this.#groups = new MulticastGroups(topology.nRanks);
    const { nLsaTeams, lsaSize } = topology;
    const groups = multimem ? nLsaTeams : 0;
    for (let team = 0; team < groups; team++) this.#groups.add(ranksFrom(team * lsaSize, lsaSize));
  }

  /** All windows, oldest first. */
  get windows(): readonly SimWindow[] {
    return [...this.#windows.keys()];
  }

  /**
   * Makes a window of the copies at `addresses` (heap addresses, by the ranks of the group), each
   * of `bytes` bytes.
   */
  add(
    name: string,
    bytes: number,
    flags: WindowFlags,
    addresses: readonly number[],
    group: RankGroup = this.#world,
  ): SimWindow {
    const flatOffset = this.#takeOffset(bytes);
    if (flatOffset === undefined) {
      throw new NcclError(
        'NCCLTS_OUT_OF_MEMORY',
        `no room for ${name}: ${bytes} bytes were requested, but windows have ${SLOT_BYTES} bytes of addresses per rank`,
      );
    }
    const values: WindowValue[] = [];
    const multicast: Map<number, number>[] = [];
    const { nRanks, lsaSize } = group.topology;
    const regionOf = new Int32Array(nRanks);
    const isForNetwork = hasWindowFlag(flags, WindowFlags.GinOnly);
    const copies: WindowCopies = Object.freeze({
      bases: Float64Array.from(addresses),
      regions: regionOf,
      ranks: group.members,
      bytes,
      strictOrdering: hasWindowFlag(flags, WindowFlags.StrictOrdering),
      cftCounted: hasWindowFlag(flags, WindowFlags.CftCounted),
    });
    for (let first = 0; first < nRanks; first += lsaSize) {
      const bases = Float64Array.from(addresses.slice(first, first + lsaSize));
      const firstRegion = this.regions.add(bases, bytes);
      for (let lsaRank = 0; lsaRank < bases.length; lsaRank++) {
        const rank = first + lsaRank;
        const fields = Object.freeze({ bytes, lsaRank, lsaSize: bases.length, worldRank: rank });
        regionOf[rank] = firstRegion + lsaRank;
        const reached = new Map<number, number>();
        multicast.push(reached);
        // Without peers, every pointer through the window is out of bounds.
        const reachable = isForNetwork ? 0 : bases.length;
        values.push(Object.freeze({ bases, firstRegion, lsaSize: reachable, multicast: reached, fields, copies }));
      }
    }
    const window = new SimWindow({ name, bytes, flags, flatOffset, group, addresses, values });
    this.#windows.set(window, multicast);
    for (const multicastGroup of this.#groups.all) this.#cover(window, multicast, multicastGroup);
    group.members.forEach((rank, index) => {
      const shift = flatAddress(rank, flatOffset) - window.addressAt(rank);
      this.#owners[itemAt(regionOf, index)] = { window, rank, shift };
    });
    return window;
  }

  /**
   * Takes addresses for a window, and as many again behind it. If these are too many, the next
   * window may follow at once.
   */
  #takeOffset(bytes: number): number | undefined {
    for (const length of [bytes + Math.max(bytes, GUARD_BYTES), bytes]) {
      const offset = this.#offsets.take(length);
      if (offset === undefined) continue;
      this.#lengths.set(offset, length);
      return offset;
    }
    return undefined;
  }

  #giveOffset(offset: number): void {
    const length = this.#lengths.get(offset);
    if (length === undefined) return;
    this.#lengths.delete(offset);
    this.#offsets.give(offset, length);
  }

  /** Removes the window. From then on, pointers into it are invalid. */
  remove(window: SimWindow): void {
    const multicast = this.#windows.get(window);
    if (multicast === undefined) return;
    this.#windows.delete(window);
    this.#near.length = 0;
    const reached = new Set(multicast.flatMap((regions) => [...regions.values()]));
    for (const region of reached) this.regions.clear(region, 1);
    this.#giveOffset(window.flatOffset);
    const { lsaSize } = window.group.topology;
    for (let first = 0; first < window.values.length; first += lsaSize) {
      const value = window.values[first];
      if (value !== undefined) this.regions.clear(value.firstRegion, value.bases.length);
    }
  }

  /**
   * Returns the start of the multicast addresses over the LSA team of `rank`, a rank of the world,
   * in a group; 0 without multimem.
   */
  lsaGroup(rank: number, group: RankGroup = this.#world): number {
    return this.#groups.find(lsaMembers(group, group.members.indexOf(rank)))?.base ?? 0;
  }

  /** Makes a multicast group of each LSA team of the group. */
  addLsaGroups(group: RankGroup): void {
    const { nRanks, lsaSize } = group.topology;
    for (let first = 0; first < nRanks; first += lsaSize) this.addGroup(lsaMembers(group, first));
  }

  /**
   * Makes a multicast group of these ranks of one LSA team, if there is none yet. Returns the start
   * of its addresses.
   */
  addGroup(members: readonly number[]): number {
    const known = this.#groups.find(members);
    if (known !== undefined) return known.base;
    const group = this.#groups.add(members);
    for (const [window, multicast] of this.#windows) this.#cover(window, multicast, group);
    return group.base;
  }

  /**
   * Returns the multicast address of a window's byte for kernels of `rank`; `undefined` if none of
   * their groups begins at `base`.
   */
  multicastAddress(window: SimWindow, rank: number, base: number, offset: number): number | undefined {
    return window.valueAt(rank).multicast.has(base) ? base + window.flatOffset + offset : undefined;
  }

  /**
   * Gives the window multicast addresses over a group for kernels of its members, unless a member
   * has no copy.
   */
  #cover(window: SimWindow, multicast: readonly Map<number, number>[], { base, members }: MulticastGroup): void {
    if (hasWindowFlag(window.flags, WindowFlags.GinOnly) || !members.every((rank) => window.has(rank))) return;
    const region = this.regions.addMulticast({
      window: window.name,
      address: base + window.flatOffset,
      bases: Float64Array.from(members, (rank) => window.addressAt(rank)),
      regions: Int32Array.from(members, (rank) => window.regionAt(rank)),
    });
    for (const rank of members) multicast[window.group.members.indexOf(rank)]?.set(base, region);
  }

  /** Returns the window byte for an address of a region, even if it lies outside the window. */
  locate({ address, region }: PointerValue): SimWindowByte | undefined {
    const owner = this.#owners[region];
    if (owner === undefined || !this.#windows.has(owner.window)) return undefined;
    const { window, rank } = owner;
    return { window, rank, offset: address - window.addressAt(rank) };
  }

  /** Returns a region that contains a heap address, with its bounds. */
  rangeAt(address: number): AddressRange | undefined {
    const { length, low, high } = this.regions;
    for (let region = 0; region < length; region++) {
      const [first, end] = [itemAt(low, region), itemAt(high, region)];
      if (address >= first && address < end) return { low: first, high: end, region };
    }
    return undefined;
  }

  /** Returns the rank that owns or owned a region; `undefined` if it belongs to none. */
  ownerOf(region: number): number | undefined {
    return this.#owners[region]?.rank;
  }

  strayPeer(address: number): PeerOfNobody | undefined {
    return strayPeer(address);
  }

  /** Returns the window that owns a region, or owned it before it was removed. */
  formerOwner(region: number): SimWindow | undefined {
    return this.#owners[region]?.window;
  }

  /**
   * Returns the window byte at a flat address. The address just after a window gives that window's
   * end, unless another window begins there.
   */
  find(address: number): SimWindowByte | undefined {
    const { rank, offset } = splitFlatAddress(address);
    let end: SimWindowByte | undefined;
    for (const window of this.#windows.keys()) {
      if (!window.has(rank)) continue;
      const inside = offset - window.flatOffset;
      if (inside >= 0 && inside < window.bytes) return { window, rank, offset: inside };
      if (inside === window.bytes) end = { window, rank, offset: inside };
    }
    return end;
  }

  /**
   * Returns the memory next to a flat address outside all memory, if it is at most `NEAR_BYTES`
   * away. `distance` is negative if the address precedes the memory.
   */
  near(address: number): { readonly byte: SimWindowByte; readonly distance: number } | undefined {
    const { rank, offset } = splitFlatAddress(address);
    let best: { readonly byte: SimWindowByte; readonly distance: number } | undefined;
    for (const window of this.#windows.keys()) {
      if (!window.has(rank)) continue;
      const inside = offset - window.flatOffset;
      const distance = inside < 0 ? inside : inside - window.bytes;
      if (Math.abs(distance) > Math.min(NEAR_BYTES, Math.abs(best?.distance ?? NEAR_BYTES))) continue;
      best = { byte: { window, rank, offset: inside }, distance };
    }
    return best;
  }

  /** Returns the memory at the flat address where byte `offset` of the same copy would be. */
  beside({ window, rank }: SimWindowByte, offset: number): SimWindowByte | undefined {
    return this.find(this.flat({ window, rank, offset }));
  }

  /**
   * Returns a device address for kernels of `rank`. If they have no memory there, it keeps its
   * number and has no region, so that a report can show it.
   */
  deviceAddress(rank: number, address: number): PointerValue {
    const known = this.#near[rank]?.[splitFlatAddress(address).rank];
    if (known !== undefined) {
      for (let i = 0; i < known.length; i++) {
        const near = known[i];
        if (near === undefined || address < near.low || address >= near.high) continue;
        const before = known[i - 1];
        // Frequent windows move to the front.
        if (before !== undefined) [known[i - 1], known[i]] = [near, before];
        return { address: address + near.shift, region: near.region };
      }
    }
    const found = this.pointer(rank, address);
    if (found.region === 0) return address === 0 ? NULL : { address, region: 0 };
    const at = this.locate(found);
    if (at !== undefined) {
      const low = this.flat({ ...at, offset: 0 });
      const [shift, high] = [found.address - address, low + at.window.bytes];
      const near = ((this.#near[rank] ??= [])[at.rank] ??= []);
      if (near.length === NEAR_WINDOWS) near.pop();
      near.push({ low, high, shift, region: found.region });
    }
    return found;
  }

  /** Returns the device address of any pointer to a region. */
  addressOf(address: number, region: number): number {
    const owner = this.#owners[region];
    if (owner === undefined || !this.#windows.has(owner.window)) return address;
    return address + owner.shift;
  }

  /**
   * Returns a flat address as a pointer for kernels of `rank`; the null pointer if they have no
   * memory there.
   */
  pointer(rank: number, address: number): PointerValue {
    const group = this.#groups.at(address);
    if (group !== undefined) return this.#multicastPointer(rank, address, group.base);
    const found = this.find(address) ?? this.#guardedBy(address);
    if (found === undefined || !found.window.has(rank)) return NULL;
    // The values of one LSA team share their regions.
    if (found.window.valueAt(rank).firstRegion !== found.window.valueAt(found.rank).firstRegion) return NULL;
    return {
      address: found.window.addressAt(found.rank) + found.offset,
      region: found.window.regionAt(found.rank),
    };
  }

  #multicastPointer(rank: number, address: number, base: number): PointerValue {
    for (const window of this.#windows.keys()) {
      if (!window.has(rank)) continue;
      const inside = address - base - window.flatOffset;
      const region = window.valueAt(rank).multicast.get(base);
      if (region !== undefined && inside >= 0 && inside < window.bytes) return { address, region };
    }
    return NULL;
  }

  /** Returns the byte past the end of the window behind which an address is kept free. */
  #guardedBy(address: number): SimWindowByte | undefined {
    const { rank, offset } = splitFlatAddress(address);
    for (const window of this.#windows.keys()) {
      const inside = offset - window.flatOffset;
      const length = this.#lengths.get(window.flatOffset) ?? window.bytes;
      if (window.has(rank) && inside > window.bytes && inside < length) return { window, rank, offset: inside };
    }
    return undefined;
  }

  /** Returns the flat address of a window byte. `offset` may lie outside the window. */
  flat({ window, rank, offset }: SimWindowByte): number {
    return flatAddress(rank, window.flatOffset + offset);
  }
}

/** Returns the ranks of the world in LSA team number `index` of a group. */
function lsaMembers({ members, topology: { lsaSize } }: RankGroup, index: number): readonly number[] {
  const first = index - (index % lsaSize);
  return members.slice(first, first + lsaSize);
}

function ranksFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}
