import { devComm, window } from '@nccl-ts/devcomm';
import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { exploreKernel } from './run-kernel.ts';

const params = { comm: devComm, shared: window, found: window };

/** Word 0 is the data, word 1 the flag. */
const message = (store: MemoryOrder, load: MemoryOrder, scope: MemoryScope) =>
  kernel(
    { name: 'message', use: { lsa, STORE: store, LOAD: load, SCOPE: scope }, params },
    ({ lsa, STORE, LOAD, SCOPE, u32 }, { comm, shared, found }) => {
      const words = lsa.pointer(shared, u32, 0, 0);
      if (comm.rank === 0) {
        words.store(0, 1);
        words.store(1, 1, STORE, SCOPE);
      } else {
        const own = lsa.localPointer(found, u32, 0);
        own.store(0, words.load(1, LOAD, SCOPE));
        own.store(1, words.load(0));
      }
    },
  );

/** Publishes as an LSA barrier does: a fence, then a relaxed flag. */
const fencedMessage = (before: MemoryOrder, scope: MemoryScope) =>
  kernel(
    { name: 'fencedMessage', use: { lsa, BEFORE: before, SCOPE: scope }, params },
    ({ lsa, BEFORE, SCOPE, fence, waitUntil, u32 }, { comm, shared, found }) => {
      const words = lsa.pointer(shared, u32, 0, 0);
      if (comm.rank === 0) {
        words.store(0, 1);
        fence(BEFORE, SCOPE);
        words.store(1, 1, 'relaxed', 'system');
      } else {
        waitUntil(() => words.load(1, 'acquire', 'system') === 1);
        lsa.localPointer(found, u32, 0).store(0, words.load(0));
      }
    },
  );

const storeBuffer = (between: MemoryOrder) =>
  kernel(
    { name: 'storeBuffer', use: { lsa, BETWEEN: between }, params },
    ({ lsa, BETWEEN, fence, u32 }, { comm, shared, found }) => {
      const words = lsa.pointer(shared, u32, 0, 0);
      const me = comm.rank;
      words.store(me, 1, 'relaxed', 'system');
      fence(BETWEEN, 'system');
      lsa.localPointer(found, u32, 0).store(0, words.load(1 - me, 'relaxed', 'system'));
    },
  );

const loadBuffer = (store: MemoryOrder) =>
  kernel({ name: 'loadBuffer', use: { lsa, STORE: store }, params }, ({ lsa, STORE, u32 }, { comm, shared, found }) => {
    const words = lsa.pointer(shared, u32, 0, 0);
    const me = comm.rank;
    const seen = words.load(me, 'relaxed', 'system');
    words.store(1 - me, 1, STORE, 'system');
    lsa.localPointer(found, u32, 0).store(0, seen);
  });

const outOfThinAir = kernel({ name: 'outOfThinAir', use: { lsa }, params }, ({ lsa, u32 }, { comm, shared, found }) => {
  const words = lsa.pointer(shared, u32, 0, 0);
  const me = comm.rank;
  const seen = words.load(me, 'relaxed', 'system');
  words.store(1 - me, seen, 'relaxed', 'system');
  lsa.localPointer(found, u32, 0).store(0, seen);
});

const independentReads = (between: MemoryOrder) =>
  kernel(
    { name: 'independentReads', use: { lsa, BETWEEN: between }, params },
    ({ lsa, BETWEEN, fence, u32 }, { comm, shared, found }) => {
      const words = lsa.pointer(shared, u32, 0, 0);
      const me = comm.rank;
      const own = lsa.localPointer(found, u32, 0);
      if (me < 2) words.store(me, 1, 'relaxed', 'system');
      else {
        const first = words.load(me - 2, 'acquire', 'system');
        fence(BETWEEN, 'system');
        own.store(0, first);
        own.store(1, words.load(3 - me, 'acquire', 'system'));
      }
    },
  );

/** Each thread stores a word, and thread 0 signals the other rank. */
const together = (sync: boolean, early: boolean) =>
  kernel(
    { name: 'together', use: { lsa, SYNC: sync, EARLY: early }, params },
    ({ lsa, SYNC, EARLY, coopCta, threadIdx, fence, waitUntil, u32 }, { comm, shared, found }) => {
      const words = lsa.pointer(shared, u32, 0, 0);
      const t = threadIdx.x;
      if (comm.rank === 0) {
        if (t === 1) words.store(0, 1);
        if (EARLY && t === 1) fence('acq_rel', 'system');
        if (SYNC) coopCta().sync();
        if (t === 0) {
          if (!EARLY) fence('acq_rel', 'system');
          words.store(1, 1, 'relaxed', 'system');
        }
      } else if (t === 0) {
        waitUntil(() => words.load(1, 'acquire', 'system') === 1);
        lsa.localPointer(found, u32, 0).store(0, words.load(0));
      }
    },
  );

const lostUpdate = (scope: MemoryScope) =>
  kernel({ name: 'lostUpdate', use: { lsa, SCOPE: scope }, params }, ({ lsa, SCOPE, u32 }, { comm, shared, found }) => {
    const before = lsa.pointer(shared, u32, 0, 0).atomicAdd(0, 1, 'relaxed', SCOPE);
    lsa.localPointer(found, u32, 0).store(0, before + comm.rank - comm.rank);
  });

const stale = '0 1,0';

describe('kernels read exactly the values that the memory model allows', { timeout: 60_000 }, () => {
  it.each([
    ['release', 'acquire', 'system', false],
    ['relaxed', 'acquire', 'system', true],
    ['release', 'relaxed', 'system', true],
    ['release', 'acquire', 'device', true],
    ['seq_cst', 'seq_cst', 'system', false],
  ] as const)('MP with %s, %s at %s scope: stale %s', async (store, load, scope, allowed) => {
    const { outcomes, complete, kinds } = await exploreKernel(message(store, load, scope), { ranks: 2, words: 2 });
    expect(complete).toBe(true);
    expect(outcomes.includes(stale.replace('0 ', '0,0 '))).toBe(allowed);
    // The data is read whether the flag is set or not.
    expect(kinds).toEqual(['race']);
  });

  it.each([
    ['acq_rel', 'system', ['0 1'], []],
    ['release', 'system', ['0 1'], []],
    ['relaxed', 'system', ['0 0', '0 1'], ['race']],
    ['acquire', 'system', ['0 0', '0 1'], ['race']],
    ['acq_rel', 'device', ['0 0', '0 1'], ['race']],
  ] as const)('N1 with a fence %s at %s scope finds %j', async (before, scope, expected, wrong) => {
    const { outcomes, complete, kinds } = await exploreKernel(fencedMessage(before, scope), { ranks: 2 });
    expect({ outcomes, complete, kinds }).toEqual({ outcomes: expected, complete: true, kinds: wrong });
  });

  it.each([
    ['acq_rel', ['0 0', '0 1', '1 0', '1 1']],
    ['seq_cst', ['0 1', '1 0', '1 1']],
  ] as const)('SB with fences %s finds %j', async (between, expected) => {
    const { outcomes, complete, kinds } = await exploreKernel(storeBuffer(between), { ranks: 2 });
    expect({ outcomes, complete, kinds }).toEqual({ outcomes: expected, complete: true, kinds: [] });
  });

  it.each([
    ['relaxed', ['0 0', '0 1', '1 0', '1 1']],
    ['release', ['0 0', '0 1', '1 0', '1 1']],
  ] as const)('LB with stores %s finds %j', async (store, expected) => {
    const { outcomes, complete } = await exploreKernel(loadBuffer(store), { ranks: 2 });
    expect({ outcomes, complete }).toEqual({ outcomes: expected, complete: true });
  });

  it('no value appears out of thin air', async () => {
    const { outcomes, complete } = await exploreKernel(outOfThinAir, { ranks: 2 });
    expect({ outcomes, complete }).toEqual({ outcomes: ['0 0'], complete: true });
  });

  it.each([
    ['relaxed', true],
    ['seq_cst', false],
  ] as const)('IRIW with fences %s: the readers disagree: %s', async (between, allowed) => {
    const { outcomes, complete } = await exploreKernel(independentReads(between), { ranks: 4, words: 2 });
    expect(complete).toBe(true);
    expect(outcomes.includes('0,0 0,0 1,0 1,0')).toBe(allowed);
  });

  it.each([
    [true, false, ['0 1'], []],
    [false, false, ['0 0', '0 1'], ['race']],
    [true, true, ['0 0', '0 1'], ['race']],
  ] as const)('N3 with sync %s, fenced before it %s finds %j', async (sync, early, expected, wrong) => {
    const { outcomes, complete, kinds } = await exploreKernel(together(sync, early), { ranks: 2, block: 2 });
    expect({ outcomes, complete, kinds }).toEqual({ outcomes: expected, complete: true, kinds: wrong });
  });

  it.each([
    ['system', ['0 1', '1 0'], []],
    ['device', ['0 0', '0 1', '1 0'], ['race']],
  ] as const)('N8 at %s scope finds %j', async (scope, expected, wrong) => {
    const { outcomes, complete, kinds } = await exploreKernel(lostUpdate(scope), { ranks: 2 });
    expect({ outcomes, complete, kinds }).toEqual({ outcomes: expected, complete: true, kinds: wrong });
  });
});
