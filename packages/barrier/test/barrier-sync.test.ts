import { barrier } from '@nccl-ts/barrier';
import { devComm } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { expect, it } from 'vitest';
import { printed, sessionLines } from './support/session-calls.ts';

it('barrier.sync makes a session, synchronizes and ends it', () => {
  const params = { comm: devComm, index: u32 };
  const short = kernel(
    { name: 'k', use: { barrier, gin }, params },
    ({ barrier, gin, coopWarp, i32 }, { comm, index }) => {
      const net = gin.context(comm, 1);
      barrier.sync(coopWarp(), net, 'world', index, 'seq_cst', 'get', { multimem: true });
      // A rank reads the following data after the session has ended.
      i32(0);
    },
  );
  const long = kernel(
    { name: 'k', use: { barrier, gin }, params },
    ({ barrier, gin, coopWarp, i32 }, { comm, index }) => {
      const net = gin.context(comm, 1);
      {
        const bar = barrier.session(coopWarp(), net, 'world', index, { multimem: true });
        bar.sync(coopWarp(), 'seq_cst', 'get');
      }
      i32(0);
    },
  );
  expect(printed(short)).toBe(printed(long));
  expect(sessionLines(short).at(-1)).toBe('lsa.barrierSession.~ 1');
});

it('barrier.sync uses the order acq_rel and the fence putGet by default', () => {
  const plain = kernel(
    { name: 'k', use: { barrier, gin }, params: { comm: devComm } },
    ({ barrier, gin, coopCta }, { comm }) => {
      barrier.sync(coopCta(), gin.context(comm, 0), 'rail', 0);
    },
  );
  expect(sessionLines(plain)).toEqual([
    'barrier.session 0 rail',
    'gin.barrierSession 1 rail',
    'barrier.session.sync 0 acq_rel',
    'gin.barrierSession.sync 1 acq_rel putGet',
  ]);
});
