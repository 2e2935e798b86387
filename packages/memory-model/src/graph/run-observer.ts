import type { GraphEvent } from './graph-event.ts';

/**
 * The contents of memory before the first write. `undefined` for bytes that are not initialized.
 */
export type InitialValue = (at: number, bytes: number) => bigint;

/** Observes a run. */
export interface RunObserver {
  /** Called when a write's value becomes known. Reads may choose it from now on. */
  onWrite(write: GraphEvent): void;
  /** Called after `spend`. It may throw to end the run. */
  onSpent(): void;
}
