import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { medianOf } from '@nccl-ts/core';
import { sim } from '@nccl-ts/backend-sim';
import { webgpu } from '@nccl-ts/backend-webgpu';
import { World, type Communicator } from '@nccl-ts/communicator';
import { allCases, caseRuns, runCase, shapeName, type CaseVerdict, type Expectation } from '@nccl-ts/conformance';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';
import { vectorAllReduceKernel } from '../kernels/vector-all-reduce-kernel.ts';
import { provenance } from '../provenance.ts';
import { createCopy } from './copy-kernel.ts';
import { option } from '../option.ts';
import { finish, phase, report } from './phases.ts';
import { compareReads, recordReads } from './recorded-reads.ts';
import { watched } from './watched.ts';

/*
 * WebGPU on the GPU of this machine: bash .gpu/run.sh webgpu [conformance] [bandwidth]
 * Arguments: --filter TEXT (cases whose id contains it), --mib N (AllReduce, per rank), --rounds N.
 * The verdicts go to $OUT/conformance-webgpu.json.
 */

const requested: readonly string[] = process.argv.slice(2).filter((word) => /^(conformance|bandwidth)$/.test(word));
const wants = (what: string): boolean => requested.length === 0 || requested.includes(what);

const flushes = {
  when: {},
  code: 'mismatch',
  reason: 'WGSL lets implementations flush subnormal numbers to zero',
  link: 'https://www.w3.org/TR/WGSL/#floating-point-evaluation',
} as const;

const expectations: readonly Expectation[] = [
  { case: 'scalars/f32/subnormals', ...flushes },
  { case: 'scalars/bf16/subnormals', ...flushes },
];

async function conformance(): Promise<void> {
  const filter = option('--filter') ?? '';
  const runs = caseRuns(allCases).filter(({ case: { id } }) => id.includes(filter));
  const verdicts: CaseVerdict[] = [];
  const counts: Record<string, number> = {};
  let compared = 0;
  let differing = 0;
  for (const run of runs) {
    const ours = recordReads(webgpu(run.shape));
    const { verdict } = await runCase(run, { backend: () => ours.backend, expectations, timeoutMilliseconds: 30_000 });
    verdicts.push(verdict);
    counts[verdict.verdict] = (counts[verdict.verdict] ?? 0) + 1;
    const name = `${run.case.id} ${shapeName(run.shape)} ${run.variant}`;
    if (verdict.verdict === 'fail') report({ run: name, code: verdict.code, reason: verdict.reason });
    if (verdict.verdict !== 'pass' || run.case.results !== 'exact') continue;
    const theirs = recordReads(sim(run.shape));
    await runCase(run, { backend: () => theirs.backend });
    const comparison = compareReads(ours.take(), theirs.take());
    compared++;
    if (comparison.differences.length === 0) continue;
    differing++;
    report({ run: name, differs: comparison.differences });
  }
  const world = await webgpu({ ranks: 1 }).open({ onStall: () => undefined });
  const { adapterInfo, software } = world;
  await world[Symbol.asyncDispose]();
  const summary = { adapter: adapterInfo, software, runs: runs.length, counts, compared, differing };
  report({ summary });
  writeFileSync(
    join(process.env['OUT'] ?? '.', 'conformance-webgpu.json'),
    JSON.stringify({ ...provenance(), machine: { adapter: adapterInfo, software }, summary, verdicts }, undefined, 1),
  );
  if (differing > 0 || (counts['fail'] ?? 0) > 0) throw new Error('not everything passes');
}

/**
 * The GPU time of the AllReduce of all ranks, and of a copy of as many bytes, in one run. GB/s
 * count bytes read and written.
 */
async function bandwidth(checks: boolean): Promise<unknown> {
  const ranks = 8;
  const mib = Number(option('--mib') ?? 64);
  const rounds = Number(option('--rounds') ?? 9);
  const launches = Number(option('--launches') ?? 20);
  const count = (mib << 20) / 4;
  const bytes = 2 * ranks * count * 4;
  const { backend, world: backendWorld } = watched(webgpu({ ranks, checks }));
  await using world = await World.open({ backend });
  const gpu = backendWorld();
  report({ adapter: gpu.adapterInfo, software: gpu.software, checks });
  // Buffers larger than the caches.
  const copyBytes = Math.min(4 * count * 4, 256 << 20);
  const copy = await createCopy(gpu.device, copyBytes);
  const shapes = [
    { name: 'scalar', kernel: allReduceKernel, grid: 256, block: 512 },
    { name: 'scalar', kernel: allReduceKernel, grid: 1024, block: 512 },
    { name: 'scalar', kernel: allReduceKernel, grid: 2048, block: 256 },
    { name: 'vector', kernel: vectorAllReduceKernel, grid: 256, block: 512 },
    { name: 'vector', kernel: vectorAllReduceKernel, grid: 512, block: 256 },
    { name: 'vector', kernel: vectorAllReduceKernel, grid: 2048, block: 256 },
  ] as const;
  const resources = await world.run(async (comm) => ({
    win: await comm.allocWindow('f32', count),
    dev: await comm.createDevComm({ lsaBarrierCount: 2048 }),
  }));
  const once = async (shape: (typeof shapes)[number]): Promise<{ readonly gpu: number; readonly wall: number }> => {
    const before = gpu.gpuNanoseconds ?? 0n;
    const started = performance.now();
    await world.run(async (comm: Communicator) => {
      const { win, dev } = resources[comm.rank] ?? {};
      if (win === undefined || dev === undefined) throw new RangeError('no window');
      const config = { grid: shape.grid, block: shape.block };
      if (shape.kernel === allReduceKernel)
        await comm.launch(allReduceKernel, config, { comm: dev, win, offset: 0n, count });
      else await comm.launch(vectorAllReduceKernel, config, { comm: dev, win, count: count / 4 });
      await comm.synchronize();
    });
    return { gpu: Number((gpu.gpuNanoseconds ?? 0n) - before), wall: (performance.now() - started) * 1e6 };
  };
  const rows: unknown[] = [];
  for (const shape of shapes) {
    const copies: number[] = [];
    const times: number[] = [];
    const walls: number[] = [];
    await once(shape);
    await copy.nanoseconds(2);
    for (let round = 0; round < rounds; round++) {
      // The GPU's clock has steps of 65 us, so the mean of many passes is exact enough.
      copies.push(await copy.nanoseconds(launches));
      let time = 0;
      let wall = 0;
      for (let i = 0; i < launches; i++) {
        const one = await once(shape);
        time += one.gpu;
        wall += one.wall;
      }
      times.push(time / launches);
      walls.push(wall / launches);
    }
    const [copyRate, rate] = [(2 * copyBytes) / medianOf(copies), bytes / medianOf(times)];
    const row = {
      checks,
      allReduce: shape.name,
      grid: shape.grid,
      block: shape.block,
      mibPerRank: mib,
      microseconds: medianOf(times) / 1e3,
      wallMicroseconds: medianOf(walls) / 1e3,
      gbPerSecond: rate,
      copyGbPerSecond: copyRate,
      ratio: rate / copyRate,
      spread: [Math.min(...times), Math.max(...times)].map((time) => time / 1e3),
    };
    rows.push(row);
    report(row);
  }
  copy.dispose();
  return { machine: { adapter: gpu.adapterInfo, software: gpu.software }, rows };
}

if (wants('bandwidth')) {
  const checked = await phase('bandwidth, checked', async () => bandwidth(true));
  const unchecked = await phase('bandwidth, unchecked', async () => bandwidth(false));
  writeFileSync(
    join(process.env['OUT'] ?? '.', 'bandwidth-webgpu.json'),
    JSON.stringify({ ...provenance(), checked, unchecked }, undefined, 1),
  );
}
if (wants('conformance')) await phase('conformance', conformance);
finish();
