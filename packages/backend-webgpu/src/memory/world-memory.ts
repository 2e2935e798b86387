import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { Topology } from '@nccl-ts/topology';
import type {
  BufferPart,
  DevCommHandle,
  DeviceBuffer,
  ExposedGpuBuffer,
  RankGroup,
  WindowHandle,
} from '@nccl-ts/transport';
import { at as itemAt, NcclError } from '@nccl-ts/core';
import { WindowFlags } from '@nccl-ts/window';
import { foreign } from '../errors.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage } from '../gpu/gpu-flags.ts';
import { ADDRESS_END, PAGE_BYTES, RESOURCE_BASE, SEGMENT_BASE } from './address-map.ts';
import { WebgpuAddressSpace } from './address-space.ts';
import { checkAdoptable, checkBindings, checkUsage } from './adopt-buffer.ts';
import { Exclusive } from './exclusive.ts';
import { Heap, type CopyOnDevice } from './heap.ts';
import { HostCopies } from './host-copies.ts';
import type { Replica } from './replica.ts';
import { Segments, type Segment } from './segments.ts';
import { WebgpuBuffer } from './webgpu-buffer.ts';
import { WebgpuDevComm } from './webgpu-dev-comm.ts';
import { someGroup, wholeGroup } from './webgpu-group.ts';
import { WebgpuWindow } from './webgpu-window.ts';

/**
 * The contents of the ranks' memory: buffers, windows over them, device communicators with their
 * resource windows.
 */
export class WebgpuWorldMemory {
  /** Window memory: addresses below `SEGMENT_BASE`. */
  readonly heap: Heap;
  /** Resource windows, at addresses starting with `RESOURCE_BASE`. */
  readonly resources: Heap;
  readonly space: WebgpuAddressSpace;
  /** One for each device. The devices have equal shares of consecutive ranks. */
  readonly replicas: readonly Replica[];
  readonly topology: Topology;
  readonly #device: AcquiredDevice;
  readonly #world: RankGroup;
  readonly #exclusive = new Exclusive();
  readonly #segments: Segments;
  readonly #devComms = new Set<WebgpuDevComm>();
  #windowCount = 0;
  #devCommCount = 0;

  /**
   * @param devices the devices, which get equal shares of consecutive ranks in this order. If ranks
   *   of different devices can access each other's memory, each device holds everything twice.
   * @param memoryBytes the largest number of bytes of window memory; `undefined` for the size of
   *   one binding
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY`
   */
  static async create(
    [device, ...others]: readonly [AcquiredDevice, ...AcquiredDevice[]],
    topology: Topology,
    memoryBytes: number | undefined,
  ): Promise<WebgpuWorldMemory> {
    const agree = spans(topology, others.length + 1);
    // The first page is unused, so that no address is 0.
    const limit = memoryBytes === undefined ? SEGMENT_BASE : Math.min(SEGMENT_BASE, memoryBytes + PAGE_BYTES);
    const heap = await Heap.create(device, { name: 'the heap', base: 0, reserved: PAGE_BYTES, limit }, others, agree);
    const init = {
      name: 'the resources of device communicators',
      base: RESOURCE_BASE,
      // The target of accesses that are not allowed.
      reserved: PAGE_BYTES,
      limit: ADDRESS_END - RESOURCE_BASE,
    };
    const resources = await Heap.create(device, init, others, agree);
    return new WebgpuWorldMemory(device, topology, heap, resources);
  }

  private constructor(device: AcquiredDevice, topology: Topology, heap: Heap, resources: Heap) {
    this.heap = heap;
    this.resources = resources;
    this.space = new WebgpuAddressSpace(topology);
    this.#device = device;
    this.topology = topology;
    this.#world = wholeGroup(topology);
    this.#segments = new Segments(() =>
      device.device.createBuffer({ label: 'nccl-ts: nothing', size: 16, usage: BufferUsage.STORAGE }),
    );
    this.replicas = Object.freeze(heap.copies.map((copy, i) => replicaOf(copy, resources.copies[i])));
  }

  /** Returns the callers' buffers, by address. Each change replaces the list. */
  get segments(): readonly Segment[] {
    return this.#segments.table;
  }

  /** The number of the device that has `rank`. */
  deviceOf(rank: number): number {
    return Math.floor(rank / (this.topology.nRanks / this.replicas.length));
  }

  /**
   * True if ranks of different devices can access each other's memory, so that changes must be sent
   * to the others.
   */
  get spans(): boolean {
    return spans(this.topology, this.replicas.length);
  }

  /**
   * Returns the result of `work`. If memory spans devices, neither kernels nor the host change it
   * meanwhile.
   */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.spans ? this.#exclusive.run(work) : work();
  }

  /** Returns zero-filled memory. @throws NcclError `NCCLTS_OUT_OF_MEMORY` */
  async allocate(rank: number, bytes: number): Promise<WebgpuBuffer> {
    const address = await this.exclusive(async () => this.heap.allocate(bytes, `a buffer of rank ${rank}`));
    return new WebgpuBuffer(rank, bytes, address, this.heap);
  }

  /**
   * Adopts a caller's GPUBuffer as memory of `rank`, without a copy. The caller still owns it, and
   * `free` only releases it.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT`, `NCCL_INVALID_USAGE`; `NCCLTS_OUT_OF_MEMORY` if
   *   there are no addresses left for it; `NCCLTS_NOT_SUPPORTED` if there are several devices,
   *   since the others could not access it, or if kernels, which bind `ownBindings` other storage
   *   buffers, have no binding left for it.
   */
  async adopt(rank: number, buffer: GPUBuffer, ownBindings = 0): Promise<WebgpuBuffer> {
    if (this.replicas.length > 1) throw notAdoptable(this.replicas.length);
    await checkAdoptable(this.#device, buffer);
    checkBindings(this.#device, this.segments, buffer, ownBindings);
    const segment = this.#segments.take(buffer);
    return new WebgpuBuffer(rank, segment.bytes, segment.base, segment);
  }

  /** Frees a buffer. Freeing it twice has no effect. */
  free(buffer: DeviceBuffer): void {
    const own = bufferOf(buffer);
    if (own.freed) return;
    own.freed = true;
    if (own.store.ofCaller) this.#segments.give(own.store);
    else this.heap.release(own.address, own.bytes);
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    const { store, address } = bufferOf(buffer);
    const at = address - store.base + offset;
    if (store.ofCaller) checkUsage(store.buffer, 'COPY_DST', 'A write by the host');
    if (store.ofCaller || !this.spans) {
      const { hostCopies, heap } = this.#replica(buffer.rank);
      await hostCopies.write(store.ofCaller ? store : heap, at, data);
      return;
    }
    await this.exclusive(async () => {
      const writes = this.replicas.flatMap(({ hostCopies, heap, agreed }) =>
        (agreed === undefined ? [heap] : [heap, agreed.heap]).map(async (copy) => hostCopies.write(copy, at, data)),
      );
      await Promise.all(writes);
    });
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    const { store, address } = bufferOf(buffer);
    if (store.ofCaller) checkUsage(store.buffer, 'COPY_SRC', 'A read by the host');
    const { hostCopies, heap } = this.#replica(buffer.rank);
    await hostCopies.read(store.ofCaller ? store : heap, address - store.base + offset, into);
  }

  /**
   * Returns the part of a GPUBuffer with the bytes. It is valid until the heap grows.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` if there are several devices, each with its own copy.
   */
  expose(buffer: DeviceBuffer, offset: number, bytes: number): ExposedGpuBuffer {
    const { store, address } = bufferOf(buffer);
    if (!store.ofCaller && this.spans) throw notExposable(this.replicas.length);
    const own = store.ofCaller ? store : this.#replica(buffer.rank).heap;
    return { kind: 'gpuBuffer', buffer: own.buffer, offset: address - store.base + offset, bytes };
  }

  /** Adds a group of some ranks of the world, given by their world ranks. */
  addGroup(members: readonly number[]): RankGroup {
    return someGroup(this.topology, members);
  }

  /**
   * Registers a window over the ranks of a group. `parts` are the parts of these ranks, in order.
   */
  registerWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    group: RankGroup = this.#world,
  ): WebgpuWindow {
    const addresses = Uint32Array.from(parts, ({ buffer, offset }) => bufferOf(buffer).address + offset);
    return this.space.add({ name: `window ${this.#windowCount++}`, bytes, flags, group, addresses });
  }

  deregisterWindow(window: WindowHandle): void {
    this.space.remove(windowOf(window));
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    return this.space.devicePointer(windowOf(window), rank, peer, offset);
  }

  /** Throws `NCCLTS_OUT_OF_MEMORY`. */
  async createDevComm(plan: DevCommPlan, group: RankGroup = this.#world): Promise<WebgpuDevComm> {
    const name = `the resource window of device communicator ${this.#devCommCount++}`;
    const { nRanks } = group.topology;
    const stride = resourceStride(plan);
    const first = await this.exclusive(async () => this.resources.allocate(nRanks * stride, name));
    const addresses = Uint32Array.from({ length: nRanks }, (_, index) => first + index * stride);
    const flags = WindowFlags.CollSymmetric;
    const window = this.space.add({ name, bytes: plan.resourceBytes, flags, group, addresses, plan });
    const devComm = new WebgpuDevComm(plan, window, group);
    this.#devComms.add(devComm);
    return devComm;
  }

  destroyDevComm(devComm: DevCommHandle): void {
    const own = devCommOf(devComm);
    if (!this.#devComms.delete(own)) return;
    this.space.remove(own.resources);
    const { members } = own.group;
    this.resources.release(own.resources.addressAt(itemAt(members, 0)), members.length * resourceStride(own.plan));
  }

  /** Releases everything. Callers' buffers stay unchanged. */
  dispose(): void {
    this.#devComms.clear();
    this.#segments.clear();
    for (const { hostCopies } of this.replicas) hostCopies.dispose();
    this.heap.dispose();
    this.resources.dispose();
  }

  #replica(rank: number): Replica {
    const replica = this.replicas[this.deviceOf(rank)];
    if (replica === undefined) throw new RangeError(`There is no rank ${rank}.`);
    return replica;
  }
}

function spans({ nRanks, lsaSize }: Topology, devices: number): boolean {
  return devices > 1 && (nRanks / devices) % lsaSize !== 0;
}

function replicaOf(heap: CopyOnDevice, resources: CopyOnDevice | undefined): Replica {
  if (resources === undefined) throw new RangeError('Both heaps are on the same devices.');
  const { device } = heap;
  const agreed =
    heap.agreed === undefined || resources.agreed === undefined
      ? undefined
      : { heap: heap.agreed, resources: resources.agreed };
  return Object.freeze({
    device,
    hostCopies: new HostCopies(device),
    heap: heap.own,
    resources: resources.own,
    agreed,
  });
}

function notAdoptable(devices: number): NcclError {
  return new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `A GPUBuffer belongs to one device, and the ranks of this world are on ${devices}: only worlds on one device take ` +
      "callers' buffers. Copy its bytes into a buffer of the rank.",
  );
}

/**
 * Returns the distance from one rank's resource window to the next. Like other windows they begin
 * at a page.
 */
function resourceStride(plan: DevCommPlan): number {
  return Math.max(1, Math.ceil(plan.resourceBytes / PAGE_BYTES)) * PAGE_BYTES;
}

/** @throws NcclError `NCCL_INTERNAL_ERROR` if it is not an object of this package */
export function bufferOf(buffer: DeviceBuffer): WebgpuBuffer {
  if (buffer instanceof WebgpuBuffer) return buffer;
  throw foreign('buffer');
}

/** @throws NcclError `NCCL_INTERNAL_ERROR` if it is not an object of this package */
export function windowOf(window: WindowHandle): WebgpuWindow {
  if (window instanceof WebgpuWindow) return window;
  throw foreign('window');
}

/** @throws NcclError `NCCL_INTERNAL_ERROR` if it is not an object of this package */
export function devCommOf(devComm: DevCommHandle): WebgpuDevComm {
  if (devComm instanceof WebgpuDevComm) return devComm;
  throw foreign('device communicator');
}

function notExposable(devices: number): NcclError {
  return new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `Each of ${devices} devices has the memory of all ranks in its own GPUBuffer, and a write to one of them would ` +
      'not come to the others; copy with read() and write().',
  );
}
