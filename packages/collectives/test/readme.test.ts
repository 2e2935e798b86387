import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sim } from '@nccl-ts/backend-sim';
import { allReduce } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { bf16 } from '@nccl-ts/kernel';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

test('the example of the README averages', async () => {
  const names = { sim, allReduce, World, RedOp, bf16 };
  const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const code = /^```ts\n([^]*?)^```/m.exec(text)?.[1] ?? '';
  const body = `async function example() { ${code.replaceAll(/^import .*\n/gm, '')} return sums; }`;
  const plain = transformSync(body, { loader: 'ts', target: 'es2022' }).code;
  // oxlint-disable-next-line no-new-func, no-implied-eval
  const example = new Function(...Object.keys(names), `${plain} return example();`) as (
    ...values: unknown[]
  ) => Promise<Float32Array[]>;
  const sums = await example(...Object.values(names));
  expect(sums.map((values) => [values.length, values[0], values.at(-1)])).toEqual(
    Array.from({ length: 4 }, () => [1024, 1.5, 1.5]),
  );
});
