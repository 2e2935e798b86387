import { locationName, quotedLocation, type QuotedLocation } from '@nccl-ts/findings';
import type { Timeline, TimelineRecorder } from '@nccl-ts/core';
import type { TracedLaunch, TracedMemory, TracedStream } from './traced-machine.ts';
import type { ProgramCode } from '@nccl-ts/codegen';
import type { CostModel } from '../cost-model.ts';
import { CtaClock } from './cta-trace.ts';
import { WARP_SIZE } from '@nccl-ts/core';
import { issueCounts } from './issue-counts.ts';
import { LaunchTrace, type StreamTime } from './launch-trace.ts';
import { launchKey, type CtaShare, type LaunchUse } from './launch-use.ts';
import { NetworkTrace } from './network-trace.ts';
import { Residency } from './residency.ts';
import { f64At } from './typed-items.ts';
import { TraceLog } from './trace-log.ts';
import { Traffic } from './traffic.ts';
import { WordHistories } from './word-histories.ts';

export interface TracerOptions {
  readonly ranks: number;
  readonly residentCtas: number;
  readonly cost: CostModel;
  readonly memory: TracedMemory;
}

/** The name and source location of a site in a kernel. */
interface NamedLocation {
  readonly name: string;
  readonly at: string;
}

function noTime(): number {
  return 0;
}

/** Assigns simulated times to a world's events. */
export class Tracer {
  readonly network: NetworkTrace;
  readonly traffic: Traffic;
  readonly #options: TracerOptions;
  readonly #log: TraceLog;
  readonly #words: WordHistories;
  readonly #devices: readonly Residency[];
  readonly #streams = new Map<TracedStream, StreamTime>();
  readonly #streamCounts = new Map<number, number>();
  readonly #tracks = new Map<string, number>();
  readonly #launches = new Set<LaunchTrace>();
  /** The bytes that launches have moved, by `launchKey`. */
  readonly #uses = new Map<string, LaunchUse>();
  readonly #issue = new WeakMap<ProgramCode, Float64Array>();
  #current: CtaClock | undefined;

  constructor(options: TracerOptions) {
    const { ranks, residentCtas, cost, memory } = options;
    this.#options = options;
    this.#log = new TraceLog(ranks);
    this.traffic = new Traffic(ranks);
    this.#words = new WordHistories(memory.heap);
    this.#devices = Array.from({ length: ranks }, () => new Residency(residentCtas));
    this.network = new NetworkTrace({ cost, log: this.#log, words: this.#words, current: () => this.#current });
  }

  /** Records everything so far. */
  timeline(recorder: TimelineRecorder): Timeline {
    const running = this.#running();
    return this.#log.timeline(
      recorder,
      running.map((cta) => cta.unfinished()),
      this.#latest(running),
    );
  }

  /** Called when a launch starts, after the stream's previous work has ended. */
  begin(launch: TracedLaunch): LaunchTrace {
    const { ranks, cost, memory, residentCtas } = this.#options;
    const { rank, kernel, code, ctas, blockThreads } = launch;
    const stream = this.#streamOf(launch.stream);
    const locations = new Map<number, NamedLocation>();
    // By region, whose numbers are reused after the launch at the earliest.
    const resources: (boolean | undefined)[] = [];
    const key = launchKey(rank, kernel.name, ctas, blockThreads, launch.args);
    const sharers = Math.min(ctas, residentCtas);
    const alone: CtaShare = {
      memory: sharers,
      links: sharers,
      cached: 0,
      waiters: sharers,
      fencers: sharers,
      senders: Math.ceil(blockThreads / WARP_SIZE),
    };
    const share = this.#uses.get(key)?.share(sharers, cost.memory.cacheBytes) ?? alone;
    const trace = new LaunchTrace({
      stream,
      residency: this.#devices[rank] ?? new Residency(residentCtas),
      trackOf: (cta) => this.#trackOf(rank, stream.index, cta),
      ranks,
      isPlain: launch.isPlain === true,
      used: (use) => this.#uses.set(key, use),
      surroundings: {
        cost,
        log: this.#log,
        words: this.#words,
        traffic: this.traffic,
        rank,
        share,
        issueAt: cost.issueTime === 0 ? noTime : this.#issueTimes(launch),
        threads: blockThreads,
        kernel: kernel.name,
        args: Object.freeze({ launch: stream.launches++, stream: stream.index }),
        ownerOf: (region) => memory.space.ownerOf(region),
        isResource: (region) => (resources[region] ??= memory.isResource(region)),
        rangeAt: (address) => memory.space.rangeAt(address),
        locationAt: (site) => {
          let location = locations.get(site);
          if (location === undefined) {
            const found = code.sites[site];
            location = outermostLocation(found === undefined ? undefined : quotedLocation(kernel, found.span));
            locations.set(site, location);
          }
          return location;
        },
      },
    });
    this.#launches.add(trace);
    return trace;
  }

  /** Called when a launch has ended, normally or with an error. */
  end(trace: LaunchTrace): void {
    trace.stop(this.#latest(this.#running()));
    this.#launches.delete(trace);
  }

  /** Sets the CTA that runs from now on; `undefined` between turns. */
  turn(trace: unknown): void {
    this.#current = trace instanceof CtaClock ? trace : undefined;
  }

  /** Forgets the words in `[low, high)`, which are about to be reused. */
  forget(low: number, high: number): void {
    this.#words.forget(low, high);
  }

  /** Nanoseconds of the instructions before each site of a kernel. */
  #issueTimes({ code }: TracedLaunch): (site: number) => number {
    let times = this.#issue.get(code);
    if (times === undefined) {
      const counts = issueCounts(code.body ?? []);
      const { issueTime } = this.#options.cost;
      times = Float64Array.from(code.sites, ({ span }) => issueTime * (counts.get(span) ?? 0));
      this.#issue.set(code, times);
    }
    const found = times;
    return (site) => f64At(found, site);
  }

  #running(): readonly CtaClock[] {
    return [...this.#launches].flatMap(({ running }) => [...running]);
  }

  #latest(running: readonly CtaClock[]): number {
    return running.reduce((latest, { now }) => Math.max(latest, now), this.#log.latest);
  }

  #streamOf(stream: TracedStream): StreamTime {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const index = this.#streamCounts.get(stream.rank) ?? 0;
    this.#streamCounts.set(stream.rank, index + 1);
    const time: StreamTime = { index, free: 0, launches: 0 };
    this.#streams.set(stream, time);
    return time;
  }

  #trackOf(rank: number, stream: number, cta: number): number {
    const key = `${rank},${stream},${cta}`;
    const known = this.#tracks.get(key);
    if (known !== undefined) return known;
    const name = stream === 0 ? `CTA ${cta}` : `CTA ${cta}, stream ${stream}`;
    const track = this.#log.openTrack(rank, { kind: 'cta', name, order: stream * 2 ** 31 + cta });
    this.#tracks.set(key, track);
    return track;
  }
}

/**
 * Returns the call in the kernel's own source text that led to the location: the callee, and its
 * file and line.
 */
function outermostLocation(found: QuotedLocation | undefined): NamedLocation {
  let location = found;
  while (location?.inlinedAt !== undefined && location.isOwn !== true) location = location.inlinedAt;
  if (location === undefined) return { name: 'wait', at: 'unknown' };
  const name = /^[\w$.]+/.exec(location.text.slice(location.column - 1))?.[0] ?? 'wait';
  // The directories depend on the machine, so they are left out.
  return { name, at: locationName(location).replace(/^.*[\\/]/, '') };
}
