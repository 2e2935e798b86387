import { buildFault, describeAccess, FaultError, type Approximations, type Site } from '@nccl-ts/findings';
import type { CtaIdentity, Dim3 } from '@nccl-ts/transport';
import { clusterPlace, ctaOfPlace, nonCoherentSpans, polledSpans, waitedSpans, type ArgValue } from '@nccl-ts/codegen';
import { clusterCtas, valueOrigin, type Span, type ValidatedModule } from '@nccl-ts/ir';
import { fence, fenceProxy, join, spawn, type AgentProgram, type Later, type Run } from '@nccl-ts/memory-model';
import { ASYNC, BULK, type SimWorldMemory } from '@nccl-ts/backend-sim/internal';
import { CtaState } from './cta-state.ts';
import { ExploredCluster } from './explored-cluster.ts';
import { GridDependency } from './grid-dependency.ts';
import type { ExploredFabric } from './explored-fabric.ts';
import type { ExploredNetwork } from './explored-network.ts';
import { liftedModule } from './lifted-module.ts';
import type { Participants } from './participants.ts';
import type { FabricContext } from './fabric-call.ts';
import { primitiveCall } from './primitive-call.ts';
import { arrayBounds } from './access-location.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';
import type { ThreadContext } from './surroundings.ts';
import { ThreadSteps } from './thread-steps.ts';

export interface ExploredLaunchInit {
  readonly id: number;
  /** The purpose of the launch, or its number on its rank. */
  readonly purpose: string;
  readonly module: ValidatedModule;
  readonly rank: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly args: readonly ArgValue[];
  /** Its memory synchronisation domain. */
  readonly domain: number;
  /** The previous launch on its stream, and its agent. */
  readonly previous: PreviousLaunch | undefined;
  /** True if it may begin before the previous launch has ended. */
  readonly mayBeginEarly: boolean;
  readonly memory: SimWorldMemory;
  readonly network: ExploredNetwork;
  readonly fabric: ExploredFabric;
  readonly run: Run;
  readonly participants: Participants;
  readonly fuel: number;
  /** The number of its first CTA, unique in the world. */
  readonly firstCta: number;
  /**
   * Called for something that the exhaustive mode does not support. The code after it is left out.
   */
  readonly onUnsupported: (what: string) => void;
  /** Called with the number of a source location at which threads wait for others. */
  readonly onWait: (site: number) => void;
  /** Receives what is executed and not modelled exactly. */
  readonly approximations: Approximations;
}

/** A launch and its agent. */
export interface PreviousLaunch {
  readonly launch: ExploredLaunch;
  readonly agent: number;
}

/** A line that a kernel prints: the thread, and the parts, which may not be known yet. */
export interface PrintedParts {
  readonly cta: CtaIdentity;
  readonly thread: number;
  readonly parts: readonly Later<string | number | bigint | boolean>[];
}

/**
 * One kernel on one rank in one execution. Its agent starts the threads when the previous launch
 * has ended.
 */
export class ExploredLaunch {
  readonly id: number;
  readonly module: ValidatedModule;
  readonly rank: number;
  readonly ctas: number;
  readonly printed: PrintedParts[] = [];
  /** The first fault. */
  failure: FaultError | undefined;
  readonly #init: ExploredLaunchInit;
  readonly #dependency: GridDependency;
  /** The agents of its bulk copies. */
  readonly #copies: number[] = [];
  /** The agents of its threads, by CTA, after it has begun. */
  #agents: readonly (readonly number[])[] | undefined;

  constructor(init: ExploredLaunchInit) {
    const { previous, mayBeginEarly } = init;
    this.#dependency = new GridDependency(mayBeginEarly ? previous?.agent : undefined, (cta) => this.#trigger(cta));
    this.id = init.id;
    this.module = init.module;
    this.rank = init.rank;
    this.ctas = init.grid.x * init.grid.y * init.grid.z;
    this.#init = init;
  }

  /**
   * For each CTA, the agents whose end lets the next launch begin early; `undefined` if there are
   * none yet.
   */
  get releasing(): readonly number[] | undefined {
    const { run } = this.#init;
    const agents: number[] = [];
    for (const [cta, threads] of this.#agents?.entries() ?? []) {
      const trigger = this.#dependency.triggerOf(cta);
      if (trigger !== undefined) agents.push(trigger);
      else if (threads.every((thread) => run.agent(thread).ended)) agents.push(...threads);
      else return undefined;
    }
    return this.#agents === undefined ? undefined : agents;
  }

  /**
   * Returns the program of the launch's agent, which ends when all threads have ended. A launch
   * that may begin early does so as soon as the previous launch allows it, and is not ordered after
   * it.
   */
  program(): AgentProgram {
    const { participants, rank, previous, mayBeginEarly } = this.#init;
    const start = this.#threads.bind(this);
    const copies = this.#copies;
    const began = (numbers: readonly number[]): void => {
      const threads = numbers.length / this.ctas;
      this.#agents = Array.from({ length: this.ctas }, (_, cta) => numbers.slice(cta * threads, (cta + 1) * threads));
    };
    const name = `launch ${this.id}`;
    return participants.add(
      {
        name,
        coordinates: { rank, cta: -2 - this.id, thread: 0, on: 'host' },
        start: function* () {
          if (previous !== undefined && mayBeginEarly) yield* join(() => previous.launch.releasing, name, false);
          else if (previous !== undefined) yield* join([previous.agent], name);
          // The start and the end of a kernel are fences of all proxies.
          yield* fenceProxy(name, 'all');
          const threads = yield* spawn(start());
          began(threads);
          yield* join(threads, name);
          if (copies.length > 0) yield* join(copies, name);
          yield* fenceProxy(name, 'all');
          return undefined;
        },
      },
      { kind: 'launch', rank },
    );
  }

  #threads(): readonly AgentProgram[] {
    const { grid, block, rank, firstCta, module } = this.#init;
    const size = module.cluster;
    const clusters = new Map<number, ExploredCluster>();
    const clusterOf = (identity: CtaIdentity): ExploredCluster | undefined => {
      if (size === undefined) return undefined;
      const { cluster } = clusterPlace(identity, size);
      const ctas = Array.from(
        { length: clusterCtas(size) },
        (_, of) => firstCta + ctaOfPlace(grid, size, { cluster, rank: of }),
      );
      const known = clusters.get(cluster) ?? new ExploredCluster(ctas, block.x * block.y * block.z);
      clusters.set(cluster, known);
      return known;
    };
    return Array.from({ length: this.ctas }, (_, index) => {
      const blockIdx = {
        x: index % grid.x,
        y: Math.floor(index / grid.x) % grid.y,
        z: Math.floor(index / (grid.x * grid.y)),
      };
      const identity = { rank, blockIdx, gridDim: grid, blockDim: block };
      const cta = new CtaState(identity, firstCta + index, clusterOf(identity));
      return Array.from({ length: cta.threads }, (__, thread) => this.#thread(cta, thread));
    }).flat();
  }

  #trigger(cta: number): AgentProgram {
    const { participants, rank } = this.#init;
    const name = `trigger of CTA ${cta} of launch ${this.id}`;
    const coordinates = { rank, cta: -2 - this.id, thread: 0, on: 'host' } as const;
    // oxlint-disable-next-line require-yield -- it only ends
    const program: AgentProgram = { name, coordinates, start: function* () {} };
    return participants.add(program, { kind: 'launch', rank });
  }

  #thread(cta: CtaState, thread: number): AgentProgram {
    const { participants, module, purpose, args, memory, network, fabric, fuel, rank, run, domain } = this.#init;
    const { approximations, onWait } = this.#init;
    const dependency = this.#dependency;
    const polled = polledSpans(module.body);
    const waited = waitedSpans(module.body);
    const nonCoherent = nonCoherentSpans(module.body);
    const site = (span: Span, what: Site['what'], broadcast?: true): number => {
      const polls = what === 'load' && polled.has(span);
      const number = participants.site(module, span, what, {
        polls,
        broadcast,
        isNonCoherent: what === 'load' && nonCoherent.has(span),
      });
      if (waited.has(span)) onWait(number);
      return number;
    };
    const cluster = cta.cluster?.ctas[0];
    const coordinates = { rank, cta: cta.number, thread, cluster, domain };
    const arrays = cta.arrays(module);
    const around: ThreadContext = {
      module: liftedModule(module),
      args,
      cta,
      regions: memory.space.regions,
      pointerAt: (address) => memory.space.deviceAddress(rank, address),
      addressOf: ({ address, region }) => memory.space.addressOf(address, region),
      fuel,
      round: () => run.spend(ROUND_WORK),
      site,
      approximates: (span, how) => approximations.addAt(how, module, span),
      print: (by, parts) => void this.printed.push({ cta: cta.identity, thread: by, parts }),
      acquired: () => network.acquire(self(), undefined),
      delivered: function* (at) {
        const to = network.fences.isUsed ? memory.byteAt(at)?.rank : undefined;
        const puts = to === undefined || to === rank ? [] : yield* network.fences.delivered(self(), rank, to);
        return [...puts, ...dependency.endedFor(self())];
      },
      copier: (isGeneric) => participants.add(copier(isGeneric), { ...owner, by: isGeneric ? ASYNC : BULK }),
      arrival: () =>
        participants.add(
          // oxlint-disable-next-line require-yield -- it only ends
          { name: `arrival of thread ${thread} of CTA ${cta.number}`, coordinates, start: function* () {} },
          { kind: 'launch', rank },
        ),
      copies: (agents) => void this.#copies.push(...agents),
      primitive: (call, by, values) => {
        const poster = {
          rank,
          kernel: module,
          launch: this.id,
          purpose,
          cta: cta.identity,
          thread: by,
          site: site(call.span, call.name),
        };
        const onFabric = (): FabricContext => ({
          fabric,
          caller: { poster, self: self(), coordinates },
          shared: (pointer) => ({ ...pointer, ...arrayBounds(pointer, module, arrays) }),
        });
        return primitiveCall(call, values, { memory, network, fabric: onFabric, dependency, poster, self });
      },
    };
    const self = (): number => run.numberOf(program);
    const owner = {
      kind: 'thread',
      rank,
      kernel: module,
      launch: this.id,
      purpose,
      cta: cta.identity,
      thread,
    } as const;
    const copier = (isGeneric: boolean): AgentProgram => ({
      name: `bulk copy of thread ${thread} of CTA ${cta.number}`,
      coordinates: isGeneric ? coordinates : { ...coordinates, proxy: 'async' },
      // oxlint-disable-next-line require-yield -- the thread makes its requests
      start: function* () {},
    });
    let steps: ThreadSteps | undefined;
    const failed = this.#failed.bind(this);
    const program: AgentProgram = {
      name: `thread ${thread} of CTA ${cta.number}`,
      coordinates,
      start: function* () {
        // The start and end of a kernel order as a system-scope fence does.
        yield* fence(boundary, 'begin');
        const own = new ThreadSteps(around, thread);
        steps = own;
        try {
          yield* own.run();
        } catch (error) {
          failed(cta.identity, thread, own.at, error);
        }
        cta.end(thread);
        cta.cluster?.end(cta, thread, self());
        yield* around.acquired();
        yield* fence(boundary, 'end');
        return undefined;
      },
    };
    return participants.add(program, {
      ...owner,
      needed: (read) => steps?.needed(read) ?? 'unknown',
      isTimed: () => steps?.isTimed === true,
    });
  }

  #failed(cta: CtaIdentity, thread: number, at: Span | undefined, error: unknown): void {
    const { participants, module, memory, onUnsupported } = this.#init;
    if (error instanceof Unsupported) {
      onUnsupported(error.message);
      return;
    }
    if (!(error instanceof ThreadFault)) throw error;
    const span = error.span ?? at;
    const site = span === undefined ? -1 : participants.site(module, span, 'statement');
    const fault = {
      kind: error.kind,
      site,
      thread,
      ...error.access,
      ...(error.message === '' ? {} : { message: error.message }),
    };
    if (error.kind === 'fuel') onUnsupported(error.message);
    this.failure ??= new FaultError(
      buildFault({
        kernel: module,
        launch: this.id,
        sites: participants.sites,
        cta,
        fault,
        access: describeAccess(fault, memory.space),
        origin: span === undefined ? undefined : valueOrigin(module.body, span),
      }),
      [],
    );
  }
}

/** The work of a round of a loop, in clock entries, which take about the same time. */
const ROUND_WORK = 32;

const boundary = { order: 'acq_rel', scope: 'system' } as const;
