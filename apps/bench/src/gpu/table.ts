import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { medianOf } from '@nccl-ts/core';
import { probe } from '@nccl-ts/backend-cuda';
import { benchTypeOf } from '../nccl-tests/bench-type.ts';
import { parseSize, sizesOf } from '../nccl-tests/sizes.ts';
import { callsOf } from '../predict/calls-of.ts';
import { choiceOf } from '../predict/choice-of.ts';
import { programsOf } from '../predict/predicted-program.ts';
import { provenance } from '../provenance.ts';
import { round } from './bench-setup.ts';
import { option } from '../option.ts';
import { MeasuringProcess } from './measuring-process.ts';
import { PeerContenders } from './peer-contenders.ts';
import { finish, phase, report } from './phases.ts';
import { launching, serveTable } from './table-worker.ts';
import { takeTurns, type Turns } from './take-turns.ts';

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
 * setting once. `--peer NAME[,NAME...]=COMMAND` adds contenders that another program measures, such
 * as native/peers.cu. It can come several times. A command is started once, with `--gpus N` added.
 * All contenders take turns in each round. Every element is compared in the first round, and up to
 * 2 MiB in the last one too. Everything goes to $OUT/table.json (--out NAME for another), row by
 * row. With --seconds N the program begins no row after that time.
 */

/** Up to this size every element is compared again after graphs have run. */
const CHECKED_AGAIN = 2 << 20;

const MANY_CTAS = 'nccl-symmetric-32';

interface TableRow extends Turns {
  readonly program: string;
  readonly type: string;
  readonly bytes: number;
  readonly gpus: number;
  /** The launch that `own` selected: ALGORITHM:CTAS:THREADS. */
  readonly choice?: string;
}

/** A process that measures by this program, with `--serve`. */
function ownProcess(environment: Readonly<Record<string, string>>): MeasuringProcess {
  const script = ['--enable-source-maps', process.argv[1] ?? '', ...process.argv.slice(2), '--serve'];
  return new MeasuringProcess([process.execPath, ...script], { environment });
}

async function measure(gpus: number, keep: (rows: readonly TableRow[]) => void): Promise<readonly TableRow[]> {
  const end = performance.now() + 1000 * Number(option('--seconds', 'Infinity'));
  const peers = new PeerContenders(process.argv.slice(2), gpus);
  const contenders = option('--contenders', `own,nccl,nccl-symmetric,${MANY_CTAS}`).split(',');
  const names = [...new Set([...contenders, ...peers.names])];
  const rounds = Number(option('--rounds', '7'));
  const type = option('--type', 'bfloat16');
  const bytesOf = (name: string, otherwise: string): number => parseSize(option(name, otherwise)) ?? 0;
  const step = { kind: 'factor', value: Number(option('-f', '4')) } as const;
  const room = bytesOf('-e', '1G');
  const sizes = [...sizesOf(bytesOf('-b', '1K'), room, step)];
  const workers = new Map<string, MeasuringProcess>();
  const workerOf = (name: string): MeasuringProcess => {
    const key = name === MANY_CTAS ? MANY_CTAS : '';
    const found = workers.get(key) ?? ownProcess(key === '' ? {} : { NCCL_SYM_CTAS: '32' });
    workers.set(key, found);
    return found;
  };
  const rows: TableRow[] = [];
  for (const program of option('--programs', 'all_reduce,all_gather,reduce_scatter,alltoall').split(',')) {
    for (const bytes of sizes) {
      if (performance.now() > end) {
        report({ program, bytes, left: 'no time' });
        continue;
      }
      const { times, errors, wrong } = await takeTurns(names, rounds, async (name, turn) => {
        const requested = turn === 0 || (turn === rounds - 1 && bytes <= CHECKED_AGAIN);
        const check = requested && !process.argv.includes('--unchecked');
        const contender = name === MANY_CTAS ? 'nccl-symmetric' : name;
        const request = { contender, program, type, bytes, check };
        if (!peers.has(name)) return workerOf(name).request(request);
        return peers.request({ ...request, room, calls: callsOf(bytes), ...launching });
      });
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
  peers.end();
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
