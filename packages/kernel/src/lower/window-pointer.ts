import {
  multicastPointer,
  multicastSize,
  scalarType,
  typeName,
  unicastPointer,
  windowPointer,
  type Expression,
  type ScalarType,
  type ValueType,
} from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { argument, checkCount, typeArgument } from './arguments.ts';
import { assignTo } from './convert.ts';
import type { Lowering } from './lowering.ts';
import { checkElement, pointerOf } from './memory.ts';
import { describe, poison, valueOperand, type Argument, type CallOperands, type Operand } from './operand.ts';

/** Lowers `windowPointer(win, T, offset, peer)`. */
export function lowerWindowPointer(l: Lowering, name: string, call: CallOperands): Operand {
  const windowElement = lowerWindowElement(l, name, call, scalarType('i32'));
  if (windowElement === undefined) return poison;
  const { window, element, offset, whose } = windowElement;
  return valueOperand(windowPointer(element, window, whose, offset, call.span));
}

/** Lowers `multicastPointer(win, T, offset, group)`. */
export function lowerMulticastPointer(l: Lowering, name: string, call: CallOperands): Operand {
  const windowElement = lowerWindowElement(l, name, call, scalarType('addr'));
  if (windowElement === undefined) return poison;
  const { window, element, offset, whose } = windowElement;
  return valueOperand(multicastPointer(element, window, whose, offset, call.span));
}

/** Lowers `unicastPointer(p, member)`. */
export function lowerUnicastPointer(l: Lowering, name: string, call: CallOperands): Operand {
  if (!checkCount(l, name, call, 2)) return poison;
  const pointer = globalPointer(l, name, argument(call, 0));
  const of = argument(call, 1);
  const member = assignTo(l, of.operand, scalarType('i32'), of.span);
  if (pointer === undefined || member === undefined) return poison;
  return valueOperand(unicastPointer(pointer, member, call.span));
}

/** Lowers `multicastSize(p)`. */
export function lowerMulticastSize(l: Lowering, name: string, call: CallOperands): Operand {
  if (!checkCount(l, name, call, 1)) return poison;
  const pointer = globalPointer(l, name, argument(call, 0));
  return pointer === undefined ? poison : valueOperand(multicastSize(pointer, call.span));
}

interface WindowElement {
  readonly window: Expression;
  readonly element: ValueType;
  readonly offset: Expression;
  readonly whose: Expression;
}

/**
 * Reads the arguments: a window, a type, a byte offset, and a value of type `whose` that selects
 * the copy.
 */
function lowerWindowElement(
  l: Lowering,
  name: string,
  call: CallOperands,
  whose: ScalarType,
): WindowElement | undefined {
  if (!checkCount(l, name, call, 4)) return undefined;
  const window = argument(call, 0);
  const element = typeArgument(l, name, argument(call, 1));
  const at = argument(call, 2);
  const last = argument(call, 3);
  const offset = assignTo(l, at.operand, scalarType('addr'), at.span);
  const meant = assignTo(l, last.operand, whose, last.span);
  if (window.operand.kind !== 'value' || window.operand.handle === undefined) {
    if (window.operand.kind !== 'poison') {
      l.report(callReports.argumentKind(window.span, name, 'win', 'a Window', describe(window.operand)));
    }
    return undefined;
  }
  if (element === undefined || offset === undefined || meant === undefined) return undefined;
  if (!checkElement(l, element, argument(call, 1).span)) return undefined;
  return { window: window.operand.value, element, offset, whose: meant };
}

function globalPointer(l: Lowering, name: string, { operand, span }: Argument): Expression | undefined {
  if (operand.kind === 'poison') return undefined;
  const pointer = pointerOf(operand);
  if (pointer?.type.space === 'global') return pointer.value;
  const given = pointer === undefined ? describe(operand) : typeName(pointer.type);
  l.report(callReports.argumentKind(span, name, 'p', 'a pointer into a window', given));
  return undefined;
}
