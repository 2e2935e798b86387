import { LaunchRecord, type KernelArg, type LaunchRecordInit } from '@nccl-ts/transport';
import type { KernelCode } from './kernel-code.ts';
import type { Stream } from './stream.ts';

export interface LaunchInit extends LaunchRecordInit<Stream> {
  readonly args: readonly KernelArg[];
  /** What is compiled for launches like this one, where kernels can reach so many buffers of the caller. */
  readonly code: (segments: number) => Promise<KernelCode>;
}

/** A launch of this backend. */
export class Launch extends LaunchRecord<Stream> {
  readonly args: readonly KernelArg[];
  readonly code: (segments: number) => Promise<KernelCode>;

  constructor(init: LaunchInit) {
    super(init);
    this.args = init.args;
    this.code = init.code;
  }
}
