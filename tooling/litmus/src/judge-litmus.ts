import type { Suite } from './expectations.ts';
import { NotExpressibleError, type LitmusTest } from './litmus-test.ts';
import { litmusPtx } from './litmus-ptx.ts';
import { parseLitmus } from './parse-litmus.ts';
import { runLitmus, type LitmusResult } from './run-litmus.ts';

/** The outcome of one test. */
export type Outcome =
  | { readonly kind: 'ran'; readonly test: LitmusTest; readonly result: LitmusResult }
  | { readonly kind: 'not expressible'; readonly why: string };

/** Translates and explores the text of a test. */
export async function outcomeOf(text: string): Promise<Outcome> {
  try {
    const test = parseLitmus(text);
    return { kind: 'ran', test, result: await runLitmus(test, litmusPtx(test)) };
  } catch (error) {
    if (error instanceof NotExpressibleError) return { kind: 'not expressible', why: error.message };
    throw error;
  }
}

/** The answer of a test in the terms of a suite, or `undefined` if not every execution was seen. */
export function answerOf(
  { property }: Pick<Suite, 'property'>,
  { test, result }: Extract<Outcome, { readonly kind: 'ran' }>,
): boolean | undefined {
  const { complete, isPossible, isCertain, finished, errors } = result;
  if (property === 'termination') {
    if (errors.has('deadlock')) return false;
    return complete ? finished > 0 : undefined;
  }
  // A test whose every execution hangs has no final values.
  switch (test.quantifier) {
    case 'exists':
      return isPossible ? true : complete ? false : undefined;
    case 'not exists':
      return isPossible ? false : complete ? true : undefined;
    case 'forall':
      return !isCertain ? false : complete ? true : undefined;
  }
}
