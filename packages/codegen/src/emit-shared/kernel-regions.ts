import type { BoundRegions, RegionReport } from '../program/region.ts';
import type { ProgramHost } from '../program/program.ts';
import type { RegionInput } from './region-input.ts';

/** The loops of one kernel, some of them as functions outside of JavaScript. */
export interface KernelRegions {
  readonly regions: readonly RegionReport[];
  /** True if any loop became such a function. */
  readonly hasFunctions: boolean;
  /**
   * Adds a function that runs the loop. Returns the JavaScript that calls it after the prologue.
   *
   * @throws Unsupported if the loop needs JavaScript.
   */
  emit(input: RegionInput): readonly string[];
  /** Records that a loop stays JavaScript, and why. */
  left(name: string, reason: string): void;
  /** The functions so far; `undefined` if there are none. */
  compile(): CompiledRegions | undefined;
}

/** The functions of a kernel. They are compiled once, and bound once to each memory. */
export interface CompiledRegions {
  /** The functions as text, for people. */
  readonly wat: string;
  /** The module in WebAssembly's binary format. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  of(host: Pick<ProgramHost, 'linear' | 'isLate'>): BoundRegions;
}

/**
 * Begins the loops of one kernel. `compilesAll` is true if even loops that do less work than a call
 * costs are compiled, and `shared` if several host threads run them.
 */
export type RegionCompiler = (compilesAll: boolean, shared: boolean) => KernelRegions;
