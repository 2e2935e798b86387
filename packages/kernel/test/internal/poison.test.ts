import { analyseKernel } from '@nccl-ts/kernel';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { poison } from '../../src/lower/operand.ts';
import { mutate, Random } from '../support/mutate.ts';
import { withRawText } from '../support/raw-text.ts';
import { seedKernels, seedParams, seedUse } from '../support/seed-kernels.ts';

/** With NCCLTS_EVERY_CASE set, four times as many. The quick tests have few. */
const runs = !inject('slow') ? 150 : inject('everyCase') ? 4000 : 1000;
/** True if anything has looked at the operand that replaces the reported expression. */
let touched = false;

beforeAll(() => {
  Object.defineProperty(poison, 'kind', {
    configurable: true,
    get: () => {
      touched = true;
      return 'poison';
    },
  });
});

afterAll(() => {
  Object.defineProperty(poison, 'kind', { configurable: true, value: 'poison' });
});

it('an operand with an error never gets into a module: every mistake is reported', { timeout: 60_000 }, () => {
  const random = new Random(20_261_121);
  const silent: string[] = [];
  for (let run = 0; run < runs; run++) {
    const text = run < seedKernels.length ? (seedKernels[run] ?? '') : mutate(random.pick(seedKernels), random);
    touched = false;
    const { ok } = withRawText(text, { use: seedUse, params: seedParams }, (of) => analyseKernel(of));
    if (ok && touched) silent.push(text);
  }
  expect(silent.slice(0, 3)).toEqual([]);
});

it('the kernels of the previous test contain mistakes, so that it can fail', () => {
  touched = false;
  const { ok } = withRawText('({}, { p }) => { p[0] = missing + 1; }', { params: seedParams }, (of) =>
    analyseKernel(of),
  );
  expect([ok, touched]).toEqual([false, true]);
});
