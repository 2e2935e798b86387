import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sim } from '@nccl-ts/backend-sim';
import { getLsaMultimemDevicePointer, getMultimemDevicePointer, World } from '@nccl-ts/communicator';
import * as devcommPackage from '@nccl-ts/devcomm';
import { devComm, multimemHandle, window } from '@nccl-ts/devcomm';
import * as kernelPackage from '@nccl-ts/kernel';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import * as lsaPackage from '@nccl-ts/lsa';
import * as multimemPackage from '@nccl-ts/multimem';
import { multimem } from '@nccl-ts/multimem';
import { createTeam } from '@nccl-ts/topology';
import { transformSync } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const names: Readonly<Record<string, unknown>> = {
  ...kernelPackage,
  ...devcommPackage,
  ...lsaPackage,
  ...multimemPackage,
};

/** Returns the kernel that the README of multimem shows. */
function exampleOfReadme(): Kernel<Readonly<Record<string, unknown>>> {
  const text = readFileSync(join(import.meta.dirname, '../../multimem/README.md'), 'utf8');
  const code = /^```ts\n([^]*?)^```/m.exec(text)?.[1] ?? '';
  const plain = transformSync(code.replaceAll(/^import .*\n/gm, ''), { loader: 'ts', format: 'cjs' }).code;
  const exported: { exports: Record<string, unknown> } = { exports: {} };
  // oxlint-disable-next-line no-new-func, no-implied-eval
  const run = new Function('module', ...Object.keys(names), plain) as (...values: unknown[]) => void;
  run(exported, ...Object.values(names));
  return Object.values(exported.exports)[0] as Kernel<Readonly<Record<string, unknown>>>;
}

/** Returns the bits of small whole numbers in bf16. */
const bf16 = (x: number): number => new Uint32Array(new Float32Array([x]).buffer)[0]! >>> 16;

describe('multimem', () => {
  it('computes the sums of the README', async () => {
    await using world = await World.open({ backend: sim({ ranks: 4 }) });
    const example = exampleOfReadme();
    const vectors = 100;
    const results = await world.run(async (comm) => {
      const win = await comm.allocWindow('bf16', 8 * vectors + 8);
      await win.write(Uint16Array.from({ length: 8 * vectors + 8 }, (_, i) => bf16((i % 16) + comm.rank)));
      const dev = await comm.createDevComm({ lsaMultimem: true, lsaBarrierCount: 2 });
      await comm.launch(example, { grid: 2, block: 32 }, { comm: dev, win, offset: 16, count: vectors });
      return win.read(new Uint16Array(8 * vectors + 8));
    });
    const sums = Array.from({ length: 8 * vectors }, (_, i) => bf16(4 * ((i + 8) % 16) + 6));
    results.forEach((result, rank) => {
      expect([...result.subarray(8)]).toEqual(sums);
      expect([...result.subarray(0, 8)]).toEqual(Array.from({ length: 8 }, (_, i) => bf16(i + rank)));
    });
  });

  it.for(slow)('is refused, or null, if the machine does not support it', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2, multimem: false }) });
    const stores = kernel(
      { name: 'stores', use: { multimem }, params: { comm: devComm, win: window } },
      ({ multimem, u32 }, { comm, win }) => {
        multimem.store(multimem.lsaPointer(win, u32, 0, comm), 1);
      },
    );
    await world.run(async (comm) => {
      expect(comm.properties.multimemSupport).toBe(false);
      await expect(comm.createDevComm({ lsaMultimem: true })).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT' });
      const win = await comm.allocWindow('u32', 4);
      expect(getLsaMultimemDevicePointer(win, 0)).toBeNull();
      const dev = await comm.createDevComm();
      expect(dev.lsaMultimem).toEqual({ mcBasePtr: 0 });
      expect(getMultimemDevicePointer(win, 0, dev.lsaMultimem)).toBeNull();
      await expect(comm.launch(stores, { grid: 1, block: 1 }, { comm: dev, win })).rejects.toMatchObject({
        code: 'NCCLTS_COMPILE',
        message: expect.stringContaining('K3507'),
      });
    });
  });

  it('is refused for teams that leave the domain', async () => {
    await using world = await World.open({ backend: sim({ ranks: 4, lsaSize: 2 }) });
    // Rank 3 counts as the first of two, so the second would be in the next domain.
    const asked = world
      .comm(3)
      .createDevComm({ teamRequirementsList: [{ team: createTeam(2, 0, 1), multimem: true }] });
    await expect(asked).rejects.toThrow(
      'createDevComm: teamRequirementsList[0].team must lie in the LSA team to have multimem; given ranks 1 to 2 of the LSA ' +
        'team of 2, with rank 3 as number 0.',
    );
  });

  it('reaches only members, and an access by another rank is reported', async () => {
    await using world = await World.open({ backend: sim({ ranks: 4 }) });
    const reads = kernel(
      { name: 'reads', use: { multimem }, params: { win: window, handle: multimemHandle } },
      ({ multimem, u32 }, { win, handle }) => {
        multimem.loadReduce(multimem.pointer(win, u32, 0, handle));
      },
    );
    const handles: number[] = [];
    const run = world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const team = createTeam(2, comm.rank % 2, 1);
      const dev = await comm.createDevComm({ teamRequirementsList: [{ team, multimem: true }] });
      handles[comm.rank] = dev.multimemHandles[0]?.mcBasePtr ?? 0;
      await comm.createDevComm();
      const handle = { mcBasePtr: handles[0] ?? 0 };
      await comm.launch(reads, { grid: 1, block: 1 }, { win, handle });
      if (comm.rank < 2) await comm.synchronize();
      else await expect(comm.synchronize()).rejects.toMatchObject({ code: 'NCCLTS_MISUSE' });
    });
    await run;
    expect(handles[0]).toBe(handles[1]);
    expect(handles[2]).toBe(handles[3]);
    expect(handles[0]).not.toBe(handles[2]);
  });

  it('is named in the error for a plain access through a multicast pointer', async () => {
    await using world = await World.open({ backend: sim({ ranks: 1 }) });
    const plain = kernel(
      { name: 'plain', use: { multimem }, params: { comm: devComm, win: window } },
      ({ multimem, u32 }, { comm, win }) => {
        multimem.lsaPointer(win, u32, 4, comm).store(1, 7);
      },
    );
    const run = world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm({ lsaMultimem: true });
      await comm.launch(plain, { grid: 1, block: 1 }, { comm: dev, win });
      await comm.synchronize();
    });
    await expect(run).rejects.toThrow(
      'misuse: a plain access to 4 bytes at byte 8 of window 0 through a multicast pointer: ' +
        'only multimem.* can read and write through multicast pointers\n',
    );
  });
});
