import type { SliceArgs } from '@nccl-ts/core';

/** Sets the name and position of a process or a thread. */
export interface MetadataEvent {
  readonly ph: 'M';
  readonly name: 'process_name' | 'process_sort_index' | 'thread_name' | 'thread_sort_index';
  readonly pid: number;
  /** Only for threads. */
  readonly tid?: number;
  readonly args: { readonly name: string } | { readonly sort_index: number };
}

/** A slice. Times are in microseconds. */
export interface CompleteEvent {
  readonly ph: 'X';
  readonly name: string;
  readonly cat: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args?: SliceArgs;
}

/**
 * One end of an arrow. `f` is where it points, in the slice around `ts` (`bp`). `s` is where it
 * starts.
 */
export interface FlowEvent {
  readonly ph: 's' | 'f';
  readonly name: string;
  readonly cat: string;
  readonly id: number;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds. */
  readonly ts: number;
  /** Only for `f`. */
  readonly bp?: 'e';
}

/** Values of a process from `ts`, which viewers draw as a curve. */
export interface CounterEvent {
  readonly ph: 'C';
  readonly name: string;
  readonly pid: number;
  /** In microseconds. */
  readonly ts: number;
  readonly args: Readonly<Record<string, number>>;
}

export type ChromeTraceEvent = MetadataEvent | CompleteEvent | FlowEvent | CounterEvent;

/**
 * A trace in the JSON object format of Chrome's trace events, which Perfetto, `chrome://tracing`
 * and others read.
 *
 * @see https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
export interface ChromeTrace {
  /**
   * Viewers show times to the nanosecond. This field comes first, because stream readers need it
   * early.
   */
  readonly displayTimeUnit: 'ns';
  readonly traceEvents: readonly ChromeTraceEvent[];
}
