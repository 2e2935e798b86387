import type { ReadSource } from './graph-event.ts';
import type { Access, ByteRange, Site } from './requests.ts';

/** A read that an attempt to pass a wait would make. */
export interface AttemptedRead {
  readonly range: ByteRange;
  readonly access: Access | undefined;
  readonly site: Site;
  readonly sources: readonly ReadSource[];
}
