import type { HostProgram } from '@nccl-ts/checker';
import type { ComparedElements } from '@nccl-ts/harness';
import type { Kernel } from '@nccl-ts/kernel';

/** The exports of a user's module that the CLI uses. */
export interface UserModule {
  /** The path as it is on the command line. */
  readonly path: string;
  readonly file: string;
  /** The kernels by the name of their export. */
  readonly kernels: ReadonlyMap<string, Kernel>;
  readonly host: HostProgram | undefined;
  /** Present if the host program is a harness for kernels in a `.cu` or `.ptx` file. */
  readonly harness?: HarnessFacts;
}

export interface HarnessFacts {
  /** The names of the kernels. */
  readonly name: string;
  /** The numbers of ranks with which to check it, and the number for other commands first. */
  readonly rankCounts: readonly [number, ...number[]];
  /** True if the harness fixes the number of ranks. */
  readonly fixesRanks: boolean;
  /** True if each rank is meant to work alone. */
  readonly local: boolean;
  /** The number of CTAs for each rank, and of threads for each CTA, of the largest kernel. */
  readonly shape: { readonly grid: number; readonly block: number };
  /** The host program, which calls `onCompared` after each comparison that found no difference. */
  readonly comparing: (onCompared: (elements: ComparedElements) => void) => HostProgram;
  /** The host program with another number of launches of the whole list, in turn on the streams. */
  readonly launched: (launches: number, streams: number) => HostProgram;
  /** The host program without a comparison of its results. */
  readonly unchecked: HostProgram;
  /** Reads the files that findings name. */
  readonly source: (path: string) => string | undefined;
}
