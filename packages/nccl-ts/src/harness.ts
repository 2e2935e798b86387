// Launches of kernels that are already there.
export * from '@nccl-ts/harness';
