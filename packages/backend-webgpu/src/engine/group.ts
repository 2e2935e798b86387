import { launchStatusWords, worldStatus } from '../emit-wgsl/status-layout.ts';
import type { Heap } from '../memory/heap.ts';
import type { Segment } from '../memory/segments.ts';
import type { WebgpuWorldMemory } from '../memory/world-memory.ts';
import type { DeviceShare } from './device-share.ts';
import type { KernelCode } from './kernel-code.ts';
import { bindings } from './pipelines.ts';
import type { WebgpuLaunch } from './launch.ts';
import { launchWords } from './launch-words.ts';
import type { WordRange } from './memory-exchange.ts';
import { writtenRanges } from './written-ranges.ts';

/** A launch of a group, and its status so far. */
export interface LaunchMember {
  readonly launch: WebgpuLaunch;
  /** Number of its words in the status buffer. */
  readonly slot: number;
  turns: number;
  passed: number;
  yields: number;
  timed: number;
  /** The slices that were yielded since anything else happened. */
  spent: number;
  live: number;
}

/** Memory that a group holds while it runs. */
interface HeapAllocation {
  readonly heap: Heap;
  readonly address: number;
  readonly bytes: number;
}

/** The workgroups of a dispatch in the first dimension. More CTAs use the third. */
const ROW = 32768;

/**
 * Launches of one kernel with one grid, each on its own rank of a device. A dispatch runs the CTAs
 * of all of them.
 */
export class LaunchGroup {
  readonly share: DeviceShare;
  readonly code: KernelCode;
  readonly members: readonly LaunchMember[];
  readonly #held: readonly HeapAllocation[];
  readonly #record: HeapAllocation;
  readonly #ctas: number;
  readonly #segments: readonly Segment[];
  /** True if it was ever submitted. */
  begun = false;
  /** Rounds that were submitted, and the last of them in which a CTA had a turn. */
  rounds = 0;
  lastRound = 0;
  #bindGroup: GPUBindGroup | undefined;
  #bound: readonly GPUBuffer[] = [];

  /** @throws NcclError `NCCLTS_OUT_OF_MEMORY` if the state of its CTAs does not fit. */
  static async create(
    share: DeviceShare,
    memory: WebgpuWorldMemory,
    code: KernelCode,
    launches: readonly { readonly launch: WebgpuLaunch; readonly slot: number }[],
    segments: readonly Segment[],
  ): Promise<LaunchGroup> {
    const { source } = code;
    const [first] = launches;
    if (first === undefined) throw new RangeError('A group needs at least one launch.');
    const { ctas, kernel, blockThreads: threads } = first.launch;
    const held: HeapAllocation[] = [];
    const hold = async (heap: Heap, bytes: number, what: string): Promise<HeapAllocation> => {
      const address = await heap.allocate(bytes, `${what} of kernel ${kernel.name}`);
      const one = { heap, address, bytes };
      held.push(one);
      return one;
    };
    try {
      // A CTA's counter, its threads' words, and its arrays, in this order, launch by launch.
      const stateWords = ctas * (1 + source.arrayWords + source.threadWords * threads);
      const state = await hold(share.state, stateWords * 4 * launches.length, 'the state');
      const shared =
        source.sharedWords === 0
          ? undefined
          : await hold(memory.resources, source.sharedWords * 4 * ctas * launches.length, 'the shared arrays');
      const record = await hold(share.records, source.recordWords * 4 * launches.length, 'the arguments');
      const words = new Uint32Array(source.recordWords * launches.length);
      launches.forEach(({ launch, slot }, i) => {
        const base = state.address / 4 + i * stateWords;
        const arrays =
          shared === undefined
            ? base + ctas
            : (shared.address - memory.resources.base) / 4 + i * source.sharedWords * ctas;
        const places = {
          counters: base,
          arrays,
          threads: base + ctas * (1 + source.arrayWords),
          status: worldStatus.launches + slot * launchStatusWords,
          segments: segments.map((segment) => segment.base),
        };
        words.set(launchWords(launch, source.params, source.recordWords, places, memory.space), i * source.recordWords);
      });
      share.device.device.queue.writeBuffer(share.records.buffer, record.address, words);
      for (const { slot } of launches) share.status.begin(slot, ctas);
      const members = launches.map(({ launch, slot }): LaunchMember => ({
        launch,
        slot,
        turns: 0,
        passed: 0,
        yields: 0,
        timed: 0,
        spent: 0,
        live: ctas,
      }));
      return new LaunchGroup(share, code, members, held, record, ctas, segments);
    } catch (error) {
      for (const { heap, address, bytes } of held) heap.release(address, bytes);
      throw error;
    }
  }

  private constructor(
    share: DeviceShare,
    code: KernelCode,
    members: readonly LaunchMember[],
    held: readonly HeapAllocation[],
    record: HeapAllocation,
    ctas: number,
    segments: readonly Segment[],
  ) {
    this.share = share;
    this.code = code;
    this.members = members;
    this.#held = held;
    this.#record = record;
    this.#ctas = ctas;
    this.#segments = segments;
  }

  /** Returns the members that have not ended. */
  get running(): readonly LaunchMember[] {
    return this.members.filter(({ launch }) => launch.state === 'running');
  }

  /**
   * Encodes a dispatch of every CTA of every member. Threads that have ended return immediately.
   */
  encode(pass: GPUComputePassEncoder, pipeline: GPUComputePipeline): void {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.#bind());
    pass.dispatchWorkgroups(Math.min(this.#ctas, ROW), this.members.length, Math.ceil(this.#ctas / ROW));
  }

  /** Returns the ranks' memory that the group may write. */
  *writes(memory: WebgpuWorldMemory): Generator<WordRange> {
    for (const { launch } of this.members) {
      const args = this.code.source.sharing.written.flatMap((param) => launch.args[param] ?? []);
      yield* writtenRanges(args, launch.rank, memory.space);
    }
  }

  /** Frees its memory and its slots in the status. */
  release(): void {
    for (const { slot } of this.members) this.share.slots.give(slot);
    for (const { heap, address, bytes } of this.#held) heap.release(address, bytes);
  }

  /**
   * Buffers that grow, or that their owner has taken back, are replaced, but a bind group refers to
   * the old one.
   */
  #bind(): GPUBindGroup {
    const { records, state, status, replica, device } = this.share;
    const callers = this.#segments.map(({ buffer }) => buffer);
    const buffers = [records.buffer, state.buffer, replica.heap.buffer, replica.resources.buffer, ...callers];
    if (this.#bindGroup !== undefined && buffers.every((buffer, i) => buffer === this.#bound[i]))
      return this.#bindGroup;
    const whole = (binding: number, buffer: GPUBuffer): GPUBindGroupEntry => ({ binding, resource: { buffer } });
    const { address, bytes } = this.#record;
    this.#bound = buffers;
    this.#bindGroup = device.device.createBindGroup({
      layout: this.code.layout,
      entries: [
        { binding: bindings.record, resource: { buffer: records.buffer, offset: address, size: bytes } },
        whole(bindings.state, state.buffer),
        whole(bindings.status, status.buffer),
        whole(bindings.heap, replica.heap.buffer),
        whole(bindings.resources, replica.resources.buffer),
        ...callers.map((buffer, i) => whole(bindings.segments + i, buffer)),
      ],
    });
    return this.#bindGroup;
  }
}
