import { sim } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import { describe, expect, it } from 'vitest';
import { importKernel } from '../src/import-kernel.ts';
import { parsePtx } from '../src/syntax/parse-ptx.ts';

const text = `
.version 8.4
.target sm_90
.address_size 64
.visible .entry far(.param .u64 base, .param .s32 words)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [base];
  ld.param.s32 %r1, [words];
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], 7;
  st.global.u32 [%rd1], 8;
  ret;
}
`;

/**
 * Stores 8 to the address in the first parameter, and 7 one allocation further. Returns the final
 * values of both.
 */
async function run(ranges: readonly number[]): Promise<readonly number[]> {
  const { module } = parsePtx(text, 'far.ptx');
  if (module === undefined) throw new Error('no module');
  const { kernel, params } = importKernel(module, { entry: 'far', ranges: new Set(ranges) });
  await using world = await World.open({ backend: sim({ ranks: 1 }) });
  const [got = []] = await world.run(async (comm) => {
    const [near, far] = [await comm.allocWindow('u32', 4), await comm.allocWindow('u32', 4)];
    const [from = 0n, to = 0n] = [near, far].map((window) =>
      BigInt(getLsaDevicePointer(window, 0, comm.rank)?.address ?? -1),
    );
    const values: Readonly<Record<number, bigint>> = { 0: from, 8: (to - from) / 4n };
    const args = Object.fromEntries(
      params.map((one) => {
        const value = one.kind === 'bytes' ? (values[one.offset] ?? 0n) : 0n;
        return [one.name, one.kind === 'bytes' && one.scalar === 'u64' ? value : Number(value)];
      }),
    );
    await comm.launch(kernel, { grid: 1, block: 1 }, args);
    await comm.synchronize();
    return [(await near.read())[0] ?? -1, (await far.read())[0] ?? -1];
  });
  return got;
}

describe('a parameter that is the address of a range of several allocations', () => {
  it('leads into any of them, by the added offset', async () => {
    expect(await run([0])).toEqual([8, 7]);
  });

  it.each([[[]], [[8]]])('has the bounds of one allocation if the range is not declared (%j)', async (ranges) => {
    await expect(run(ranges)).rejects.toThrow(/out of bounds|outside/);
  });
});
