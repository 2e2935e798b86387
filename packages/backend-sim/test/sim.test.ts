import { sim } from '@nccl-ts/backend-sim';
import { isNcclError } from '@nccl-ts/core';
import { describe, expect, it } from 'vitest';

describe('sim()', () => {
  it('is a frozen backend with frozen capabilities', () => {
    const backend = sim({ ranks: 4 });
    expect(backend.name).toBe('sim');
    expect(Object.isFrozen(backend) && Object.isFrozen(backend.capabilities)).toBe(true);
    expect(JSON.parse(JSON.stringify(backend.capabilities))).toEqual(backend.capabilities);
    expect(backend.capabilities).toMatchObject({
      backend: 'sim',
      maxBlockThreads: 1024,
      maxSharedBytes: 232_448,
      divergentWaits: true,
      subgroups: true,
      print: true,
      multimem: true,
      primitives: [
        'gin.post',
        'gin.acquire',
        'gin.reset',
        'gin.checkListed',
        'gin.release',
        'shmem.post',
        'shmem.fence',
        'cft.leIdOf',
        'cft.leBaseOf',
        'cft.begin',
        'cft.end',
        'cft.post',
        'cft.postRed',
        'cft.submit',
        'cft.arrive',
        'cft.arriveAt',
        'cft.settleReads',
        'dependency.isOver',
        'dependency.acquire',
        'cluster.arrive',
        'cluster.isMet',
        'cluster.acquire',
        'cluster.leave',
        'launchDependents',
        'bulk.begin',
        'bulk.copied',
        'bulk.end',
        'bulk.commit',
        'bulk.wait',
        'bulk.fence',
        'findWindow',
        'windowOffset',
        'barrier.vote',
      ],
    });
  });

  it('opens independent worlds', async () => {
    const backend = sim({ ranks: 6, lsaSize: 3 });
    const one = await backend.open({ onStall: () => {} });
    const two = await backend.open({ onStall: () => {} });
    expect(one.topology).toEqual({ nRanks: 6, lsaSize: 3, nLsaTeams: 2 });
    expect(one.localRanks).toEqual([0, 1, 2, 3, 4, 5]);
    await one[Symbol.asyncDispose]();
    expect((await two.alloc(5, 100)).rank).toBe(5);
    await two[Symbol.asyncDispose]();
  });

  it.each([
    [{ ranks: 0 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 1.5 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4097 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, lsaSize: 3 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, lsaSize: 8 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, residentCtas: 0 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, seed: -1 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, memoryBytes: 0 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, fuel: 0 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, multimem: true, symmetric: false }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, multimem: 1 as unknown as boolean }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, lsasize: 2 }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, engine: 'native' as unknown as 'js' }, 'NCCL_INVALID_ARGUMENT'],
    [{ ranks: 4, symmetric: 'no' as unknown as boolean }, 'NCCL_INVALID_ARGUMENT'],
  ] as const)('refuses %o', (options, code) => {
    let thrown: unknown;
    try {
      sim(options);
    } catch (error) {
      thrown = error;
    }
    expect(isNcclError(thrown, code)).toBe(true);
  });

  it.each([
    [{}, true],
    [{ multimem: false }, false],
    [{ symmetric: false }, false],
  ])('with %o has multicast addresses: %s', async (options, multimem) => {
    const backend = sim({ ranks: 2, ...options });
    await using world = await backend.open({ onStall: () => {} });
    expect(backend.capabilities.multimem).toBe(multimem);
    expect(world.support?.multimem).toBe(multimem);
  });

  it('treats undefined as absent', () => {
    expect(() => sim({ ranks: 2, lsaSize: undefined as unknown as number })).not.toThrow();
  });
});
