import type { CommProperties } from '@nccl-ts/devcomm';
import type { Communicator } from '@nccl-ts/communicator';
import type { Backend } from '@nccl-ts/transport';

/** The options of every example, for all sizes. */
export interface ExampleOptions {
  /**
   * The backend. It defines the number of ranks, and how many of them reach each other's memory.
   */
  readonly backend: Backend;
  readonly print: (line: string) => void;
  /** Each rank's host awaits it between its steps, so that ranks drift apart. @default no pause */
  readonly pause?: () => Promise<void>;
}

/** A feature that an example needs from a communicator besides LSA memory. */
export type Need = 'gin' | 'multimem' | 'single domain';

/** An example that checks itself. */
export interface Example {
  readonly name: string;
  readonly title: string;
  readonly needs: readonly Need[];
  /** Runs with about as many elements as NCCL's example. Returns true if all results are right. */
  readonly full: (options: ExampleOptions) => Promise<boolean>;
  /** Runs with as few elements as its synchronisation allows, to run it many times. */
  readonly small: (options: ExampleOptions) => Promise<boolean>;
}

/** The requirements that a communicator does not meet. */
export function unmetNeeds(
  { needs }: Pick<Example, 'needs'>,
  { ginType, multimemSupport, nLsaTeams }: CommProperties,
): readonly Need[] {
  const lacks: Readonly<Record<Need, boolean>> = {
    gin: ginType === 'none',
    multimem: !multimemSupport,
    'single domain': nLsaTeams > 1,
  };
  return needs.filter((need) => lacks[need]);
}

/** The object that this rank created in an earlier step. */
export function own<T>(made: readonly T[], { rank }: Communicator): T {
  const mine = made[rank];
  if (mine === undefined) throw new RangeError(`rank ${rank} made nothing`);
  return mine;
}
