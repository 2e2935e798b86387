import type { Fault, FaultKind } from '@nccl-ts/findings';
import { contractText, type AssertStatement, type Expression, type ScalarValue, type Span } from '@nccl-ts/ir';
import { at } from '@nccl-ts/core';
import { use } from '@nccl-ts/memory-model';
import type { LaterScalar } from './element.ts';
import type { Steps } from './steps.ts';

/** A fault of a thread, which ends the thread. */
export class ThreadFault extends Error {
  readonly kind: FaultKind;
  readonly access: Pick<Fault, 'space' | 'address' | 'bytes' | 'region' | 'arrayBytes'>;
  /** Set for an expression with its own span. */
  readonly span: Span | undefined;

  constructor(kind: FaultKind, message = '', access: ThreadFault['access'] = {}, span?: Span) {
    super(message);
    this.kind = kind;
    this.access = access;
    this.span = span;
  }
}

/**
 * Thrown if the kernel uses something that the exhaustive mode does not support. The code after it
 * is not checked.
 */
export class Unsupported extends Error {}

/** The fault for a failed assertion or a broken contract: its message, with its values. */
export function* failureOf(
  s: AssertStatement,
  evaluate: (e: Expression) => Steps<readonly LaterScalar[]>,
): Steps<ThreadFault> {
  if (s.contract !== true) return new ThreadFault('assert', s.message);
  const values: ScalarValue[] = [];
  for (const value of s.values ?? []) values.push(yield* use(at(yield* evaluate(value), 0)));
  return new ThreadFault('misuse', contractText(s.message, values));
}
