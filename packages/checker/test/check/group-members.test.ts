import { check } from '@nccl-ts/checker';
import { devComm, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { hosts } from './every-engine.ts';

const params = { win: window };
const kernels = {
  'a lane outside of the mask': kernel({ name: 'lanes', params }, ({ coopLanes }) => {
    coopLanes(1).sync();
  }),
  'a lane outside of the mask of a vote': kernel({ name: 'votes', params }, ({ coopLanes, threadIdx, assert }) => {
    assert(coopLanes(5).any(threadIdx.x === 0), 'a vote');
  }),
  'a warp outside of the span': kernel({ name: 'spans', params }, ({ coopWarpSpan }) => {
    coopWarpSpan(0, 1, 1).sync();
  }),
};
const right = kernel({ name: 'right', params }, ({ coopLanes, coopWarpSpan, threadIdx }) => {
  if (threadIdx.x < 2) coopLanes(3).sync();
  if (threadIdx.x >= 32) coopWarpSpan(1, 1, 1).sync();
});

const program = (one: typeof right): ReturnType<typeof hosts> =>
  hosts(async (comm) => {
    await comm.launch(one, { grid: 1, block: 64 }, { win: await comm.allocWindow('u32', 4) });
    await comm.synchronize();
  });

describe('a thread that is not in a group', () => {
  it.each(Object.entries(kernels))('must not call its collective: %s', async (_, one) => {
    const { verdict, findings } = await check({ ranks: 1, local: true }, program(one));
    expect(verdict).toBe('misuse');
    expect(findings[0]?.message).toContain('calls this: let only those');
  });

  it('may pass by', async () => {
    expect((await check({ ranks: 1, local: true }, program(right))).verdict).toBe('clean');
  });
});

const opened = kernel(
  { name: 'opened', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopWarp, coopCta }, { comm }) => {
    const bar = lsa.barrierSession(coopWarp(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
  },
);
const openedOnNetwork = kernel(
  { name: 'opened_on_network', use: { gin }, params: { comm: devComm } },
  ({ gin, coopCta, coopThread }, { comm }) => {
    const bar = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', 0);
    bar.sync(coopThread(), 'acq_rel');
  },
);

describe('a session', () => {
  it.each([opened, openedOnNetwork])('is used by the group that opened it: $name', async (one) => {
    const program = hosts(async (comm) => {
      const requirements = { lsaBarrierCount: 2, ginConnectionType: 'full', worldGinBarrierCount: 1 } as const;
      await comm.launch(one, { grid: 1, block: 64 }, { comm: await comm.createDevComm(requirements) });
      await comm.synchronize();
    });
    const { verdict, findings } = await check({ ranks: 2 }, program);
    expect(verdict).toBe('misuse');
    expect(findings.map(({ message }) => message).join(' ')).toContain('pass the group that opened it');
  });
});
