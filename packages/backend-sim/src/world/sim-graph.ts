import type { ProgramCode } from '@nccl-ts/codegen';
import type { GraphHandle, KernelArg, LaunchConfig } from '@nccl-ts/transport';
import type { WorldCollectives } from '../collective/world-collectives.ts';
import type { SimStream } from '../engine/stream.ts';
import type { SimExecutable } from './sim-executable.ts';

/** A recorded launch. */
export interface RecordedSimLaunch {
  readonly executable: SimExecutable;
  readonly config: LaunchConfig;
  readonly args: readonly KernelArg[];
}

/** Records the launches of some streams. */
export interface Capture {
  readonly streams: readonly SimStream[];
  readonly launches: RecordedSimLaunch[];
}

/** Recorded launches. */
export class SimGraph implements GraphHandle {
  readonly ranks: readonly number[];
  readonly recorded: readonly RecordedSimLaunch[];
  /** The first launch of each stream that has any. */
  readonly streams: readonly RecordedSimLaunch[];
  #codes: { readonly make: (() => readonly ProgramCode[]) | undefined } | undefined;

  constructor(ranks: readonly number[], recorded: readonly RecordedSimLaunch[]) {
    this.ranks = ranks;
    this.recorded = recorded;
    const seen = new Set<LaunchConfig['stream']>();
    this.streams = recorded.filter(({ config: { stream } }) => !seen.has(stream) && seen.add(stream));
  }

  get launches(): number {
    return this.recorded.length;
  }

  /**
   * Returns one code for each of `streams` that does the work of all its launches; `undefined` if
   * the graph does not only consist of collectives that need no kernel and that agree on all ranks
   * of a group.
   */
  codes(collectives: WorldCollectives | undefined): readonly ProgramCode[] | undefined {
    this.#codes ??= { make: this.#record(collectives) };
    return this.#codes.make?.();
  }

  #record(collectives: WorldCollectives | undefined): (() => readonly ProgramCode[]) | undefined {
    if (this.recorded.some(({ config: { work } }) => work === undefined || work.length === 0)) return undefined;
    return collectives?.record(
      this.streams.map(({ config: { stream } }) => ({
        rank: stream.rank,
        works: this.recorded.flatMap(({ config }) => (config.stream === stream ? (config.work ?? []) : [])),
      })),
    );
  }
}
