import { DeadlockError } from '@nccl-ts/backend-sim';
import { describe, expect, it } from 'vitest';
import { run } from './support/all-to-all.ts';

describe('an all-to-all exchange on the simulator', () => {
  it('without a sender is a deadlock that names the awaited word', async () => {
    const failed = run({ ranks: 2, grid: 1, epochs: 1, silent: 1 });
    await expect(failed).rejects.toThrow(DeadlockError);
    // The first epoch is 2.
    await expect(failed).rejects.toThrow(/byte \d+ of ranks 0-1's copy is 0 \(u64\)\n *= note: waits for 2\n/);
  });

  it('in a block that does not exist is reported as misuse', async () => {
    await expect(run({ ranks: 2, grid: 2, epochs: 1, shift: 1 })).rejects.toMatchObject({ code: 'NCCLTS_MISUSE' });
  });
});
