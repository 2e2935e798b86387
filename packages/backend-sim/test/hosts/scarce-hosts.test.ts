import { afterEach, describe, expect, it, vi } from 'vitest';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { Heap } from '../../src/memory/heap.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

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

/** Runs a kernel, lets memory grow, and runs the kernel again. */
async function sums(options: object): Promise<number[]> {
  await using world = await World.open({ backend: sim({ ranks: 3, ...options }) });
  return await world.run(async (comm) => {
    const win = await comm.allocWindow(u32, 2);
    const handle = await comm.createDevComm({ lsaBarrierCount: 1 });
    await comm.launch(sum, { grid: 1, block: 1 }, { comm: handle, win });
    const before = await win.read();
    await comm.allocWindow(u32, 1 << 20);
    expect(await win.read()).toEqual(before);
    await comm.launch(sum, { grid: 1, block: 1 }, { comm: handle, win });
    return Number((await win.read())[1]);
  });
}

/**
 * WebAssembly in a process that may not reserve the address space that V8 needs for any memory, as
 * with `ulimit -v`.
 */
const scarce = {
  ...Object.fromEntries(
    ['Module', 'Instance', 'validate'].map((name) => [
      name,
      Reflect.get(Object(Reflect.get(globalThis, 'WebAssembly')), name),
    ]),
  ),
  Memory: function Memory(): never {
    throw new RangeError('WebAssembly.Memory(): could not allocate memory');
  },
};

describe.each([
  ['without WebAssembly, as with node --jitless,', undefined],
  ['with too small an address space', scarce],
])('on a host with scarce resources: %s', (_where, webAssembly) => {
  it.each([[{}], [{ mode: 'check' }]])('kernels run as JavaScript: %j', async (options) => {
    vi.stubGlobal('WebAssembly', webAssembly);
    expect(await sums(options)).toEqual([6, 6, 6]);
  });

  it("engine: 'wasm' names the missing feature and suggests a fix", async () => {
    vi.stubGlobal('WebAssembly', webAssembly);
    await expect(sums({ engine: 'wasm' })).rejects.toMatchObject({
      code: webAssembly === undefined ? 'NCCLTS_NOT_SUPPORTED' : 'NCCLTS_OUT_OF_MEMORY',
      message: expect.stringMatching(webAssembly === undefined ? /--jitless/ : /10 GiB of address space.*ulimit -v/),
    });
  });
});

it('memory that the host refuses to allocate is not reported as free', async () => {
  vi.stubGlobal('WebAssembly', scarce);
  vi.stubGlobal(
    'ArrayBuffer',
    class extends ArrayBuffer {
      constructor(bytes: number) {
        if (bytes > 1 << 26) throw new RangeError('Array buffer allocation failed');
        super(bytes);
      }
    },
  );
  await using world = await World.open({ backend: sim({ ranks: 1 }) });
  const failure = world.run(async (comm) => {
    await comm.allocWindow(u32, 4);
    await comm.allocWindow(u32, 1 << 26);
  });
  await expect(failure).rejects.toMatchObject({
    code: 'NCCLTS_OUT_OF_MEMORY',
    message: expect.stringMatching(/268435456 bytes requested.*host refuses to give more/),
  });
});

it('views of memory that has grown are empty, not stale', () => {
  vi.stubGlobal('WebAssembly', undefined);
  const heap = new Heap(1 << 24);
  heap.allocate(64, 'a test');
  const before = heap.views.u8;
  heap.allocate(8 << 20, 'a test');
  expect(before).toHaveLength(0);
});
