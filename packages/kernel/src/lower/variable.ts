import { local, sameType, typeName, type Span } from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { asValue, assignTo } from './convert.ts';
import type { Lowering } from './lowering.ts';
import {
  describe,
  poison,
  valueOperand,
  type VariableCell,
  type CellBox,
  type Operand,
  type RecordOperand,
} from './operand.ts';

/** Binds a `const` to its name. A run-time value is computed here, once. */
export function bindConstant(l: Lowering, name: string, operand: Operand, span: Span): Operand {
  switch (operand.kind) {
    case 'value':
      return l.keep(operand, name, span);
    case 'choice': {
      const condition = l.keep(valueOperand(operand.condition), `${name}If`, span);
      return { ...operand, condition: condition.value };
    }
    case 'record':
      // A session's state is passed by reference, never copied.
      return operand.bindFixed !== undefined || (operand.cells === undefined && operand.struct === undefined)
        ? operand
        : snapshot(operand, (member, part) => bindConstant(l, `${name}.${member}`, part, span));
    case 'void':
      return l.report(typeReports.noValue(span, 'this call'));
    default:
      return operand;
  }
}

function snapshot(record: RecordOperand, keep: (name: string, operand: Operand) => Operand): RecordOperand {
  const { cells: _, ...plain } = record;
  const members = new Map<string, Operand>();
  for (const [name, operand] of record.members) members.set(name, keep(name, operand));
  for (const [name, box] of record.cells ?? []) members.set(name, keep(name, readCell(box.cell) ?? poison));
  return { ...plain, members };
}

/** A variable that has no value yet. */
export function newVariable(name: string, span: Span): CellBox {
  return { cell: { kind: 'unset', name, span } };
}

/** Returns the present value of a variable, or `undefined` if it has none. */
export function readCell(cell: VariableCell): Operand | undefined {
  switch (cell.kind) {
    case 'unset':
      return undefined;
    case 'poison':
      return poison;
    case 'local':
      return valueOperand(local(cell.local, cell.type), cell.handle);
    case 'record':
      return { ...cell.record, cells: cell.cells };
  }
}

/**
 * Assigns a variable and returns the value. The first assignment decides the variable's type. `at`
 * is the span of the value, for reports.
 */
export function assignCell(l: Lowering, box: CellBox, operand: Operand, span: Span, at: Span = span): Operand {
  const { cell } = box;
  if (cell.kind === 'unset')
    box.cell = operand.kind === 'poison' ? operand : (makeCell(l, cell.name, operand, at) ?? poison);
  if (operand.kind === 'poison') return poison;
  const target = box.cell;
  switch (target.kind) {
    case 'unset':
    case 'poison':
      return poison;
    case 'local': {
      const given = operand.kind === 'value' ? operand.value.type : undefined;
      const value = l.about({ target: target.local, wanted: given && typeName(given) }, () => {
        if (given === undefined || sameType(given, target.type) || compatible(given.kind, target.type.kind)) {
          return assignTo(l, operand, target.type, at);
        }
        l.report(typeReports.variableType(at, target.name, typeName(target.type), typeName(given)));
        return undefined;
      });
      if (value === undefined) return poison;
      l.emit({ kind: 'assign', local: target.local, value, span });
      return valueOperand(local(target.local, target.type), target.handle);
    }
    case 'record': {
      if (operand.kind !== 'record' || operand.struct?.struct !== target.record.struct?.struct) {
        return l.report(typeReports.variableType(at, target.name, describe(target.record), describe(operand)));
      }
      // All parts are read before any is written: `team = swapped(team)`.
      const parts = [...target.cells].map(([name, part]) => {
        const value = memberValue(operand, name);
        return { part, value: value.kind === 'value' ? l.keep(value, name, span) : value };
      });
      for (const { part, value } of parts) assignCell(l, part, value, span);
      return readCell(target) ?? poison;
    }
  }
}

/** The current value of a record's member. */
export function memberValue(record: RecordOperand, name: string): Operand {
  const box = record.cells?.get(name);
  if (box !== undefined) return readCell(box.cell) ?? poison;
  return record.members.get(name) ?? poison;
}

function compatible(from: string, to: string): boolean {
  const values = ['scalar', 'vector'];
  return from === to || (values.includes(from) && values.includes(to));
}

function makeCell(l: Lowering, name: string, operand: Operand, span: Span): VariableCell | undefined {
  if (operand.kind === 'session') {
    l.report(callReports.sessionCopied(span));
    return undefined;
  }
  if (operand.kind === 'record' && operand.struct !== undefined) {
    const cells = new Map<string, CellBox>();
    for (const member of Object.keys(operand.struct.fields)) {
      const part = memberValue(operand, member);
      const cell = makeCell(l, `${name}.${member}`, part, span);
      if (cell === undefined) return undefined;
      cells.set(member, { cell });
    }
    const { cells: _, ...record } = operand;
    return { kind: 'record', name, record, cells };
  }
  const value = asValue(l, operand, span);
  if (value === undefined) return undefined;
  const handle = operand.kind === 'value' ? operand.handle : undefined;
  const id = l.newLocal(name, value.type, span);
  if (operand.kind === 'literal' && typeof operand.literal !== 'boolean') {
    const decided = { name, type: value.type, typeName: typeName(value.type), span, literal: String(operand.literal) };
    l.decided.set(id, decided);
  }
  return { kind: 'local', local: id, type: value.type, name, ...(handle === undefined ? {} : { handle }) };
}
