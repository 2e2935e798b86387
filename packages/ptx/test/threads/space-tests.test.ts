import { sim } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { printModule } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { importKernel } from '../../src/import-kernel.ts';
import { parsePtx } from '../../src/syntax/parse-ptx.ts';

/** An entry with one pointer parameter, in `%rd1`, and its own memory. */
const entry = (body: string): string => `
.version 8.4
.target sm_90
.address_size 64
.visible .entry work(.param .u64 work_out)
{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .shared .align 16 .b8 words[64];
  .local .align 16 .b8 own[64];
  ld.param.u64 %rd1, [work_out];
${body}
  ret;
}
`;

/**
 * An access as `cuda::atomic_ref` makes it, in a waiting loop. It uses another instruction if the
 * address is local.
 */
const waits = entry(`
  isspacep.local %p1, %rd1;
LOOP:
  @%p1 bra LOCAL;
  ld.acquire.sys.u32 %r1, [%rd1];
  bra.uni TEST;
LOCAL:
  ld.local.u8 %r1, [own];
  add.u32 %r1, %r1, 1;
  st.local.u8 [own], %r1;
TEST:
  setp.eq.s32 %p2, %r1, 0;
  @%p2 bra LOOP;
  st.global.u32 [%rd1+4], %r1;`);

/** Tests of a generic address that was stored in memory. */
const mixed = entry(`
  mov.u64 %rd2, words;
  cvta.shared.u64 %rd3, %rd2;
  mov.u64 %rd4, own;
  cvta.local.u64 %rd5, %rd4;
  isspacep.shared %p1, %rd3;
  selp.u32 %r1, 1, 0, %p1;
  st.global.u32 [%rd1+4], %r1;
  st.global.u64 [%rd1+8], %rd3;
  st.global.u64 [%rd1+16], %rd5;
  ld.global.u64 %rd3, [%rd1+8];
  ld.global.u64 %rd5, [%rd1+16];
  st.u32 [%rd3], 1;
  st.u32 [%rd5], 1;
  isspacep.shared::cta %p1, %rd3;
  isspacep.local %p2, %rd3;
  isspacep.global %p3, %rd3;
  isspacep.local %p4, %rd5;
  selp.u32 %r1, 1, 0, %p1;
  selp.u32 %r2, 1, 0, %p2;
  selp.u32 %r3, 1, 0, %p3;
  selp.u32 %r4, 1, 0, %p4;
  st.global.u32 [%rd1+8], %r1;
  st.global.u32 [%rd1+12], %r2;
  st.global.u32 [%rd1+16], %r3;
  st.global.u32 [%rd1+20], %r4;`);

function kernelOf(source: string) {
  const { module } = parsePtx(source, 'work.ptx');
  if (module === undefined) throw new Error('no module');
  return importKernel(module, { entry: 'work' });
}

async function run(source: string): Promise<readonly number[] | undefined> {
  const { kernel, params } = kernelOf(source);
  await using world = await World.open({ backend: sim({ ranks: 1 }) });
  const [out] = await world.run(async (comm) => {
    const data = await comm.allocWindow('u32', 6);
    await data.write(Uint32Array.of(7, 0, 0, 0, 0, 0));
    const address = BigInt(getLsaDevicePointer(data, 0, comm.rank)?.address ?? 0);
    const args = Object.fromEntries(params.map(({ name }) => [name, address]));
    await comm.launch(kernel, { grid: 1, block: 1 }, args);
    await comm.synchronize();
    return [...(await data.read())];
  });
  return out;
}

describe('isspacep', () => {
  it('is decided if the address comes from global memory: the path for local memory is removed, and the loop becomes a wait', async () => {
    const module = kernelOf(waits).kernel.compile();
    const text = JSON.stringify(module.body, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(text).toContain('"kind":"wait"');
    expect(text).not.toContain('"kind":"loop"');
    expect(await run(waits)).toEqual([7, 7, 0, 0, 0, 0]);
  });

  it('reports the space of an address that is known only at run time', async () => {
    expect(await run(mixed)).toEqual([7, 1, 1, 0, 0, 1]);
  });

  it('isspacep refuses spaces that are none', () => {
    const constant = entry('  isspacep.texture %p1, %rd1;');
    expect(() => kernelOf(constant)).toThrow(/isspacep\.texture tests for a space/u);
    expect(() => kernelOf(constant)).toThrow(expect.toSatisfy(isNcclError));
  });
});

describe('an address', () => {
  it('may be assembled from halves, and moved by a parameter of 64 bits', async () => {
    const halves = entry(`
  mov.b64 {%r1, %r2}, %rd1;
  mov.b64 %rd2, {%r1, %r2};
  ld.global.u32 %r3, [%rd1+4];
  cvt.u64.u32 %rd3, %r3;
  ld.global.u64 %rd4, [%rd1+8];
  add.s64 %rd5, %rd2, %rd4;
  st.u32 [%rd5+4], 9;`);
    expect(await run(halves)).toEqual([7, 9, 0, 0, 0, 0]);
  });
});

describe('tests for constants and parameters', () => {
  const others = entry(`
  isspacep.const %p1, %rd1;
  isspacep.param %p2, %rd1;
  selp.u32 %r1, 1, 2, %p1;
  selp.u32 %r2, 1, 2, %p2;
  st.global.v2.u32 [%rd1], {%r1, %r2};
  mov.u64 %rd2, words;
  cvta.shared.u64 %rd3, %rd2;
  st.global.u64 [%rd1+8], %rd3;
  ld.global.u64 %rd4, [%rd1+8];
  isspacep.param::entry %p3, %rd4;
  selp.u32 %r3, 1, 2, %p3;
  ld.u32 %r4, [%rd4];
  st.global.u32 [%rd1+16], %r3;`);

  it('are false, and named where the address is not known', () => {
    const { module } = parsePtx(others, 'work.ptx');
    if (module === undefined) throw new Error('no module');
    const text = printModule(importKernel(module, { entry: 'work' }).kernel.compile());
    expect(text.match(/approximate .*/gu)).toEqual([
      'approximate "addresses of constants and parameters as those of other memory"',
    ]);
  });
});
