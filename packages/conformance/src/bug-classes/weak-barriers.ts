import type { MemoryOrder } from '@nccl-ts/core';
import type { MissingKind } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass, BugProgram } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const pushNext = (ORDER: MemoryOrder, MULTIMEM: boolean): BugKernel =>
  kernel(
    { name: `pushNext_${ORDER}_${MULTIMEM}`, use: { lsa, ORDER, MULTIMEM }, params },
    ({ lsa, ORDER, MULTIMEM, coopCta, threadIdx, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0, { multimem: MULTIMEM });
      const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      next.store(threadIdx.x, u32(comm.rank) * 10 + threadIdx.x);
      bar.sync(coopCta(), ORDER);
      const mine = lsa.localPointer(inbox, u32, 0);
      const seen = mine.load(threadIdx.x);
      lsa.localPointer(out, u32, 0).store(threadIdx.x, seen);
    },
  );

function program(ORDER: MemoryOrder, missing: readonly MissingKind[], MULTIMEM = false): BugProgram {
  return bugProgram({
    name: `L4/${ORDER}${MULTIMEM ? '-multimem' : ''}`,
    requirements: { lsaBarrierCount: 1, lsaMultimem: MULTIMEM },
    launches: [{ kernel: pushNext(ORDER, MULTIMEM), block: 2 }],
    result: (rank) => [0, 1].map((i) => ((rank + 1) % 2) * 10 + i),
    expects: missing.length === 0 ? 'clean' : { kind: 'race', lines: ['mine.load(', 'next.store('], missing },
  });
}

export const weakBarrier: BugClass = {
  id: 'L4',
  title: "a barrier's order is too weak for the data that it protects",
  programs: [
    program('relaxed', ['release', 'acquire']),
    program('acquire', ['release']),
    program('release', ['acquire']),
    program('acq_rel', []),
    program('seq_cst', []),
    program('acquire', ['release'], true),
    program('release', ['acquire'], true),
    program('acq_rel', [], true),
  ],
};
