import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { f32, harness, type KernelHarness, type RankSetup } from '@nccl-ts/harness';
import { expect, test } from 'vitest';
import { microKernels } from '../src/public-kernels/cases/micro.ts';
import { launchRecord } from '../src/public-kernels/launch-record.ts';
import { ptxFolder } from '../src/public-kernels/ptx-folder.ts';
import { publicKernels } from '../src/public-kernels/public-kernels.ts';
import { relaxedKernels } from '../src/public-kernels/relaxed-kernels.ts';
import { whatIfs } from '../src/public-kernels/what-if-kernels.ts';

const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 copy_param_0, .param .u32 copy_param_1)
{
  ret;
}
`;

const copies: KernelHarness = harness({
  kernel: 'copy.ptx',
  entry: 'copy',
  ranks: 2,
  grid: 3,
  block: 64,
  launches: 1,
  setup({ rank, alloc, peer }: RankSetup) {
    const data = alloc('data', f32, 64, (i) => rank + (i % 2));
    return { args: [peer(data, 1 - rank, 8), 5], expect: () => data.equals((i) => i % 2) };
  },
});

const texts = (file: string | undefined) => ({ name: file ?? '', text: ptx });

test('a record has memory by its period, arguments with the places of addresses, and results', () => {
  const { text, files } = launchRecord(copies, texts, 2);
  expect(files).toEqual(['copy.ptx']);
  expect(text.split('\n')).toEqual([
    'launches 1',
    'ranks 2',
    'memory 256',
    'image 0 0 000000000000803f',
    'launch 0 copy.ptx copy 3 1 1 64 1 1 0 1 0 0,8 000000000000000005000000',
    'address launch -1 0 1 0 8',
    'expect 0 0 0 256 000000000000803f',
    'image 1 0 0000803f00000040',
    'launch 1 copy.ptx copy 3 1 1 64 1 1 0 1 0 0,8 000000000000000005000000',
    'address launch -1 0 0 0 8',
    'expect 1 0 0 256 000000000000803f',
    '',
  ]);
});

test('a launch that depends on its number is refused', () => {
  const setup = ({ alloc }: RankSetup) => {
    const data = alloc('data', f32, 64);
    return { args: (launch: number) => [data, launch] };
  };
  expect(() => launchRecord(harness({ ...copies, launches: 2, setup }), texts, 2)).toThrow(
    'depend on the number of the launch',
  );
});

test('public kernels have names of their own, and sizes', () => {
  const all = [...publicKernels, ...whatIfs()];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  for (const { sizes } of all) expect(sizes.length).toBeGreaterThan(0);
  expect(publicKernels.length).toBeGreaterThanOrEqual(12);
});

test('micro-kernels have names of their own, and rounds', () => {
  const names = microKernels.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { sizes, harness: of } of microKernels) for (const rounds of sizes) expect(of(rounds).ranks).toBe(2);
});

test('a relaxed text is measured beside the kernel as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relaxed-'));
  try {
    writeFileSync(join(folder, 'lmdeploy-gather.ptx'), ptx);
    const kernels = relaxedKernels(folder);
    expect(kernels.map(({ name }) => name)).toEqual(['lmdeploy-gather', 'lmdeploy-gather~joint']);
    const files = kernels.map(({ harness: of }) => of(1024).kernel);
    expect(files).toEqual(['lmdeploy-allgather.ptx', 'lmdeploy-gather~joint.ptx']);
    expect(ptxFolder('nowhere', folder)('lmdeploy-gather~joint.ptx')).toEqual({
      name: 'lmdeploy-gather~joint.ptx',
      text: ptx,
    });
    writeFileSync(join(folder, 'unknown.ptx'), ptx);
    expect(() => relaxedKernels(folder)).toThrow('no kernel unknown');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
