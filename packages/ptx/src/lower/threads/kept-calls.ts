import { constant } from '@nccl-ts/ir';
import { callParts } from '../../flow/inline-calls.ts';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';

/**
 * Calls of functions of CUDA's own, which have no text. `__assertfail` fails the kernel; the line
 * of the call names the assertion. `vprintf` prints nothing: its text lies in memory, and nobody
 * but a person looks at what it prints.
 */
export function lowerKeptCall(instruction: PtxInstruction, lowering: Lowering): void {
  const { callee } = callParts(instruction);
  switch (callee) {
    case '__assertfail':
      lowering.emit({
        kind: 'assert',
        condition: constant('bool', false),
        message: 'an assertion failed',
        span: lowering.span,
      });
      return;
    case 'vprintf':
      return;
    default:
      lowering.fail(
        'P2004',
        `cannot translate ${mnemonic(instruction)} because ${callee ?? 'what it calls'} has no text here`,
        'let the compiler inline it (__forceinline__), or leave it out',
      );
  }
}
