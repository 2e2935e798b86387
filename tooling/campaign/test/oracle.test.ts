import type { MemoryOrder } from '@nccl-ts/core';
import { expect, test } from 'vitest';
import { truthOf } from '../src/oracle.ts';
import type { CampaignProgram, Statement } from '../src/program.ts';

const data = { home: 0, word: 0, bytes: 4 } as const;
const flag = { home: 0, word: 1, bytes: 4 } as const;
const message = (order: MemoryOrder, ...more: readonly Statement[]): CampaignProgram => ({
  ranks: 2,
  lsaSize: 2,
  grid: 1,
  block: 1,
  words: 2,
  readsWords: false,
  steps: [{ kind: 'launch', kernel: 0, stream: 0 }],
  kernels: [
    {
      parts: [
        {
          kind: 'thread',
          rank: 0,
          cta: 0,
          thread: 0,
          body: [
            { kind: 'store', at: data, value: 1 },
            { kind: 'store', at: flag, value: 1, ordering: { order, scope: 'system' } },
          ],
        },
        {
          kind: 'thread',
          rank: 1,
          cta: 0,
          thread: 0,
          body: [
            { kind: 'wait', at: flag, until: '===', value: 1, ordering: { order: 'acquire', scope: 'system' } },
            { kind: 'load', at: data, keep: true },
            ...more,
          ],
        },
      ],
    },
  ],
});

test('a released message has one outcome and no race', () => {
  expect(truthOf(message('release'))).toEqual({ outcomes: new Set(['   |  101 ']), races: false, deadlocks: false });
});

test('a message without a release may be missed, and races', () => {
  const outcomes = new Set(['   |  101 ', '   |  100 ']);
  expect(truthOf(message('relaxed'))).toEqual({ outcomes, races: true, deadlocks: false });
});

test('a wait for a value that is never stored does not end', () => {
  const never: Statement = { kind: 'wait', at: flag, until: '===', value: 2 };
  expect(truthOf(message('release', never))?.deadlocks).toBe(true);
});

test('a program with a network is refused', () => {
  expect(truthOf(message('release', { kind: 'flush', context: 0 }))).toBeUndefined();
});
