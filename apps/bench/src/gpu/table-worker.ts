import { createInterface } from 'node:readline';
import {
  algorithmNames,
  collectiveNames,
  defaultSelection,
  setSelection,
  type CollectiveName,
  type SelectionRule,
} from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { benchBackend } from '../nccl-tests/bench-backend.ts';
import { benchProgramOf } from '../nccl-tests/bench-program.ts';
import { benchTypeOf } from '../nccl-tests/bench-type.ts';
import { collectivesContender } from '../nccl-tests/collectives-contender.ts';
import type { Contender, ContenderGraph } from '../nccl-tests/contender.ts';
import { allocBuffers } from '../nccl-tests/measure/bench-buffers.ts';
import {
  captureCalls,
  completeCalls,
  sizedCall,
  startCall,
  type BenchBed,
  type SizedCall,
} from '../nccl-tests/measure/bench-time.ts';
import { countWrong, initData } from '../nccl-tests/measure/check-data.ts';
import { ncclContender } from '../nccl-tests/nccl-contender.ts';
import type { BenchConfig } from '../nccl-tests/report/bench-report.ts';
import { callsOf } from '../predict/calls-of.ts';

/** A measurement request: one program of nccl-tests by one contender. */
interface TableRequest {
  readonly contender: string;
  readonly program: string;
  /** The element type, by nccl-tests' name. */
  readonly type: string;
  readonly bytes: number;
  /** True to check every element after a call. */
  readonly check: boolean;
}

/**
 * A graph is launched until this time has passed, and not more often than this. The time is long
 * enough to make the launch's cost on the host negligible.
 */
export const launching = Object.freeze({ milliseconds: 30, launches: 400 });

/** Above this size, the host takes too long to inspect everything. */
const MOST_CHECKED_BYTES = 16 << 20;
const SEED = 7;

/**
 * Measures each request, a line of JSON on stdin, and writes the result to stdout, until stdin
 * ends.
 */
export async function serveTable(gpus: number, maxBytes: number): Promise<never> {
  const bench = benchBackend({
    backend: 'cuda',
    ranks: gpus === 0 ? undefined : gpus,
    lsaSize: undefined,
    engine: undefined,
    workers: undefined,
    firstDevice: undefined,
  });
  await using world = await World.open({ backend: bench.backend });
  const ranks = await allocBuffers(world, maxBytes, 0);
  const bed: BenchBed = { world, ranks, config: configOf(maxBytes), average: 1, timeout: 0 };
  const { cudaWorld } = bench;
  if (cudaWorld === undefined) throw new Error('the world is not on GPUs');
  const contenders = new Map<string, Contender>();
  const contenderOf = async (name: string): Promise<Contender> => {
    let found = contenders.get(name);
    if (found === undefined) {
      found = name === 'nccl' || name === 'nccl-symmetric' ? ncclContender(name, cudaWorld) : ownContender(name);
      await found.prepare(world);
      contenders.set(name, found);
    }
    return found;
  };
  const graphs = new Graphs();
  for await (const line of createInterface({ input: process.stdin })) {
    const request = requestOf(line);
    let answer: object;
    try {
      answer = await measured(bed, await contenderOf(request.contender), request, graphs);
    } catch (error) {
      answer = { error: error instanceof Error ? error.message : String(error) };
    }
    process.stdout.write(`@${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
}

/** Graphs of the calls of one size. */
class Graphs {
  #of = '';
  readonly #graphs = new Map<string, ContenderGraph>();

  async get(
    { program, bytes, contender }: TableRequest,
    record: () => Promise<ContenderGraph>,
  ): Promise<ContenderGraph> {
    const of = `${program} ${bytes}`;
    if (of !== this.#of) {
      for (const graph of this.#graphs.values()) await graph[Symbol.asyncDispose]();
      this.#graphs.clear();
      this.#of = of;
    }
    let graph = this.#graphs.get(contender);
    if (graph === undefined) {
      graph = await record();
      this.#graphs.set(contender, graph);
    }
    return graph;
  }
}

async function measured(bed: BenchBed, contender: Contender, request: TableRequest, graphs: Graphs): Promise<object> {
  const { bytes, check } = request;
  const program = benchProgramOf(request.program);
  if (program === undefined) return { error: `there is no program ${request.program}` };
  const type = benchTypeOf(request.type);
  if (type === undefined) return { error: `there is no type ${request.type}` };
  const what = { program, type, op: program.reduces ? ('sum' as const) : undefined, root: 0 };
  const sized = sizedCall(what, bytes, bed.world.nRanks);
  const refusal = contender.refuses(sized.call, false);
  if (refusal !== undefined) return { error: refusal };
  const wrong = check ? await wrongOf(bed, contender, sized, bytes) : undefined;
  const calls = callsOf(bytes);
  const graph = await graphs.get(request, async () =>
    captureCalls(bed, contender, async () => {
      for (let call = 0; call < calls; call++) await startCall(bed, contender, sized, false, call);
    }),
  );
  const timed = async (launches: number): Promise<number> => {
    await completeCalls(bed, contender);
    const began = performance.now();
    for (let launch = 0; launch < launches; launch++) await graph.launch();
    await completeCalls(bed, contender);
    return performance.now() - began;
  };
  await timed(1);
  const once = await timed(1);
  const launches = Math.max(1, Math.min(launching.launches, Math.ceil(launching.milliseconds / once)));
  return { us: (1000 * (await timed(launches))) / launches / calls, ...(wrong === undefined ? {} : { wrong }) };
}

async function wrongOf(
  bed: BenchBed,
  contender: Contender,
  { call, counts }: SizedCall,
  bytes: number,
): Promise<number | undefined> {
  if (bytes > MOST_CHECKED_BYTES) return undefined;
  const { world, ranks } = bed;
  const checked = { call, counts, inPlace: false, nRanks: world.nRanks, seed: SEED, firstByte: 0 };
  await initData(checked, ranks);
  await startCall(bed, contender, { call, counts }, false, 0);
  await completeCalls(bed, contender);
  return countWrong(checked, ranks);
}

/** The contender by name: `own`, or ALGORITHM[:CTAS[:THREADS]] for all sizes. */
function ownContender(name: string): Contender {
  const own = collectivesContender();
  if (name === 'own') return ruled(own, name, () => defaultSelection);
  const [text, ctas, threads] = name.split(':');
  const algorithm = algorithmNames.find((known) => known === text);
  if (algorithm === undefined) throw new Error(`there is no contender ${name}`);
  return ruled(own, name, (collective) => [
    {
      collective,
      algorithm,
      ...(ctas === undefined ? {} : { ctas: Number(ctas) }),
      ...(threads === undefined ? {} : { threads: Number(threads) }),
    },
  ]);
}

/** The same with other selection rules. */
function ruled(
  own: Contender,
  name: string,
  rulesFor: (collective: CollectiveName) => readonly SelectionRule[],
): Contender {
  return {
    ...own,
    name,
    start: async (call, ranks) => {
      const collective = collectiveNames.find((known) => known === call.program.collective);
      if (collective === undefined) throw new Error(`${call.program.name} has no algorithms`);
      for (const { comm } of ranks) setSelection(comm, rulesFor(collective));
      await own.start(call, ranks);
    },
  };
}

function requestOf(line: string): TableRequest {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) throw new TypeError(`not a request: ${line}`);
  const given = new Map<string, unknown>(Object.entries(value));
  return {
    contender: String(given.get('contender')),
    program: String(given.get('program')),
    type: String(given.get('type')),
    bytes: Number(given.get('bytes')),
    check: given.get('check') === true,
  };
}

function configOf(maxBytes: number): Omit<BenchConfig, 'nGpus'> & { readonly nGpus: number } {
  return {
    program: 'table',
    nThreads: 1,
    nGpus: 0,
    minBytes: 0,
    maxBytes,
    step: { kind: 'factor', value: 4 },
    warmupIters: 0,
    iters: callsOf(0),
    aggIters: 1,
    check: 0,
    graphLaunches: 1,
    unalign: 0,
    blocking: 0,
    perIterTiming: false,
    perIterSkip: 0,
    parallelInit: false,
    reportCputime: false,
    reportTimestamps: false,
  };
}
