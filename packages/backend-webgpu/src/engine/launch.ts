import { LaunchRecord, type KernelArg, type LaunchRecordInit } from '@nccl-ts/transport';
import type { KernelCode } from './kernel-code.ts';
import type { WebgpuStream } from './stream.ts';

export interface LaunchInit extends LaunchRecordInit<WebgpuStream> {
  readonly args: readonly KernelArg[];
  /**
   * Returns the compiled code of such launches, for kernels that can access the given number of the
   * caller's buffers.
   */
  readonly code: (segments: number) => Promise<KernelCode>;
}

/** A launch of this backend. */
export class WebgpuLaunch extends LaunchRecord<WebgpuStream> {
  readonly args: readonly KernelArg[];
  readonly code: (segments: number) => Promise<KernelCode>;

  constructor(init: LaunchInit) {
    super(init);
    this.args = init.args;
    this.code = init.code;
  }
}
