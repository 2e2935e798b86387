import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

// Other files of this process must not get modules that have seen these timers.
afterAll(() => {
  vi.resetModules();
});

/** Loads fresh copies of all packages, which see the globals as they are now. */
async function sumOfRanks(options: object): Promise<number[]> {
  vi.resetModules();
  const { sim } = await import('@nccl-ts/backend-sim');
  const { World } = await import('@nccl-ts/communicator');
  const { devComm, window } = await import('@nccl-ts/devcomm');
  const { kernel, u32 } = await import('@nccl-ts/kernel');
  const { lsa } = await import('@nccl-ts/lsa');
  const sum = kernel(
    { name: 'sum', use: { lsa }, params: { comm: devComm, win: window } },
    ({ lsa, coopCta, u32 }, { comm, win }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      lsa.localPointer(win, u32, 0)[0] = u32(comm.lsaRank + 1);
      bar.sync(coopCta(), 'acq_rel');
      let all = u32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) all += lsa.pointer(win, u32, 0, peer)[0]!;
      lsa.localPointer(win, u32, 0)[1] = all;
    },
  );
  const world = await World.open({ backend: sim({ ranks: 3, ...options }) });
  try {
    return await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 2);
      const handle = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(sum, { grid: 1, block: 1 }, { comm: handle, win });
      return Number((await win.read())[1]);
    });
  } finally {
    await world.close();
  }
}

describe('the simulator runs', () => {
  it.each(([[{}], [{ engine: 'wasm', workers: 2 }]] as const).filter((_, i) => (i === 0) !== inject('slow')))(
    'if a test replaced the timers before the import: %j',
    async (options) => {
      vi.useFakeTimers();
      expect(await sumOfRanks(options)).toEqual([6, 6, 6]);
    },
  );

  it.for(quick)("if the program may read neither the environment nor the debugger's state", async () => {
    const { process } = globalThis;
    const refuse = (what: string) => (): never => {
      throw new Error(`NotCapable: Requires access to ${what}`);
    };
    const guarded = Object.create(process, {
      env: { get: refuse('env') },
      getBuiltinModule: { value: (name: string) => (name === 'node:inspector' ? { url: refuse('sys') } : undefined) },
    });
    vi.stubGlobal('process', guarded);
    expect(await sumOfRanks({})).toEqual([6, 6, 6]);
  });

  it.for(slow)('reports a deadlock even if a test replaced the timers before the import', async () => {
    vi.useFakeTimers();
    vi.resetModules();
    const { sim } = await import('@nccl-ts/backend-sim');
    const { World } = await import('@nccl-ts/communicator');
    const { window } = await import('@nccl-ts/devcomm');
    const { kernel, u32 } = await import('@nccl-ts/kernel');
    const { lsa } = await import('@nccl-ts/lsa');
    const waits = kernel(
      { name: 'waits', use: { lsa }, params: { win: window } },
      ({ lsa, waitUntil, u32 }, { win }) => {
        const p = lsa.localPointer(win, u32, 0);
        waitUntil(() => p.load(0, 'acquire') === 7);
      },
    );
    const world = await World.open({ backend: sim({ ranks: 1 }) });
    const running = world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 2);
      await comm.launch(waits, { grid: 1, block: 1 }, { win });
      // The write ends while the rank waits.
      await Promise.all([comm.synchronize(), win.write([1])]);
    });
    await expect(running).rejects.toMatchObject({ code: 'NCCLTS_DEADLOCK' });
    await world.close();
  });
});
