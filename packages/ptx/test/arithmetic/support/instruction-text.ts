import type { PtxInstruction, PtxOperand } from '../../../src/syntax/module.ts';

/** Parses an instruction of a test, with registers, literals, vectors, pairs and `_`. */
export function instructionOf(text: string): PtxInstruction {
  const space = text.indexOf(' ');
  const [opcode = '', ...modifiers] = text.slice(0, space).split('.');
  return {
    kind: 'instruction',
    words: [opcode, ...modifiers],
    operands: splitOperands(text.slice(space + 1)).map(operandOf),
    span: { start: 0, end: text.length },
  };
}

/** Splits at the commas outside braces. */
function splitOperands(text: string): readonly string[] {
  const parts = text.match(/\{[^}]*\}|[^,{}]+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function operandOf(text: string): PtxOperand {
  if (text === '_') return { kind: 'sink' };
  if (text.startsWith('{')) return { kind: 'vector', elements: splitOperands(text.slice(1, -1)).map(operandOf) };
  if (text.includes('|')) {
    const [first = '', second = ''] = text.split('|');
    return { kind: 'pair', first: operandOf(first), second: operandOf(second) };
  }
  const isNegated = text.startsWith('!');
  const name = isNegated ? text.slice(1) : text;
  if (name.startsWith('%')) return { kind: 'register', name, isNegated };
  if (text.startsWith('0f')) return { kind: 'float', bits: BigInt(`0x${text.slice(2)}`), bytes: 4 };
  return { kind: 'integer', value: text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text) };
}
