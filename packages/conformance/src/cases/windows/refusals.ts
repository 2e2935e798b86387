import { isNcclError, type ErrorCode } from '@nccl-ts/core';
import { devComm, symPtr, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat } from '../../mismatch.ts';

const takesBoth = kernel({ name: 'takesBoth', params: { comm: devComm, win: window } }, () => {});

const takesSymPtr = kernel({ name: 'takesSymPtr', params: { at: symPtr(u32) } }, () => {});

async function expectRefusal(what: string, code: ErrorCode, action: () => Promise<unknown>): Promise<void> {
  let thrown: unknown;
  try {
    await action();
  } catch (error) {
    thrown = error;
  }
  const got = isNcclError(thrown) ? thrown.code : String(thrown);
  expectThat(isNcclError(thrown, code), `${what}: expected ${code}, got ${got}.`);
}

export const nullWindow: Case<'windows/null-window'> = defineCase({
  id: 'windows/null-window',
  mirrors: 'ncclCommWindowRegister, which returns a null window without symmetric memory',
  ranks: [1],
  kernels: [takesBoth, takesSymPtr],
  run: async ({ run }) => {
    await run(async (comm) => {
      const dev = await comm.createDevComm();
      const shape = { grid: 1, block: 1 };
      await expectRefusal('a null window', 'NCCL_INVALID_ARGUMENT', async () =>
        comm.launch<unknown>(takesBoth, shape, { comm: dev, win: null }),
      );
      await expectRefusal('a symmetric pointer without a window', 'NCCL_INVALID_ARGUMENT', async () =>
        comm.launch<unknown>(takesSymPtr, shape, { at: { window: null, offset: 64 } }),
      );
      await expectRefusal('a missing window', 'NCCL_INVALID_ARGUMENT', async () =>
        comm.launch<unknown>(takesBoth, shape, { comm: dev }),
      );
    });
  },
});

export const closedObjects: Case<'windows/closed-objects'> = defineCase({
  id: 'windows/closed-objects',
  mirrors: 'ncclCommWindowDeregister, ncclDevCommDestroy',
  ranks: [1, 2],
  kernels: [takesBoth],
  run: async ({ run }) => {
    await run(async (comm) => {
      const shape = { grid: 1, block: 1 };
      const dev = await comm.createDevComm();
      const win = await comm.allocWindow('u32', 4);
      await comm.launch(takesBoth, shape, { comm: dev, win });
      await win.deregister();
      await expectRefusal('a deregistered window', 'NCCLTS_CLOSED', async () =>
        comm.launch(takesBoth, shape, { comm: dev, win }),
      );
      await expectRefusal('reading a deregistered window', 'NCCLTS_CLOSED', async () => win.read());
      const other = await comm.allocWindow('u32', 4);
      await dev.destroy();
      await expectRefusal('a destroyed device communicator', 'NCCLTS_CLOSED', async () =>
        comm.launch(takesBoth, shape, { comm: dev, win: other }),
      );
    });
  },
});

export const launchShapes: Case<'windows/launch-shapes'> = defineCase({
  id: 'windows/launch-shapes',
  mirrors: 'cudaLaunchKernel',
  ranks: [1],
  kernels: [takesBoth],
  run: async ({ run, capabilities }) => {
    await run(async (comm) => {
      const args = { comm: await comm.createDevComm(), win: await comm.allocWindow('u32', 4) };
      const most = capabilities.maxBlockThreads;
      await comm.launch(takesBoth, { grid: 1, block: most }, args);
      for (const shape of [
        { grid: 0, block: 1 },
        { grid: 1, block: 0 },
        { grid: 1, block: most + 1 },
        { grid: 1.5, block: 1 },
      ]) {
        const what = `a grid of ${shape.grid} and a block of ${shape.block}`;
        await expectRefusal(what, 'NCCL_INVALID_ARGUMENT', async () => comm.launch(takesBoth, shape, args));
      }
    });
  },
});
