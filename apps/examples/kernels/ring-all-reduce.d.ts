import type { Communicator } from '@nccl-ts/communicator';
/**
 * An in-place ring AllReduce. The array has as many chunks as there are ranks, and every rank reads
 * only from its left neighbour. For n - 1 steps it adds a chunk of the neighbour to its own. Then
 * each rank has one chunk with the sum of all ranks. For another n - 1 steps the finished chunks
 * travel around the ring.
 *
 * `count` must be divisible by the number of ranks. The kernel needs one LSA barrier for each CTA.
 */
export declare const ringAllReduce: import('@nccl-ts/kernel').Kernel<
  import('@nccl-ts/kernel').ParamsHost<{
    readonly comm: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').DevComm,
      import('@nccl-ts/devcomm').DevCommArg
    >;
    readonly win: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').Window,
      import('@nccl-ts/devcomm').WindowArg
    >;
    readonly count: import('@nccl-ts/kernel').ScalarParam<'u32', number>;
  }>
>;
/** Element i of rank r is r * i. Afterwards every rank has i times the sum of all ranks. */
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
//# sourceMappingURL=ring-all-reduce.d.ts.map
