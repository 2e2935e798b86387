import type { Fault, Waiting } from '@nccl-ts/findings';
import type { CtaIdentity, Dim3 } from '@nccl-ts/transport';
import type { WebAssemblyMemory, ArgValue, PortableCode, Regions } from '@nccl-ts/codegen';

/** A message from a world to its threads. All of it can be cloned. */
export type ToWorker =
  | {
      readonly kind: 'begin';
      /** The thread's number, from 0. */
      readonly thread: number;
      readonly threads: number;
      /** The words of `Control`, and the counts of `Residents`. */
      readonly control: SharedArrayBuffer;
      readonly residents: SharedArrayBuffer;
      readonly residentCtas: number;
      /** The number of consecutive turns in which a CTA may reach neither a wait nor its end. */
      readonly turns: number;
    }
  | Work
  | { readonly kind: 'drop'; readonly launch: number }
  | { readonly kind: 'explain'; readonly query: number };

/** Launches, and the changes since the last ones. */
export interface Work {
  readonly kind: 'work';
  /**
   * The memory and its initial contents, and the addresses of the frames: one for the world's own
   * thread, and one for each other thread.
   */
  readonly memory: { readonly memory: WebAssemblyMemory; readonly frames: number } | undefined;
  /** The current size. */
  readonly bytes: number;
  readonly regions: Regions | undefined;
  readonly codes: readonly { readonly id: number; readonly kernel: string; readonly code: PortableCode }[];
  readonly launches: readonly LaunchOrder[];
}

export interface LaunchOrder {
  readonly id: number;
  readonly rank: number;
  readonly code: number;
  readonly args: readonly ArgValue[];
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly ctas: number;
  /** The words of `LaunchWords`. */
  readonly words: SharedArrayBuffer;
}

/** A message from a thread to its world. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly problem: string | undefined }
  | { readonly kind: 'ended'; readonly launch: number }
  | {
      readonly kind: 'print';
      readonly launch: number;
      readonly cta: CtaIdentity;
      readonly thread: number;
      readonly parts: readonly (string | number | bigint | boolean)[];
    }
  | { readonly kind: 'failed'; readonly launch: number; readonly failure: WorkerFailure }
  | { readonly kind: 'dropped'; readonly launch: number }
  | { readonly kind: 'idle' }
  | { readonly kind: 'explained'; readonly query: number; readonly parked: readonly ParkedReport[] };

/**
 * The reason why a launch cannot continue: a fault, a CTA that never ends, or an unexpected error.
 */
export type WorkerFailure =
  | { readonly kind: 'fault'; readonly cta: CtaIdentity; readonly fault: Fault }
  | { readonly kind: 'spent'; readonly cta: CtaIdentity }
  | { readonly kind: 'broke'; readonly message: string };

/** A CTA that waits. */
export interface ParkedReport {
  readonly launch: number;
  readonly cta: number;
  readonly waiting: readonly Waiting[];
  /** The error of the query. */
  readonly failure: WorkerFailure | undefined;
}
