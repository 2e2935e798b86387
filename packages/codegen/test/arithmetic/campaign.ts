import * as fc from 'fast-check';
import { inject } from 'vitest';

import { BatchArbitrary, type Batch } from './generate/batch.ts';
import { nameOf, type Type } from './language/type.ts';
import { runBatch, type Mismatch, type Tally } from './run-batch.ts';

/**
 * The number of expressions of one type that a test tries: more with NCCLTS_EVERY_CASE set, and the
 * whole campaign with `NCCLTS_EXPRESSIONS=100000`.
 */
export const expressionsPerType: number = Number(
  process.env['NCCLTS_EXPRESSIONS'] ?? (inject('everyCase') ? 400 : 150),
);
const seed: number = Number(process.env['NCCLTS_SEED'] ?? 20260729);

/** The milliseconds that one type may take. A loaded machine needs a few for each expression. */
export const timeLimit: number = 60_000 + expressionsPerType * 30;

const expressionsPerBatch = 50;
const rows = 8;

/**
 * Most batches are compiled for a CTA, with addresses that do not depend on the thread alone. Of
 * each eight, one has a program counter for each thread, one has addresses that grow with the
 * thread, and two are compiled a second time with constants.
 */
function runVariant(batch: Batch, tally: Tally, engine: 'js' | 'wasm'): readonly Mismatch[] {
  // With constants there is little left to run, and only JavaScript has a program counter for each
  // thread.
  if (engine === 'wasm') return runBatch(batch, { affine: batch.variant % 2 === 0, engine }, tally);
  switch (batch.variant) {
    case 0:
      return runBatch(batch, { affine: true }, tally);
    case 1:
      return runBatch(batch, { affine: false, mode: 'thread' }, tally);
    case 2:
    case 3:
      return [...runBatch(batch, { affine: false }, tally), ...runBatch(batch, { form: 'constants' })];
    default:
      return runBatch(batch, { affine: false }, tally);
  }
}

/**
 * Runs random expressions with operands of `focus`, each in eight rows. If a value or a type
 * differs from the reference's, it throws the seed, the shrunken expression and its operands.
 */
export function runCampaign(focus: Type, engine: 'js' | 'wasm' = 'js'): Tally {
  const tally: Tally = { compared: 0, nans: 0, unspecified: 0 };
  // Operators that JavaScript computes correctly are tried more often, because those runs test the
  // expressions themselves.
  const expressions = engine === 'wasm' ? Math.ceil(expressionsPerType / 8) : expressionsPerType;
  const property = fc.property(new BatchArbitrary({ focus, expressions: expressionsPerBatch, rows }), (batch) => {
    const [mismatch] = runVariant(batch, tally, engine);
    if (mismatch !== undefined) throw new Error(`${nameOf(focus)}: ${mismatch.text}`);
  });
  fc.assert(property, { seed, numRuns: Math.ceil(expressions / expressionsPerBatch) });
  return tally;
}
