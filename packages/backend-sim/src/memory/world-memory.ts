import { at as itemAt } from '@nccl-ts/core';
import { devCommValues, ginState, type DevCommPlan } from '@nccl-ts/devcomm';
import type { LocatedWord } from '@nccl-ts/findings';
import type { Topology } from '@nccl-ts/topology';
import type {
  BufferPart,
  DevCommHandle,
  DeviceBuffer,
  HostEndpoint,
  RankGroup,
  WindowHandle,
} from '@nccl-ts/transport';
import { hasWindowFlag, WindowFlags } from '@nccl-ts/window';
import { foreign } from '../base/errors.ts';
import { ginPeerFields } from './gin-peer-fields.ts';
import { SimDevComm } from './sim-dev-comm.ts';
import { SimAddressSpace, type PointerValue, type SimWindowByte } from './address-space.ts';
import { EndpointTable } from './endpoint-table.ts';
import { Heap } from './heap.ts';
import { SimBuffer } from './sim-buffer.ts';
import { simGroup } from './sim-group.ts';
import { SimWindow } from './sim-window.ts';
import { wholeWorld } from './whole-world.ts';

/** The default depth of the network's queue for one peer of a context. */
const DEFAULT_QUEUE_DEPTH = 64;

/**
 * The contents of the ranks' memory: buffers, windows over them, and device communicators with
 * their resource windows.
 */
export class SimWorldMemory {
  readonly heap: Heap;
  readonly space: SimAddressSpace;
  /** The numbers of logical endpoints, which hosts and kernels share. */
  readonly endpoints: EndpointTable = new EndpointTable();
  readonly #world: RankGroup;
  readonly #multimem: boolean;
  readonly #devComms = new Map<SimWindow, SimDevComm>();
  #windowCount = 0;
  #devCommCount = 0;

  /** `shared` is true if other host threads use it. */
  constructor(topology: Topology, memoryBytes: number, multimem = false, frameBytes = 0, shared = false) {
    this.#world = wholeWorld(topology);
    this.#multimem = multimem;
    this.heap = new Heap(memoryBytes, frameBytes, shared);
    this.space = new SimAddressSpace(topology, multimem, shared);
  }

  allocate(rank: number, bytes: number): SimBuffer {
    return new SimBuffer(rank, bytes, this.heap.allocate(bytes, `a buffer of rank ${rank}`));
  }

  /** Frees a buffer. Freeing it twice has no effect. */
  free(buffer: DeviceBuffer): void {
    const own = bufferOf(buffer);
    if (own.freed) return;
    own.freed = true;
    this.heap.release(own.address, own.bytes);
  }

  write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): void {
    const from = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.heap.views.u8.set(from, bufferOf(buffer).address + offset);
  }

  read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): void {
    const begin = bufferOf(buffer).address + offset;
    const to = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    to.set(this.heap.views.u8.subarray(begin, begin + into.byteLength));
  }

  /** Returns the bytes themselves, which are valid until the heap grows. */
  expose(buffer: DeviceBuffer, offset: number, bytes: number): Uint8Array {
    const begin = bufferOf(buffer).address + offset;
    return this.heap.views.u8.subarray(begin, begin + bytes);
  }

  addGroup(members: readonly number[]): RankGroup {
    const group = simGroup(this.#world.topology, members);
    if (this.#multimem) this.space.addLsaGroups(group);
    return group;
  }

  /** `name` is the program's own name for the window. */
  addWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    group?: RankGroup,
    name?: string,
  ): SimWindow {
    const addresses = parts.map(({ buffer, offset }) => bufferOf(buffer).address + offset);
    const numbered = `window ${this.#windowCount++}`;
    return this.space.add(name === undefined ? numbered : `'${name}'`, bytes, flags, addresses, group);
  }

  removeWindow(window: WindowHandle): void {
    this.space.remove(windowOf(window));
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    const own = windowOf(window);
    if (!own.has(rank) || !own.has(peer) || hasWindowFlag(own.flags, WindowFlags.GinOnly)) return undefined;
    const reachable = own.valueAt(rank).firstRegion === own.valueAt(peer).firstRegion;
    return reachable ? this.space.flat({ window: own, rank: peer, offset }) : undefined;
  }

  /**
   * Returns the multicast address for kernels of `rank`, over the ranks of the group that begins at
   * `base`.
   */
  multimemPointer(window: WindowHandle, rank: number, offset: number, base?: number): number | undefined {
    const own = windowOf(window);
    return this.space.multicastAddress(own, rank, base ?? this.space.lsaGroup(rank, own.group), offset);
  }

  /**
   * Returns the logical endpoint of `peer`, or the multicast endpoint of the domain of `rank`, and
   * the location of byte `offset` in it.
   */
  logicalEndpoint(window: WindowHandle, rank: number, peer: number | 'multicast', offset: number): HostEndpoint {
    const own = windowOf(window);
    const value = own.valueAt(rank);
    const leader = own.group.members.indexOf(rank) - Number(value.fields['lsaRank']);
    const isMulticast = peer === 'multicast';
    const target = isMulticast ? leader : own.group.members.indexOf(peer);
    return {
      leId: this.endpoints.idOf(value, target, isMulticast),
      leOffset: this.endpoints.baseOf(value) + offset,
    };
  }

  /** Returns the start of a device communicator's multicast addresses for kernels of `rank`. */
  multimemBase(devComm: DevCommHandle, rank: number, team: number | 'lsa'): number {
    if (!(devComm instanceof SimDevComm)) throw foreign('device communicator');
    return team === 'lsa'
      ? (devComm.valueAt(rank).fields['lsaMultimem.mcBasePtr'] ?? 0)
      : itemAt(itemAt(devComm.teamGroups, devComm.group.members.indexOf(rank)), team);
  }

  /** Returns the address of a rank's own signal 0 in a GIN context, for its kernels. */
  signalAddress(devComm: DevCommHandle, rank: number, context: number): number {
    if (!(devComm instanceof SimDevComm)) throw foreign('device communicator');
    const { contextBytes } = ginState(devComm.plan);
    return this.space.flat({ window: devComm.state, rank, offset: context * contextBytes });
  }

  addDevComm(
    plan: DevCommPlan,
    teamRanks?: readonly (readonly number[])[],
    group: RankGroup = this.#world,
  ): SimDevComm {
    const { members, topology } = group;
    const buffers: SimBuffer[] = [];
    const number = this.#devCommCount++;
    const name = `the resource window of device communicator ${number}`;
    try {
      for (const rank of members) buffers.push(this.allocate(rank, plan.resourceBytes));
      const addresses = buffers.map((buffer) => buffer.address);
      const resources = this.space.add(name, plan.resourceBytes, WindowFlags.CollSymmetric, addresses, group);
      const { bytes } = ginState(plan);
      const words = members.map((rank) => this.allocate(rank, bytes));
      buffers.push(...words);
      const stateName = `the GIN state of device communicator ${number}`;
      const state = this.space.add(
        stateName,
        bytes,
        WindowFlags.CollSymmetric,
        words.map(({ address }) => address),
        group,
      );
      const ginQueueDepth = plan.requirements.ginQueueDepth || DEFAULT_QUEUE_DEPTH;
      const ginVaSignals = Number(plan.requirements.ginVaSignalsRequired);
      const values = members.map((member, rank) => ({
        fields: {
          ...devCommValues(plan, topology, rank, this.space.lsaGroup(member, group)),
          ginQueueDepth,
          ginVaSignals,
          ...ginPeerFields(plan, rank),
        },
        windows: { resourceWindow: resources.valueAt(member), ginStateWindow: state.valueAt(member) },
      }));
      const teamGroups = members.map((_, rank) => this.#teamGroups(plan, members, rank, teamRanks?.[rank]));
      const devComm = new SimDevComm({ plan, group, resources, state, buffers, values, teamGroups });
      this.#devComms.set(state, devComm);
      this.#devComms.set(resources, devComm);
      return devComm;
    } catch (error) {
      for (const buffer of buffers) this.free(buffer);
      throw error;
    }
  }

  /**
   * Returns the start of the multicast addresses over each team of the plan's list, for `rank` of
   * the members; 0 for teams without multimem.
   */
  #teamGroups(
    { requirements }: DevCommPlan,
    members: readonly number[],
    rank: number,
    places: readonly number[] = [],
  ): readonly number[] {
    return requirements.teamRequirementsList.map(({ team, multimem }, index) => {
      if (!multimem) return 0;
      const first = rank - (places[index] ?? team.rank) * team.stride;
      const ranks = Array.from({ length: team.nRanks }, (_, i) => first + i * team.stride);
      return this.space.addGroup(ranks.map((one) => itemAt(members, one)));
    });
  }

  removeDevComm(devComm: DevCommHandle): void {
    if (!(devComm instanceof SimDevComm)) throw foreign('device communicator');
    if (!this.#devComms.delete(devComm.resources)) return;
    this.#devComms.delete(devComm.state);
    this.space.remove(devComm.resources);
    this.space.remove(devComm.state);
    for (const buffer of devComm.buffers) this.free(buffer);
  }

  /** True if a region is memory of a device communicator. */
  isResource(region: number): boolean {
    const window = this.space.formerOwner(region);
    return window !== undefined && this.#devComms.has(window);
  }

  /** Returns the window byte for an address of a region, and the plan of a resource window. */
  locate(pointer: PointerValue): LocatedWord | undefined {
    const at = this.space.locate(pointer);
    if (at === undefined) return undefined;
    return this.#word(at);
  }

  /** Returns the current windows and device communicators. */
  get shared(): readonly [readonly SimWindow[], readonly SimDevComm[]] {
    return [this.space.windows, [...new Set(this.#devComms.values())]];
  }

  addressOf(buffer: DeviceBuffer): number {
    return bufferOf(buffer).address;
  }

  /** Returns the window byte at a heap address. If windows overlap, the newest one counts. */
  byteAt(address: number): LocatedWord | undefined {
    for (const window of this.space.windows.toReversed()) {
      const index = window.addresses.findIndex((base) => address >= base && address < base + window.bytes);
      const rank = window.group.members[index];
      if (rank === undefined) continue;
      return this.#word({ window, rank, offset: address - itemAt(window.addresses, index) });
    }
    return undefined;
  }

  /** The heap address of a byte of a world rank's copy of the newest window with a name. */
  addressOfByte(name: string, rank: number, offset: number): number | undefined {
    const window = this.space.windows.findLast((one) => one.name === name);
    const base = window?.addresses[window.group.members.indexOf(rank)];
    return base === undefined ? undefined : base + offset;
  }

  #word(at: SimWindowByte): LocatedWord {
    const devComm = this.#devComms.get(at.window);
    const { members } = at.window.group;
    return { ...at, plan: devComm?.plan, isGinState: devComm?.state === at.window, members };
  }

  /** Returns the bytes of all windows as text. */
  describe(): string {
    const { u8 } = this.heap.views;
    return this.space.windows
      .map(({ bytes, addresses }) => addresses.map((at) => u8.subarray(at, at + bytes).join('.')).join())
      .join(':');
  }

  dispose(): void {
    this.#devComms.clear();
    this.heap.dispose();
  }
}

function bufferOf(buffer: DeviceBuffer): SimBuffer {
  if (buffer instanceof SimBuffer) return buffer;
  throw foreign('buffer');
}

function windowOf(window: WindowHandle): SimWindow {
  if (window instanceof SimWindow) return window;
  throw foreign('window');
}
