import { shapeName, type WorldShape } from '../world-shape.ts';

/** A call of `allReduceRMSNorm` on every rank of a world. */
export interface NormCase extends WorldShape {
  readonly id: string;
  readonly element: 'f32' | 'f16' | 'bf16';
  readonly output: 'f32' | 'f16' | 'bf16' | 'e4m3' | 'i8';
  readonly rows: number;
  readonly hidden: number;
  readonly residual: boolean;
  readonly weight: boolean;
  /** A scale, or one for each row. */
  readonly quantize: number | 'row' | undefined;
}

const plain = {
  ranks: 2,
  element: 'bf16',
  output: 'bf16',
  rows: 3,
  hidden: 128,
  residual: true,
  weight: true,
  quantize: undefined,
} as const;

/** The differences from the default case, by name. */
const differences: Readonly<Record<string, Partial<Omit<NormCase, 'id' | 'lsaSize'>>>> = {
  plain: {},
  oneRank: { ranks: 1 },
  threeRanks: { ranks: 3, element: 'f16', output: 'f16' },
  fourRanks: { ranks: 4 },
  eightRanks: { ranks: 8, rows: 2 },
  sum: { ranks: 4, element: 'f16', output: 'f16', residual: false, weight: false },
  wide: { element: 'f32', output: 'f32' },
  // More rows than CTAs exchange in two turns.
  manyRows: { rows: 37, hidden: 40 },
  // Rows that begin and end inside words.
  partialWords: { rows: 9, hidden: 77 },
  // A thread has several words.
  longRows: { rows: 1, hidden: 2100 },
  scale: { output: 'e4m3', quantize: 0.02 },
  rowScales: { ranks: 4, output: 'e4m3', quantize: 'row' },
  integers: { element: 'f32', output: 'i8', quantize: 0.05 },
  integersOfPartialWords: { element: 'f16', output: 'i8', quantize: 'row', hidden: 77 },
};

/** Calls of every type and option, in one load-store domain. */
export function normCases(): readonly NormCase[] {
  return Object.entries(differences).map(([name, difference]) => {
    const one = { ...plain, ...difference };
    const shape = { ranks: one.ranks, lsaSize: one.ranks };
    return { ...one, ...shape, id: `${name}/${one.element}/${one.output}/${shapeName(shape)}` };
  });
}
