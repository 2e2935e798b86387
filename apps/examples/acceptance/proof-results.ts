import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ProofRow } from './proof-rows.ts';

/** The outcome of a check of a program. */
export interface Measured {
  /** `none` if the check gave no report. */
  readonly verdict: string;
  /** The kind of the proof, or the reason why there is no report. */
  readonly proves: string;
  /** The number of schedules, for a portfolio. */
  readonly schedules?: number;
  /** True if waits with time limits time out in none of the schedules. */
  readonly patient?: boolean;
  /** Each begins with its severity: `error`, `model` for a warning, or `note`. */
  readonly findings?: readonly string[];
  readonly approximations?: readonly string[];
  /** For removals: the outcome of each, by its line of the PTX and the change. */
  readonly outcomes?: Readonly<Record<string, string>>;
  /** True if it is that of a results file, and the check was not repeated. */
  readonly isPublished?: boolean;
}

interface MeasuredCheckout {
  readonly commit: string;
  readonly date: string;
}

/** The contents of proofs.json: the verdicts by group, name and ranks. */
export interface Proofs {
  before?: MeasuredCheckout;
  after?: MeasuredCheckout;
  rows: Record<string, { readonly before?: Measured; readonly after?: Measured }>;
}

const file = new URL('proofs.json', import.meta.url);

export function keyOf({ group, name, ranks }: ProofRow): string {
  return `${group}: ${name}, ${ranks} ranks`;
}

function isProofs(value: unknown): value is Proofs {
  return typeof value === 'object' && value !== null && 'rows' in value;
}

export function readProofs(): Proofs {
  if (!existsSync(file)) return { rows: {} };
  const proofs: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isProofs(proofs)) throw new TypeError('proofs.json has no rows');
  return proofs;
}

export function writeProofs(proofs: Proofs): void {
  writeFileSync(file, `${JSON.stringify(proofs, undefined, 2)}\n`);
}
