import type { NcclError } from '@nccl-ts/core';
import { LaunchRecord, type LaunchAttributes, type LaunchRecordInit } from '@nccl-ts/transport';
import type { RunnableCta } from '../schedule/scheduler.ts';
import { clusterCtas, type ClusterSize } from '@nccl-ts/ir';
import {
  ctaOfPlace,
  type ArgValue,
  type Cta,
  type KernelProgram,
  type ProgramCode,
  ctaIdentity,
} from '@nccl-ts/codegen';
import { domainOf } from './mem-sync-domains.ts';
import type { SimStream } from './stream.ts';

export interface LaunchInit extends LaunchRecordInit<SimStream> {
  /** The number of the launch on its rank, from 1. */
  readonly ordinal: number;
  readonly code: ProgramCode;
  readonly args: readonly ArgValue[];
  readonly attributes?: LaunchAttributes | undefined;
  /** The CTAs of a cluster, if that has more than one. */
  readonly cluster?: ClusterSize | undefined;
  readonly bind: (launch: SimLaunch) => KernelProgram;
}

/** A launch of this backend. */
export class SimLaunch extends LaunchRecord<SimStream> {
  /** The number of the launch on its rank, from 1. */
  readonly ordinal: number;
  readonly code: ProgramCode;
  readonly args: readonly ArgValue[];
  /** The purpose that its program states, or else its number on its rank. */
  readonly purpose: string;
  /** The launch's memory synchronization domain. */
  readonly domain: number;
  /** The CTAs of a cluster, if that has more than one. They start together. */
  readonly cluster: ClusterSize | undefined;
  /** True if all its CTAs must start at the same time. */
  readonly isCooperative: boolean;
  /** True if it may begin before the previous launch on its stream ends. */
  readonly mayBeginEarly: boolean;
  /** True if its host program says that it may not. */
  readonly isPlain: boolean;
  /** The previous launch, if this one began before that ended. */
  after: SimLaunch | undefined;
  /** Its running CTAs that let the next launch begin. */
  readonly #triggered = new Set<number>();
  /** The number of CTAs that have started. */
  started = 0;
  /**
   * True if the device had no room for all its CTAs when it began. They then start in an order that
   * the scheduler chooses.
   */
  isCrowded = false;
  /**
   * The CTAs of a crowded launch that have not started are at positions from 0. This has the
   * indices of those that are not at their own.
   */
  readonly #moved = new Map<number, number>();
  /** The cluster whose CTAs start now. */
  #cluster = 0;
  /** The number of CTAs that have started and not ended. */
  resident = 0;
  /** True if other host threads run it. */
  isElsewhere = false;
  /**
   * The reason of its failure. It is set from the discovery until none of its CTAs can run on other
   * threads.
   */
  failing: NcclError | undefined;
  /** Called once when a launch that has begun ends or fails, so that its time ends too. */
  onOver: (() => void) | undefined;
  readonly #bind: (launch: SimLaunch) => KernelProgram;
  #program: KernelProgram | undefined;

  constructor(init: LaunchInit) {
    super(init);
    this.ordinal = init.ordinal;
    this.code = init.code;
    this.args = init.args;
    this.purpose = init.label ?? `launch ${init.ordinal}`;
    this.domain = domainOf(init.stream.domains, init.attributes);
    this.cluster = init.cluster;
    this.isCooperative = init.attributes?.cooperative === true;
    this.mayBeginEarly = init.attributes?.programmaticStreamSerialization === true;
    this.isPlain = init.attributes?.programmaticStreamSerialization === false;
    this.#bind = init.bind;
  }

  /** True if each of its CTAs lets the next launch begin, or has ended. */
  get isReleased(): boolean {
    return !this.isElsewhere && this.started === this.ctas && this.resident === this.#triggered.size;
  }

  /** True if the launch that its kernel can wait for has ended. */
  get isAfter(): boolean {
    if (this.after?.state === 'ended') this.after = undefined;
    return this.after === undefined;
  }

  /** Called when a CTA lets the next launch begin. */
  trigger(cta: number): void {
    this.#triggered.add(cta);
  }

  /** Called when a CTA has ended. */
  retired(cta: number): void {
    this.resident--;
    this.#triggered.delete(cta);
  }

  /** Returns the kernel with its arguments. They are bound when the launch starts to run. */
  get program(): KernelProgram {
    this.#program ??= this.#bind(this);
    return this.#program;
  }

  /** Describes which CTAs have not started. */
  describeWaiting(): string {
    const moved = [...this.#moved].toSorted(([a], [b]) => a - b);
    return [this.started, ...moved.flat()].join(':');
  }

  /**
   * Starts the CTA at a position of those that have not started. Without one, they start in order.
   */
  start(position?: number): CtaTask {
    const index = this.#next(position);
    const task = new CtaTask(this, index, this.program.start(ctaIdentity(this, index)));
    this.started++;
    this.resident++;
    return task;
  }

  /** The CTAs that must find room together with the next one. */
  get together(): number {
    if (this.isCooperative) return this.started === 0 ? this.ctas : 1;
    const size = clusterCtas(this.cluster);
    return size - (this.started % size);
  }

  /**
   * The number of choices for the next CTA. A cluster is chosen as a whole, when its first CTA
   * starts.
   */
  get choices(): number {
    const size = clusterCtas(this.cluster);
    return this.started % size === 0 ? (this.ctas - this.started) / size : 0;
  }

  #next(position: number | undefined): number {
    const { cluster: size } = this;
    if (size === undefined) return position === undefined ? this.started : this.#take(position);
    const rank = this.started % clusterCtas(size);
    if (rank === 0) this.#cluster = position === undefined ? this.started / clusterCtas(size) : this.#take(position);
    return ctaOfPlace(this.grid, size, { cluster: this.#cluster, rank });
  }

  /** Removes the CTA, or the cluster, at a position, which the last one then takes. */
  #take(position: number): number {
    const index = this.#indexAt(position);
    const last = this.choices - 1;
    const other = this.#indexAt(last);
    this.#moved.delete(last);
    if (position < last) this.#moved.set(position, other);
    return index;
  }

  #indexAt(position: number): number {
    const moved = this.#moved.get(position);
    return moved === undefined ? position : moved;
  }

  override end(): void {
    this.onOver?.();
    this.onOver = undefined;
    super.end();
  }
}

/** A CTA that has started and not ended. */
export class CtaTask implements RunnableCta {
  readonly owner: SimLaunch;
  readonly launch: number;
  readonly rank: number;
  readonly cta: number;
  readonly state: Cta;
  /** The number of consecutive slices that it ended only to yield. */
  yields = 0;
  /** The lap in which it last ran, as `SpinWatch` counts them. */
  lap = 0;

  constructor(owner: SimLaunch, cta: number, state: Cta) {
    this.owner = owner;
    this.launch = owner.id;
    this.rank = owner.rank;
    this.cta = cta;
    this.state = state;
  }
}
