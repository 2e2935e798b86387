import type { MemoryScope } from '@nccl-ts/core';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel, type BugLaunch } from './bug-program.ts';

/** A kernel passes a word to another kernel of the same GPU. */
const send = (SCOPE: MemoryScope): BugKernel =>
  kernel({ name: `send_${SCOPE}`, use: { lsa, SCOPE }, params }, ({ lsa, SCOPE, u32 }, { inbox }) => {
    const words = lsa.localPointer(inbox, u32, 0);
    words.store(1, 42);
    words.store(0, 1, 'release', SCOPE);
  });

const receive = (SCOPE: MemoryScope): BugKernel =>
  kernel(
    { name: `receive_${SCOPE}`, use: { lsa, SCOPE }, params },
    ({ lsa, SCOPE, waitUntil, u32 }, { inbox, out }) => {
      const words = lsa.localPointer(inbox, u32, 0);
      waitUntil(() => words.load(0, 'acquire', SCOPE) === 1);
      const seen = words.load(1);
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

const launches = (scope: MemoryScope, domain: 'default' | 'remote'): readonly BugLaunch[] => [
  { kernel: send(scope), stream: 'sends', attributes: { memSyncDomain: 'remote' } },
  { kernel: receive(scope), stream: 'receives', attributes: { memSyncDomain: domain } },
];

export const otherDomain: BugClass = {
  id: 'L25',
  title: 'device scope between kernels of different memory synchronisation domains',
  programs: [
    bugProgram({
      name: 'L25/at-device',
      ranks: 1,
      launches: launches('device', 'default'),
      expects: {
        kind: 'race',
        lines: ['words.load(1)', 'words.store(1, 42)'],
        missing: ['scope'],
      },
    }),
    bugProgram({
      name: 'L25/at-system',
      ranks: 1,
      launches: launches('system', 'default'),
      result: () => [42],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L25/one-domain',
      ranks: 1,
      launches: launches('device', 'remote'),
      result: () => [42],
      expects: 'clean',
    }),
  ],
};
