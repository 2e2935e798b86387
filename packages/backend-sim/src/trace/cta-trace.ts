import type { FlowPoint, NewSlice, SliceArgs, SliceCategory, TrackId } from '@nccl-ts/timeline';
import type { CtaTrace, TracedAccess } from '../program.ts';
import type { CostModel } from './cost-model.ts';
import type { Arrow, TraceLog, Unfinished } from './trace-log.ts';
import type { WordHistories } from './word-histories.ts';
import { isBefore, type WordChange } from './word-history.ts';

/** The common state of one launch's CTAs. */
export interface CtaSurroundings {
  readonly cost: CostModel;
  readonly log: TraceLog;
  readonly words: WordHistories;
  readonly rank: number;
  /** The number of CTAs that share the bandwidths. */
  readonly sharers: number;
  readonly kernel: string;
  readonly args: SliceArgs;
  /** The rank whose memory contains a region. */
  readonly ownerOf: (region: number) => number | undefined;
  /** The name and location of a place in the kernel. */
  readonly placeAt: (site: number) => { readonly name: string; readonly at: string };
  readonly ended: (cta: CtaClock) => void;
}

/** A slice that may yet grow. */
interface Growing {
  readonly name: string;
  readonly category: SliceCategory;
  readonly start: number;
  readonly args: SliceArgs;
  readonly site: number;
  end: number;
  /** For a wait: the change that ended it. */
  change: WordChange | undefined;
}

const NO_SITE = -1;

/**
 * The time of one CTA. Its work between two waits is a step: it takes a fixed time, that of its
 * bytes, and one round trip to each memory that it loads from. Other CTAs affect its clock only
 * through the words that it waits for or reads.
 */
export class CtaClock implements CtaTrace {
  readonly rank: number;
  readonly track: TrackId;
  readonly start: number;
  readonly #in: CtaSurroundings;
  #now: number;
  #growing: Growing | undefined;
  /** True if the fixed time of this step is still to come. */
  #stepDue = true;
  #own = { bytes: 0, loads: false };
  #peers = { bytes: 0, loads: false };
  /** The round trips of this step: loads overlap, so only the one to the farthest memory counts. */
  #trips = 0;
  #waiting = false;
  #lastWait = NO_SITE;
  /** The time at which it reached that wait. */
  #waitFrom = 0;

  constructor(surroundings: CtaSurroundings, track: TrackId, start: number) {
    this.#in = surroundings;
    this.rank = surroundings.rank;
    this.track = track;
    this.start = start;
    this.#now = start;
  }

  /** In nanoseconds. */
  get now(): number {
    return this.#now;
  }

  /** Adds the time of the data that a step has moved so far. */
  settle(): void {
    const { cost } = this.#in;
    const trips = Math.max(this.#own.loads ? cost.memory.latency : 0, this.#peers.loads ? 2 * cost.nvlink.latency : 0);
    const transfers = Math.max(
      this.#own.bytes / this.#share(cost.memory.bandwidth),
      this.#peers.bytes / this.#share(cost.nvlink.bandwidth),
    );
    const time = (this.#stepDue ? cost.stepTime : 0) + Math.max(0, trips - this.#trips) + transfers;
    this.#stepDue = false;
    this.#trips = Math.max(this.#trips, trips);
    this.#own = { bytes: 0, loads: false };
    this.#peers = { bytes: 0, loads: false };
    this.#lastWait = NO_SITE;
    this.#spend({ name: 'compute', category: 'compute', args: {}, site: NO_SITE }, this.#now + time);
  }

  moves(region: number, bytes: number, loads: boolean): void {
    const side = this.#isOwn(region) ? this.#own : this.#peers;
    side.bytes += bytes;
    side.loads ||= loads;
  }

  reads(address: number): void {
    const change = this.#in.words.latest(address);
    if (change === undefined || change.source?.track === this.track || change.time <= this.#now) return;
    this.settle();
    this.#spend({ name: 'load', category: 'wait', args: {}, site: NO_SITE }, change.time, change);
  }

  opens(address: number, region: number, bytes: number, how: TracedAccess['how']): TracedAccess {
    this.settle();
    if (how !== 'store') this.reads(address);
    return { address, region, bytes, how, before: this.#in.words.read(address, bytes) };
  }

  closes({ address, region, bytes, how, before }: TracedAccess): void {
    const { words, cost } = this.#in;
    const after = words.read(address, bytes);
    words.changed(address, bytes, before, {
      time: this.#now + (this.#isOwn(region) ? 0 : cost.nvlink.latency),
      kind: how === 'add' ? 'add' : 'set',
      value: how === 'add' ? after - before : after,
      source: { track: this.track, time: this.#now },
      rank: this.rank,
      name: how === 'store' ? 'store' : 'atomic',
    });
  }

  waited(
    site: number,
    words: readonly { readonly space: string; readonly address: number }[],
    holds: () => boolean,
  ): void {
    // Threads that wait together, or indices that are waited for together, pass one after the
    // other: one step.
    const again = this.#lastWait === site && this.#own.bytes + this.#peers.bytes === 0;
    if (!again) {
      this.settle();
      this.#waitFrom = this.#now;
    }
    const global = words.filter(({ space }) => space === 'global').map(({ address }) => address);
    const { time, change } = this.#in.words.earliest(global, this.#waitFrom, holds);
    if (time > this.#waitFrom) {
      const { name, at } = this.#in.placeAt(site);
      const seen = time + this.#in.cost.memory.latency;
      this.#spend({ name, category: 'wait', args: { at }, site }, seen, change);
    }
    this.#waiting = false;
    this.#stepDue = true;
    this.#trips = 0;
    this.#lastWait = site;
  }

  /** An operation that takes the CTA `time` nanoseconds. Returns its beginning. */
  operation(name: string, category: SliceCategory, time: number, args: SliceArgs): number {
    this.settle();
    this.#close();
    const start = this.#now;
    this.#now += time;
    this.#in.log.slice(this.track, { name, category, start, end: this.#now, args });
    return start;
  }

  /** Waits until `time` for room in a queue. */
  holdUp(time: number): void {
    this.settle();
    this.#spend({ name: 'queue full', category: 'wait', args: {}, site: NO_SITE }, time);
  }

  /** It cannot go on for now. */
  parked(): void {
    // The step settles when the wait is over: how often a CTA parks on the way is the schedule's.
    this.#waiting = true;
  }

  done(): void {
    this.settle();
    this.#end({});
  }

  /** It has been stopped, at a time of the world. */
  stop(time: number): void {
    const { log } = this.#in;
    this.settle();
    for (const { slice } of this.#still()) {
      log.slice(this.track, { ...slice, end: Math.max(time, this.#now), args: { ...slice.args, unfinished: true } });
    }
    this.#close();
    this.#now = Math.max(time, this.#now);
    this.#in.ended(this);
  }

  /** Its slices so far. */
  unfinished(): Unfinished {
    const growing = this.#growing;
    const parts = growing === undefined ? undefined : this.#drawn(growing);
    return {
      slices: parts === undefined ? [] : [{ track: this.track, slice: parts.slice }],
      arrows: parts?.arrows ?? [],
      begun: this.#still(),
    };
  }

  #still(): Unfinished['begun'] {
    const { track } = this;
    const whole = { track, slice: this.#whole() };
    if (!this.#waiting) return [whole];
    return [whole, { track, slice: { name: 'wait', category: 'wait', start: this.#now, args: {} } }];
  }

  #whole(): { name: string; category: 'launch'; start: number; args: SliceArgs } {
    return { name: this.#in.kernel, category: 'launch', start: this.start, args: this.#in.args };
  }

  #end(args: SliceArgs): void {
    this.#close();
    const whole = this.#whole();
    this.#in.log.slice(this.track, { ...whole, end: this.#now, args: { ...whole.args, ...args } });
    this.#in.ended(this);
  }

  /** Extends to `end` with one slice; adjacent equal ones are merged. */
  #spend(what: Pick<Growing, 'name' | 'category' | 'args' | 'site'>, end: number, change?: WordChange): void {
    const before = this.#growing;
    const alike = before?.category === what.category && before.site === what.site && before.name === what.name;
    if (end === this.#now && alike && change !== undefined && before.change !== undefined) {
      if (isBefore(before.change, change)) before.change = change;
    }
    if (end <= this.#now) return;
    if (alike) {
      before.end = end;
      before.change = change ?? before.change;
    } else {
      this.#close();
      this.#growing = { ...what, start: this.#now, end, change };
    }
    this.#now = end;
  }

  #close(): void {
    const growing = this.#growing;
    if (growing === undefined) return;
    this.#growing = undefined;
    const { slice, arrows } = this.#drawn(growing);
    this.#in.log.slice(this.track, slice);
    for (const arrow of arrows) this.#in.log.arrow(arrow);
  }

  #drawn({ name, category, start, end, args, change }: Growing): {
    readonly slice: NewSlice;
    readonly arrows: readonly Arrow[];
  } {
    const from: FlowPoint | undefined = change?.source;
    const to: FlowPoint = { track: this.track, time: end, side: 'ending' };
    return {
      slice: { name, category, start, end, args },
      arrows: from === undefined || from.track === this.track ? [] : [{ name: change?.name ?? name, from, to }],
    };
  }

  #isOwn(region: number): boolean {
    const owner = this.#in.ownerOf(region);
    return owner === undefined || owner === this.rank;
  }

  #share(bandwidth: number): number {
    return Math.min(this.#in.cost.ctaBandwidth, bandwidth / this.#in.sharers);
  }
}
