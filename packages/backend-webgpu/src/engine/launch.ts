import type { NcclError } from '@nccl-ts/core';
import type { KernelText } from '@nccl-ts/findings';
import type { Dim3, KernelArg } from '@nccl-ts/transport';
import type { KernelCode } from './kernel-code.ts';
import type { Stream } from './stream.ts';

export interface LaunchInit {
  readonly id: number;
  readonly kernel: KernelText;
  readonly label: string | undefined;
  readonly stream: Stream;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly args: readonly KernelArg[];
  /**
   * The compiled code of launches like this one, for kernels that can reach the given number of the
   * caller's buffers.
   */
  readonly code: (segments: number) => Promise<KernelCode>;
}

/** One kernel on one rank, from the moment it is enqueued. */
export class Launch {
  /** Counts the launches of the world, from 0. */
  readonly id: number;
  readonly kernel: KernelText;
  /** Its purpose, in its program's words. */
  readonly label: string | undefined;
  readonly stream: Stream;
  readonly rank: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly args: readonly KernelArg[];
  readonly code: (segments: number) => Promise<KernelCode>;
  readonly ctas: number;
  readonly blockThreads: number;
  state: 'queued' | 'running' | 'ended' = 'queued';
  /**
   * The reason why it must not run any more; it fails with it when it reaches the head of the
   * stream.
   */
  cancelled: NcclError | undefined;
  /** Called once, when the launch has ended or will never run. */
  onEnd: (() => void) | undefined;

  constructor(init: LaunchInit) {
    this.id = init.id;
    this.kernel = init.kernel;
    this.label = init.label;
    this.stream = init.stream;
    this.rank = init.stream.rank;
    this.grid = init.grid;
    this.block = init.block;
    this.args = init.args;
    this.code = init.code;
    this.blockThreads = init.block.x * init.block.y * init.block.z;
    this.ctas = init.grid.x * init.grid.y * init.grid.z;
  }

  end(): void {
    this.state = 'ended';
    this.onEnd?.();
    this.onEnd = undefined;
  }
}
