import { expect, test } from 'vitest';
import { checkSharing } from '../../src/runtime/shared-gpus.ts';

const host = { env: {}, root: '', home: '/' };

test('ranks can share a GPU since NCCL 2.30.3', () => {
  for (const version of [23003, 23007, 30000]) expect(() => checkSharing(2, version, host)).not.toThrow();
  expect(() => checkSharing(2, 22907, host)).toThrow(
    expect.objectContaining({
      code: 'NCCLTS_NCCL_TOO_OLD',
      message: 'Several ranks on one GPU need NCCL 2.30.3, and this is 2.29.7.',
    }),
  );
});

test('ranks that share a GPU each have a hardware queue, and one is spare', () => {
  const withQueues = (queues: string) => ({ ...host, env: { CUDA_DEVICE_MAX_CONNECTIONS: queues } });
  for (const [ranks, queues] of [
    [2, '8'],
    [7, '8'],
    [31, '32'],
  ] as const) {
    expect(() => checkSharing(ranks, 23007, withQueues(queues))).not.toThrow();
  }
  for (const [ranks, queues] of [
    [2, '1'],
    [8, '8'],
    [32, '32'],
  ] as const) {
    expect(() => checkSharing(ranks, 23007, withQueues(queues))).toThrow(
      expect.objectContaining({
        code: 'NCCL_INVALID_USAGE',
        message: expect.stringContaining(`${ranks} ranks share a GPU, but CUDA_DEVICE_MAX_CONNECTIONS is ${queues}. `),
      }),
    );
  }
});
