import { LaunchStream, type StreamHandle } from '@nccl-ts/transport';
import { foreign } from '../base/errors.ts';
import { defaultDomainMap, type MemSyncDomainMap } from './mem-sync-domains.ts';
import type { SimLaunch } from './launch.ts';

/** A stream of this backend. */
export class SimStream extends LaunchStream<SimLaunch> {
  /** The launches that have begun although the first one has not ended, oldest first. */
  readonly early: SimLaunch[] = [];
  /** The physical memory synchronization domains of its launches. */
  readonly domains: MemSyncDomainMap;

  constructor(rank: number, domains: MemSyncDomainMap = defaultDomainMap, notify?: (notice: () => void) => void) {
    super(rank, notify);
    this.domains = domains;
  }

  /** Returns the launch that began last: the first one, or one after it. */
  get newest(): SimLaunch | undefined {
    return this.early.at(-1) ?? this.running;
  }

  /** Starts the next launch although the first one has not ended. */
  overlap(): SimLaunch | undefined {
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
export function streamOf(stream: StreamHandle): SimStream {
  if (stream instanceof SimStream) return stream;
  throw foreign('stream');
}
