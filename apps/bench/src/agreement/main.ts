import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort } from 'node:worker_threads';
import { provenance } from '../provenance.ts';
import { agreement } from './agreement.ts';
import { batchesOf, type CaseSet } from './batches.ts';
import { caseWorker, type BatchOutcome, type CaseWorkerOptions } from './case-worker.ts';

const usage = `agreement: every collective, algorithm, type and operator, in place and apart, on 1 to 16 ranks of the simulator, with
odd counts and offsets, against a reference in f64; the same bits on all ranks, and when it is done again

  --set NAME      product: all choices with all others (default); pairwise: pairs of choices
  --filter TEXT   cases whose names have it, such as allReduce/ring/bf16
  --step N        of every N kernels one (default: 1)
  --engine NAME   js (default) or wasm, which does what it can without kernels
  --threads N     default: one for each core
  --minutes N     after which no kernel's cases begin any more (default: no limit)
  --json FILE     what was found

Exit codes: 0 all agree; 1 some do not; 2 not all were run, or the command line is wrong.`;

interface AgreementArguments extends CaseWorkerOptions {
  readonly step: number;
  readonly threads: number;
  readonly minutes: number;
  readonly json: string | undefined;
}

/**
 * Reads the command line. Returns `undefined` if it asks for help. Throws the message if it is
 * wrong.
 */
function parseArguments(args: readonly string[]): AgreementArguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      set: { type: 'string', default: 'product' },
      filter: { type: 'string', default: '' },
      step: { type: 'string', default: '1' },
      engine: { type: 'string', default: 'js' },
      threads: { type: 'string', default: String(availableParallelism()) },
      minutes: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const minutes = values.minutes === undefined ? Infinity : Number(values.minutes);
  if (!(minutes > 0)) throw new RangeError(`--minutes ${values.minutes}: more than 0`);
  return {
    set: named<CaseSet>('--set', values.set, ['product', 'pairwise']),
    engine: named('--engine', values.engine, ['js', 'wasm']),
    filter: values.filter,
    step: positive('--step', values.step),
    threads: positive('--threads', values.threads),
    minutes,
    json: values.json,
  };
}

function named<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const name = names.find((one) => one === text);
  if (name === undefined) throw new RangeError(`${option} ${text}: ${names.join(' or ')}`);
  return name;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`${option} ${text}: it must be an integer of at least 1`);
  return value;
}

async function compared({ set, filter, engine, step, threads, minutes, json }: AgreementArguments): Promise<number> {
  const batches = batchesOf(set, filter).length;
  if (batches === 0) {
    console.error(`error: --filter ${filter}: no case matches it`);
    return 2;
  }
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1000);
  let reported = 0;
  const found = await agreement({
    entry: new URL(import.meta.url),
    args: process.argv.slice(2),
    batches,
    step,
    threads,
    over: () => seconds() >= minutes * 60,
    progress: ({ done, batches: all, cases, problems }) => {
      if (seconds() < reported + 10) return;
      reported = seconds();
      console.error(`${reported} s: ${done} of ${all} kernels, ${cases} cases, ${problems.length} disagreements`);
    },
  });
  for (const problem of found.problems.slice(0, 20)) console.log(problem);
  const { done, cases, problems } = found;
  console.log(
    `${set}, engine ${engine}: ${done} of ${found.batches} kernels, ${cases} cases, ${problems.length} do not agree; ${seconds()} s on ${threads} threads`,
  );
  if (json !== undefined) {
    writeFileSync(
      json,
      `${JSON.stringify({ ...provenance(), set, filter, engine, step, ...found, threads, seconds: seconds() }, undefined, 1)}\n`,
    );
  }
  if (problems.length > 0) return 1;
  return done < found.batches ? 2 : 0;
}

/** The options of the command line, or the exit code if there is nothing to run. */
function options(): AgreementArguments | number {
  try {
    const given = parseArguments(process.argv.slice(2));
    if (given !== undefined) return given;
    console.log(usage);
    return 0;
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
}

const chosen = options();
if (typeof chosen === 'number') process.exitCode = chosen;
else if (isMainThread) process.exitCode = await compared(chosen);
else {
  const answer = caseWorker(chosen);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const say = (outcome: BatchOutcome): void => parentPort?.postMessage(outcome);
  parentPort?.on('message', (batch: number) => void answer(batch).then(say));
}
