import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cuda, probe } from '@nccl-ts/backend-cuda';
import { sim } from '@nccl-ts/backend-sim';
import {
  allCases,
  caseRuns,
  runCase,
  shapeName,
  type CaseResults,
  type CaseRun,
  type CaseVerdict,
} from '@nccl-ts/conformance';
import { NcclError } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import type { Backend } from '@nccl-ts/transport';
import { provenance } from '../provenance.ts';
import { option } from '../option.ts';
import { errorFinding, finish, phase, report } from './phases.ts';
import { poolBackend, type PooledBackend } from './pooled-backend.ts';
import { domainSize, firstRanks, gpusOf, shapeProblem, sharedGpus, sharing, useDomains } from './ranks-and-domains.ts';
import { compareReads, recordReads, type Comparison } from './recorded-reads.ts';

/*
 * Runs the conformance suite on the GPUs of this machine, and on the simulator with the same
 * inputs:
 *
 *     bash .gpu/run.sh conformance
 *
 * Arguments: --filter TEXT (cases whose id contains it), --variant plain|sub-team|recorded,
 * --abortable (portable waits), --sharing N (up to N ranks on each of --gpus N, by default the
 * first GPU).
 *
 * Also --lsa-size N (ranks of a load-store domain), --skip TEXT (no cases whose id contains it),
 * --network (there is one: GIN's cases are for this machine).
 *
 * The verdicts go to $OUT/conformance.json. A worker process does the work: if a kernel hangs or
 * loses the context, the parent ends the worker and continues after that run in a new one.
 */

interface Result {
  readonly index: number;
  readonly verdict: CaseVerdict;
  readonly comparison?: Comparison;
  readonly error?: unknown;
}

const timeoutMilliseconds = 15_000;
const hangMilliseconds = 60_000;

const isAbortable = process.argv.includes('--abortable');

/**
 * CUDA emits the calls that contain GIN's primitives, and not the primitives themselves. Cases use
 * these to require a network.
 */
const ofNetwork = process.argv.includes('--network')
  ? ['gin.post', 'gin.acquire', 'gin.reset', 'gin.checkListed', 'gin.release']
  : [];

function cudaOf(ranks: number): Backend {
  const made = cuda({ ...gpusOf(ranks), abortable: isAbortable });
  const { capabilities } = made;
  return { ...made, capabilities: { ...capabilities, primitives: [...capabilities.primitives, ...ofNetwork] } };
}

function chosenRuns(): readonly CaseRun[] {
  const filter = option('--filter') ?? '';
  const variant = option('--variant');
  const skip = option('--skip');
  return caseRuns(allCases).filter(
    ({ case: { id }, variant: of }) =>
      id.includes(filter) && (skip === undefined || !id.includes(skip)) && (variant === undefined || of === variant),
  );
}

async function work(from: number): Promise<never> {
  const runs = chosenRuns();
  const { gpus } = await probe();
  const pools = new Map<number, PooledBackend>();
  const recorders = new Map<number, ReturnType<typeof recordReads>>();
  const onCuda = (shape: CaseRun['shape']): Backend => {
    const { ranks } = shape;
    const problem = shapeProblem(shape, gpus.length);
    if (problem !== undefined) throw new NcclError('NCCLTS_NOT_SUPPORTED', problem);
    let recorder = recorders.get(ranks);
    if (recorder === undefined) {
      const pool = poolBackend(cudaOf(ranks));
      pools.set(ranks, pool);
      recorder = recordReads(pool.backend);
      recorders.set(ranks, recorder);
    }
    return recorder.backend;
  };
  if (from === 0) await warmUp(runs);
  for (const [index, run] of runs.entries()) {
    if (index < from) continue;
    process.stdout.write(`@${JSON.stringify({ begin: index })}\n`);
    const { verdict, error } = await runCase(run, { backend: onCuda, timeoutMilliseconds });
    const comparison =
      verdict.verdict === 'unsupported' ? undefined : await compared(run, recorders.get(run.shape.ranks)?.take());
    const result: Result = {
      index,
      verdict,
      ...(comparison === undefined ? {} : { comparison }),
      ...(error === undefined ? {} : { error: errorFinding(error) }),
    };
    process.stdout.write(`@${JSON.stringify(result)}\n`);
  }
  for (const pool of pools.values()) await pool.dispose();
  process.exit(0);
}

/** The same run on the simulator, and a comparison of the values that the host read in both. */
async function compared(
  run: CaseRun,
  onGpus: ReturnType<ReturnType<typeof recordReads>['take']> | undefined,
): Promise<Comparison | undefined> {
  if (onGpus === undefined) return undefined;
  const recorder = recordReads(sim({ ranks: run.shape.ranks, lsaSize: run.shape.lsaSize }));
  const { verdict } = await runCase(run, { backend: () => recorder.backend });
  return verdict.verdict === 'pass' ? compareReads(onGpus, recorder.take()) : undefined;
}

/** Compiles all kernels at once, so that the runs find them in the cache. */
async function warmUp(runs: readonly CaseRun[]): Promise<void> {
  const backend = cudaOf(firstRanks);
  const kernels = [...new Set(runs.flatMap((run) => run.case.kernels))];
  const world = await backend.open({ onStall: () => undefined });
  const started = performance.now();
  let failed = 0;
  const queue = [...kernels];
  const lane = async (): Promise<void> => {
    for (let kernel = queue.pop(); kernel !== undefined; kernel = queue.pop()) {
      const name = kernel.name;
      try {
        const result = validate(kernel.compile(), backend.capabilities);
        if (result.ok) await world.compile(result.module);
      } catch (error) {
        failed++;
        process.stdout.write(`@${JSON.stringify({ compile: name, error: errorFinding(error) })}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: 24 }, lane));
  await world[Symbol.asyncDispose]();
  const ms = Math.round(performance.now() - started);
  process.stdout.write(`@${JSON.stringify({ warmUp: kernels.length, failed, ms })}\n`);
}

/** Runs a worker from a run on. Returns the run at which it stopped early, if it did. */
async function supervise(from: number, results: Result[]): Promise<number | undefined> {
  const [node, script] = [process.execPath, process.argv[1] ?? ''];
  const child = spawn(node, ['--enable-source-maps', script, ...process.argv.slice(2), '--worker', String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let begun: number | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  const feed = (): void => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => child.kill('SIGKILL'), hangMilliseconds * (begun === undefined ? 6 : 1));
  };
  feed();
  for await (const line of createInterface({ input: child.stdout })) {
    feed();
    if (!line.startsWith('@')) continue;
    const message = messageOf(line.slice(1));
    if (message.begin !== undefined) {
      begun = message.begin;
    } else if (message.index === undefined || message.verdict === undefined) {
      report(message);
    } else {
      begun = undefined;
      const result: Result = { ...message, index: message.index, verdict: message.verdict };
      results.push(result);
      show(result);
    }
  }
  clearTimeout(watchdog);
  return begun;
}

type Message = { readonly begin?: number } & Partial<Result>;

/** A message from this program's worker. */
function messageOf(line: string): Message {
  const message: unknown = JSON.parse(line);
  if (typeof message !== 'object' || message === null) throw new TypeError(`not a message: ${line}`);
  return message;
}

function show({ verdict, comparison, error }: Result): void {
  const differs = (comparison?.differences.length ?? 0) > 0;
  if (verdict.verdict === 'pass' && !differs) return;
  if (verdict.verdict === 'unsupported') return;
  const { case: id, variant, code, reason } = verdict;
  report({ run: `${id} ${shapeName(verdict)} ${variant}`, verdict: verdict.verdict, code, reason, comparison, error });
}

useDomains();
const worker = option('--worker');
if (worker !== undefined) await work(Number(worker));

const probed = await probe();
report({ probe: probed });
await phase('conformance', async () => {
  const runs = chosenRuns();
  const results: Result[] = [];
  for (let from: number | undefined = 0; from !== undefined && from < runs.length;) {
    const brokeOffAt: number | undefined = await supervise(from, results);
    if (brokeOffAt === undefined) break;
    const run = runs[brokeOffAt];
    if (run === undefined) break;
    const result: Result = {
      index: brokeOffAt,
      verdict: {
        case: run.case.id,
        ...run.shape,
        variant: run.variant,
        verdict: 'fail',
        code: 'timeout',
        reason: 'the process was ended',
        milliseconds: 0,
      },
    };
    results.push(result);
    show(result);
    from = brokeOffAt + 1;
  }
  const counts: Record<string, number> = {};
  for (const { verdict } of results) counts[verdict.verdict] = (counts[verdict.verdict] ?? 0) + 1;
  const differences = results.filter(({ comparison }) => (comparison?.differences.length ?? 0) > 0);
  const meaningOf = ({ index }: Result): CaseResults => runs[index]?.case.results ?? 'exact';
  const differing = differences.filter((result) => meaningOf(result) === 'exact').length;
  // For these two kinds, the case itself has checked every value.
  const differingByOrder = differences.filter((result) => meaningOf(result) === 'order').length;
  const differingInBound = differences.filter((result) => meaningOf(result) === 'bounded').length;
  const nCompared = results.filter(({ comparison }) => comparison !== undefined).length;
  const summary = {
    runs: runs.length,
    done: results.length,
    counts,
    compared: nCompared,
    differing,
    differingByOrder,
    differingInBound,
  };
  report({ summary });
  const directory = process.env['OUT'] ?? '.';
  writeFileSync(
    join(directory, 'conformance.json'),
    JSON.stringify(
      { ...provenance(), machine: probed, sharing, sharedGpus, domainSize, summary, results },
      undefined,
      1,
    ),
  );
  if (differing > 0 || (counts['fail'] ?? 0) > 0 || results.length < runs.length)
    throw new Error('not everything passes');
});
finish();
