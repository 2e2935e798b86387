import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { option } from '../option.ts';
import { callsOf } from '../predict/calls-of.ts';
import { round } from './bench-setup.ts';
import { PeerContenders } from './peer-contenders.ts';
import { finish, phase, report } from './phases.ts';
import { launching } from './table-worker.ts';
import { takeTurns, type Turns } from './take-turns.ts';
import { machineText, writeResults } from '../write-results.ts';
import { medianOf } from '@nccl-ts/core';

/*
 * Measures recorded launches of published kernels in graphs on two GPUs, as `table` measures peers:
 *
 *     bash .gpu/run.sh public-kernels --launches FOLDER --program FOLDER/recorded-launches
 *
 * Arguments: --kernels NAME,..., -b 1024 -e 16777216, --rounds 5, --repeats N (compares the results
 * of N launches one by one), --calls 20 (of a graph), --seconds N, --out NAME. Each size's kernels
 * take turns.
 */

interface MeasuredRow extends Turns {
  readonly bytes: number;
}

const folder = option('--launches', '.');
/** A request takes a tenth of a second. */
const SECONDS = 20;
const gpus = 2;
const [least, most] = [Number(option('-b', '1024')), Number(option('-e', '16777216'))];
const rounds = Number(option('--rounds', '5'));
const repeats = Number(option('--repeats', '1'));
const wanted = option('--kernels')?.split(',');

/** The kernels by size that the folder has. */
const bySize = new Map<number, string[]>();
for (const file of readdirSync(folder).toSorted()) {
  const [, name, size] = /^(.+)-(\d+)\.launches$/.exec(file) ?? [];
  const bytes = Number(size);
  if (name === undefined || bytes < least || bytes > most || wanted?.includes(name) === false) continue;
  bySize.set(bytes, [...(bySize.get(bytes) ?? []), name]);
}

const machine = machineText();
const end = performance.now() + 1000 * Number(option('--seconds', 'Infinity'));
await phase('public kernels', async () => {
  const names = [...new Set([...bySize.values()].flat())];
  const command = `${option('--program', join(folder, 'recorded-launches'))} --launches ${folder}`;
  const rows: MeasuredRow[] = [];
  for (const [bytes, kernels] of [...bySize].toSorted(([a], [b]) => a - b)) {
    if (performance.now() > end) {
      report({ bytes, left: 'no time' });
      continue;
    }
    const begin = (): PeerContenders => new PeerContenders(['--peer', `${names.join(',')}=${command}`], gpus, SECONDS);
    let peers = begin();
    const turns = await takeTurns(kernels, rounds, async (contender, turn) => {
      const answer = await peers.request({
        contender,
        program: 'recorded',
        type: 'as recorded',
        bytes,
        check: turn === 0,
        repeats,
        room: bytes,
        calls: Number(option('--calls', String(callsOf(bytes)))),
        ...launching,
      });
      if (answer.error !== undefined) {
        // The process may have ended with it. The other kernels go on in a new one.
        peers.end();
        peers = begin();
      }
      return answer;
    });
    peers.end();
    rows.push({ bytes, ...turns });
    writeResults(join(process.env['OUT'] ?? '.', option('--out', 'public-kernels.json')), machine, { gpus, rows });
    const shown = Object.entries(turns.times).map(([name, us]) => [name, round(medianOf(us))]);
    report({ bytes, times: Object.fromEntries(shown), errors: turns.errors, wrong: turns.wrong });
  }
});
finish();
