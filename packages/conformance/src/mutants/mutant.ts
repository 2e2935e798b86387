import type { Backend } from '@nccl-ts/transport';
import type { CaseId } from '../all-cases.ts';

/**
 * A way to break a backend on purpose. It shows that the suite can fail: each of the named cases
 * must, on the broken backend, in at least one of its shapes.
 */
export interface Mutant {
  readonly id: string;
  /** The behaviour of the broken backend. */
  readonly does: string;
  readonly caughtBy: readonly CaseId[];
  /** The backend, broken. */
  readonly mutate: (backend: Backend) => Backend;
}
