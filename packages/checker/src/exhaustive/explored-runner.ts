import { createMacrotaskQueue, NcclError, type MacrotaskQueue } from '@nccl-ts/core';
import { StallWatch, printedLine, type HostState, type LaunchReport, type StreamHandle } from '@nccl-ts/transport';
import {
  executionsOf,
  hasOpenBefore,
  isPossible,
  known,
  OrderBudget,
  type AgentProgram,
  type ByteRange,
  type Execution,
  type ExecutionSpace,
  type Run,
} from '@nccl-ts/memory-model';
import { aborted, defaultDomainMap, type MemSyncDomainMap } from '@nccl-ts/backend-sim/internal';
import type { ExploredLaunch, PreviousLaunch } from './explored-launch.ts';
import type { Participants } from './participants.ts';

/** The launches of one rank's stream, which run one after the other. */
export class ExploredStream implements StreamHandle {
  readonly rank: number;
  readonly launches: PreviousLaunch[] = [];
  /** The physical memory synchronization domains of its launches. */
  readonly domains: MemSyncDomainMap;
  /** The number of launches whose end `synchronize` has already reported. */
  reported = 0;

  constructor(rank: number, domains: MemSyncDomainMap = defaultDomainMap) {
    this.rank = rank;
    this.domains = domains;
  }
}

/** Something that a host program is waiting for. */
interface Awaited {
  readonly rank: number;
  /** The stream, whose work ends in order. */
  readonly queue: object;
  /** True if an earlier read is undecided. Then the result must not be reported yet. */
  readonly isOpen: () => boolean;
  /** Checks if it has ended, and if so, settles it. */
  readonly settle: () => boolean;
  readonly reject: (error: Error) => void;
}

export interface ExploredRunnerOptions {
  readonly ranks: number;
  readonly space: ExecutionSpace;
  readonly run: Run;
  readonly participants: Participants;
  readonly onStall: (error: Error | undefined) => void;
}

/**
 * One execution with its host programs. These run as far as they can, then the kernels do, and so
 * on.
 */
export class ExploredRunner {
  /** The executions that ended with all threads stuck. */
  readonly stalled: Execution[] = [];
  /** An internal error, or the error of a program that does not do the same each time. */
  broken: { readonly error: unknown } | undefined;
  readonly #options: ExploredRunnerOptions;
  readonly #hosts: readonly number[];
  readonly #queues: readonly MacrotaskQueue[];
  readonly #watch: StallWatch;
  readonly #awaited = new Set<Awaited>();
  readonly #streams = new Set<ExploredStream>();
  #posted = false;
  /** The reason why no thread can continue. */
  #over: NcclError | undefined;

  constructor(options: ExploredRunnerOptions) {
    this.#options = options;
    const { run, participants, ranks } = options;
    this.#hosts = Array.from({ length: ranks }, (_, rank) => run.addOutside(hostOf(rank, participants)));
    const [pumps, watches] = [createMacrotaskQueue(), createMacrotaskQueue()];
    this.#queues = [pumps, watches];
    this.#watch = new StallWatch({
      ranks,
      macrotasks: watches,
      still: () => !this.#posted,
      stuck: () => this.#unfinished.length > 0,
      onStall: () => this.#onStall(),
    });
  }

  /** True if no execution begins this way. */
  get impossible(): boolean {
    return this.#over !== undefined && this.stalled.length === 0;
  }

  /** Returns the states of the host programs. */
  get hosts(): readonly HostState[] {
    return this.#watch.hosts;
  }

  /** Returns the last launch of each rank that has ended. */
  lastEnded(rank: number): ExploredLaunch | undefined {
    const { run } = this.#options;
    return [...this.#streams]
      .filter((stream) => stream.rank === rank)
      .flatMap(({ launches }) => launches.filter(({ agent }) => run.agent(agent).ended))
      .at(-1)?.launch;
  }

  /** Returns all launches so far. */
  get launches(): readonly ExploredLaunch[] {
    return [...this.#streams].flatMap((stream) => stream.launches.map(({ launch }) => launch));
  }

  createStream(rank: number, domains?: MemSyncDomainMap): ExploredStream {
    const stream = new ExploredStream(rank, domains);
    this.#streams.add(stream);
    return stream;
  }

  launch(stream: ExploredStream, launch: ExploredLaunch): void {
    const { run } = this.#options;
    const host = this.#hostAgent(stream.rank);
    const begin = run.point(host, [], [], 'launch');
    const agent = run.start(launch.program(), [begin], run.agent(host).control);
    stream.launches.push({ launch, agent });
    this.#post();
  }

  synchronize(stream: ExploredStream): Promise<LaunchReport> {
    const { run } = this.#options;
    const until = stream.launches.length;
    const last = stream.launches.at(-1);
    const isOpen = (): boolean => last !== undefined && hasOpenBefore(run, run.graph.eventsOf(last.agent).slice(-1));
    return this.#await({ rank: stream.rank, queue: stream }, isOpen, (resolve, reject) => {
      const ended = stream.launches.slice(0, until);
      if (!ended.every(({ agent }) => run.agent(agent).ended)) return false;
      const news = ended.slice(stream.reported);
      stream.reported = Math.max(stream.reported, until);
      run.point(
        this.#hostAgent(stream.rank),
        [],
        // A launch that may begin early does not wait for the previous one.
        ended.map(({ agent }) => agent),
        'synchronize',
      );
      const failure = news.find(({ launch }) => launch.failure !== undefined)?.launch.failure;
      if (failure === undefined)
        resolve({ launches: news.length, printed: news.flatMap(({ launch }) => linesOf(launch)) });
      else reject(failure);
      return true;
    });
  }

  /**
   * Called when all hosts have synchronized: the earlier actions of each are ordered before the
   * later ones of all.
   */
  hostsMeet(): void {
    const { run } = this.#options;
    const arrivals = this.#hosts.map((host) => run.point(host, [], [], 'meet'));
    for (const host of this.#hosts) run.point(host, arrivals, [], 'met');
  }

  /** Called when a host writes a word, or part of one. */
  hostWrites(rank: number, at: number, bytes: Uint8Array, site: string): void {
    const { run } = this.#options;
    const value = bytes.reduceRight((all, byte) => (all << 8n) | BigInt(byte), 0n);
    const range = { at, bytes: bytes.length };
    run.perform(this.#hostAgent(rank), { kind: 'write', range, access: undefined, site, value });
    this.#post();
  }

  /**
   * Returns the words of the bytes that start at `from`, as soon as all their possible writes
   * exist.
   */
  async hostReads(
    rank: number,
    { words, site }: { readonly words: readonly ByteRange[]; readonly site: string },
    at: number,
    into: Uint8Array,
  ): Promise<void> {
    const { run } = this.#options;
    const parts = words.map((range) => {
      const bits = run.performRead(this.#hostAgent(rank), { kind: 'read', range, access: undefined, site });
      return { range, bits };
    });
    this.#post();
    // The watched world counts a host that copies as one that runs.
    const before = this.#watch.hosts[rank] ?? 'running';
    this.#watch.setHost(rank, 'waiting');
    const last = run.graph.eventsOf(this.#hostAgent(rank)).slice(-1);
    const isOpen = (): boolean => hasOpenBefore(run, last);
    await this.#await<void>({ rank, queue: parts }, isOpen, (resolve) => {
      if (!parts.every(({ bits }) => bits.known)) return false;
      for (const { range, bits } of parts) {
        let rest = bits.value;
        for (let i = 0; i < range.bytes; i++, rest >>= 8n) into[range.at - at + i] = Number(rest & 0xffn);
      }
      this.#watch.setHost(rank, before);
      resolve();
      return true;
    });
  }

  setHostState(rank: number, state: HostState): void {
    this.#watch.setHost(rank, state);
  }

  /** True if the programs of all ranks have ended. */
  get areHostsDone(): boolean {
    return this.#watch.hosts.every((host) => host === 'done');
  }

  /** Ends everything that is being waited for. */
  end(error: NcclError): void {
    for (const awaited of this.#awaited) awaited.reject(error);
    this.#awaited.clear();
    this.#watch.changed();
  }

  dispose(): void {
    for (const queue of this.#queues) queue.close();
  }

  /** Runs every part as far as possible. Returns false if no execution begins this way. */
  settle(): boolean {
    if (this.#over !== undefined) return false;
    for (;;) {
      const state = this.#step();
      if (state === 'still') return true;
      if (state === 'moved') continue;
      this.#abandon();
      return false;
    }
  }

  /** Runs one step. It keeps errors, since no caller awaits it. */
  #step(): ReturnType<ExecutionSpace['step']> {
    try {
      return this.#options.space.step();
    } catch (error) {
      this.broken = { error };
      return 'ended';
    }
  }

  #abandon(): void {
    this.#over = aborted('The launch', 'no execution begins this way');
    this.end(this.#over);
  }

  #hostAgent(rank: number): number {
    const agent = this.#hosts[rank];
    if (agent === undefined) throw new RangeError(`There is no rank ${rank}.`);
    return agent;
  }

  get #unfinished(): readonly ExploredLaunch[] {
    const { run } = this.#options;
    return [...this.#streams].flatMap(({ launches }) =>
      launches.filter(({ agent }) => !run.agent(agent).ended).map(({ launch }) => launch),
    );
  }

  #await<T>(
    { rank, queue }: Pick<Awaited, 'rank' | 'queue'>,
    isOpen: () => boolean,
    settle: (resolve: (value: T) => void, reject: (error: Error) => void) => boolean,
  ): Promise<T> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      this.#awaited.add({ rank, queue, isOpen, settle: () => settle(resolve, reject), reject });
      this.#post();
    });
  }

  #post(): void {
    if (this.#posted) return;
    this.#posted = true;
    this.#queues[0]?.post(() => {
      this.#posted = false;
      this.#pump();
    });
  }

  /** When the hosts cannot continue, the kernels run, and then the hosts' waits end. */
  #pump(): void {
    if (!this.settle()) return;
    if (this.#awaited.size > 0 && !isPossible(this.#options.run)) {
      this.#abandon();
      return;
    }
    // A host that depends on an open read waits for other hosts to continue, since they may write
    // the location that it reads. If none of them does, there is no such execution. A read may stay
    // open for good if it belongs to a request in progress that no thread has waited for. Another
    // run covers the case in which it is bound.
    // A host learns of one queue at a time, so that what it does in between is seen.
    const heard = new Map<number, object>();
    for (const awaited of this.#awaited) {
      const { rank, queue, isOpen, settle } = awaited;
      if (isOpen()) continue;
      const other = heard.get(rank);
      if (other !== undefined && other !== queue) this.#post();
      else if (settle()) {
        heard.set(rank, queue);
        this.#awaited.delete(awaited);
      }
    }
    this.#watch.changed();
  }

  #onStall(): void {
    if (this.#over !== undefined) {
      this.#options.onStall(this.#over);
      return;
    }
    const { run } = this.#options;
    if (this.#unfinished.length === 0 && this.#awaited.size === 0) {
      this.#options.onStall(undefined);
      return;
    }
    const budget = new OrderBudget();
    for (const execution of executionsOf(run, budget)) this.stalled.push(execution);
    this.#options.space.looked(budget);
    this.#over =
      this.stalled.length === 0
        ? aborted('The launch', 'no execution ends this way')
        : new NcclError(
            'NCCLTS_DEADLOCK',
            `No thread can continue: ${this.#unfinished.map(({ module }) => module.name).join(', ')}.`,
          );
    this.end(this.#over);
    this.#options.onStall(this.#over);
  }
}

function hostOf(rank: number, participants: Participants): AgentProgram {
  const program: AgentProgram = {
    name: `host ${rank}`,
    coordinates: { rank, cta: -1, thread: rank, on: 'host' },
    // oxlint-disable-next-line require-yield -- what a host does comes from outside
    start: function* () {
      return undefined;
    },
  };
  return participants.add(program, { kind: 'host', rank });
}

function linesOf({ printed }: ExploredLaunch): readonly string[] {
  return printed.map(({ cta, thread, parts }) =>
    printedLine({ rank: cta.rank, blockIdx: cta.blockIdx, thread }, parts.map(known)),
  );
}
