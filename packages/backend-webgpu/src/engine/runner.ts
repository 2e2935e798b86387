import { createMacrotaskQueue, isNcclError, NcclError, type MacrotaskQueue } from '@nccl-ts/core';
import type { LaunchOutcome } from '@nccl-ts/findings';
import { StallWatch, type HostState } from '@nccl-ts/transport';
import { lsaTeamIndex, type Topology } from '@nccl-ts/topology';
import { worldStatus } from '../emit-wgsl/status-layout.ts';
import { aborted } from '../errors.ts';
import type { Segment } from '../memory/segments.ts';
import type { WebgpuWorldMemory } from '../memory/world-memory.ts';
import { CycleLeaps } from './cycle-leaps.ts';
import type { DeviceShare } from './device-share.ts';
import { Dispatcher } from './dispatcher.ts';
import { faultError } from './fault.ts';
import { LaunchGroup, type LaunchMember } from './group.ts';
import type { KernelCode } from './kernel-code.ts';
import type { WebgpuLaunch } from './launch.ts';
import type { MemoryExchange } from './memory-exchange.ts';
import { reportDeadlock } from './report-deadlock.ts';
import { takePrinted } from './printed.ts';
import type { StatusView } from './status.ts';
import { WebgpuStream } from './stream.ts';
import { roundOf } from './turns.ts';

export interface WebgpuRunnerOptions {
  readonly topology: Topology;
  readonly memory: WebgpuWorldMemory;
  /** By device. */
  readonly shares: readonly DeviceShare[];
  /** Present if memory spans devices. */
  readonly exchange: MemoryExchange | undefined;
  /** The number of consecutive slices that a CTA may yield. */
  readonly yields: number;
  readonly onStall: (error: Error | undefined) => void;
}

/** The largest number of rounds that are submitted before the status is read. */
const MOST_ROUNDS = 64;

/** Streams, launches, and the rounds in which the devices run them. */
export class WebgpuRunner {
  readonly #options: WebgpuRunnerOptions;
  readonly #watch: StallWatch;
  readonly #queue: MacrotaskQueue = createMacrotaskQueue();
  readonly #watchQueue: MacrotaskQueue = createMacrotaskQueue();
  readonly #streams = new Set<WebgpuStream>();
  readonly #last: (LaunchOutcome | undefined)[];
  readonly #leaps: CycleLeaps;
  readonly #dispatcher: Dispatcher;
  /** Launches at the heads of their streams that no group has taken yet. */
  #ready: WebgpuLaunch[] = [];
  #groups: LaunchGroup[] = [];
  #looping = false;
  /** True if something has happened for which a CTA may wait. */
  #changed = false;
  /** True if a condition that did not hold read the cycle counter in the last batch. */
  #timed = false;
  #rounds = 1;
  #launches = 0;
  #disposed = false;

  constructor(options: WebgpuRunnerOptions) {
    this.#options = options;
    this.#leaps = new CycleLeaps();
    this.#dispatcher = new Dispatcher(options.memory, options.exchange);
    this.#last = Array.from({ length: options.topology.nRanks }, () => undefined);
    this.#watch = new StallWatch({
      ranks: options.topology.nRanks,
      macrotasks: this.#watchQueue,
      still: () => !this.#looping,
      stuck: () => this.#groups.length > 0,
      onStall: () => void this.#stalled(),
    });
  }

  /** Launches so far. */
  nextId(): number {
    return this.#launches++;
  }

  /** Dispatches so far. */
  get dispatches(): number {
    return this.#dispatcher.dispatches;
  }

  createStream(rank: number): WebgpuStream {
    const stream = new WebgpuStream(rank);
    this.#streams.add(stream);
    return stream;
  }

  has(stream: WebgpuStream): boolean {
    return this.#streams.has(stream);
  }

  /** Work of the stream that is running continues. */
  destroyStream(stream: WebgpuStream): void {
    stream.destroyed = true;
    if (!stream.busy) this.#streams.delete(stream);
  }

  enqueue(launch: WebgpuLaunch, signal: AbortSignal | undefined): void {
    if (signal !== undefined) this.#observe(launch, signal);
    const { stream } = launch;
    if (!stream.enqueue(launch)) launch.end();
    else if (stream.running === undefined) this.#advance(stream);
  }

  setHostState(rank: number, state: HostState): void {
    this.#watch.setHost(rank, state);
  }

  /** Called when the host has changed memory, which may let a kernel's wait pass. */
  memoryChanged(): void {
    this.#changed = true;
    if (this.#groups.length > 0) this.#wake();
  }

  /** Ends everything that is running, queued, or being waited for. */
  endAll(error: NcclError): void {
    for (const stream of this.#streams) if (stream.busy) this.#failStream(stream, error);
    this.#watch.changed();
  }

  /** Ends the work of one stream that is running, queued or being waited for. */
  cancel(stream: WebgpuStream, error: NcclError): void {
    if (stream.busy) this.#failStream(stream, error);
    this.#watch.changed();
  }

  dispose(): void {
    this.#disposed = true;
    this.#queue.close();
    this.#watchQueue.close();
    this.#streams.clear();
  }

  #observe(launch: WebgpuLaunch, signal: AbortSignal): void {
    const cancel = (): void => {
      launch.cancelled = aborted(`Kernel ${launch.kernel.name}`, signal.reason);
      this.#fail(launch, launch.cancelled);
    };
    if (signal.aborted) {
      cancel();
      return;
    }
    signal.addEventListener('abort', cancel, { once: true });
    launch.onEnd = () => signal.removeEventListener('abort', cancel);
  }

  /** Starts the next launch on the stream. */
  #advance(stream: WebgpuStream): void {
    const launch = stream.advance();
    if (launch === undefined) {
      if (stream.destroyed && !stream.busy) this.#streams.delete(stream);
      return;
    }
    launch.state = 'running';
    if (launch.cancelled !== undefined) {
      this.#fail(launch, launch.cancelled);
      return;
    }
    this.#ready.push(launch);
    this.#wake();
  }

  /** Ends a running launch, and the queue after it. */
  #fail(launch: WebgpuLaunch, error: NcclError): void {
    if (launch.state !== 'running') return;
    this.#last[launch.rank] = { kernel: launch.kernel.name, failure: error };
    launch.end();
    this.#ready = this.#ready.filter((ready) => ready !== launch);
    for (const group of this.#groups) {
      for (const member of group.members) if (member.launch === launch) group.share.status.halt(member.slot);
    }
    this.#failStream(launch.stream, error);
  }

  #failStream(stream: WebgpuStream, error: NcclError): void {
    const { running } = stream;
    if (running !== undefined && running.state === 'running') {
      this.#fail(running, error);
      return;
    }
    for (const dropped of stream.fail(error)) dropped.end();
  }

  #complete({ launch }: LaunchMember): void {
    this.#last[launch.rank] = { kernel: launch.kernel.name };
    launch.end();
    launch.stream.complete();
    this.#advance(launch.stream);
  }

  #wake(): void {
    if (this.#looping || this.#disposed) return;
    this.#looping = true;
    // Launches of all ranks that are made in this task run together.
    this.#queue.post(() => void this.#loop());
  }

  async #loop(): Promise<void> {
    try {
      for (;;) {
        this.#changed = false;
        await this.#takeUp();
        if (this.#groups.length === 0) break;
        const moved = await this.#batch();
        if (!moved && !this.#changed && this.#ready.length === 0) break;
      }
    } catch (error) {
      this.#broken(error);
    }
    this.#looping = false;
    if (this.#disposed) return;
    if (this.#ready.length > 0) this.#wake();
    this.#watch.changed();
  }

  /**
   * Called when the device, or this package, has failed, so that no running work can be trusted.
   */
  #broken(error: unknown): void {
    const failure = isNcclError(error)
      ? error
      : new NcclError('NCCL_INTERNAL_ERROR', 'Running kernels on WebGPU failed.', { cause: error });
    this.endAll(failure);
    for (const group of this.#groups) group.release();
    this.#groups = [];
  }

  /** Groups launches that are ready: those with the same code and grid together. */
  async #takeUp(): Promise<void> {
    while (this.#ready.length > 0) {
      const ready = this.#ready;
      this.#ready = [];
      const { segments } = this.#options.memory;
      const codes = await Promise.allSettled(ready.map(async (launch) => launch.code(segments.length)));
      const groups = new Map<KernelCode, Map<string, WebgpuLaunch[]>>();
      for (const [i, launch] of ready.entries()) {
        const code = codes[i];
        if (code?.status !== 'fulfilled') {
          this.#fail(launch, asNcclError(code?.reason, launch));
          continue;
        }
        const byGrid = groups.get(code.value) ?? new Map<string, WebgpuLaunch[]>();
        groups.set(code.value, byGrid);
        const { x, y, z } = launch.grid;
        const key = `${x},${y},${z}`;
        byGrid.set(key, [...(byGrid.get(key) ?? []), launch]);
      }
      for (const [code, byGrid] of groups)
        for (const launches of byGrid.values()) await this.#begin(code, launches, segments);
    }
  }

  /**
   * @param segments the callers' buffers for which `code` was compiled. They may have changed
   * since.
   */
  async #begin(code: KernelCode, launches: readonly WebgpuLaunch[], segments: readonly Segment[]): Promise<void> {
    const running = launches.filter(({ state }) => state === 'running');
    const [first] = running;
    if (first === undefined) return;
    const { shares, memory } = this.#options;
    const share = shares[memory.deviceOf(first.rank)];
    if (share === undefined) throw new RangeError(`No device has rank ${first.rank}.`);
    const members: { readonly launch: WebgpuLaunch; readonly slot: number }[] = [];
    try {
      for (const launch of running) members.push({ launch, slot: share.slots.take() });
      this.#groups.push(await LaunchGroup.create(share, memory, code, members, segments));
      this.#rounds = Math.min(MOST_ROUNDS, Math.max(this.#rounds, code.rounds));
    } catch (error) {
      for (const { slot } of members) share.slots.give(slot);
      for (const launch of running) this.#fail(launch, asNcclError(error, launch));
    }
  }

  /** Submits some rounds and reads their status. Returns true if any CTA made progress. */
  async #batch(): Promise<boolean> {
    const { memory } = this.#options;
    const groups = [...this.#groups];
    const round = roundOf(groups, memory.spans);
    const waits = groups.some(({ code }) => code.poll !== undefined || code.source.rounds === undefined);
    const rounds = waits ? this.#rounds : 0;
    let moved = false;
    this.#timed = false;
    for (const turns of round.turns) {
      const views = await this.#dispatcher.take(turns, round, rounds);
      for (const [i, turn] of turns.entries()) {
        const view = views[i];
        if (view === undefined) continue;
        if (view.printed > 0) await takePrinted(turn.share.status, view.printed, turn.groups);
        for (const group of turn.groups) {
          group.rounds += round.isConcurrent ? rounds : 1;
          for (const member of group.running) moved = this.#hear(member, group, view) || moved;
        }
      }
    }
    for (const group of groups) if (group.running.length === 0) this.#end(group);
    this.#groups = this.#groups.filter((group) => group.running.length > 0);
    if (this.#groups.length === 0) memory.space.regions.recycle();
    this.#rounds = moved ? Math.min(MOST_ROUNDS, Math.max(1, this.#rounds * 2)) : 1;
    if (this.#groups.length === 0) this.#rounds = 1;
    if (moved) this.#leaps.landed();
    return moved;
  }

  /**
   * Guesses the rounds of the next call from those that this one took. A call that took few may
   * follow and precede calls that take many, so the guess falls slowly.
   */
  #end(group: LaunchGroup): void {
    const { code } = group;
    const taken = code.source.rounds ?? Math.max(group.lastRound, Math.floor(code.rounds / 2));
    code.rounds = Math.min(MOST_ROUNDS, Math.max(1, taken));
    group.release();
  }

  #hear(member: LaunchMember, group: LaunchGroup, view: StatusView): boolean {
    const { slot, launch } = member;
    const turns = view.of(slot, 'turns');
    const passed = view.of(slot, 'passed');
    const yields = view.of(slot, 'yields');
    const moved = turns !== member.turns || passed !== member.passed;
    const onlyYields = passed === member.passed && turns - member.turns === yields - member.yields;
    member.spent = moved && onlyYields ? member.spent + (yields - member.yields) : 0;
    this.#timed ||= view.of(slot, 'timed') !== member.timed;
    member.turns = turns;
    member.passed = passed;
    member.yields = yields;
    member.timed = view.of(slot, 'timed');
    member.live = view.of(slot, 'live');
    if (view.of(slot, 'fault') !== 0) {
      this.#fail(launch, faultError(member, group, view, this.#options.memory));
      return true;
    }
    group.lastRound = Math.max(
      group.lastRound,
      group.code.poll === undefined ? group.rounds : view.of(slot, 'pollsBefore'),
    );
    if (member.live === 0) {
      this.#complete(member);
      return true;
    }
    if (member.spent > this.#options.yields * launch.ctas) {
      this.#fail(launch, faultError(member, group, view, this.#options.memory));
      return true;
    }
    return moved;
  }

  /** Called when no CTA can run: either time must advance, or none will ever continue. */
  async #stalled(): Promise<void> {
    if (this.#timed && this.#leaps.leap()) {
      for (const { status } of this.#options.shares) status.write(worldStatus.cycles, this.#leaps.words);
      this.memoryChanged();
      return;
    }
    if (this.#groups.length === 0) {
      this.#options.onStall(undefined);
      return;
    }
    this.#looping = true;
    try {
      const { topology, memory } = this.#options;
      const error = await reportDeadlock({
        memory,
        groups: this.#groups,
        streams: this.#streams,
        ranks: this.#watch.hosts.map((host, rank) => ({ host, last: this.#last[rank] })),
        lsaTeam: (rank) => lsaTeamIndex(topology, rank),
      });
      const stuck = [...this.#streams].filter(({ running }) => running !== undefined);
      for (const stream of stuck.toSorted((a, b) => a.rank - b.rank)) this.#failStream(stream, error);
      for (const group of this.#groups) group.release();
      this.#groups = [];
      this.#options.onStall(error);
    } catch (error) {
      this.#broken(error);
    }
    this.#looping = false;
    if (this.#ready.length > 0) this.#wake();
  }
}

function asNcclError(error: unknown, launch: WebgpuLaunch): NcclError {
  if (isNcclError(error)) return error;
  return new NcclError('NCCL_INTERNAL_ERROR', `Kernel ${launch.kernel.name} cannot run on WebGPU.`, {
    cause: error,
  });
}
