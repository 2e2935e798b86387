import { check } from '@nccl-ts/checker';
import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { cft, logicalEndpoint } from '@nccl-ts/cft';
import {
  getCftDeviceLeInfo,
  getMultimemDeviceLeInfo,
  getPeerDeviceLeInfo,
  World,
  type Communicator,
  type HostCftMode,
  type Window,
} from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel, type HostOf, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { createTeam } from '@nccl-ts/topology';
import { describe, expect, it } from 'vitest';

/** Runs the program of one rank in a world of two. */
async function onRankZero(
  work: (comm: Communicator, win: Window<'u32'>) => Promise<void> | void,
  hostCftMode?: HostCftMode,
  options: Partial<SimOptions> = {},
): Promise<void> {
  const backend = sim({ ranks: 2, ...options });
  await using world = await World.open({ backend, ...(hostCftMode === undefined ? {} : { hostCftMode }) });
  await world.run(async (comm) => {
    const win = await comm.allocWindow('u32', 8);
    if (comm.rank === 0) await work(comm, win);
  });
}

describe('a logical endpoint for a host', () => {
  it('is missing until there is a device communicator with endpoints, or after it', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2 }) });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 8);
      expect(() => getPeerDeviceLeInfo(win, 0, 1)).toThrow(
        expect.objectContaining({
          code: 'NCCL_INVALID_USAGE',
          message:
            "getPeerDeviceLeInfo: there are no logical endpoints yet; first createDevComm({ cftCaps: 'cft' }), or open " +
            "the world with hostCftMode: 'enable'.",
        }),
      );
      const dev = await comm.createDevComm({ cftCaps: 'cft' });
      expect(getPeerDeviceLeInfo(win, 4, 1).leOffset - getPeerDeviceLeInfo(win, 0, 1).leOffset).toBe(4);
      expect(() => getMultimemDeviceLeInfo(win, 0)).toThrow('there are no multicast endpoints yet');
      await dev.destroy();
      expect(() => getPeerDeviceLeInfo(win, 0, 1)).toThrow('there are no logical endpoints yet');
    });
  });

  it.each(['enable', 'fallback'] as const)('is there from the start with the mode %s', async (mode) => {
    await onRankZero((_comm, win) => {
      expect(getCftDeviceLeInfo(win, 0, 1, createTeam(2, 0, 1))).toEqual(getPeerDeviceLeInfo(win, 0, 1));
      expect(getMultimemDeviceLeInfo(win, 0).leOffset).toBe(getPeerDeviceLeInfo(win, 0, 1).leOffset);
    }, mode);
  });

  it('is refused if the ranks have none', async () => {
    await onRankZero(
      (_comm, win) => {
        expect(() => getMultimemDeviceLeInfo(win, 0)).toThrow(
          expect.objectContaining({
            code: 'NCCL_INVALID_ARGUMENT',
            message: expect.stringContaining('have no multicast'),
          }),
        );
      },
      'enable',
      { multimem: false },
    );
    const backend = sim({ ranks: 2, symmetric: false });
    await expect(World.open({ backend, hostCftMode: 'enable' })).rejects.toMatchObject({
      code: 'NCCLTS_NOT_SUPPORTED',
      message: expect.stringContaining('which these ranks do not have'),
    });
    await using without = await World.open({ backend, hostCftMode: 'fallback' });
    expect(without.comm(0).properties.cftSupport).toBe(false);
  });

  it('is refused for another rank, offset, team or window', async () => {
    await onRankZero((_comm, win) => {
      expect(() => getPeerDeviceLeInfo(win, 0, 2)).toThrow('peer must be an integer from 0 to 1');
      expect(() => getPeerDeviceLeInfo(win, 32, 1)).toThrow('offset must be an integer from 0 to 31');
      expect(() => getCftDeviceLeInfo(win, 0, 2, createTeam(2, 0, 1))).toThrow('peer must be an integer from 0 to 1');
      expect(() => getCftDeviceLeInfo(win, 0, 0, createTeam(2, 1, 1))).toThrow('peer 0 of the team would be rank -1');
    }, 'enable');
    await using world = await World.open({ backend: sim({ ranks: 1 }), hostCftMode: 'enable' });
    await world.run(async (comm) => {
      // WindowFlags.CollSymmetric and GinOnly
      const ginOnly = await comm.allocWindow('u32', 8, { flags: 5 });
      expect(() => getPeerDeviceLeInfo(ginOnly, 0, 0)).toThrow('a window with WindowFlags.GinOnly has no logical');
    });
  });
});

const params = { win: window, le: logicalEndpoint };

/** Puts through an endpoint of the host, and loads the words with or without waiting for them. */
const put = (FLUSH: boolean): Kernel<{ readonly [Name in keyof typeof params]: HostOf<(typeof params)[Name]> }> =>
  kernel(
    { name: `hostPut_${FLUSH}`, use: { cft, lsa, FLUSH }, params },
    ({ cft, lsa, FLUSH, coopThread, sharedArray, u32, u64 }, { win, le }) => {
      const part = sharedArray(u32, 4);
      const fabric = cft.session(coopThread(), sharedArray(u64, 2));
      for (let i = u32(0); i < 4; i++) part.store(i, 7);
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      fabric.put(coopThread(), le.leId, le.leOffset, part, 16);
      fabric.submit(coopThread());
      if (FLUSH) fabric.flush(coopThread());
      cft.memFence(coopThread(), 'release', 'fabric', 'generic', 'system');
      cft.memFence(coopThread(), 'acquire', 'fabric', 'generic', 'system');
      lsa.localPointer(win, u32, 0).load(3);
      if (!FLUSH) fabric.flush(coopThread());
    },
  );

describe('the checker', () => {
  it.each([
    ['in one schedule', { strategy: 'late' }],
    ['in all executions', { strategy: 'exhaustive' }],
  ] as const)('finds a race over an endpoint of a host %s, and none after the flush', async (_name, how) => {
    const kinds = async (flush: boolean): Promise<readonly string[]> => {
      const report = await check({ ranks: 1, ...how }, async (backend) => {
        await using world = await World.open({ backend, hostCftMode: 'enable' });
        await world.run(async (comm) => {
          const win = await comm.allocWindow('u32', 4);
          await win.write([0, 0, 0, 0]);
          await comm.launch(put(flush), { grid: 1, block: 1 }, { win, le: getPeerDeviceLeInfo(win, 0, 0) });
        });
      });
      return [...new Set(report.findings.map(({ kind }) => kind))];
    };
    expect(await kinds(true)).toEqual([]);
    expect(await kinds(false)).toEqual(['race']);
  });
});
