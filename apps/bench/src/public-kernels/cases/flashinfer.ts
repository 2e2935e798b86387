import {
  array,
  bf16,
  bytes as bytesType,
  f16,
  f32,
  harness,
  ptr,
  struct,
  u32,
  type Allocation,
} from '@nccl-ts/harness';
import { MULTIPROCESSORS, inputAt, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

const AllReduceFusionParams = struct({
  nranks: u32,
  rank: u32,
  size: u32,
  hidden_dim: u32,
  workspace: ptr,
  allreduce_in: ptr,
  allreduce_out: ptr,
  residual_in: ptr,
  residual_out: ptr,
  norm_out: ptr,
  quant_out: bytesType(16, 8),
  rms_gamma: ptr,
  rms_eps: f32,
  weight_bias: f32,
  rest: bytesType(40, 8),
});

/** Elements of a row, as of a model: fewer if the call is shorter. */
const rowOf = (count: number): number => Math.min(4096, count);

/**
 * The launch of `allreduce_fusion_kernel_launcher` for kernels of at most 64 registers a thread.
 */
function shapeOf(
  rows: number,
  row: number,
): { readonly grid: number; readonly block: number; readonly cluster: number } {
  const threadsOfRow = row / 8;
  let cluster = 8;
  while (threadsOfRow % cluster !== 0 && cluster > 1) cluster /= 2;
  let block = threadsOfRow / cluster;
  while (block < 128 && cluster >= 2) [block, cluster] = [2 * block, cluster / 2];
  while (rows * cluster > MULTIPROCESSORS && cluster > 1 && block <= 512) [block, cluster] = [2 * block, cluster / 2];
  return { grid: Math.floor(Math.min(MULTIPROCESSORS, rows * cluster) / cluster) * cluster, block, cluster };
}

/** A mangled name: the pattern of the fusion, and whether dependents may begin late. */
function lamport(name: string, pattern: number, isLate: boolean): PublicKernel {
  const hasNorm = pattern === 1;
  return {
    name,
    source: `FlashInfer: allreduce_fusion_kernel_oneshot_lamport<${hasNorm ? 'kARResidualRMSNorm' : 'kAllReduce'}, bf16, 2, true, ${isLate}>`,
    sizes: sizesUpTo(4 << 20),
    harness: (bytes) => {
      const count = bytes / 2;
      const row = rowOf(count);
      return harness({
        kernel: 'fusion.ptx',
        entry: new RegExp(`oneshot_lamport.*PatternE${pattern}E.*Li2ELb1ELb${isLate ? 1 : 0}E`),
        ranks: 2,
        ...shapeOf(count / row, row),
        launches: 1,
        setup({ rank, nRanks, alloc, peers, sum }) {
          const buffers = alloc('lamport', bf16, 3 * nRanks * count, () => -0);
          const counters = alloc('counters', u32, [0, 0, 0, 2 * nRanks * count, 0]);
          const output = alloc('output', bf16, count);
          const residual = hasNorm ? alloc('residual_out', bf16, count) : output;
          const params = AllReduceFusionParams({
            nranks: nRanks,
            rank,
            size: count,
            hidden_dim: row,
            workspace: alloc('workspace', ptr, [null, null, null, null, ...peers(buffers), counters]),
            allreduce_in: alloc('allreduce_in', bf16, count, (i) => inputAt(rank, i)),
            ...(hasNorm
              ? {
                  residual_in: alloc('residual_in', bf16, count, () => 1),
                  residual_out: residual,
                  norm_out: output,
                  rms_gamma: alloc('rms_gamma', bf16, row, () => 1),
                }
              : { allreduce_out: output }),
          });
          const extra = hasNorm ? 1 : 0;
          return {
            args: [params],
            expect: () => residual.equals((i) => extra + sum((r) => inputAt(r, i))),
          };
        },
      });
    },
  };
}

const TokensOfRanks = struct({ of: array(u32, 2) });

const twoShot: PublicKernel = {
  name: 'flashinfer-two-shot',
  source: 'FlashInfer: allreduce_fusion_kernel_twoshot_sync<kAllReduce, bf16, 2, true>',
  sizes: sizesUpTo(16 << 20).filter((bytes) => bytes >= 16384),
  harness: (bytes) => {
    const count = bytes / 2;
    const row = 4096;
    const rowsOfRank = count / row / 2;
    return harness({
      kernel: 'fusion.ptx',
      entry: 'allreduce_fusion_kernel_twoshot_sync',
      ranks: 2,
      ...shapeOf(rowsOfRank, row),
      launches: 1,
      setup({ rank, nRanks, alloc, peers, sum }) {
        const input = alloc('allreduce_in', bf16, count, (i) => inputAt(rank, i));
        const output = alloc('allreduce_out', bf16, count);
        const data = alloc('comm', bf16, 2 * count);
        const flags = alloc('barrier_flags', u32, 256 * nRanks);
        const counters = alloc('counters', u32, 5);
        const params = AllReduceFusionParams({
          nranks: nRanks,
          rank,
          size: count,
          hidden_dim: row,
          workspace: alloc('workspace', ptr, [...peers(data), ...peers(flags), null, null, counters]),
          allreduce_in: input,
          allreduce_out: output,
        });
        return {
          args: [params, TokensOfRanks({ of: [0, rowsOfRank] }), TokensOfRanks({ of: [rowsOfRank, rowsOfRank] })],
          expect: () => output.equals((i) => sum((r) => inputAt(r, i))),
        };
      },
    });
  },
};

const MoeParams = struct({
  gap0: bytesType(4),
  rank: u32,
  size: u32,
  hidden_dim: u32,
  workspace: ptr,
  gap24: bytesType(16),
  residual_in: ptr,
  residual_out: ptr,
  norm_out: ptr,
  gap64: bytesType(16),
  rms_gamma: ptr,
  rms_eps: f32,
  weight_bias: f32,
  gap96: bytesType(16),
  moe_allreduce_out: ptr,
  moe_reduction_device_num_experts: u32,
  gap124: bytesType(4),
  moe_reduction_scale_input: ptr,
  moe_reduction_active_experts_token_input: ptr,
  moe_reduction_token_input: ptr,
});

const EXPERTS = 4;

const moe: PublicKernel = {
  name: 'flashinfer-moe',
  source: 'FlashInfer: moereduce_allreduce_fusion_kernel_oneshot_lamport<half, 2, true, true, true, false>, 4 experts',
  sizes: sizesUpTo(1 << 20),
  harness: (bytes) => {
    const count = bytes / 2;
    const row = rowOf(count);
    return harness({
      kernel: 'flashinfer-moe-all-reduce.ptx',
      entry: 'moereduce_allreduce_fusion_kernel_oneshot_lamport',
      ranks: 2,
      ...shapeOf(count / row, row),
      launches: 1,
      setup({ rank, nRanks, alloc, peers, sum }) {
        const buffers = alloc('lamport', f16, 3 * nRanks * count, () => -0);
        const counters = alloc('counters', u32, [0, 0, 0, 2 * nRanks * count, 0]);
        const residual: Allocation<number> = alloc('residual_out', f16, count);
        const rows = count / row;
        const params = MoeParams({
          rank,
          size: count,
          hidden_dim: row,
          workspace: alloc('workspace', ptr, [null, null, null, null, ...peers(buffers), counters]),
          residual_in: alloc('residual_in', f16, count, () => 1),
          residual_out: residual,
          norm_out: alloc('norm_out', f16, count),
          rms_gamma: alloc('rms_gamma', f16, row, () => 1),
          rms_eps: 0,
          weight_bias: 0,
          moe_allreduce_out: alloc('moe_allreduce_out', f16, count),
          moe_reduction_device_num_experts: EXPERTS,
          moe_reduction_scale_input: alloc('scale', f32, EXPERTS * rows, () => 1),
          moe_reduction_active_experts_token_input: alloc('experts', f16, EXPERTS * count, (i) => inputAt(rank, i)),
          moe_reduction_token_input: alloc('token', f16, count, () => 1),
        });
        return {
          args: [params],
          expect: () => residual.equals((i) => 1 + sum((r) => EXPERTS * inputAt(r, i) + 1)),
        };
      },
    });
  },
};

/** FlashInfer's fused AllReduce kernels. */
export const flashinfer: readonly PublicKernel[] = [
  lamport('flashinfer-one-shot-late', 0, true),
  lamport('flashinfer-one-shot-early', 0, false),
  lamport('flashinfer-one-shot-norm', 1, true),
  twoShot,
  moe,
];
