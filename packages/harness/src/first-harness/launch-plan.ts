import type { DevCommRequirements } from '@nccl-ts/devcomm';
import type { Allocation } from '../memory/allocation.ts';
import type { HarnessArgument } from '../memory/harness-argument.ts';
import type { RankSetup } from '../rank-setup.ts';

/** The values that expressions of a plan refer to. */
export interface PlanContext {
  readonly setup: RankSetup;
  /** The number of elements that most allocations have. */
  readonly n: number;
  /** The index of the launch. */
  readonly launch: number;
  /** The value of integers that are not known. */
  readonly standIn: number;
  /** @throws Error if there is none of that name. */
  readonly allocation: (name: string) => Allocation;
}

/** An expression of a launch description: its text, and its value in a probe run. */
export interface PlannedExpression {
  readonly text: string;
  /** The names that the text uses from the package. */
  readonly imports: readonly string[];
  /** The value; for a `todo`, a stand-in. */
  readonly of: (context: PlanContext) => HarnessArgument;
  /** True if it allocates memory when it is made, which only the first launch may do. */
  readonly isMemory?: true;
}

/** The number of elements of an allocation. */
export interface PlannedSize {
  readonly text: string;
  readonly of: (n: number, nRanks: number) => number;
}

/** The initial contents: numbers that differ by rank and index, zeros, or the peers' addresses. */
export type PlannedFill = 'input' | 'bits' | 'zero' | { readonly peersOf: string };

/** The number with which an element of memory with this fill begins at a rank. */
export function firstValue(fill: PlannedFill, i: number, rank: number): number {
  if (fill === 'input') return rank + (i % 8);
  return fill === 'bits' ? i % 2 : 0;
}

/** An allocation of a plan. */
export interface PlannedMemory {
  readonly name: string;
  /** The name of a scalar type of the package. */
  readonly element: string;
  /** Possible sizes, in ascending order. */
  readonly sizes: readonly PlannedSize[];
  /** The index of the size. */
  readonly size: number;
  readonly fill: PlannedFill;
  /** True if kernels store to it, and do not synchronize by it. */
  readonly isResult: boolean;
  /** True if kernels synchronize by it. */
  readonly isSynchronizing: boolean;
}

/** An expected result: elements of an allocation, as text. */
export interface PlannedExpectation {
  readonly memory: string;
  /** The function of the index, as text. */
  readonly values: string;
  /** The options of `equals`, as text. */
  readonly options?: string;
}

/** A launch that a first harness describes. */
export interface LaunchPlan {
  /** Absent if the kernel does not fix the number of ranks. */
  readonly ranks?: number;
  readonly grid: number | { readonly x: number; readonly y: number; readonly z: number };
  readonly block: number | { readonly x: number; readonly y: number; readonly z: number };
  /** True if the entry requires the block. */
  readonly isBlockRequired: boolean;
  readonly launches: number;
  readonly dynamicShared?: number;
  /** True if the kernel calls functions of the stand-in headers. */
  readonly callsHeaders: boolean;
  /** The field `devComm` of the harness. */
  readonly devComm?: DevCommRequirements;
  /** Types of structs, as text. */
  readonly definitions: readonly string[];
  readonly memory: readonly PlannedMemory[];
  /** Statements after the allocations, and the names that they import. */
  readonly statements: readonly { readonly text: string; readonly imports: readonly string[] }[];
  /** The parameters as the source declares them, as text. */
  readonly signature?: string;
  readonly args: readonly PlannedExpression[];
  /** The value of integers that are not known, in probe runs. */
  readonly standIn: PlannedSize;
  readonly expect: readonly PlannedExpectation[];
  /** True if a probe run has ended. */
  readonly isProbed?: true;
  /** The sentence of a probe run, for people. */
  readonly probe?: string;
}

/** The elements of an allocation, if nothing says more. */
export const PLANNED_COUNT = 1024;

/** `n` elements, or several times as many. */
export const dataSizes: readonly PlannedSize[] = [
  { text: 'n', of: (n) => n },
  { text: '2 * n', of: (n) => 2 * n },
  { text: 'nRanks * n', of: (n, nRanks) => nRanks * n },
  { text: '2 * nRanks * n', of: (n, nRanks) => 2 * nRanks * n },
  { text: '4 * nRanks * n', of: (n, nRanks) => 4 * nRanks * n },
  { text: '16 * nRanks * n', of: (n, nRanks) => 16 * nRanks * n },
  { text: '64 * nRanks * n', of: (n, nRanks) => 64 * nRanks * n },
];

/** Numbers of flags. */
export const flagSizes: readonly PlannedSize[] = [64, 256, 1024, 4096, 16_384, 65_536].map((count) => ({
  text: String(count),
  of: () => count,
}));
