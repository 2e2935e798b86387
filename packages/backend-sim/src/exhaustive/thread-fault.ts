import type { Fault, FaultKind } from '@nccl-ts/findings';
import { contractText, type AssertStatement, type Expression, type ScalarValue, type Span } from '@nccl-ts/ir';
import { at, use } from '@nccl-ts/memory-model';
import type { Element } from './element.ts';
import type { Steps } from './steps.ts';

/** A thread does what it may not; it ends there. */
export class ThreadFault extends Error {
  readonly kind: FaultKind;
  readonly access: Pick<Fault, 'space' | 'address' | 'bytes' | 'region' | 'arrayBytes'>;
  /** Of an expression that has a place of its own. */
  readonly span: Span | undefined;

  constructor(kind: FaultKind, message = '', access: ThreadFault['access'] = {}, span?: Span) {
    super(message);
    this.kind = kind;
    this.access = access;
    this.span = span;
  }
}

/** The kernel does what the exhaustive mode does not have: what lies behind it is not looked at. */
export class Unsupported extends Error {}

/** Of an assertion that does not hold, and a contract that was broken: its message, with the values that it tells of. */
export function* failureOf(
  s: AssertStatement,
  evaluate: (e: Expression) => Steps<readonly Element[]>,
): Steps<ThreadFault> {
  if (s.contract !== true) return new ThreadFault('assert', s.message);
  const values: ScalarValue[] = [];
  for (const value of s.values ?? []) values.push(yield* use(at(yield* evaluate(value), 0)));
  return new ThreadFault('misuse', contractText(s.message, values));
}
