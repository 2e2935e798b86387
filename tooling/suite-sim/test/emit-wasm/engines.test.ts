import type { SimWorld } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import {
  allCases,
  byShape,
  caseRuns,
  decorateBackend,
  pairwiseCollectiveCases,
  runCase,
  problemsOf,
  runCollectiveCase,
  type CaseRun,
  type WorldShape,
} from '@nccl-ts/conformance';
import type { Backend } from '@nccl-ts/transport';
import { describe, expect, inject, it, test } from 'vitest';

import { resolveSimOptions, simWith } from '@nccl-ts/backend-sim/internal';

const isWhole = inject('everyCase');
/** The quick tests have two themes and the smallest world with a peer. */
const isNow = (theme: string): boolean => ['pointers', 'windows'].includes(theme) !== inject('slow');

/** One of this many cases runs. With NCCLTS_EVERY_CASE set, all run, which takes some minutes. */
const [caseStep, collectiveStep] = isWhole ? [1, 1] : [64, 400];

type Engine = 'js' | 'wasm' | 'workers';

/** A backend with one engine that records the hosts' reads, byte by byte, in order. */
function recorded(
  shape: WorldShape & { readonly seed?: number },
  engine: Engine,
  reads: string[],
  worlds: SimWorld[] = [],
): Backend {
  const options = engine === 'workers' ? ({ engine: 'wasm', workers: 2 } as const) : { engine };
  const backend = simWith(resolveSimOptions({ ...shape, ...options }), undefined, { compiles: 'all', native: false });
  const kept: Backend = {
    ...backend,
    open: async (options) => {
      const world = await backend.open(options);
      worlds.push(world);
      return world;
    },
  };
  return decorateBackend(kept, (world) => ({
    read: async (buffer, into, offset) => {
      await world.read(buffer, into, offset);
      reads.push(hex(into));
    },
  }));
}

function hex({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Array.from(new Uint8Array(buffer, byteOffset, byteLength), (byte) => byte.toString(16)).join(' ');
}

interface Outcome {
  readonly milliseconds: number;
  readonly reads: readonly string[];
  readonly hashes: readonly number[];
}

/** The results by WebAssembly, with which two tests compare others. */
const byWasm = new Map<CaseRun, Promise<Outcome>>();

async function wasmOutcome(run: CaseRun): Promise<Outcome> {
  const found = byWasm.get(run) ?? outcome(run, 'wasm');
  byWasm.set(run, found);
  return found;
}

async function outcome(run: CaseRun, engine: Engine): Promise<Outcome> {
  const reads: string[] = [];
  const worlds: SimWorld[] = [];
  const { verdict } = await runCase(run, { backend: (shape) => recorded(shape, engine, reads, worlds) });
  return { ...verdict, milliseconds: 0, reads, hashes: worlds.map(({ eventHash }) => eventHash) };
}

const runs = caseRuns(allCases).filter(({ variant }, i) => variant === 'plain' && (isWhole || i % caseStep === 4));
const themes = [...new Set(runs.map((run) => run.case.id.split('/')[0] ?? ''))].filter(isNow);

describe('both engines leave the same bytes and have the same verdicts', () => {
  it.each(themes)('both engines leave the same bytes in the cases of theme %s', { timeout: 600_000 }, async (theme) => {
    for (const run of runs.filter(({ case: { id } }) => id.startsWith(`${theme}/`))) {
      const wasm = await wasmOutcome(run);
      expect(wasm).toMatchObject({ verdict: expect.stringMatching(/^(pass|unsupported)$/) });
      expect(wasm).toEqual(await outcome(run, 'js'));
    }
  });
});

/**
 * With threads, schedules differ: the order in which hosts read, and, in cases that allow several,
 * the values that they read.
 */
function anyOrder(found: Outcome, { case: { results } }: CaseRun): object {
  return { ...found, hashes: [], reads: results === 'order' ? [] : found.reads.toSorted() };
}

describe('worker threads leave the same bytes and have the same verdicts', () => {
  it.each(themes)(
    'worker threads leave the same bytes in the cases of theme %s',
    { timeout: 600_000 },
    async (theme) => {
      for (const run of runs.filter(({ case: { id } }) => id.startsWith(`${theme}/`))) {
        const found = await outcome(run, 'workers');
        expect(found).toMatchObject({ verdict: expect.stringMatching(/^(pass|unsupported)$/) });
        expect(anyOrder(found, run)).toEqual(anyOrder(await wasmOutcome(run), run));
      }
    },
  );
});

/** The engines that run collectives. */
const engines = {
  js: { engine: 'js' },
  kernels: { engine: 'wasm', native: false },
  native: { engine: 'wasm', native: true },
  threads: { engine: 'wasm', native: true, workers: 2 },
} as const;

/** Records the bytes that the host of every rank reads, in order. */
function noting(shape: WorldShape, by: keyof typeof engines, reads: Map<number, string[]>): Backend {
  const { engine, ...rest } = engines[by];
  const workers = 'workers' in rest ? rest.workers : 1;
  const native = 'native' in rest && rest.native;
  const backend = simWith(resolveSimOptions({ ...shape, engine, workers }), undefined, { compiles: 'all', native });
  return decorateBackend(backend, (world) => ({
    read: async (buffer, into, offset) => {
      await world.read(buffer, into, offset);
      reads.set(buffer.rank, [...(reads.get(buffer.rank) ?? []), hex(into)]);
    },
  }));
}

describe('collectives leave the same bytes in JavaScript, by kernels in WebAssembly, and without kernels', () => {
  const cases = pairwiseCollectiveCases().filter((_, i) => i % collectiveStep === 0);
  const timeout = 60_000 + cases.length * 2000;
  test.each(byShape(cases).filter(({ shape: { ranks } }) => (ranks === 3) !== inject('slow')))(
    'on $shape.ranks ranks, $shape.lsaSize in a domain',
    { timeout },
    async (group) => {
      const problems: string[] = [];
      const seen = new Map<string, Map<number, string[]>>();
      for (const by of ['js', 'kernels', 'native', 'threads'] as const) {
        const reads = new Map<number, string[]>();
        seen.set(by, reads);
        await using world = await World.open({ backend: noting(group.shape, by, reads) });
        const found = await problemsOf(world, group.cases, runCollectiveCase);
        problems.push(...found.map((problem) => `${by}, ${problem}`));
      }
      expect(problems).toEqual([]);
      expect(seen.get('kernels')).toEqual(seen.get('js'));
      expect(seen.get('native')).toEqual(seen.get('js'));
      expect(seen.get('threads')).toEqual(seen.get('js'));
    },
  );
});
