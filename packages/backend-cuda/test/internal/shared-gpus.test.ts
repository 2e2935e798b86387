import { expect, test } from 'vitest';
import { checkSharing } from '../../src/runtime/shared-gpus.ts';

const host = { env: {}, root: '', home: '/' };

test('ranks share a GPU from NCCL 2.30.3 on', () => {
  for (const version of [23003, 23007, 30000]) expect(() => checkSharing(version, host)).not.toThrow();
  expect(() => checkSharing(22907, host)).toThrow(
    expect.objectContaining({
      code: 'NCCLTS_NCCL_TOO_OLD',
      message: 'Several ranks on one GPU need NCCL 2.30.3, and this is 2.29.7.',
    }),
  );
});
