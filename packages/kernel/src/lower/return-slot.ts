import {
  constant,
  scalarType,
  type Expression,
  type LocalId,
  type Span,
  type Statement,
  type ValueType,
} from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { literalAs } from './literal.ts';
import type { Lowering } from './lowering.ts';
import { poison, type CellBox, type ChoiceOperand, type LiteralOperand, type Operand } from './operand.ts';
import { assignCell, bindConstant, newVariable, readCell } from './variable.ts';

type UntypedOperand = LiteralOperand | ChoiceOperand;

/** A returned literal whose type depends on a later return. Its statement gets the value then. */
interface OpenReturn {
  readonly statement: { readonly kind: 'assign'; readonly local: LocalId; value: Expression; readonly span: Span };
  readonly operand: UntypedOperand;
}

/** The results of the returns of one inlined call, collected while its body is lowered. */
export interface ReturnSlot {
  /** The label of the block that a return leaves. */
  label: number | undefined;
  /** The statement list of the body itself. A return emitted there is the last statement. */
  out: Statement[] | undefined;
  /** The variable that the returns assign, if there are several returns. */
  box: CellBox | undefined;
  readonly open: OpenReturn[];
  result: Operand | undefined;
  valueless: boolean;
}

export function newReturnSlot(): ReturnSlot {
  return { label: undefined, out: undefined, box: undefined, open: [], result: undefined, valueless: false };
}

/**
 * Records the result of a `return`. All returns have the type of the first one that has a type. So
 * `if (c) return 0; return x;` means the same as `return c ? 0 : x;`.
 */
export function takeReturn(l: Lowering, slot: ReturnSlot, operand: Operand, span: Span): void {
  switch (operand.kind) {
    case 'void':
    case 'absent':
      slot.valueless = true;
      return;
    case 'session':
      slot.result = l.report(callReports.sessionCopied(span));
      return;
    case 'poison':
      slot.result = poison;
      return;
    default:
  }
  const first = slot.result === undefined && slot.open.length === 0 && !slot.valueless;
  if (first && l.out === slot.out) {
    slot.result = bindConstant(l, 'result', operand, span);
    return;
  }
  if ((operand.kind === 'literal' || operand.kind === 'choice') && slot.box === undefined) {
    const local = slot.open[0]?.statement.local ?? l.newLocal('result', scalarType('i32'), span);
    const statement: OpenReturn['statement'] = { kind: 'assign', local, value: constant('i32', 0), span };
    l.emit(statement);
    slot.open.push({ statement, operand });
    return;
  }
  if (slot.box === undefined && slot.open.length > 0) {
    const type = operand.kind === 'value' ? operand.value.type : undefined;
    settle(l, slot, type?.kind === 'scalar' || type?.kind === 'vector' ? type : scalarType('i32'));
  }
  slot.box ??= newVariable('result', span);
  assignCell(l, slot.box, operand, span);
  slot.result = readCell(slot.box.cell) ?? poison;
}

/** Returns the result of the call after its last return, or `undefined` if there is none. */
export function returned(l: Lowering, slot: ReturnSlot): Operand | undefined {
  if (slot.box === undefined && slot.open.length > 0) {
    const literals = slot.open.flatMap(({ operand }) => literalsOf(operand));
    const fraction = literals.find((value) => typeof value === 'number' && !Number.isInteger(value));
    const at = slot.open[0]?.statement.span;
    if (fraction !== undefined && at) return l.report(typeReports.literalAlone(at, String(fraction)));
    settle(l, slot, scalarType(literals.every((value) => typeof value === 'boolean') ? 'bool' : 'i32'));
  }
  return slot.result;
}

function settle(l: Lowering, slot: ReturnSlot, type: ValueType): void {
  for (const { statement, operand } of slot.open) {
    const { local, span } = statement;
    l.locals[local] = { name: 'result', type, span };
    slot.box ??= { cell: { kind: 'local', local, type, name: 'result' } };
    statement.value = literalAs(l, operand, type, span) ?? statement.value;
  }
  slot.result = slot.box && (readCell(slot.box.cell) ?? poison);
}

function literalsOf(operand: UntypedOperand): readonly (number | bigint | boolean)[] {
  return operand.kind === 'literal' ? [operand.literal] : [...literalsOf(operand.then), ...literalsOf(operand.else)];
}
