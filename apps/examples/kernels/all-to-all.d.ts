import type { Communicator } from '@nccl-ts/communicator';
/**
 * Every rank has a chunk of `count` elements for every rank. Chunk p of rank r becomes chunk r of
 * rank p, like the transpose of a matrix that is distributed over the ranks. Ranks only write to
 * each other, and do not read.
 *
 * The kernel needs one LSA barrier for each CTA.
 */
export declare const allToAll: import('@nccl-ts/kernel').Kernel<
  import('@nccl-ts/kernel').ParamsHost<{
    readonly comm: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').DevComm,
      import('@nccl-ts/devcomm').DevCommArg
    >;
    readonly send: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').Window,
      import('@nccl-ts/devcomm').WindowArg
    >;
    readonly recv: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').Window,
      import('@nccl-ts/devcomm').WindowArg
    >;
    readonly count: import('@nccl-ts/kernel').ScalarParam<'u32', number>;
  }>
>;
/** Chunk p of rank r holds 10 r + p, and afterwards 10 p + r. */
export declare function host(
  comm: Communicator,
  {
    grid,
    block,
  }: {
    grid: number;
    block: number;
  },
): Promise<Float32Array>;
//# sourceMappingURL=all-to-all.d.ts.map
