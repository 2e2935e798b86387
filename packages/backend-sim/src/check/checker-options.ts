import type { HeapViews } from '@nccl-ts/codegen';
import type { LocatedWord, ScheduleId } from '@nccl-ts/findings';
import type { Determinacy } from '@nccl-ts/memory-model';
import type { EarlierRun } from './earlier-run.ts';

export interface CheckerOptions {
  readonly ranks: number;
  /** The number of CTAs that the device of a rank holds. */
  readonly residentCtas: number;
  /** Returns the schedule so far. */
  readonly schedule: () => ScheduleId;
  readonly strict: boolean;
  readonly locate: (address: number) => LocatedWord | undefined;
  /** The heap address of a byte of a rank's copy of a window, by the window's name. */
  readonly addressOf: (window: string, rank: number, offset: number) => number | undefined;
  /** Returns the current heap. */
  readonly views: () => HeapViews;
  /** Receives the account of other possible runs. Without it, none is made. */
  readonly onDeterminacy?: ((account: Determinacy) => void) | undefined;
  /** True if orders that GPUs guarantee beyond the memory model count. */
  readonly hardware?: boolean | undefined;
  /** Absent in the first run of a program. */
  readonly earlier?: EarlierRun | undefined;
  /** @see SimParts.storyEvents */
  readonly storyEvents?: number | undefined;
  /** Returns the parts that the account leaves out. It is called before the account is made. */
  readonly omits?: (() => ReadonlySet<string> | undefined) | undefined;
}
