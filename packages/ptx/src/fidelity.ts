import type { FidelityRow } from '@nccl-ts/core';
import { asyncUpdates } from './lower/effects/atomics.ts';
import { restrictedFences } from './lower/effects/fences.ts';
import { unscopedBarriers } from './lower/effects/memory-barriers.ts';
import { entryDirectives } from './lower/entry-directives.ts';
import { instructionTable, structuralInstructions } from './lower/instruction-table.ts';
import { specialRegisters } from './lower/effects/special.ts';

/** The constructs that are approximate only in some places. */
const inPlaces: readonly FidelityRow[] = Object.freeze([
  { construct: 'red.async of global memory', fidelity: asyncUpdates },
  { construct: 'mbarrier without a scope, in a cluster', fidelity: unscopedBarriers },
  { construct: 'fence.mbarrier_init and fence.sync_restrict, in a cluster', fidelity: restrictedFences },
]);

/** How closely each instruction of PTX is modelled, with the modifiers that change it. */
export function instructionFidelities(): readonly FidelityRow[] {
  const rows = Object.entries({ ...structuralInstructions, ...instructionTable }).flatMap(
    ([opcode, { fidelity, modifiers = {} }]) => [
      { construct: opcode, fidelity },
      ...Object.entries(modifiers).map(([word, one]) => ({ construct: `${opcode}.${word}`, fidelity: one })),
    ],
  );
  return [...rows, ...inPlaces];
}

/** The same for the special registers and the directives of entries. */
export function registerFidelities(): readonly FidelityRow[] {
  return [...specialRegisters()].map(([name, fidelity]) => ({ construct: `%${name}`, fidelity }));
}

export function directiveFidelities(): readonly FidelityRow[] {
  return Object.entries(entryDirectives).map(([name, fidelity]) => ({ construct: `.${name}`, fidelity }));
}
