import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { exploreKernel } from './run-kernel.ts';

/**
 * Peterson's lock of two ranks. Each wants in, gives way, and waits while the other wants in and it
 * is the other's turn. Word 2 is the turn, and word 3 the data.
 */
const peterson = (FENCES: 'seq_cst' | 'acq_rel') =>
  kernel(
    { name: `peterson_${FENCES}`, use: { lsa, FENCES }, params: { comm: devComm, shared: window, found: window } },
    ({ lsa, FENCES, fence, waitUntil, u32, i32 }, { comm, shared }) => {
      const words = lsa.pointer(shared, u32, 0, 0);
      const rank = comm.lsaRank;
      const other = 1 - rank;
      words.store(rank, 1, 'relaxed', 'system');
      fence('seq_cst', 'system');
      words.store(2, u32(other), 'relaxed', 'system');
      fence(FENCES, 'system');
      waitUntil(
        () => words.load(other, 'acquire', 'system') !== 1 || i32(words.load(2, 'acquire', 'system')) !== other,
      );
      words.store(3, words.load(3) + 1);
      words.store(rank, 0, 'release', 'system');
    },
  );

describe('a lock whose waits read two words', () => {
  it('never blocks both ranks, since the turn is the same for both', async () => {
    const { complete, kinds } = await exploreKernel(peterson('seq_cst'), { ranks: 2 });
    expect({ complete, kinds }).toEqual({ complete: true, kinds: [] });
  });

  it('lets both in without a sequential fence before the wait', async () => {
    const { complete, kinds } = await exploreKernel(peterson('acq_rel'), { ranks: 2 });
    expect({ complete, kinds }).toEqual({ complete: true, kinds: ['race'] });
  });
});
