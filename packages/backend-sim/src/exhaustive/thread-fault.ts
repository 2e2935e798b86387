import type { Fault, FaultKind } from '@nccl-ts/findings';
import type { Span } from '@nccl-ts/ir';

/** A thread does what it may not; it ends there. */
export class ThreadFault extends Error {
  readonly kind: FaultKind;
  readonly access: Pick<Fault, 'space' | 'address' | 'bytes' | 'region'>;
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
