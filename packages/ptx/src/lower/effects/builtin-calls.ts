import { constant } from '@nccl-ts/ir';
import { callParts } from '../../flow/inline-calls.ts';
import type { PtxInstruction } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';

/**
 * Lowers calls of CUDA's own functions, which have no text. `__assertfail` makes the kernel fail,
 * at the line of the call. `vprintf` prints nothing, because its text is in memory and has no
 * effect on the kernel.
 */
export function lowerBuiltinCall(instruction: PtxInstruction, lowering: Lowering): void {
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
        `${callee ?? 'the called function'} has no PTX text here, so its call cannot be translated`,
        'let the compiler inline it (__forceinline__), or leave it out',
      );
  }
}
