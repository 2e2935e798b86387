import type { Communicator } from '@nccl-ts/communicator';
/**
 * Computes dot products of pairs of vectors that are distributed over the ranks, with `count`
 * elements on each. Every CTA has its own pair, and every thread multiplies its share. The sums are
 * combined from lane to lane within the warps, through shared memory within the CTA, and through
 * the peers' memory across ranks. A CTA has `nRanks + 1` words in `out`: the parts of the ranks,
 * and then the result.
 *
 * CTAs must have whole warps. Each needs an LSA barrier.
 */
export declare const dotProduct: import('@nccl-ts/kernel').Kernel<
  import('@nccl-ts/kernel').ParamsHost<{
    readonly comm: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').DevComm,
      import('@nccl-ts/devcomm').DevCommArg
    >;
    readonly x: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').Window,
      import('@nccl-ts/devcomm').WindowArg
    >;
    readonly y: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').Window,
      import('@nccl-ts/devcomm').WindowArg
    >;
    readonly out: import('@nccl-ts/kernel').HandleParam<
      import('@nccl-ts/devcomm').Window,
      import('@nccl-ts/devcomm').WindowArg
    >;
    readonly count: import('@nccl-ts/kernel').ScalarParam<'u32', number>;
  }>
>;
/**
 * Over all ranks, the vectors of each pair are 0, 1, 2, ... and b, b, b, ..., where b is 1 in the
 * first pair and 2 in the second. So the results are multiples of the sum of the first numbers.
 */
export declare function host(
  comm: Communicator,
  {
    grid,
    block,
  }: {
    grid: number;
    block: number;
  },
): Promise<readonly number[]>;
//# sourceMappingURL=dot-product.d.ts.map
