/** A name in a condition: a register of a thread, or a location's last value. */
export type ConditionValue =
  | { readonly kind: 'register'; readonly thread: string; readonly name: string }
  | { readonly kind: 'location'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: number };

export type LitmusComparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type Condition =
  | {
      readonly kind: 'compare';
      readonly by: LitmusComparison;
      readonly left: ConditionValue;
      readonly right: ConditionValue;
    }
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly inner: Condition };

/** The executions of which a test makes its claim. */
export type Quantifier = 'exists' | 'not exists' | 'forall';

export type Proxy = 'generic' | 'constant' | 'texture' | 'surface';

export interface LitmusThread {
  /** `P0`, `P1`, ... */
  readonly name: string;
  readonly cta: number;
  readonly gpu: number;
  /** Its instructions and labels, as the test writes them. */
  readonly instructions: readonly string[];
}

/** A litmus test in Dat3M's format for PTX. */
export interface LitmusTest {
  readonly name: string;
  /** The first value of each location. */
  readonly locations: ReadonlyMap<string, number>;
  /** The first values of registers: `P0:r1`. */
  readonly registers: ReadonlyMap<string, number>;
  /** Other names of locations, with the proxy by which they are accessed. */
  readonly aliases: ReadonlyMap<string, { readonly proxy: Proxy; readonly of: string }>;
  readonly threads: readonly LitmusThread[];
  readonly quantifier: Quantifier;
  readonly condition: Condition;
}

/** A test has something that cannot be said in PTX, or not by this translation. */
export class NotExpressibleError extends Error {
  override readonly name = 'NotExpressibleError';
}
