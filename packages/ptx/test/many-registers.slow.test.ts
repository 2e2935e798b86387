import { sim } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import { expect, it } from 'vitest';
import { importKernel } from '../src/import-kernel.ts';
import { parsePtx } from '../src/syntax/parse-ptx.ts';

const count = 1010;
const each = (line: (i: number) => string): string => Array.from({ length: count }, (_, i) => line(i)).join('\n');
const text = `
.version 8.4
.target sm_90
.address_size 64
.visible .entry sum(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<4>;
  .reg .b32 %v<${count}>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ${each((i) => `ld.global.u32 %v${i}, [%rd1+${4 * i}];`)}
  mov.u32 %r2, %r1;
  ${each((i) => `add.u32 %r2, %r2, %v${count - 1 - i};`)}
  st.global.u32 [%rd4], %r2;
  ret;
}
`;

// A WebAssembly function can have 1,000 parameters.
it('a kernel with more than 1,000 registers runs partly as WebAssembly', async () => {
  const { module } = parsePtx(text, 'sum.ptx');
  if (module === undefined) throw new Error('no module');
  const { kernel, params } = importKernel(module, { entry: 'sum' });
  await using world = await World.open({ backend: sim({ ranks: 1, engine: 'wasm' }) });
  const [out = []] = await world.run(async (comm) => {
    const data = await comm.allocWindow('u32', count);
    await data.write(Uint32Array.from({ length: count }, (_, i) => i));
    const results = await comm.allocWindow('u32', 32);
    const addresses = [data, results].map((window) => BigInt(getLsaDevicePointer(window, 0, comm.rank)?.address ?? 0));
    await comm.launch(
      kernel,
      { grid: 1, block: 32 },
      Object.fromEntries(params.map(({ name }, i) => [name, addresses[i] ?? 0n])),
    );
    await comm.synchronize();
    return [...(await results.read())];
  });
  expect(out).toEqual(Array.from({ length: 32 }, (_, t) => t + (count * (count - 1)) / 2));
});
