import type { PtxInstruction, PtxItem, PtxOperand } from '@nccl-ts/ptx';
import { jumpsOf } from './gaps.ts';

/** The loads and atomics in a loop whose value may end the loop. */
export function polledLoads(items: readonly PtxItem[]): ReadonlySet<PtxInstruction> {
  const polled = new Set<PtxInstruction>();
  for (const [from, to] of jumpsOf(items)) {
    if (to > from) continue;
    const loop = items.slice(to, from + 1).filter((item) => item.kind === 'instruction');
    const wanted = new Set(loop.flatMap(({ words, guard }) => (words[0] === 'bra' && guard ? [guard.register] : [])));
    // A register may be computed from one that is written later in the text of the loop.
    for (let size = -1; size !== wanted.size;) {
      size = wanted.size;
      for (const instruction of loop) {
        const [result, ...operands] = instruction.operands;
        if (result === undefined || !registersOf(result).some((name) => wanted.has(name))) continue;
        const [opcode] = instruction.words;
        if (opcode === 'ld' || opcode === 'atom') polled.add(instruction);
        else for (const name of operands.flatMap(registersOf)) wanted.add(name);
      }
    }
  }
  return polled;
}

function registersOf(operand: PtxOperand): readonly string[] {
  switch (operand.kind) {
    case 'register':
      return [operand.name];
    case 'vector':
    case 'list':
      return operand.elements.flatMap(registersOf);
    case 'pair':
      return [...registersOf(operand.first), ...registersOf(operand.second)];
    default:
      return [];
  }
}
