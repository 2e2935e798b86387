import type { Communicator } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';

/** The exports of a user's module that the CLI reads. */
export interface UserModule {
  /** As the command line names it. */
  readonly path: string;
  readonly file: string;
  /** The kernels by the name of their export. */
  readonly kernels: ReadonlyMap<string, Kernel>;
  readonly host: HostProgram | undefined;
  /** Present if the host program is a harness of a kernel from a `.cu` or `.ptx` file. */
  readonly harness?: HarnessFacts;
}

/** The launch options of the command line, for a module's own host program. */
export interface HostLaunch {
  readonly grid: number;
  readonly block: number;
}

/** A host program that a module exports under the name `host`: called once for each rank. */
export type HostProgram = (comm: Communicator, launch: HostLaunch) => unknown;

export interface HarnessFacts {
  /** The entry's. */
  readonly name: string;
  /** Numbers of ranks, of CTAs of each, and of threads of each CTA. */
  readonly shape: { readonly ranks: number; readonly grid: number; readonly block: number };
  /** Reads the files that findings name. */
  readonly source: (path: string) => string | undefined;
}
