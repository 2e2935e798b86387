import type { Operand } from './operand.ts';

/** A condition that the compiler knows; `undefined` where it is decided at run time. */
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
