import type { Backend } from '@nccl-ts/transport';
import type { CaseId } from '../all-cases.ts';

/**
 * A way to break a backend on purpose, which proves that the suite can fail. Each of the named
 * cases must fail on the broken backend in at least one of its shapes.
 */
export interface BackendMutant {
  readonly id: string;
  /** The behaviour of the broken backend. */
  readonly does: string;
  readonly caughtBy: readonly CaseId[];
  /** Returns the broken backend. */
  readonly mutate: (backend: Backend) => Backend;
}
