import type { Extent } from '@nccl-ts/communicator';
import type { Expectation } from './memory/expectation.ts';
import type { HarnessArgument } from './memory/harness-argument.ts';
import type { Pointer } from './memory/pointer.ts';
import type { WriteStep } from './memory/write-step.ts';

/** Options of a copy or a memset. */
export interface CopyOptions {
  /** The stream of the rank, from 0. Steps on different streams run concurrently. @default 0 */
  readonly stream?: number;
}

/** Options of a launch in a list of steps. */
export interface LaunchStepOptions extends CopyOptions {
  /** The number of CTAs. @default that of the kernel */
  readonly grid?: Extent;
  /** The number of threads of each CTA. @default that of the kernel */
  readonly block?: Extent;
}

/** Options of a write of a word. */
export interface WordOptions extends CopyOptions {
  /** The size of the word. @default 4 */
  readonly bytes?: 4 | 8;
}

/** Options of a wait for a word. */
export interface WaitWordOptions extends WordOptions {
  /** @default 'geq' */
  readonly condition?: WordCondition;
}

/** A launch of a kernel. */
export interface LaunchStep extends LaunchStepOptions {
  readonly kind: 'launch';
  /** The name of the kernel in the harness. */
  readonly kernel: string;
  readonly args: readonly HarnessArgument[];
  readonly stream: number;
}

/** A copy on the device. */
export interface MemcpyStep {
  readonly kind: 'memcpy';
  readonly to: Pointer;
  readonly from: Pointer;
  readonly bytes: number;
  readonly stream: number;
  /** `file:line:column` of the call, if it is known. */
  readonly location?: string;
}

/** A memset on the device. */
export interface MemsetStep {
  readonly kind: 'memset';
  readonly to: Pointer;
  readonly value: number;
  readonly bytes: number;
  readonly stream: number;
  readonly location?: string;
}

/** A wait of the host, for one stream or for all. */
export interface SynchronizeStep {
  readonly kind: 'synchronize';
  readonly stream?: number;
}

/** A write of a word on a stream, as `cuStreamWriteValue32` and `cuStreamWriteValue64` do it. */
export interface WriteWordStep {
  readonly kind: 'writeWord';
  readonly to: Pointer;
  readonly value: bigint;
  readonly bytes: 4 | 8;
  readonly stream: number;
  readonly location?: string;
}

/**
 * The condition of a wait for a word, as `CUstreamWaitValue_flags` name them: `geq` is a signed
 * comparison of the difference, `and` needs a common bit, and `nor` a bit that neither has.
 */
export type WordCondition = 'geq' | 'eq' | 'and' | 'nor';

/** A wait of a stream for a word, as `cuStreamWaitValue32` and `cuStreamWaitValue64` do it. */
export interface WaitWordStep {
  readonly kind: 'waitWord';
  readonly from: Pointer;
  readonly value: bigint;
  readonly condition: WordCondition;
  readonly bytes: 4 | 8;
  readonly stream: number;
  readonly location?: string;
}

/** A record of an event, or a wait of a stream for the last record of it. */
export interface EventStep {
  readonly kind: 'record' | 'waitEvent';
  /** The number of the event, from 0. */
  readonly event: number;
  readonly stream: number;
}

/** A meeting of the hosts of all ranks, as `MPI_Barrier` is one. Kernels go on meanwhile. */
export interface BarrierStep {
  readonly kind: 'barrier';
}

/** An action between two launches: a write of the host, a copy or a memset. */
export type HostStep = WriteStep | MemcpyStep | MemsetStep;

/**
 * One step of a rank. On a stream it is a launch, a copy, a memset, a word or an event. For the
 * host it is a write, a wait, a barrier or a comparison.
 */
export type Step =
  | LaunchStep
  | HostStep
  | SynchronizeStep
  | WriteWordStep
  | WaitWordStep
  | EventStep
  | BarrierStep
  | Expectation;

const kinds: readonly string[] = [
  'launch',
  'memcpy',
  'memset',
  'write',
  'synchronize',
  'writeWord',
  'waitWord',
  'record',
  'waitEvent',
  'barrier',
  'expectation',
] satisfies readonly Step['kind'][];

export function isStep(value: unknown): value is Step {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    kinds.includes(value.kind)
  );
}
