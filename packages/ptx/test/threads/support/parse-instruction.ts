import type { PtxInstruction, PtxOperand } from '../../../src/syntax/module.ts';

/** Parses one instruction, as far as tests of single instructions need. */
export function parseInstruction(text: string): PtxInstruction {
  const match = /^(?:@(!?)(%\w+)\s+)?([\w.:]+)\s*(.*?);?$/u.exec(text.trim());
  if (match === null) throw new Error(`no instruction: ${text}`);
  const [, negation, register, mnemonic = '', rest = ''] = match;
  const [opcode = '', ...modifiers] = mnemonic.split('.');
  return {
    kind: 'instruction',
    ...(register === undefined ? {} : { guard: { register, isNegated: negation === '!' } }),
    words: [opcode, ...modifiers],
    operands: rest === '' ? [] : split(rest).map(parseOperand),
    span: { start: 0, end: text.length },
  };
}

/** Splits at commas outside of brackets. */
function split(text: string): string[] {
  return text.split(/,(?![^{]*\})/u).map((part) => part.trim());
}

function parseOperand(text: string): PtxOperand {
  if (text === '_') return { kind: 'sink' };
  if (text.startsWith('{')) return { kind: 'vector', elements: split(text.slice(1, -1)).map(parseOperand) };
  if (text.includes('|')) {
    const [first = '', second = ''] = text.split('|');
    return { kind: 'pair', first: parseOperand(first), second: parseOperand(second) };
  }
  if (text.startsWith('[')) {
    const [base = '', offset = '0'] = text.slice(1, -1).split('+');
    const name = base.trim();
    return {
      kind: 'address',
      base: name.startsWith('%') ? { kind: 'register', name } : { kind: 'symbol', name },
      offset: BigInt(offset),
    };
  }
  if (/^!?%/u.test(text)) return { kind: 'register', name: text.replace('!', ''), isNegated: text.startsWith('!') };
  if (text.startsWith('0f')) return { kind: 'float', bits: BigInt(`0x${text.slice(2)}`), bytes: 4 };
  return { kind: 'integer', value: text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text) };
}
