import { at } from '@nccl-ts/core';
import { Writer, type LocalId } from '@nccl-ts/ir';
import type { WgslEmitContext } from './context.ts';
import { Jumps } from './jumps.ts';
import { wgslType } from './value-type.ts';

/**
 * Emits a function with `write`, and returns its text. Locals that only this function uses are its
 * variables, initially zero.
 */
export function functionText(signature: string, c: WgslEmitContext, write: () => void): string {
  const { writer, declared, jumps, head } = c;
  c.writer = new Writer();
  c.declared = new Set<LocalId>();
  c.head = new Map<string, string>();
  c.jumps = new Jumps(() => c.temporary());
  c.writer.indented(write);
  const body = c.writer.toString();
  const variables = [...c.declared]
    .toSorted((a, b) => a - b)
    .map((id) => `  var ${at(c.locals, id)}: ${wgslType(c.localType(id))};\n`);
  const flags = c.jumps.flags.map((flag) => `  var ${flag}: bool;\n`);
  const constants = [...c.head].map(([text, name]) => `  let ${name} = ${text};\n`);
  c.head = head;
  c.writer = writer;
  c.declared = declared;
  c.jumps = jumps;
  return `${signature} {\n${constants.join('')}${variables.join('')}${flags.join('')}${body}}`;
}
