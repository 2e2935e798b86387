import { parseArgs } from 'node:util';
import { medianOf } from '@nccl-ts/core';
import { machineText, writeResults } from '../write-results.ts';
import { blockRow, type BlockCell } from './block-rows.ts';

const { values } = parseArgs({
  options: {
    ops: { type: 'string', default: 'reduce,reduceCopy,copy' },
    types: { type: 'string', default: 'f32,i32,u8,bf16,f16' },
    ranks: { type: 'string', default: '2,4,8' },
    sizes: { type: 'string', default: '65536,1048576,16777216' },
    rounds: { type: 'string', default: '9' },
    json: { type: 'string' },
  },
});

const ops = ['reduce', 'reduceCopy', 'copy'] as const;
const elements = ['f32', 'i32', 'u8', 'bf16', 'f16'] as const;

/**
 * Prints, for each building block inside a kernel, how it compares with the loop of a collective
 * without kernels.
 */
async function main(): Promise<void> {
  const machine = machineText();
  console.log(machine);
  const rows: unknown[] = [];
  console.log('op          type  ranks     bytes      native ms (spread)        wasm ms (spread)   ratio   of js');
  for (const cell of cells()) {
    const { samples, ratio, ofJs } = await blockRow(cell, Number(values.rounds));
    rows.push({ ...cell, ratio, ofJs, samples });
    const [native = '', own = ''] = samples.map(
      (one) => `${medianOf(one.ms).toFixed(4)} (${one.ms[0]?.toFixed(4)}-${one.ms.at(-1)?.toFixed(4)})`,
    );
    const names = `${cell.op.padEnd(11)} ${cell.element.padEnd(5)} ${String(cell.ranks).padStart(5)}`;
    const times = `${native.padStart(24)} ${own.padStart(24)}`;
    console.log(
      `${names} ${String(cell.bytes).padStart(9)} ${times} ${ratio.toFixed(2).padStart(7)} ${ofJs.toFixed(3)}`,
    );
  }
  if (values.json !== undefined) writeResults(values.json, machine, { rows });
}

function cells(): readonly BlockCell[] {
  const listed = (text: string): readonly number[] => text.split(',').map(Number);
  const has = (text: string, word: string): boolean => text.split(',').includes(word);
  return ops
    .filter((op) => has(values.ops, op))
    .flatMap((op) =>
      elements
        // A copy's bytes are bytes.
        .filter((element) => has(values.types, element) && (op !== 'copy' || element === 'f32' || element === 'u8'))
        .flatMap((element) =>
          listed(values.ranks).flatMap((ranks) =>
            listed(values.sizes).map((bytes): BlockCell => ({ op, element, ranks, bytes })),
          ),
        ),
    );
}

await main();
