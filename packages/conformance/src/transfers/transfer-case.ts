import { shapeName, type WorldShape } from '../world-shape.ts';
import type { TransferElement } from './rank-program.ts';
import { transferPrograms, type TransferProgram } from './transfer-programs.ts';

/** A host program of sends, receives, puts and signals, on every rank of a world. */
export interface TransferCase extends WorldShape {
  readonly id: string;
  readonly program: TransferProgram;
  readonly element: TransferElement;
}

/** One domain, domains of one rank, and domains of several ranks. */
const shapes: readonly WorldShape[] = [
  { ranks: 1, lsaSize: 1 },
  { ranks: 2, lsaSize: 2 },
  { ranks: 3, lsaSize: 3 },
  { ranks: 4, lsaSize: 4 },
  { ranks: 8, lsaSize: 8 },
  { ranks: 2, lsaSize: 1 },
  { ranks: 5, lsaSize: 1 },
  { ranks: 4, lsaSize: 2 },
  { ranks: 6, lsaSize: 3 },
  { ranks: 8, lsaSize: 2 },
  { ranks: 8, lsaSize: 4 },
  { ranks: 16, lsaSize: 4 },
];

/** Types with elements of one, two, four and eight bytes. */
const elements: readonly TransferElement[] = ['i32', 'u8', 'bf16', 'f64'];

/** Every program in worlds of every shape, with one type in each. */
export function transferCases(): readonly TransferCase[] {
  return transferPrograms.flatMap((program, p) =>
    shapes.map((shape, s) => {
      const element = elements[(p + s) % elements.length] ?? 'i32';
      return { id: `${program}/${element}/${shapeName(shape)}`, program, element, ...shape };
    }),
  );
}
