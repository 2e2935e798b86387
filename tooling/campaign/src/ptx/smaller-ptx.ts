import type { HostStep } from '../program.ts';
import { warpThreads, type PtxPart, type PtxPiece, type PtxProgram } from './ptx-program.ts';

/**
 * Lists programs that are a step smaller or simpler, with the largest reductions first. Some of
 * them are not valid PTX.
 */
export function* smallerPtx(program: PtxProgram): Generator<PtxProgram> {
  yield* fewerKernels(program);
  for (const steps of without(program.steps)) yield { ...program, steps };
  for (const [index, { parts }] of program.kernels.entries()) {
    const withParts = (next: readonly PtxPart[]): PtxProgram => ({
      ...program,
      kernels: program.kernels.with(index, { parts: next }),
    });
    for (const next of without(parts)) yield withParts(next);
    for (const [at, part] of parts.entries()) {
      if (part.kind === 'sync') continue;
      for (const pieces of smallerPieces(part.pieces)) yield withParts(parts.with(at, { ...part, pieces }));
    }
  }
  yield* narrower(program);
  if (!program.isCleared) yield { ...program, isCleared: true };
}

function* without<T>(items: readonly T[]): Generator<readonly T[]> {
  for (const index of items.keys()) yield items.toSpliced(index, 1);
}

function* smallerPieces(pieces: readonly PtxPiece[]): Generator<readonly PtxPiece[]> {
  yield* without(pieces);
  for (const [index, piece] of pieces.entries()) {
    for (const lines of without(piece.lines)) yield pieces.with(index, { ...piece, lines });
    for (const [at, line] of piece.lines.entries()) {
      for (const simpler of simplerLines(line))
        yield pieces.with(index, { ...piece, lines: piece.lines.with(at, simpler) });
    }
    if (piece.lanes === 'warp') yield pieces.with(index, { ...piece, lanes: 'two' });
    if (piece.lanes === 'two') yield pieces.with(index, { ...piece, lanes: 'first' });
  }
}

/** Simpler kinds of one instruction, each of which can be simplified no further at some point. */
const simplifications: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/\.weak\b/u, ''],
  [/\.acq_rel\b/u, '.relaxed'],
  [/\.(?:cta|gpu)\.(?=shared|global)/u, '.sys.'],
  [/\.v[24]\.(?<type>u\d+) (?<address>\[[^\]]*\]), \{(?<first>[^,}]*)[^}]*\}/u, '.$<type> $<address>, $<first>'],
  [/\.v[24]\.(?<type>u\d+) \{(?<first>[^,}]*)[^}]*\}/u, '.$<type> $<first>'],
  [/, (?:[2-9]|\d\d+);$/u, ', 1;'],
];

function* simplerLines(line: string): Generator<string> {
  for (const [pattern, by] of simplifications) {
    const next = line.replace(pattern, by);
    if (next !== line) yield next;
  }
}

function* fewerKernels(program: PtxProgram): Generator<PtxProgram> {
  const { kernels, steps } = program;
  if (kernels.length < 2) return;
  for (const gone of kernels.keys()) {
    const left = steps.flatMap((step): readonly HostStep[] => {
      if (step.kind !== 'launch' || step.kernel < gone) return [step];
      return step.kernel === gone ? [] : [{ ...step, kernel: step.kernel - 1 }];
    });
    yield { ...program, kernels: kernels.toSpliced(gone, 1), steps: left };
  }
}

/** Fewer ranks, CTAs and threads, where those that are gone do nothing. */
function* narrower(program: PtxProgram): Generator<PtxProgram> {
  const { ranks, grid, block, kernels, steps } = program;
  const warps = kernels.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'warp' ? [part] : [])));
  const text = JSON.stringify(kernels);
  const hostRanks = steps.map((step) => ('rank' in step ? step.rank : undefined));
  if (
    ranks > 1 &&
    warps.every(({ rank }) => rank < ranks - 1) &&
    !text.includes(`M${ranks - 1}`) &&
    !hostRanks.includes(ranks - 1)
  ) {
    yield { ...program, ranks: ranks - 1 };
  }
  if (grid > 1 && warps.every(({ cta }) => cta < grid - 1)) yield { ...program, grid: grid - 1 };
  const lanes = warpThreads(block);
  if (block > lanes && warps.every(({ warp }) => warp < block / lanes - 1)) yield { ...program, block: block - lanes };
  const areSingle = warps.every(({ pieces }) => pieces.every((piece) => piece.lanes === 'first'));
  // Each warp becomes a single thread.
  if (lanes === 32 && areSingle) yield { ...program, block: block / lanes };
}
