import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { describe, expect, inject, it } from 'vitest';

import { importKernel } from '../src/import-kernel.ts';
import { parsePtx } from '../src/syntax/parse-ptx.ts';

const bodies = {
  'a loop without a condition': `
  $L:
  mad.lo.u32 %r1, %r1, 1664525, 1013904223;
  bra $L;`,
  'a loop of threads that have parted': `
  setp.gt.u32 %p1, %r1, 7;
  @%p1 bra $L;
  bar.warp.sync 255;
  $L:
  mad.lo.u32 %r1, %r1, 1664525, 1013904223;
  setp.ne.u32 %p2, %r1, %r2;
  @%p2 bra $L;
  add.u32 %r2, %r2, 1;
  bra $L;`,
  'a loop that counts up to four billion, again and again': `
  $M:
  mov.u32 %r3, 0;
  $L:
  xor.b32 %r1, %r1, %r3;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 4000000000;
  @%p1 bra $L;
  setp.ne.u32 %p2, %r1, 77;
  @%p2 bra $M;`,
};

/** Never used up: on a busy machine a worker may get far before the thread with the signal runs. */
const fuel = 2 ** 45;

const ways: readonly SimOptions[] = [
  { ranks: 1, fuel },
  { ranks: 1, fuel, engine: 'wasm' },
  { ranks: 1, fuel, mode: 'check' },
  { ranks: 1, fuel, engine: 'wasm', workers: 2 },
];

describe.each(ways)('an endless loop on a world with %o', (options) => {
  it.each(Object.entries(bodies).filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    'a signal ends %s',
    async (_name, body) => {
      const { module } = parsePtx(
        `.version 8.4
.target sm_90
.address_size 64
.visible .entry endless()
{
  .reg .pred %p<4>;
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 5;
  ${body}
  ret;
}
`,
        'endless.ptx',
      );
      if (module === undefined) throw new Error('no module');
      const { kernel } = importKernel(module, { entry: 'endless' });
      await using world = await World.open({ backend: sim(options) });
      const abort = new AbortController();
      const running = world.run(async (comm) => {
        await comm.launch(kernel, { grid: 1, block: 32, signal: abort.signal }, {});
        setTimeout(() => abort.abort(), 1);
        await comm.synchronize();
      });
      await expect(running).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
    },
  );
});
