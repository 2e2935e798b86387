import { elementScalar, type Expression } from '@nccl-ts/ir';
import type { PrintPart } from '../cuda-source.ts';
import type { CudaEmitContext } from './context.ts';
import { emitExpression } from './emit-expression.ts';

/**
 * Emits a printed line: the number of its print statement, which defines the parts, and the values.
 */
export function printText(args: readonly (string | Expression)[], c: CudaEmitContext): string {
  const parts: PrintPart[] = [];
  const values: string[] = [];
  for (const arg of args) {
    if (typeof arg === 'string') {
      parts.push({ text: arg });
      continue;
    }
    const text = emitExpression(arg, c);
    const { type } = arg;
    const scalar = type.kind === 'scalar' || type.kind === 'vector' ? elementScalar(type) : 'addr';
    const elements = type.kind === 'vector' ? Array.from({ length: type.width }, (_, i) => `${text}.v[${i}]`) : [text];
    for (const element of elements) {
      parts.push({ scalar });
      values.push(element);
    }
  }
  c.use('print');
  const site = c.sites.push({ kind: 'print', parts }) - 1;
  return `nts::print(${['printer', `${site}u`, ...values].join(', ')});`;
}

/** Emits a failed assertion, which ends the launch. */
export function failText(message: string, c: CudaEmitContext): string {
  c.use('print');
  const site = c.sites.push({ kind: 'assert', parts: [{ text: `assertion failed: ${message}` }] }) - 1;
  return `nts::fail(printer, ${site}u);`;
}
