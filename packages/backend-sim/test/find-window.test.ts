import { sim } from '@nccl-ts/backend-sim';
import { winGetUserPtr, World } from '@nccl-ts/communicator';
import { devComm, findWindow, teamWorld, window, windowOffset } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, ptr, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const sends = kernel(
  {
    name: 'sends',
    use: { gin, teamWorld, findWindow, windowOffset },
    params: { comm: devComm, from: ptr(u32), to: ptr(u32) },
  },
  ({ gin, teamWorld, findWindow, windowOffset, coopCta, coopThread, threadIdx }, { comm, from, to }) => {
    const net = gin.context(comm, 0);
    if (threadIdx.x === 0) {
      const recv = findWindow(coopThread(), comm, to);
      const send = findWindow(coopThread(), comm, from);
      const peer = (comm.rank + 1) % comm.nRanks;
      net.put(
        teamWorld(comm),
        peer,
        recv,
        windowOffset(comm, to.offset(2)),
        send,
        windowOffset(comm, from),
        8,
        gin.weakSignalInc(0),
      );
    }
    net.waitSignal(coopCta(), 0, 1);
    net.flush(coopCta());
  },
);

const strays = kernel(
  { name: 'strays', use: { lsa, findWindow }, params: { comm: devComm, win: window } },
  ({ lsa, findWindow, coopCta, print, u32 }, { comm, win }) => {
    const found = findWindow(coopCta(), comm, lsa.localPointer(win, u32, 0).offset(4));
    print(found.lsaRank);
  },
);

describe('a window that a kernel looks up', () => {
  it('can be used by the network', async () => {
    await using world = await World.open({ backend: sim({ ranks: 3, lsaSize: 1 }) });
    const results = await world.run(async (comm) => {
      const src = await comm.allocWindow('u32', 4);
      const dst = await comm.allocWindow('u32', 4);
      await src.write(Uint32Array.of(10 * comm.rank + 1, 10 * comm.rank + 2));
      const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
      const args = { comm: dev, from: winGetUserPtr(src), to: winGetUserPtr(dst) };
      await comm.launch(sends, { grid: 1, block: 4 }, args);
      await comm.synchronize();
      return [...(await dst.read())];
    });
    expect(results).toEqual([
      [0, 0, 21, 22],
      [0, 0, 1, 2],
      [0, 0, 11, 12],
    ]);
  });

  it('is an error if there is none', async () => {
    await using world = await World.open({ backend: sim({ ranks: 1 }) });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm();
      await comm.launch(strays, { grid: 1, block: 1 }, { comm: dev, win });
      await expect(comm.synchronize()).rejects.toMatchObject({
        code: 'NCCLTS_MISUSE',
        message: expect.stringContaining(
          'findWindow was given a pointer outside every window of the calling rank',
        ) as string,
      });
    });
  });
});
