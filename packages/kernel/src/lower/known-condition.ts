import type { Operand } from './operand.ts';

/** Returns the value of a compile-time condition, or `undefined` if it is decided at run time. */
export function knownCondition(operand: Operand): boolean | undefined {
  switch (operand.kind) {
    case 'literal':
      return Boolean(operand.literal);
    case 'absent':
      return false;
    default:
      return undefined;
  }
}
