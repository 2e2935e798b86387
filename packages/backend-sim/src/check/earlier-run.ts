import type { SourceLocation } from '@nccl-ts/ir';

/** Facts about a program from an earlier run with the same schedule, which a further run needs. */
export interface EarlierRun {
  /** The words of races that may not change a value. Their histories decide. */
  readonly words: ReadonlySet<number>;
  /**
   * The plain stores of words that strong waits read, by `siteName`. GPUs store an aligned word
   * at once, so in the order of GPUs they count as relaxed.
   */
  readonly flagStores: ReadonlySet<string>;
  /** The plain loads that race, by `siteName`. A further run shows if their values are used. */
  readonly loads: ReadonlySet<string>;
}

export const noEarlierRun: EarlierRun = Object.freeze({
  words: new Set<number>(),
  flagStores: new Set<string>(),
  loads: new Set<string>(),
});

/** Combines the facts of the worlds of a program. */
export function joinedRuns(runs: readonly EarlierRun[]): EarlierRun {
  return {
    words: new Set(runs.flatMap(({ words }) => [...words])),
    flagStores: new Set(runs.flatMap(({ flagStores }) => [...flagStores])),
    loads: new Set(runs.flatMap(({ loads }) => [...loads])),
  };
}

/** Names the writes of a host's call in all worlds of a program. */
export function hostSiteName(call: SourceLocation | undefined): string {
  return call === undefined ? 'host' : `host ${call.file}:${call.line}:${call.column}`;
}

/** Names a source location of a kernel in all worlds of a program. */
export function siteName(kernel: string, site: number): string {
  return `${kernel} ${site}`;
}
