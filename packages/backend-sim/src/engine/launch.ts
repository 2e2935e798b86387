import type { NcclError } from '@nccl-ts/core';
import type { KernelText } from '@nccl-ts/findings';
import type { Dim3, LaunchAttributes } from '@nccl-ts/transport';
import type { ArgValue, Cta, Program, ProgramCode } from '../program.ts';
import type { Task } from '../schedule/scheduler.ts';
import { ctaIdentity } from './cta-identity.ts';
import { domainOf } from './mem-sync-domains.ts';
import type { Stream } from './stream.ts';

export interface LaunchInit {
  readonly id: number;
  readonly kernel: KernelText;
  readonly label: string | undefined;
  readonly stream: Stream;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly code: ProgramCode;
  readonly args: readonly ArgValue[];
  readonly attributes?: LaunchAttributes | undefined;
  readonly bind: (launch: Launch) => Program;
}

/** One kernel on one rank, from the moment it is enqueued. */
export class Launch {
  /** Counts the launches of the world, from 0. */
  readonly id: number;
  readonly kernel: KernelText;
  /** Its purpose, in its program's words. */
  readonly label: string | undefined;
  readonly stream: Stream;
  readonly rank: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly code: ProgramCode;
  readonly args: readonly ArgValue[];
  /** CTAs of the grid. */
  readonly ctas: number;
  readonly blockThreads: number;
  /** Its memory synchronisation domain. */
  readonly domain: number;
  /** True if all its CTAs start at once. */
  readonly isCooperative: boolean;
  /** True if it may begin before the one before it on its stream is over. */
  readonly mayBeginEarly: boolean;
  /** The launch before it, where it has begun before that was over. */
  after: Launch | undefined;
  /** Its CTAs that run and have let the next launch begin. */
  readonly #triggered = new Set<number>();
  /** The linear index of the CTA that starts next. */
  started = 0;
  /** CTAs that have started and not ended. */
  resident = 0;
  /** True if other host threads run it. */
  isElsewhere = false;
  state: 'queued' | 'running' | 'ended' = 'queued';
  /**
   * The reason why it must not run any more; it fails with it when it reaches the head of the
   * stream.
   */
  cancelled: NcclError | undefined;
  /** Its error, once it is certain to fail and while its CTAs may still run on other threads. */
  failing: NcclError | undefined;
  /** Called once, when the launch has ended or will never run. */
  onEnd: (() => void) | undefined;
  /** Called once, when a launch that has begun has ended or failed: its time is to end too. */
  onOver: (() => void) | undefined;
  readonly #bind: (launch: Launch) => Program;
  #program: Program | undefined;

  constructor(init: LaunchInit) {
    this.id = init.id;
    this.kernel = init.kernel;
    this.label = init.label;
    this.stream = init.stream;
    this.rank = init.stream.rank;
    this.grid = init.grid;
    this.block = init.block;
    this.code = init.code;
    this.args = init.args;
    this.ctas = init.grid.x * init.grid.y * init.grid.z;
    this.blockThreads = init.block.x * init.block.y * init.block.z;
    this.domain = domainOf(init.stream.domains, init.attributes);
    this.isCooperative = init.attributes?.cooperative === true;
    this.mayBeginEarly = init.attributes?.programmaticStreamSerialization === true;
    this.#bind = init.bind;
  }

  /** True if each of its CTAs has let the next launch begin, or has ended. */
  get isReleased(): boolean {
    return !this.isElsewhere && this.started === this.ctas && this.resident === this.#triggered.size;
  }

  /** True if the launch is over that its kernel can wait for. */
  get isAfter(): boolean {
    if (this.after?.state === 'ended') this.after = undefined;
    return this.after === undefined;
  }

  /** A CTA lets the next launch begin, as far as this CTA is concerned. */
  trigger(cta: number): void {
    this.#triggered.add(cta);
  }

  /** A CTA has ended. */
  retired(cta: number): void {
    this.resident--;
    this.#triggered.delete(cta);
  }

  /** The kernel with its arguments. Bound when the launch begins to run. */
  get program(): Program {
    this.#program ??= this.#bind(this);
    return this.#program;
  }

  /** Starts the next CTA. */
  start(): CtaTask {
    const index = this.started;
    const task = new CtaTask(this, index, this.program.start(ctaIdentity(this, index)));
    this.started++;
    this.resident++;
    return task;
  }

  end(): void {
    this.state = 'ended';
    this.onOver?.();
    this.onOver = undefined;
    this.onEnd?.();
    this.onEnd = undefined;
  }
}

/** A CTA that has started and not ended. */
export class CtaTask implements Task {
  readonly owner: Launch;
  readonly launch: number;
  readonly rank: number;
  readonly cta: number;
  readonly state: Cta;
  /** Slices in a row that it ended only to yield. */
  yields = 0;

  constructor(owner: Launch, cta: number, state: Cta) {
    this.owner = owner;
    this.launch = owner.id;
    this.rank = owner.rank;
    this.cta = cta;
    this.state = state;
  }
}
