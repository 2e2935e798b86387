import { MOST_PAGES } from './encode-module.ts';
import type { Instruction } from './instruction.ts';
import type { WasmFunction, WasmImport, WasmModule } from './wasm-module.ts';

/**
 * Prints `module` as text for people, similar to WebAssembly's text format: one instruction on each
 * line, and blocks by their labels.
 */
export function wat(module: WasmModule): string {
  const lines = [
    '(module',
    `  (import "env" "memory" (memory 0${module.shared === true ? ` ${MOST_PAGES} shared` : ''}))`,
    ...(module.table === true ? ['  (import "env" "table" (table 0 funcref))'] : []),
    ...module.imports.map((f) => `  (import "env" "${f.name}" (func $${f.name}${signature(f)}))`),
    ...module.functions.flatMap((f) => functionLines(f).map((line) => `  ${line}`)),
    ')',
  ];
  return `${lines.join('\n')}\n`;
}

function signature({ params, results }: Pick<WasmImport, 'params' | 'results'>): string {
  const list = (word: string, types: readonly string[]): string =>
    types.length === 0 ? '' : ` (${word} ${types.join(' ')})`;
  return list('param', params) + list('result', results);
}

function functionLines(f: WasmFunction): readonly string[] {
  const exported = f.exported ? ` (export "${f.name}")` : '';
  const lines = [`(func $${f.name}${exported}${signature(f)}`];
  if (f.locals.length > 0) lines.push(`  (local ${f.locals.join(' ')})`);
  let depth = 1;
  for (const instruction of f.code) {
    const { op } = instruction;
    if (op === 'end' || op === 'else') depth--;
    lines.push('  '.repeat(Math.max(depth, 0)) + instructionText(instruction));
    if (op === 'block' || op === 'loop' || op === 'if' || op === 'else') depth++;
  }
  return [...lines, ')'];
}

function instructionText(instruction: Instruction): string {
  const { op } = instruction;
  if ('value' in instruction) return `${op} ${Object.is(instruction.value, -0) ? '-0' : instruction.value}`;
  if ('bytes' in instruction) return `${op} i8x16 ${instruction.bytes.join(' ')}`;
  if ('local' in instruction) return `${op} ${instruction.local}`;
  if ('callee' in instruction) return `${op} $${instruction.callee}`;
  if ('params' in instruction) return `${op}${signature(instruction)}`;
  if ('lane' in instruction) return `${op} ${instruction.lane}`;
  if ('align' in instruction) {
    return `${op}${instruction.offset === 0 ? '' : ` offset=${instruction.offset}`} align=${instruction.align}`;
  }
  if ('label' in instruction) {
    const result = 'result' in instruction && instruction.result !== undefined ? ` (result ${instruction.result})` : '';
    return `${op} $${instruction.label}${result}`;
  }
  return op;
}
