import type { BulkProgram } from './bulk-program.ts';
import { bulkText } from './bulk-text.ts';
import type { Kind } from './kinds.ts';
import { kernelKinds } from './kernel-kinds.ts';
import { BULK_RANKS, loadBulk } from './load-bulk.ts';
import { loadProgram, type RunProgram } from './load-program.ts';
import { moduleText } from './module-text.ts';
import { truthOf, type Truth } from './oracle.ts';
import type { CampaignProgram } from './program.ts';
import { loadPtx } from './ptx/load-ptx.ts';
import { ptxKinds } from './ptx/ptx-kinds.ts';
import type { PtxProgram } from './ptx/ptx-program.ts';
import { ptxText } from './ptx/ptx-text.ts';
import { smallerPtx } from './ptx/smaller-ptx.ts';
import { smaller } from './smaller.ts';

/** A program of the kernel language, with bulk copies, or as PTX text: a plain value. */
export type AnyProgram = CampaignProgram | BulkProgram | PtxProgram;

/** A program as a campaign uses it, whatever its language. */
export interface Subject {
  readonly world: Pick<CampaignProgram, 'ranks' | 'lsaSize'>;
  readonly kinds: ReadonlySet<Kind>;
  /**
   * The part of the usual executions that the graph engine may run: less for programs with many
   * threads, whose executions take long.
   */
  readonly boundPart: number;
  /** The program as the engines see it. */
  readonly text: () => string;
  /** @throws if the front end refuses it */
  readonly load: () => RunProgram;
  /** The result of brute force over the axioms, for programs that it supports. */
  readonly truth: () => Truth | undefined;
  /** Programs that are a step smaller. */
  readonly smaller: () => Iterable<AnyProgram>;
}

export function subjectOf(program: AnyProgram): Subject {
  if (!('language' in program)) {
    return {
      world: program,
      kinds: kernelKinds(program),
      boundPart: 1,
      text: () => moduleText(program),
      load: () => loadProgram(program),
      truth: () => truthOf(program),
      smaller: () => smaller(program),
    };
  }
  switch (program.language) {
    case 'bulk':
      return {
        world: { ranks: BULK_RANKS, lsaSize: BULK_RANKS },
        kinds: new Set<Kind>(['bulk copies']),
        boundPart: 1,
        text: () => bulkText(program),
        load: () => loadBulk(program),
        truth: () => undefined,
        smaller: () => [],
      };
    case 'ptx':
      return {
        world: { ranks: program.ranks, lsaSize: program.ranks },
        kinds: ptxKinds(program),
        boundPart: Math.min(1, 16 / (program.ranks * program.grid * program.block)),
        text: () => `// ${shapeText(program)}\n${ptxText(program)}`,
        load: () => loadPtx(program),
        truth: () => undefined,
        smaller: () => smallerPtx(program),
      };
  }
}

function shapeText({ ranks, grid, block, steps }: PtxProgram): string {
  return `${ranks} ranks, ${grid} CTAs, ${block} threads; hosts: ${steps.map((step) => JSON.stringify(step)).join(' ')}`;
}
