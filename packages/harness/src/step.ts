import type { Extent } from '@nccl-ts/communicator';
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

/** An action between two launches: a write of the host, a copy or a memset. */
export type HostStep = WriteStep | MemcpyStep | MemsetStep;

/** One step of a rank: a launch, a copy, a memset, a write of the host, or a wait of it. */
export type Step = LaunchStep | HostStep | SynchronizeStep;

const kinds: readonly string[] = [
  'launch',
  'memcpy',
  'memset',
  'write',
  'synchronize',
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
