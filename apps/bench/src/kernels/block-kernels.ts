import { devComm, symPtr, type DevCommArg, type SymPtrArg } from '@nccl-ts/devcomm';
import { i32, kernel, u32, type Kernel, type ScalarParam } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';

/**
 * The operation of a kernel's building block: sums to the rank's own memory, sums to all ranks,
 * copies to all ranks.
 */
export type BlockOp = 'reduce' | 'reduceCopy' | 'copy';
export type BlockElement = 'f32' | 'bf16' | 'f16' | 'i32' | 'u8';

export type BlockKernel = Kernel<{
  readonly comm: DevCommArg;
  readonly src: SymPtrArg;
  readonly dst: SymPtrArg;
  readonly count: number;
  readonly times: number;
}>;

/** A kernel in which all threads of a CTA call a building block this many times. */
export function blockKernel(op: BlockOp, type: ScalarParam<BlockElement, unknown>): BlockKernel {
  const params = { comm: devComm, src: symPtr(type), dst: symPtr(type), count: u32, times: i32 };
  const use = { reduceCopy };
  switch (op) {
    case 'reduce':
      return kernel(
        { name: 'blockReduce', use, params },
        ({ reduceCopy, coopCta }, { comm, src, dst, count, times }) => {
          for (let i = 0; i < times; i++) reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), count, comm);
        },
      );
    case 'reduceCopy':
      return kernel(
        { name: 'blockReduceCopy', use, params },
        ({ reduceCopy, coopCta }, { comm, src, dst, count, times }) => {
          for (let i = 0; i < times; i++) reduceCopy.lsaReduceSumCopy(coopCta(), src, dst, count, comm);
        },
      );
    case 'copy':
      return kernel({ name: 'blockCopy', use, params }, ({ reduceCopy, coopCta }, { comm, src, dst, count, times }) => {
        for (let i = 0; i < times; i++) reduceCopy.lsaCopy(coopCta(), src.localPtr(), dst, count, comm);
      });
  }
}
