import type { Statement, Type } from '@nccl-ts/ir';
import type { WgslEmitContext } from './context.ts';
import { bitWords } from './emit-collective.ts';
import { emitExpression } from './emit-expression.ts';

/**
 * The words before the values of a printed line: its length, the number of the `print`, rank, CTA
 * and thread.
 */
export const printHeadWords = 5;

/**
 * Emits a line into the buffer that the host reads, with its values as bits. The `print`'s number
 * determines their types.
 */
export function emitPrint(s: Extract<Statement, { kind: 'print' }>, c: WgslEmitContext): void {
  c.used.print = true;
  const types: (string | Type)[] = [];
  const words: string[] = [];
  for (const part of s.args) {
    if (typeof part === 'string') {
      types.push(part);
      continue;
    }
    types.push(part.type);
    words.push(...bitWords(part.type, emitExpression(part, c), c));
  }
  const number = c.prints.push({ parts: types }) - 1;
  const at = c.temporary();
  c.line(`let ${at} = nts_print(${words.length}u, ${number}u);`);
  if (words.length === 0) return;
  c.block(`if (${at} != 0u) {`, () => {
    words.forEach((word, i) => c.line(`atomicStore(&nts_status[${at} + ${i}u], ${word});`));
  });
}
