import type { Body, Local } from '@nccl-ts/ir';
import type { MutationOperator } from '../mutant.ts';
import type { MutationSite } from '../tree/mutation-site.ts';

/** One change that breaks the statement at a site. */
export interface CodeChange {
  readonly operator: MutationOperator;
  /** Distinguishes changes of one operator at one site, such as `release`. */
  readonly detail?: string;
  /** The change of the statement, as text after its name, such as `is removed`. */
  readonly does: string;
  /** The statements that replace it. */
  readonly becomes: Body;
  /** Locals that `becomes` needs. The first has the index `module.locals.length`. */
  readonly locals?: readonly Local[];
}

/** Returns the changes that break the statement at `site`; none if it does not synchronize. */
export type Operator = (site: MutationSite) => readonly CodeChange[];
