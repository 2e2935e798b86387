import type { FidelityRow } from '@nccl-ts/core';
import { entryDirectives } from './lower/entry-directives.ts';
import { instructionTable, structuralInstructions } from './lower/instruction-table.ts';
import { specialRegisters } from './lower/effects/special.ts';

/** How closely each instruction of PTX is modelled, with the modifiers that change it. */
export function instructionFidelities(): readonly FidelityRow[] {
  return Object.entries({ ...structuralInstructions, ...instructionTable }).flatMap(
    ([opcode, { fidelity, modifiers = {} }]) => [
      { construct: opcode, fidelity },
      ...Object.entries(modifiers).map(([word, one]) => ({ construct: `${opcode}.${word}`, fidelity: one })),
    ],
  );
}

/** The same for the special registers and the directives of entries. */
export function registerFidelities(): readonly FidelityRow[] {
  return [...specialRegisters()].map(([name, fidelity]) => ({ construct: `%${name}`, fidelity }));
}

export function directiveFidelities(): readonly FidelityRow[] {
  return Object.entries(entryDirectives).map(([name, fidelity]) => ({ construct: `.${name}`, fidelity }));
}
