import { LaunchStream, type StreamHandle } from '@nccl-ts/transport';
import { foreign } from '../base/errors.ts';
import { defaultDomainMap, type MemSyncDomainMap } from './mem-sync-domains.ts';
import type { Launch } from './launch.ts';

/** A stream of this backend. */
export class Stream extends LaunchStream<Launch> {
  /** The launches that have begun although the first one has not ended, oldest first. */
  readonly early: Launch[] = [];
  /** The physical memory synchronization domains of its launches. */
  readonly domains: MemSyncDomainMap;

  constructor(rank: number, domains: MemSyncDomainMap = defaultDomainMap, tell?: (told: () => void) => void) {
    super(rank, tell);
    this.domains = domains;
  }

  /** Returns the launch that began last: the first one, or one after it. */
  get newest(): Launch | undefined {
    return this.early.at(-1) ?? this.running;
  }

  /** Starts the next launch although the first one has not ended. */
  overlap(): Launch | undefined {
    const head = this.running;
    const next = this.advance();
    this.running = head;
    if (next !== undefined) this.early.push(next);
    return next;
  }

  /**
   * Removes the first launch, which has ended, and those after it that have also ended. Returns
   * true if a running one is left.
   */
  completeHead(): boolean {
    this.complete();
    for (let next = this.early.shift(); next !== undefined; next = this.early.shift()) {
      this.running = next;
      if (next.state !== 'ended') return true;
      this.complete();
    }
    return false;
  }
}

/** @throws NcclError if the stream belongs to another backend. */
export function streamOf(stream: StreamHandle): Stream {
  if (stream instanceof Stream) return stream;
  throw foreign('stream');
}
