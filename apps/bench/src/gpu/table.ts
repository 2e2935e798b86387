import { medianOf } from '@nccl-ts/machine-profile';
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { probe } from '@nccl-ts/backend-cuda';
import { benchTypeOf } from '../nccl-tests/bench-type.ts';
import { parseSize, sizesOf } from '../nccl-tests/sizes.ts';
import { choiceOf } from '../predict/choice-of.ts';
import { programsOf } from '../predict/predicted-program.ts';
import { provenance } from '../provenance.ts';
import { round } from './bench-setup.ts';
import { option } from '../option.ts';
import { finish, phase, report } from './phases.ts';
import { serveTable } from './table-worker.ts';

/*
 * Measures this repository's collectives beside NCCL's own, in graphs, out of place:
 *
 *     bash .gpu/run.sh table
 *
 * Arguments: --gpus N, --programs all_reduce,alltoall, -b 1K -e 1G -f 4, --rounds 7, --type
 * bfloat16, --contenders NAME,..., --unchecked (no look at what the calls leave behind).
 *
 * A name is `own` (the selected algorithm), ALGORITHM[:CTAS[:THREADS]], `nccl`, `nccl-symmetric` or
 * `nccl-symmetric-32`. The last one is a process of its own with 32 CTAs, since NCCL reads that
 * setting once. All contenders take turns in each round. Every element is compared in the first
 * round, and up to 2 MiB in the last one too. Everything goes to $OUT/table.json (--out NAME for
 * another), row by row. With --seconds N the program begins no row after that time.
 */

/** Up to this size every element is compared again after graphs have run. */
const CHECKED_AGAIN = 2 << 20;

const MANY_CTAS = 'nccl-symmetric-32';

/** A worker's result for a request. */
interface Answer {
  readonly us?: number;
  readonly wrong?: number;
  readonly error?: string;
}

/** A process that measures. */
class Worker {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string, unknown>;

  constructor(environment: Readonly<Record<string, string>>) {
    const [node, script] = [process.execPath, process.argv[1] ?? ''];
    this.#child = spawn(node, ['--enable-source-maps', script, ...process.argv.slice(2), '--serve'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the worker has no output');
    const lines: Interface = createInterface({ input: stdout });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async ask(request: object): Promise<Answer> {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    for (;;) {
      const next: IteratorResult<string, unknown> = await this.#lines.next();
      if (next.done === true) return { error: 'the worker ended' };
      if (!next.value.startsWith('@')) continue;
      const answer: unknown = JSON.parse(next.value.slice(1));
      return typeof answer === 'object' && answer !== null ? answer : {};
    }
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

interface Row {
  readonly program: string;
  readonly type: string;
  readonly bytes: number;
  readonly gpus: number;
  /** The launch that `own` selected: ALGORITHM:CTAS:THREADS. */
  readonly choice?: string;
  /** The microseconds of each round. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, number>>;
}

async function measure(gpus: number, keep: (rows: readonly Row[]) => void): Promise<readonly Row[]> {
  const end = performance.now() + 1000 * Number(option('--seconds', 'Infinity'));
  const names = option('--contenders', `own,nccl,nccl-symmetric,${MANY_CTAS}`).split(',');
  const rounds = Number(option('--rounds', '7'));
  const type = option('--type', 'bfloat16');
  const bytesOf = (name: string, otherwise: string): number => parseSize(option(name, otherwise)) ?? 0;
  const step = { kind: 'factor', value: Number(option('-f', '4')) } as const;
  const sizes = [...sizesOf(bytesOf('-b', '1K'), bytesOf('-e', '1G'), step)];
  const workers = new Map<string, Worker>();
  const workerOf = (name: string): Worker => {
    const key = name === MANY_CTAS ? MANY_CTAS : '';
    const found = workers.get(key) ?? new Worker(key === '' ? {} : { NCCL_SYM_CTAS: '32' });
    workers.set(key, found);
    return found;
  };
  const rows: Row[] = [];
  for (const program of option('--programs', 'all_reduce,all_gather,reduce_scatter,alltoall').split(',')) {
    for (const bytes of sizes) {
      if (performance.now() > end) {
        report({ program, bytes, left: 'no time' });
        continue;
      }
      const times: Record<string, number[]> = {};
      const errors: Record<string, string> = {};
      const wrong: Record<string, number> = {};
      for (let turn = 0; turn < rounds; turn++) {
        const asked = turn === 0 || (turn === rounds - 1 && bytes <= CHECKED_AGAIN);
        const check = asked && !process.argv.includes('--unchecked');
        for (const name of turn % 2 === 0 ? names : names.toReversed()) {
          if (errors[name] !== undefined) continue;
          const contender = name === MANY_CTAS ? 'nccl-symmetric' : name;
          const answer = await workerOf(name).ask({ contender, program, type, bytes, check });
          if (answer.error !== undefined) errors[name] = answer.error;
          if (answer.us !== undefined) (times[name] ??= []).push(answer.us);
          if (answer.wrong !== undefined && answer.wrong > 0) wrong[name] = answer.wrong;
        }
      }
      const known = programsOf(program)[0];
      const choice =
        known === undefined ? {} : { choice: choiceOf(known, 'own', bytes, gpus, benchTypeOf(type)?.kind) };
      const row = { program, type, bytes, gpus, ...choice, times, errors, wrong };
      rows.push(row);
      keep(rows);
      report({
        ...row,
        times: Object.fromEntries(Object.entries(times).map(([name, us]) => [name, round(medianOf(us))])),
      });
    }
  }
  for (const worker of workers.values()) worker.end();
  return rows;
}

if (process.argv.includes('--serve'))
  await serveTable(Number(option('--gpus', '0')), parseSize(option('-e', '1G')) ?? 0);

const probed = await probe();
report({ probe: probed });
await phase('table', async () => {
  const gpus = Number(option('--gpus', '0')) || probed.gpus.length;
  const file = join(process.env['OUT'] ?? '.', option('--out', 'table.json'));
  const rows = await measure(gpus, (found) => {
    writeFileSync(file, JSON.stringify({ ...provenance(), machine: probed, rows: found }, undefined, 1));
  });
  if (rows.some(({ wrong }) => Object.keys(wrong).length > 0)) throw new Error('elements are wrong');
});
finish();
