import { at as itemAt, NcclError, ncclVersionText } from '@nccl-ts/core';
import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { Topology } from '@nccl-ts/topology';
import type { BufferPart, DeviceTensor, RankGroup } from '@nccl-ts/transport';
import { hasWindowFlag, WindowFlags } from '@nccl-ts/window';
import { allocateNative, type NativeMemory } from '../ffi/native-memory.ts';
import { structLayout, type NcclLayout } from '../ffi/nccl-layout.ts';
import type { NcclLibrary } from '../ffi/nccl-library.ts';
import { adoptTensor } from './adopt-tensor.ts';
import { destroyCommunicators } from './communicators.ts';
import { CudaBuffer } from './cuda-buffer.ts';
import { CudaDevComm, planAsCreated, shareLsaBarriers } from './cuda-dev-comm.ts';
import type { CudaDevice } from './cuda-device.ts';
import { splitGroup, type CudaGroup } from './cuda-group.ts';
import { CudaWindow, readRankWindow, type RankWindow } from './cuda-window.ts';
import { nativeRequirements, type NativeRequirements } from './dev-comm-requirements.ts';
import { cudaBuffer, cudaGroup } from './handles.ts';
import type { LocalRank } from './local-rank.ts';

/**
 * Flags of windows that were added later, with the first version. The headers of 2.31.2 lack them.
 */
const newFlags = [
  { name: 'GinOnly', flag: WindowFlags.GinOnly, macro: 'NCCL_WIN_GIN_ONLY', purpose: 'GIN alone', since: 23203 },
  {
    name: 'CftCounted',
    flag: WindowFlags.CftCounted,
    macro: 'NCCL_WIN_CFT_COUNTED',
    purpose: 'counted operations of the compute fabric',
    since: 23203,
  },
] as const;

/** The NCCL resources of a world: memory, windows, device communicators. */
export class CudaWorldMemory {
  readonly #nccl: NcclLibrary;
  readonly #layout: NcclLayout;
  readonly #ranks: readonly LocalRank[];
  readonly #world: RankGroup;
  readonly #groups = new Set<CudaGroup>();
  readonly #buffers = new Set<CudaBuffer>();
  readonly #windows = new Set<CudaWindow>();
  readonly #devComms = new Set<CudaDevComm>();

  constructor(nccl: NcclLibrary, layout: NcclLayout, topology: Topology, ranks: readonly LocalRank[]) {
    this.#nccl = nccl;
    this.#layout = layout;
    this.#ranks = ranks;
    this.#world = { topology, members: Array.from({ length: topology.nRanks }, (_, rank) => rank) };
  }

  /**
   * Creates communicators for some of the ranks, all in this process.
   *
   * @throws NcclError with NCCL's error
   */
  addGroup(members: readonly number[]): CudaGroup {
    const group = splitGroup(this.#nccl, this.#ranks, members);
    this.#groups.add(group);
    return group;
  }

  removeGroup(group: CudaGroup): void {
    if (this.#groups.delete(group)) destroyCommunicators(this.#nccl, group.ranks);
  }

  /** Returns the rank's GPU and communicator. */
  at(rank: number): LocalRank {
    const found = this.#ranks.find((local) => local.rank === rank);
    if (found === undefined) throw new RangeError(`Rank ${rank} is not a rank of this process.`);
    return found;
  }

  async alloc(rank: number, bytes: number): Promise<CudaBuffer> {
    const { device } = this.at(rank);
    device.makeCurrent();
    let address: number;
    try {
      address = this.#nccl.handle('ncclMemAlloc', bytes);
    } catch (error) {
      throw this.#memoryError(error, device, bytes);
    }
    const buffer = new CudaBuffer(rank, bytes, address);
    this.#buffers.add(buffer);
    try {
      await device.clear(address, bytes);
    } catch (error) {
      this.free(buffer);
      throw error;
    }
    return buffer;
  }

  /**
   * Adopts a caller's memory as memory of `rank`, without a copy. `free` only releases it.
   *
   * @throws NcclError for the same reasons as `adoptTensor`.
   */
  adopt(rank: number, foreign: object): CudaBuffer {
    const { address, bytes } = adoptTensor(this.at(rank).device, foreign);
    const buffer = new CudaBuffer(rank, bytes, address, true);
    this.#buffers.add(buffer);
    return buffer;
  }

  /** Describes bytes of a buffer as DLPack does. */
  expose({ rank, address }: CudaBuffer, offset: number, bytes: number): DeviceTensor {
    const { ordinal } = this.at(rank).device;
    return {
      kind: 'deviceTensor',
      data: BigInt(address + offset),
      byteOffset: 0,
      device: { type: 'cuda', id: ordinal },
      dtype: { code: 'uint', bits: 8, lanes: 1 },
      shape: [bytes],
    };
  }

  free(buffer: CudaBuffer): void {
    if (!this.#buffers.delete(buffer)) return;
    buffer.isFreed = true;
    if (buffer.ofCaller) return;
    this.at(buffer.rank).device.makeCurrent();
    this.#nccl.check('ncclMemFree', buffer.address);
  }

  #checkFlags(flags: WindowFlags): void {
    const { version } = this.#nccl.installation;
    const absent = newFlags.find(({ flag, since }) => hasWindowFlag(flags, flag) && version < since);
    if (absent === undefined) return;
    const { name, macro, purpose, since } = absent;
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `cannot register a window for ${purpose} because NCCL ${ncclVersionText(version)} lacks ${macro}, which ` +
        `${ncclVersionText(since)} brings; leave WindowFlags.${name} out.`,
      { details: { version, since } },
    );
  }

  /** Registers a window over the memory of all ranks of this process, or of those of `group`. */
  async registerWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    group?: RankGroup,
  ): Promise<CudaWindow> {
    this.#checkFlags(flags);
    const locals = this.#localsOf(group);
    const outs = parts.map(() => new BigUint64Array(1));
    const memories: number[] = [];
    this.#nccl.group(() => {
      locals.forEach(({ device, comm }, i) => {
        const part = parts[i];
        if (part === undefined) throw new RangeError('A window needs memory on every rank.');
        device.makeCurrent();
        const at = cudaBuffer(part.buffer).address + part.offset;
        memories.push(at);
        this.#nccl.check('ncclCommWindowRegister', comm, at, bytes, outs[i], flags);
      });
    });
    const handles = outs.map(([handle]) => Number(handle));
    if (handles.includes(0)) {
      throw new NcclError(
        'NCCLTS_NOT_SUPPORTED',
        parts.some(({ buffer }) => cudaBuffer(buffer).ofCaller)
          ? 'NCCL registered the memory, but not as a symmetric window: memory that is adopted must be of ncclMemAlloc, or of the ' +
              'virtual memory API with handles that ranks can share; cudaMalloc is neither.'
          : 'NCCL registered the memory, but not as a symmetric window: these GPUs have no symmetric memory (NCCL_DEBUG=INFO tells why).',
        { details: { bytes, flags } },
      );
    }
    const ranks = new Map<number, RankWindow>();
    for (const [i, { rank, device, comm }] of locals.entries()) {
      const struct = new Uint8Array(structLayout(this.#layout, 'window').bytes);
      const handle = itemAt(handles, i);
      await device.download(handle, struct);
      ranks.set(rank, readRankWindow(this.#layout, struct, { handle, comm, memory: itemAt(memories, i) }));
    }
    const window = new CudaWindow(bytes, flags, ranks, group ?? this.#world);
    this.#windows.add(window);
    return window;
  }

  deregisterWindow(window: CudaWindow): void {
    if (!this.#windows.delete(window)) return;
    window.isOpen = false;
    for (const [rank, { handle, comm }] of window.ranks) {
      this.at(rank).device.makeCurrent();
      this.#nccl.check('ncclCommWindowDeregister', comm, handle);
    }
  }

  /**
   * Returns the address in the memory itself for `address` in a window of the rank. Any other
   * address is returned unchanged.
   */
  memoryAddress(rank: number, address: number): number {
    for (const window of this.#windows) {
      if (!window.has(rank)) continue;
      const { lsaFlatBase, lsaRank, stride, memory } = window.at(rank);
      const offset = address - (lsaFlatBase + lsaRank * stride);
      if (offset >= 0 && offset < window.bytes) return memory + offset;
    }
    return address;
  }

  /** Creates it on all ranks of this process, or on those of `group`. */
  createDevComm(plan: DevCommPlan, teamRanks?: readonly (readonly number[])[], group?: RankGroup): CudaDevComm {
    const nccl = this.#nccl;
    const locals = this.#localsOf(group);
    const { koffi } = locals[0]?.device.driver ?? missing();
    const { version } = nccl.installation;
    const { bytes } = structLayout(this.#layout, 'devComm');
    const structs = new Map<number, NativeMemory>();
    const requirements: NativeRequirements[] = [];
    try {
      for (const [i, { rank }] of locals.entries()) {
        requirements.push(nativeRequirements(koffi, this.#layout, plan, version, teamRanks?.[i]));
        structs.set(rank, allocateNative(koffi, bytes));
      }
      nccl.group(() => {
        locals.forEach(({ rank, device, comm }, i) => {
          device.makeCurrent();
          nccl.check('ncclDevCommCreate', comm, requirements[i]?.address, structs.get(rank)?.address);
        });
      });
      for (const struct of structs.values()) shareLsaBarriers(plan, this.#layout, struct.view);
      const first = structs.get(itemAt(locals, 0).rank) ?? missing();
      const made = planAsCreated(plan, this.#layout, first.view, requirements[0]?.resources() ?? []);
      const devComm = new CudaDevComm(made, structs, new Map(locals.map(({ rank, comm }) => [rank, comm])));
      this.#devComms.add(devComm);
      return devComm;
    } catch (error) {
      for (const struct of structs.values()) struct.free();
      throw error;
    } finally {
      for (const requirement of requirements) requirement.free();
    }
  }

  destroyDevComm(devComm: CudaDevComm): void {
    if (!this.#devComms.delete(devComm)) return;
    devComm.isOpen = false;
    try {
      for (const [rank, struct] of devComm.structs) {
        this.at(rank).device.makeCurrent();
        this.#nccl.check('ncclDevCommDestroy', devComm.commOf(rank), struct.address);
      }
    } finally {
      for (const [, struct] of devComm.structs) struct.free();
    }
  }

  /** Frees everything that is left. */
  dispose(): void {
    for (const devComm of this.#devComms) this.destroyDevComm(devComm);
    for (const window of this.#windows) this.deregisterWindow(window);
    for (const group of this.#groups) this.removeGroup(group);
    for (const buffer of this.#buffers) this.free(buffer);
  }

  /**
   * Returns the ranks of a group, or all ranks of this process, each with its communicator in the
   * group.
   */
  #localsOf(group: RankGroup | undefined): readonly LocalRank[] {
    return group === undefined ? this.#ranks : cudaGroup(group).ranks;
  }

  #memoryError(error: unknown, device: CudaDevice, bytes: number): unknown {
    if (!(error instanceof NcclError)) return error;
    const { free, total } = device.driver.memory();
    if (bytes <= free && error.code !== 'NCCLTS_OUT_OF_MEMORY') return error;
    return new NcclError(
      'NCCLTS_OUT_OF_MEMORY',
      `GPU ${device.ordinal} (rank ${device.rank}) does not have ${bytes} bytes left: ${free} of ${total} are free. ${error.message}`,
      { cause: error, details: { bytes, free, total, device: device.ordinal } },
    );
  }
}

function missing(): never {
  throw new RangeError('A world has no ranks.');
}
