import type { NcclError } from '@nccl-ts/core';
import type { Dim3 } from '../backend.ts';
import type { KernelText } from './kernel-text.ts';

export interface LaunchRecordInit<Stream> {
  readonly id: number;
  readonly kernel: KernelText;
  readonly label: string | undefined;
  readonly stream: Stream;
  readonly grid: Dim3;
  readonly block: Dim3;
}

/**
 * A launch of a kernel on one rank, from the time it is enqueued. Backends add fields for running
 * it.
 */
export class LaunchRecord<Stream extends { readonly rank: number }> {
  /** The number of the launch in the world, from 0. */
  readonly id: number;
  readonly kernel: KernelText;
  /** The purpose of the launch, as its program describes it. */
  readonly label: string | undefined;
  readonly stream: Stream;
  readonly rank: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** The number of CTAs of the grid. */
  readonly ctas: number;
  readonly blockThreads: number;
  state: 'queued' | 'running' | 'ended' = 'queued';
  /** The reason why it must not run, which becomes its error when the stream reaches it. */
  cancelled: NcclError | undefined;
  /** Called once, when the launch has ended or will never run. */
  onEnd: (() => void) | undefined;

  constructor(init: LaunchRecordInit<Stream>) {
    this.id = init.id;
    this.kernel = init.kernel;
    this.label = init.label;
    this.stream = init.stream;
    this.rank = init.stream.rank;
    this.grid = init.grid;
    this.block = init.block;
    this.ctas = init.grid.x * init.grid.y * init.grid.z;
    this.blockThreads = init.block.x * init.block.y * init.block.z;
  }

  end(): void {
    this.state = 'ended';
    this.onEnd?.();
    this.onEnd = undefined;
  }
}
