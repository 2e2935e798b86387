import { buildFault, describeAccess, FaultError, type CtaIdentity, type Site } from '@nccl-ts/findings';
import type { Span, ValidatedModule } from '@nccl-ts/ir';
import { fence, join, spawn, type AgentProgram, type Later, type Run } from '@nccl-ts/memory-model';
import type { Dim3 } from '@nccl-ts/transport';
import type { WorldMemory } from '../memory/world-memory.ts';
import type { ArgValue } from '../program.ts';
import { CtaState } from './cta-state.ts';
import type { ExploredNetwork } from './explored-network.ts';
import type { Participants } from './participants.ts';
import { primitiveCall } from './primitive-call.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';
import { ThreadSteps, type Surroundings } from './thread-steps.ts';

export interface ExploredLaunchInit {
  readonly id: number;
  readonly module: ValidatedModule;
  readonly rank: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly args: readonly ArgValue[];
  readonly memory: WorldMemory;
  readonly network: ExploredNetwork;
  readonly run: Run;
  readonly participants: Participants;
  readonly fuel: number;
  /** Numbers for its CTAs, unique in the world. */
  readonly firstCta: number;
  /** What the exhaustive mode does not have, and what lies behind it was left out. */
  readonly onUnsupported: (what: string) => void;
}

/** A line that a kernel prints: who, and what, maybe not known yet. */
export interface PrintedParts {
  readonly cta: CtaIdentity;
  readonly thread: number;
  readonly parts: readonly Later<string | number | bigint | boolean>[];
}

/** One kernel on one rank in one execution: an agent that starts its threads when the launch before it has ended. */
export class ExploredLaunch {
  readonly id: number;
  readonly module: ValidatedModule;
  readonly rank: number;
  readonly ctas: number;
  readonly printed: PrintedParts[] = [];
  /** The first fault. */
  failure: FaultError | undefined;
  readonly #init: ExploredLaunchInit;

  constructor(init: ExploredLaunchInit) {
    this.id = init.id;
    this.module = init.module;
    this.rank = init.rank;
    this.ctas = init.grid.x * init.grid.y * init.grid.z;
    this.#init = init;
  }

  /** The agent that is the launch itself; it ends when all threads have. `previous` is the launch before it on its stream. */
  program(previous: number | undefined): AgentProgram {
    const { participants, rank } = this.#init;
    const start = this.#threads.bind(this);
    const name = `launch ${this.id}`;
    return participants.add(
      {
        name,
        place: { rank, cta: -2 - this.id, thread: 0, on: 'host' },
        start: function* () {
          if (previous !== undefined) yield* join([previous], name);
          yield* join(yield* spawn(start()), name);
          return undefined;
        },
      },
      { kind: 'launch', rank },
    );
  }

  #threads(): readonly AgentProgram[] {
    const { grid, block, rank, firstCta } = this.#init;
    return Array.from({ length: this.ctas }, (_, index) => {
      const blockIdx = {
        x: index % grid.x,
        y: Math.floor(index / grid.x) % grid.y,
        z: Math.floor(index / (grid.x * grid.y)),
      };
      const cta = new CtaState({ rank, blockIdx, gridDim: grid, blockDim: block }, firstCta + index);
      return Array.from({ length: cta.threads }, (__, thread) => this.#thread(cta, thread));
    }).flat();
  }

  #thread(cta: CtaState, thread: number): AgentProgram {
    const { participants, module, args, memory, network, fuel, rank, run } = this.#init;
    const site = (span: Span, what: Site['what']): number => participants.site(module, span, what);
    const around: Surroundings = {
      module,
      args,
      cta,
      regions: memory.space.regions,
      fuel,
      site,
      print: (by, parts) => void this.printed.push({ cta: cta.identity, thread: by, parts }),
      acquired: () => network.acquire(self(), undefined),
      primitive: (call, by, values) => {
        const poster = {
          rank,
          kernel: module,
          launch: this.id,
          cta: cta.identity,
          thread: by,
          site: site(call.span, call.name),
        };
        return primitiveCall(call, values, { memory, network, poster, self });
      },
    };
    const self = (): number => run.numberOf(program);
    let steps: ThreadSteps | undefined;
    const failed = this.#failed.bind(this);
    const program: AgentProgram = {
      name: `thread ${thread} of CTA ${cta.number}`,
      place: { rank, cta: cta.number, thread },
      start: function* () {
        // A kernel's begin and end order as a fence of system scope does: its launch and its stream are no less.
        yield* fence(boundary, 'begin');
        const own = new ThreadSteps(around, thread);
        steps = own;
        try {
          yield* own.run();
        } catch (error) {
          failed(cta.identity, thread, own.at, error);
        }
        cta.alive--;
        yield* around.acquired();
        yield* fence(boundary, 'end');
        return undefined;
      },
    };
    return participants.add(program, {
      kind: 'thread',
      rank,
      kernel: module,
      launch: this.id,
      cta: cta.identity,
      thread,
      needed: (read) => steps?.needed(read) ?? 'unknown',
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
    if (error.kind === 'fuel') onUnsupported('a loop that spins without a wait');
    this.failure ??= new FaultError(
      buildFault({
        kernel: module,
        launch: this.id,
        sites: participants.sites,
        cta,
        fault,
        access: describeAccess(fault, memory.space),
      }),
      [],
    );
  }
}

const boundary = { order: 'acq_rel', scope: 'system' } as const;
