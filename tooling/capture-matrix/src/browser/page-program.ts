/// <reference lib="dom" />
import { sim } from '@nccl-ts/backend-sim';
import { webgpu } from '@nccl-ts/backend-webgpu';
import { algorithmFacts, algorithmsOf, collectiveNames, collectiveShapes } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import {
  byShape,
  runCollectiveCase,
  runTransferCase,
  transferCases,
  type CollectiveCase,
  type TransferCase,
} from '@nccl-ts/conformance';
import type { Backend } from '@nccl-ts/transport';

import type { BackendOutcome, PageOutcome, PageScope } from './page-outcome.ts';

/** Every algorithm of every collective, on four ranks, in one load-store domain or two. */
function collectives(): readonly CollectiveCase[] {
  return collectiveNames.flatMap((collective) =>
    algorithmsOf[collective].map((algorithm): CollectiveCase => {
      const lsaSize = algorithmFacts[algorithm].spansDomains ? 2 : 4;
      const op = collectiveShapes[collective].reduces ? 'sum' : 'none';
      const rest = { element: 'f32', op, inPlace: false, ranks: 4, lsaSize, count: 127, offset: 1 } as const;
      return { id: `${collective}/${algorithm}`, collective, algorithm, ...rest };
    }),
  );
}

/** Sends, receives, puts and signals. Each program runs once, on as many ranks. */
function transfers(): readonly TransferCase[] {
  return transferCases().filter(({ ranks, element }) => ranks === 4 && element !== 'f64');
}

type PageRun = (world: World) => Promise<string | undefined>;

interface NamedRun {
  readonly id: string;
  readonly ranks: number;
  readonly lsaSize: number;
  readonly run: PageRun;
}

async function runAll(
  backend: (shape: { ranks: number; lsaSize: number }) => Backend,
  runs: readonly NamedRun[],
): Promise<BackendOutcome> {
  const began = performance.now();
  const problems: string[] = [];
  for (const { shape, cases } of byShape(runs)) {
    const world = await World.open({ backend: backend(shape) });
    for (const { id, run } of cases) {
      const problem = await run(world).catch((error: unknown) => String(error));
      if (problem !== undefined) problems.push(`${id}: ${problem}`);
    }
    await world.close();
  }
  return { ran: runs.map(({ id }) => id), problems, ms: Math.round(performance.now() - began) };
}

async function runPage(scope: PageScope): Promise<PageOutcome> {
  const collective = collectives().map((of): NamedRun => ({
    ...of,
    run: async (world) => runCollectiveCase(world, of),
  }));
  const transfer = transfers().map((of): NamedRun => ({ ...of, run: async (world) => runTransferCase(world, of) }));
  // WebGPU has no network.
  const near = [...collective, ...transfer].filter(({ ranks, lsaSize }) => ranks === lsaSize);
  const few = near.filter(({ id }) => id === 'allReduce/ll' || id === 'broadcast/twoShot');
  return {
    sim: await runAll(sim, [...collective, ...transfer]),
    webgpu: await runAll((shape) => webgpu(shape), scope === 'all' ? near : few),
  };
}

const scope: PageScope = new URLSearchParams(location.search).get('scope') === 'all' ? 'all' : 'few';
const shown = document.createElement('pre');
shown.id = 'outcome';
try {
  shown.textContent = JSON.stringify(await runPage(scope));
} catch (error) {
  shown.textContent = JSON.stringify({ failed: String(error) });
}
document.body.append(shown);
