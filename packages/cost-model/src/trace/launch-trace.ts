import type { CtaIdentity } from '@nccl-ts/transport';
import { type CtaTrace, ctaIndex } from '@nccl-ts/codegen';
import { valueAt } from '../cost-model.ts';
import type { CtaSurroundings } from './cta-surroundings.ts';
import { CtaClock } from './cta-trace.ts';
import { LaunchUse } from './launch-use.ts';
import type { Residency } from './residency.ts';

/** The time at which a stream finishes its work so far. */
export interface StreamTime {
  /** The index of the stream within its rank. */
  readonly index: number;
  free: number;
  launches: number;
}

export interface LaunchTraceInit {
  readonly surroundings: CtaSurroundings;
  readonly stream: StreamTime;
  readonly residency: Residency;
  readonly trackOf: (cta: number) => number;
  /** The number of ranks of the world. */
  readonly ranks: number;
  /** True if it may not begin before the launch before it has ended. */
  readonly isPlain: boolean;
  /** Called when the launch is over, with what it has moved. */
  readonly used: (use: LaunchUse) => void;
}

/** The times of one launch's CTAs. */
export class LaunchTrace {
  readonly #init: LaunchTraceInit;
  readonly #begin: number;
  readonly #running = new Set<CtaClock>();
  readonly #use = new LaunchUse();

  constructor(init: LaunchTraceInit) {
    this.#init = init;
    const { stream, surroundings, ranks, isPlain } = init;
    const { launchLatency, launchByCtas, launchPlain, launchByRanks } = surroundings.cost;
    // More CTAs cost more because more of them wait for flags.
    const byCtas = valueAt(launchByCtas, surroundings.share.waiters, 0);
    const more = byCtas + valueAt(launchByRanks, ranks, 0) + (isPlain ? launchPlain : 0);
    this.#begin = stream.free + launchLatency + more;
  }

  /** The CTAs that have started and not ended. */
  get running(): Iterable<CtaClock> {
    return this.#running;
  }

  open(identity: CtaIdentity): CtaTrace {
    const { residency, trackOf, surroundings } = this.#init;
    const track = trackOf(ctaIndex(identity));
    const cta = new CtaClock(surroundings, track, residency.take(this.#begin), (ended) => this.#ended(ended));
    this.#running.add(cta);
    return cta;
  }

  /** The launch is over: all CTAs have ended, or it has failed at a time of the world. */
  stop(time: number): void {
    for (const cta of this.#running) cta.stop(time);
    this.#init.used(this.#use);
  }

  #ended(cta: CtaClock): void {
    const { stream, residency } = this.#init;
    this.#running.delete(cta);
    this.#use.add(cta.moved, cta.acted);
    stream.free = Math.max(stream.free, cta.now);
    residency.give(cta.now);
  }
}
