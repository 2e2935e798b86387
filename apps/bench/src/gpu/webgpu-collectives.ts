import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { webgpu } from '@nccl-ts/backend-webgpu';
import { allGather, allReduce, allToAll, broadcast, reduceScatter } from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { byShape, pairwiseCollectiveCases, runCollectiveCase } from '@nccl-ts/conformance';
import { medianOf, RedOp } from '@nccl-ts/core';
import { provenance } from '../provenance.ts';
import { createCopy } from './copy-kernel.ts';
import { option } from '../option.ts';
import { errorFinding, finish, phase, report } from './phases.ts';
import { watched } from './watched.ts';

/*
 * The collectives by WebGPU on the GPU of this machine, which all ranks share: bash .gpu/run.sh
 * webgpu-collectives [cases] [speed] Arguments: --ranks 2,4,8, --sizes BYTES,... (of a rank's
 * larger buffer), --rounds N. Verdicts of the pairwise cases and times go to
 * $OUT/webgpu-collectives.json.
 */

const requested: readonly string[] = process.argv.slice(2).filter((word) => /^(cases|speed)$/.test(word));
const wants = (what: string): boolean => requested.length === 0 || requested.includes(what);
const numbers = (name: string, otherwise: string): readonly number[] => option(name, otherwise).split(',').map(Number);

/**
 * The GPU time of one measurement in microseconds. It is long enough to hide the steps of the GPU's
 * clock.
 */
const ENOUGH = 30_000;
/** The size of the reference copy in bytes. It is larger than the caches. */
const COPY_BYTES = 256 << 20;

async function cases(): Promise<unknown> {
  // WebGPU has neither f64 nor a network.
  const possible = pairwiseCollectiveCases().filter(
    ({ element, op, algorithm }) => algorithm !== 'hierarchical' && (element !== 'f64' || op === 'none'),
  );
  const failed: unknown[] = [];
  for (const { shape, cases: group } of byShape(possible)) {
    await using world = await World.open({ backend: webgpu(shape) });
    for (const one of group) {
      const reason = await runCollectiveCase(world, one).catch((error: unknown) => JSON.stringify(errorFinding(error)));
      if (reason === undefined) continue;
      failed.push({ case: one.id, reason });
      report({ case: one.id, reason });
    }
  }
  const counts = { pass: possible.length - failed.length, fail: failed.length };
  report({ counts });
  if (failed.length > 0) throw new Error('not everything passes');
  return { counts, cases: possible.map(({ id }) => id) };
}

interface Windows {
  readonly send: Window<'f32'>;
  readonly recv: Window<'f32'>;
}

interface CollectiveProgram {
  /** `elements` is how many f32 the larger buffer of a rank has. */
  readonly run: (comm: Communicator, windows: Windows, elements: number) => Promise<void>;
  /**
   * The smallest number of buffers of the larger size that `ranks` ranks together must read or
   * write.
   */
  readonly buffers: (ranks: number) => number;
  /** The number of elements that a rank receives. */
  readonly received: (elements: number, ranks: number) => number;
  /** The expected element `i` of rank `rank`, for elements that are `valueOf`. */
  readonly wants: (rank: number, i: number, ranks: number, elements: number) => number;
}

const valueOf = (rank: number, i: number): number => ((i * 7 + rank * 13) % 31) - 15;
const sumOf = (i: number, ranks: number): number =>
  Array.from({ length: ranks }, (_, rank) => valueOf(rank, i)).reduce((a, b) => a + b, 0);

const programs: Readonly<Record<string, CollectiveProgram>> = {
  AllReduce: {
    run: async (comm, { send, recv }, n) => allReduce(comm, send, recv, n, RedOp.Sum),
    buffers: (ranks) => 2 * ranks,
    received: (n) => n,
    wants: (_rank, i, ranks) => sumOf(i, ranks),
  },
  AlltoAll: {
    run: async (comm, { send, recv }, n) => allToAll(comm, send, recv, n / comm.nRanks),
    buffers: (ranks) => 2 * ranks,
    received: (n) => n,
    wants: (rank, i, ranks, n) => valueOf(Math.floor(i / (n / ranks)), rank * (n / ranks) + (i % (n / ranks))),
  },
  AllGather: {
    run: async (comm, { send, recv }, n) => allGather(comm, send, recv, n / comm.nRanks),
    buffers: (ranks) => 1 + ranks,
    received: (n) => n,
    wants: (_rank, i, ranks, n) => valueOf(Math.floor(i / (n / ranks)), i % (n / ranks)),
  },
  ReduceScatter: {
    run: async (comm, { send, recv }, n) => reduceScatter(comm, send, recv, n / comm.nRanks, RedOp.Sum),
    buffers: (ranks) => ranks + 1,
    received: (n, ranks) => n / ranks,
    wants: (rank, i, ranks, n) => sumOf(rank * (n / ranks) + i, ranks),
  },
  Broadcast: {
    run: async (comm, { send, recv }, n) => broadcast(comm, send, recv, n, 0),
    buffers: (ranks) => 1 + ranks,
    received: (n) => n,
    wants: (_rank, i) => valueOf(0, i),
  },
};

/** The time of each program on this many ranks, and of a copy in the same round. */
async function speed(ranks: number, sizes: readonly number[], rounds: number): Promise<readonly unknown[]> {
  const { backend, world: backendWorld } = watched(webgpu({ ranks }));
  await using world = await World.open({ backend });
  const gpu = backendWorld();
  report({ adapter: gpu.adapterInfo, software: gpu.software, ranks });
  const most = Math.max(...sizes) / 4;
  const windows = await world.run(async (comm): Promise<Windows> => {
    const [send, recv] = [await comm.allocWindow('f32', most), await comm.allocWindow('f32', most)];
    await send.write(Float32Array.from({ length: most }, (_, i) => valueOf(comm.rank, i)));
    return { send, recv };
  });
  const of = (comm: Communicator): Windows => {
    const mine = windows[comm.rank];
    if (mine === undefined) throw new RangeError('no windows');
    return mine;
  };
  const copy = await createCopy(gpu.device, COPY_BYTES);
  await copy.nanoseconds(2);
  const lines: unknown[] = [];
  for (const [name, program] of Object.entries(programs)) {
    for (const bytes of sizes) {
      const elements = bytes / 4;
      const times = async (calls: number): Promise<{ readonly gpu: number; readonly wall: number }> => {
        const [before, started] = [gpu.gpuNanoseconds ?? 0n, performance.now()];
        await world.run(async (comm) => {
          for (let i = 0; i < calls; i++) await program.run(comm, of(comm), elements);
          await comm.synchronize();
        });
        const ns = Number((gpu.gpuNanoseconds ?? 0n) - before);
        return { gpu: ns / calls / 1e3, wall: ((performance.now() - started) * 1e3) / calls };
      };
      await times(1);
      const calls = Math.max(2, Math.min(100, Math.round(ENOUGH / (await times(1)).gpu)));
      const wrong = await world.run(async (comm) => wrongOf(comm, of(comm).recv, program, elements));
      const [copies, took]: [number[], { gpu: number; wall: number }[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        copies.push(await copy.nanoseconds(20));
        took.push(await times(calls));
      }
      // The GPU's clock rate may change between rounds, so each round also times a copy.
      const ratios = took.map((one, round) => {
        const copied = (2 * COPY_BYTES) / (copies[round] ?? NaN);
        return (program.buffers(ranks) * bytes) / (one.gpu * 1e3) / copied;
      });
      const line = {
        collective: name,
        ranks,
        bytes,
        us: Math.round(medianOf(took.map((one) => one.gpu)) * 10) / 10,
        spread: [Math.min, Math.max].map((end) => Math.round(end(...took.map((one) => one.gpu)) * 10) / 10),
        wallUs: Math.round(medianOf(took.map((one) => one.wall))),
        ofCopy: Math.round(100 * medianOf(ratios)) / 100,
        copyGbPerSecond: Math.round((2 * COPY_BYTES) / medianOf(copies)),
        wrong: wrong.reduce((sum, one) => sum + one, 0),
      };
      lines.push(line);
      report(line);
    }
  }
  copy.dispose();
  return lines;
}

/** One element in this many is checked. */
const LOOK = 61;

/** The number of elements with wrong values. */
async function wrongOf(
  comm: Communicator,
  recv: Window<'f32'>,
  program: CollectiveProgram,
  elements: number,
): Promise<number> {
  const count = program.received(elements, comm.nRanks);
  const values = new Float32Array(count);
  await recv.read(new Uint8Array(values.buffer));
  let wrong = 0;
  for (let i = 0; i < count; i += LOOK) if (values[i] !== program.wants(comm.rank, i, comm.nRanks, elements)) wrong++;
  return wrong;
}

const found: Record<string, unknown> = {};
if (wants('cases')) found['cases'] = await phase('cases', cases);
if (wants('speed')) {
  const sizes = numbers('--sizes', `${1 << 16},${1 << 20},${1 << 24},${1 << 26}`);
  const lines: unknown[] = [];
  for (const ranks of numbers('--ranks', '2,4,8')) {
    lines.push(
      ...((await phase(`speed, ${ranks} ranks`, async () => speed(ranks, sizes, Number(option('--rounds', '5'))))) ??
        []),
    );
  }
  found['speed'] = lines;
}
writeFileSync(
  join(process.env['OUT'] ?? '.', 'webgpu-collectives.json'),
  JSON.stringify({ ...provenance(), ...found }, undefined, 1),
);
finish();
