import { join } from 'node:path';
import type { WebgpuOptions } from '@nccl-ts/backend-webgpu';
import { isNcclError } from '@nccl-ts/core';
import type { DevCommArg, WindowArg } from '@nccl-ts/devcomm';
import { FaultError } from '@nccl-ts/findings';
import type { Kernel } from '@nccl-ts/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import {
  assertsTooMuch,
  blockNeverEnds,
  dividesByZero,
  failsBetweenBarriers,
  readsBehindTheEnd,
  readsBetweenVectors,
  spinsForEver,
  threadNeverEnds,
} from './programs/faulty.ts';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { inWorld } from './support/world.ts';

const acquired = noDevice === undefined ? await openDevice() : undefined;
const device = acquired === undefined ? {} : { device: acquired.device };
afterAll(() => acquired?.dispose());

type FaultyKernel = Kernel<{ readonly comm: DevCommArg; readonly win: WindowArg; readonly n: number }>;

/**
 * Returns the error on each rank after a launch of one CTA, or of two if the mistake names the
 * second: the code, and the message. The message is without this machine's folders and without
 * source positions in other packages, which may change.
 */
async function told(faulty: FaultyKernel, n: number, options: Partial<WebgpuOptions> = {}): Promise<readonly string[]> {
  const grid = faulty === readsBehindTheEnd ? 2 : 1;
  const root = join(import.meta.dirname, '../../..');
  return inWorld({ ranks: 2, ...device, ...options }, async (comm) => {
    const win = await comm.allocWindow('f32', 64);
    const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
    try {
      await comm.launch(faulty, { grid, block: 32 }, { comm: devComm, win, n });
      await comm.synchronize();
      return 'nothing\n';
    } catch (error) {
      if (!isNcclError(error)) throw error;
      const message = error.message.replaceAll(`${root}/`, '').replaceAll(/^ +in packages\/lsa\/.*\n/gm, '');
      return `${error.code}\n${message}\n`;
    }
  });
}

describe.skipIf(acquired === undefined)(`the report of${unlessDevice}`, () => {
  it.for<readonly [string, FaultyKernel, number]>([
    ['out-of-bounds', readsBehindTheEnd, 33],
    ['misaligned', readsBetweenVectors, 1],
    ['division', dividesByZero, 7],
    ['assertion', assertsTooMuch, -21],
    ['between-barriers', failsBetweenBarriers, 33],
  ])('the report of fault %s equals its snapshot', async ([name, faulty, n]) => {
    const texts = await told(faulty, n);
    const ranks = texts.map((text, rank) => `rank ${rank}: ${text}`);
    await expect(ranks.join('\n')).toMatchFileSnapshot(`snapshots/fault-${name}.txt`);
  });

  it.for<readonly [string, FaultyKernel]>([
    ['thread-never-ends', threadNeverEnds],
    ['block-never-ends', blockNeverEnds],
    ['spins-for-ever', spinsForEver],
  ])('the report of fault %s equals its snapshot', async ([name, faulty]) => {
    const texts = await told(faulty, 1, { ranks: 1, fuel: 5000 });
    await expect(texts.join('\n')).toMatchFileSnapshot(`snapshots/fault-${name}.txt`);
  });

  it('lines printed before a fault', async () => {
    const printed = await inWorld({ ranks: 2, ...device }, async (comm) => {
      const win = await comm.allocWindow('f32', 64);
      await comm.launch(assertsTooMuch, { grid: 1, block: 32 }, { comm: await comm.createDevComm(), win, n: 5 });
      const error: unknown = await comm.synchronize().catch((thrown: unknown) => thrown);
      return error instanceof FaultError ? error.printed : [];
    });
    expect(printed).toEqual([['[rank 0 cta 0 thread 0] rank 0 has 5'], ['[rank 1 cta 0 thread 0] rank 1 has 5']]);
  });

  it('has no access if checks are off', async () => {
    expect(await told(readsBehindTheEnd, 33, { checks: false })).toEqual(['nothing\n', 'nothing\n']);
  });

  it('has no fault for a correct kernel', async () => {
    expect(await told(failsBetweenBarriers, 32)).toEqual(['nothing\n', 'nothing\n']);
    expect(await told(threadNeverEnds, -40, { ranks: 1 })).toEqual(['nothing\n']);
  });
});
