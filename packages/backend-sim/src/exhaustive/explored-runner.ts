import { NcclError } from '@nccl-ts/core';
import { createMacrotaskQueue, StallWatch, type MacrotaskQueue } from '@nccl-ts/findings';
import {
  Deferred,
  executionsOf,
  isPossible,
  known,
  type AgentProgram,
  type Execution,
  type ExecutionSpace,
  type Later,
  type Run,
} from '@nccl-ts/memory-model';
import { printedLine, type HostState, type LaunchReport, type StreamHandle } from '@nccl-ts/transport';
import { aborted } from '../errors.ts';
import { defaultDomainMap, type MemSyncDomainMap } from '../engine/mem-sync-domains.ts';
import type { ExploredLaunch, PreviousLaunch } from './explored-launch.ts';
import { hostWords } from './host-words.ts';
import type { Participants } from './participants.ts';

/** Launches of one rank, one after the other. */
export class ExploredStream implements StreamHandle {
  readonly rank: number;
  readonly launches: PreviousLaunch[] = [];
  /** The physical memory synchronisation domains of its launches. */
  readonly domains: MemSyncDomainMap;
  /** How many launches earlier calls of `synchronize` have told of. */
  told = 0;

  constructor(rank: number, domains: MemSyncDomainMap = defaultDomainMap) {
    this.rank = rank;
    this.domains = domains;
  }
}

/** Something that a host program awaits. */
interface Awaited {
  /** Says whether it is over, and if so, settles it. */
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

/** One execution with its host programs: these go on as far as they can, then the kernels do, and so on. */
export class ExploredRunner {
  /** The executions that ended in a standstill. */
  readonly stalled: Execution[] = [];
  /** What broke: a mistake of this package, or a program that does not do the same each time. */
  broken: { readonly error: unknown } | undefined;
  readonly #options: ExploredRunnerOptions;
  readonly #hosts: readonly number[];
  readonly #queues: readonly MacrotaskQueue[];
  readonly #watch: StallWatch;
  readonly #awaited = new Set<Awaited>();
  readonly #streams = new Set<ExploredStream>();
  #posted = false;
  /** Why nothing goes on any more. */
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

  /** Whether no execution begins like this one. */
  get impossible(): boolean {
    return this.#over !== undefined && this.stalled.length === 0;
  }

  /** All launches so far. */
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
    return this.#await((resolve, reject) => {
      const ended = stream.launches.slice(0, until);
      if (!ended.every(({ agent }) => run.agent(agent).ended)) return false;
      const news = ended.slice(stream.told);
      stream.told = Math.max(stream.told, until);
      run.point(
        this.#hostAgent(stream.rank),
        [],
        // A launch that may begin early does not wait for the one before it.
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

  /** All hosts have met: what each did before comes before what each does after. */
  hostsMeet(): void {
    const { run } = this.#options;
    const arrivals = this.#hosts.map((host) => run.point(host, [], [], 'meet'));
    for (const host of this.#hosts) run.point(host, arrivals, [], 'met');
  }

  hostWrites(rank: number, at: number, bytes: Uint8Array): void {
    const { run } = this.#options;
    for (const word of hostWords(at, bytes.length)) {
      const value = bytes
        .subarray(word.at - at, word.at - at + word.bytes)
        .reduceRight((all, byte) => (all << 8n) | BigInt(byte), 0n);
      run.perform(this.#hostAgent(rank), { kind: 'write', range: word, access: undefined, site: 'host', value });
    }
    this.#post();
  }

  /** The bytes, as soon as all that they may be read from is there. */
  async hostReads(rank: number, at: number, into: Uint8Array): Promise<void> {
    const { run } = this.#options;
    const parts = hostWords(at, into.length).map((range) => {
      const answer = run.perform(this.#hostAgent(rank), { kind: 'read', range, access: undefined, site: 'host' });
      return { range, bits: bitsFrom(answer) };
    });
    this.#post();
    // The world that is watched takes a host that copies for one that runs.
    const before = this.#watch.hosts[rank] ?? 'running';
    this.#watch.setHost(rank, 'waiting');
    await this.#await<void>((resolve) => {
      if (!parts.every(({ bits }) => !(bits instanceof Deferred) || bits.known)) return false;
      for (const { range, bits } of parts) {
        let rest = known(bits);
        for (let i = 0; i < range.bytes; i++, rest >>= 8n) into[range.at - at + i] = Number(rest & 0xffn);
      }
      this.#watch.setHost(rank, before);
      resolve();
      return true;
    });
  }

  setHostState(rank: number, state: HostState): void {
    this.#watch.setHost(rank, state);
    // Once the programs of all ranks are over, whoever started them goes on, and knows it.
    if (this.#watch.hosts.every((host) => host === 'done')) this.hostsMeet();
  }

  /** Ends all that is awaited. */
  end(error: NcclError): void {
    for (const awaited of this.#awaited) awaited.reject(error);
    this.#awaited.clear();
    this.#watch.changed();
  }

  dispose(): void {
    for (const queue of this.#queues) queue.close();
  }

  /** Lets everything go on as far as it can. False where no execution begins like this one. */
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

  /** One step; what breaks in it is kept, since nobody awaits it here. */
  #step(): ReturnType<ExecutionSpace['step']> {
    try {
      return this.#options.space.step();
    } catch (error) {
      this.broken = { error };
      return 'ended';
    }
  }

  #abandon(): void {
    this.#over = aborted('The launch', 'no execution begins like this');
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

  #await<T>(settle: (resolve: (value: T) => void, reject: (error: Error) => void) => boolean): Promise<T> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      this.#awaited.add({ settle: () => settle(resolve, reject), reject });
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

  /** Hosts have gone as far as they can: now the kernels do, and then what is awaited of them is over. */
  #pump(): void {
    if (!this.settle()) return;
    if (this.#awaited.size > 0 && !isPossible(this.#options.run)) {
      this.#abandon();
      return;
    }
    const over = [...this.#awaited].filter(({ settle }) => settle());
    for (const awaited of over) this.#awaited.delete(awaited);
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
    for (const execution of executionsOf(run)) this.stalled.push(execution);
    this.#over =
      this.stalled.length === 0
        ? aborted('The launch', 'no execution ends like this')
        : new NcclError(
            'NCCLTS_DEADLOCK',
            `Nothing can go on: ${this.#unfinished.map(({ module }) => module.name).join(', ')}.`,
          );
    this.end(this.#over);
    this.#options.onStall(this.#over);
  }
}

function hostOf(rank: number, participants: Participants): AgentProgram {
  const program: AgentProgram = {
    name: `host ${rank}`,
    place: { rank, cta: -1, thread: rank, on: 'host' },
    // oxlint-disable-next-line require-yield -- what a host does comes from outside
    start: function* () {
      return undefined;
    },
  };
  return participants.add(program, { kind: 'host', rank });
}

function bitsFrom(answer: unknown): Later<bigint> {
  if (typeof answer === 'bigint') return answer;
  if (answer instanceof Deferred) return new Deferred(answer.reads, () => answer.reads[0]?.value ?? 0n);
  throw new RangeError('A read was answered by something that is no number.');
}

function linesOf({ printed }: ExploredLaunch): readonly string[] {
  return printed.map(({ cta, thread, parts }) =>
    printedLine({ rank: cta.rank, blockIdx: cta.blockIdx, thread }, parts.map(known)),
  );
}
