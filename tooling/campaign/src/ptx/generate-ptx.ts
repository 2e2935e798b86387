import type { HostStep } from '../program.ts';
import { Random } from '../random.ts';
import { anyAccess } from './ptx-access.ts';
import {
  bulkCopies,
  countedBarrier,
  divergentLanes,
  mbarrier,
  multimem,
  namedBarrier,
  partialWords,
} from './ptx-barriers.ts';
import { basesOf, type Place, type PtxActor, type PtxActors, type PtxDraft } from './ptx-draft.ts';
import { casLoops, dynamicAddress, locks, tickets, wideAtomics } from './ptx-locks.ts';
import { crossing, message, nestedWaits, partialFlags, rewrite, type PtxShares } from './ptx-messages.ts';
import type { PtxKernel, PtxPart, PtxPiece, PtxProgram } from './ptx-program.ts';

interface Ingredient {
  readonly make: (draft: PtxDraft, actors: PtxActors) => PtxShares;
  /** Where its actors must be. @default anywhere */
  readonly needs?: 'ranks' | 'two warps' | 'one CTA';
}

/** How often each subject is the main one of a program. */
const weights = {
  message: 5,
  rewrite: 2,
  crossing: 1,
  nestedWaits: 1.5,
  tickets: 1.5,
  casLoops: 1.5,
  locks: 1.5,
  wideAtomics: 1.2,
  dynamicAddress: 1.2,
  partialWords: 2.5,
  partialFlags: 1.2,
  divergentLanes: 1.5,
  countedBarrier: 1.5,
  namedBarrier: 1,
  mbarrier: 1.8,
  bulkCopies: 1.5,
  multimem: 1.5,
} as const;

type IngredientName = keyof typeof weights;

const ingredients: Readonly<Record<IngredientName, Ingredient>> = {
  message: { make: message },
  rewrite: { make: rewrite },
  crossing: { make: crossing },
  nestedWaits: { make: nestedWaits },
  tickets: { make: tickets },
  casLoops: { make: casLoops },
  locks: { make: locks },
  wideAtomics: { make: wideAtomics },
  dynamicAddress: { make: dynamicAddress },
  partialWords: { make: partialWords },
  partialFlags: { make: partialFlags },
  divergentLanes: { make: divergentLanes },
  countedBarrier: { make: countedBarrier, needs: 'two warps' },
  namedBarrier: { make: namedBarrier, needs: 'two warps' },
  mbarrier: { make: mbarrier, needs: 'one CTA' },
  bulkCopies: { make: bulkCopies },
  multimem: { make: multimem, needs: 'ranks' },
};

/** A shape: ranks, CTAs, and threads of a CTA. */
type Shape = readonly [ranks: number, grid: number, block: number];

/** The program of a seed. The same seed gives the same program. */
export function generatePtx(seed: number): PtxProgram {
  const random = new Random(seed ^ 0x50_54_58);
  const main = random.weighted(weights);
  const draft = draftOf(random, shapeOf(random, main));
  const hosts = random.chance(0.25);
  const kernelCount = hosts ? random.pick([1, 2, 2, 3]) : 1;
  const kernels = Array.from({ length: kernelCount }, (_, index) =>
    kernelOf(draft, index === 0 ? main : undefined, kernelCount > 1),
  );
  const { ranks, grid, block } = draft;
  const steps = hosts ? hostSteps(draft, kernelCount) : [{ kind: 'launch', kernel: 0, stream: 0 } as const];
  return {
    language: 'ptx',
    ranks,
    grid,
    block,
    isCleared: random.chance(main === 'partialWords' ? 0.35 : 0.9),
    kernels,
    steps,
  };
}

function shapeOf(random: Random, main: IngredientName): Shape {
  const { needs } = ingredients[main];
  if (random.chance(0.07)) return [3, 2, 64];
  switch (needs) {
    case 'ranks':
      return random.pick<Shape>([
        [2, 1, 1],
        [2, 1, 1],
        [3, 1, 1],
        [2, 2, 1],
      ]);
    case 'two warps':
      return random.pick<Shape>([
        [1, 1, 64],
        [1, 1, 64],
        [2, 1, 64],
      ]);
    case 'one CTA':
      return random.pick<Shape>([
        [1, 1, 2],
        [1, 1, 64],
        [2, 1, 2],
      ]);
    case undefined:
      break;
  }
  if (main === 'divergentLanes')
    return random.pick<Shape>([
      [1, 1, 32],
      [1, 1, 64],
      [2, 1, 32],
    ]);
  return random.pick<Shape>([
    [2, 1, 1],
    [2, 1, 1],
    [2, 1, 1],
    [1, 2, 1],
    [1, 2, 1],
    [1, 1, 2],
    [1, 1, 2],
    [2, 1, 2],
    [3, 1, 1],
    [1, 1, 64],
    [1, 1, 1],
  ]);
}

function draftOf(random: Random, [ranks, grid, block]: Shape): PtxDraft {
  const place = (): Place =>
    block > 1 && grid * ranks === 1 && random.chance(0.3)
      ? { base: 'S', line: random.below(2) }
      : { base: random.pick(basesOf(ranks)), line: random.below(4) };
  return {
    random,
    ranks,
    grid,
    block,
    values: random.pick(['same', 'few', 'unique']),
    care: random.pick([0.97, 0.85, 0.6]),
    data: random.chance(0.6) ? [place()] : [place(), place()],
    last: 0,
  };
}

function allActors({ ranks, grid, block }: PtxDraft): readonly PtxActor[] {
  const warps = block < 32 ? block : block / 32;
  return Array.from({ length: ranks * grid * warps }, (_, i) => ({
    rank: Math.floor(i / (grid * warps)),
    cta: Math.floor(i / warps) % grid,
    warp: i % warps,
  }));
}

/** Distinct actors if there are enough. */
function pickActors(draft: PtxDraft, needs: Ingredient['needs']): PtxActors {
  const { random } = draft;
  const left = [...allActors(draft)];
  const take = (): PtxActor => left.splice(random.below(left.length), 1)[0] ?? { rank: 0, cta: 0, warp: 0 };
  const one = take();
  if (needs === 'two warps' || needs === 'one CTA') {
    const warps = draft.block < 32 ? draft.block : draft.block / 32;
    return [one, { ...one, warp: (one.warp + 1) % warps }];
  }
  const other = take();
  return left.length > 0 && random.chance(0.2) ? [one, other, take()] : [one, other];
}

function kernelOf(draft: PtxDraft, main: IngredientName | undefined, isShort: boolean): PtxKernel {
  const { random } = draft;
  const bodies = new Map<string, { readonly actor: PtxActor; readonly pieces: PtxPiece[] }>();
  const bodyOf = (actor: PtxActor): PtxPiece[] => {
    const key = `${actor.rank} ${actor.cta} ${actor.warp}`;
    const known = bodies.get(key) ?? { actor, pieces: [] };
    bodies.set(key, known);
    return known.pieces;
  };
  const parts: PtxPart[] = [];
  const phases = random.chance(0.2) ? 2 : 1;
  for (let phase = 0; phase < phases; phase++) {
    const names: IngredientName[] = phase === 0 && main !== undefined ? [main] : [];
    if (!isShort && random.chance(0.15)) names.push(random.pick(['message', 'rewrite', 'casLoops', 'dynamicAddress']));
    for (const name of names) {
      const { make, needs } = ingredients[name];
      for (const [actor, pieces] of make(draft, pickActors(draft, needs))) bodyOf(actor).push(...pieces);
    }
    const more = names.length > 0 ? random.below(3) : 1 + random.below(3);
    for (let i = 0; i < more; i++) {
      const body = bodyOf(
        random.chance(0.8) && bodies.size > 0 ? someOf(random, bodies) : pickActors(draft, undefined)[0],
      );
      body.splice(random.chance(0.5) ? body.length : random.below(body.length + 1), 0, anyAccess(draft));
    }
    for (const { actor, pieces } of bodies.values()) parts.push({ kind: 'warp', ...actor, pieces });
    bodies.clear();
    if (phase < phases - 1) parts.push({ kind: 'sync' });
  }
  return { parts };
}

function someOf(random: Random, bodies: ReadonlyMap<string, { readonly actor: PtxActor }>): PtxActor {
  const all = [...bodies.values()];
  return all[random.below(all.length)]?.actor ?? { rank: 0, cta: 0, warp: 0 };
}

function hostSteps({ random, ranks }: PtxDraft, kernels: number): readonly HostStep[] {
  const some = (): { readonly rank?: number } => (random.chance(0.6) ? { rank: random.below(ranks) } : {});
  const steps: HostStep[] = [];
  const streams = random.chance(0.4) ? 2 : 1;
  for (let kernel = 0; kernel < kernels; kernel++) {
    if (random.chance(kernel === 0 ? 0.2 : 0.5)) {
      steps.push({ kind: 'write', ...some(), word: random.below(6), value: random.pick([0, 1, 3]) });
    }
    if (random.chance(0.15)) steps.push({ kind: 'meet' });
    steps.push({ kind: 'launch', kernel, stream: random.below(streams) });
    if (random.chance(0.5)) steps.push({ kind: 'synchronize', ...some(), stream: random.below(streams) });
    if (random.chance(0.25)) steps.push({ kind: 'read', ...some(), word: random.below(6) });
  }
  if (random.chance(0.3)) steps.push({ kind: 'launch', kernel: random.below(kernels), stream: random.below(streams) });
  return steps;
}
