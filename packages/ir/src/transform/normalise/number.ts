import { at } from '@nccl-ts/core';
import type { LocalId } from '../../expression.ts';
import type { Module } from '../../module.ts';
import { printExpression } from '../../print/print-expression.ts';
import type { Expression } from '../../expression.ts';
import type { Span } from '../../span.ts';
import type { Statement } from '../../statement.ts';
import { statementTarget } from '../../visit/children.ts';
import { bodyReads } from '../../visit/locals.ts';
import { mapBody } from '../../visit/map-body.ts';
import { walkBody } from '../../visit/walk.ts';
import { orderNode } from './conditions.ts';

/**
 * Numbers the locals, block labels and sessions of `module` in the order in which they are first
 * set or made. Locals that are never set come last. Then sorts the operands of commutative
 * operations by their text.
 */
export function renumber(module: Module): Module {
  const locals = localOrder(module);
  const labels = new Map<number, number>();
  const sessions = new Map<number, number>();
  walkBody(module.body, {
    statement: (s) => {
      if (s.kind === 'block') number(labels, s.label);
      if (s.kind === 'call' && s.session !== undefined) number(sessions, s.session);
    },
  });
  const keys = new Map<Expression, string>();
  const body = mapBody(module.body, {
    target: (id) => locals.get(id) ?? id,
    expression: (e) => {
      if (e.kind === 'local') return Object.freeze({ ...e, local: locals.get(e.local) ?? e.local });
      return orderNode(e, (operand) => orderKey(operand, keys));
    },
    statement: (s) => renumberStatement(s, labels, sessions),
  });
  const declared = [...locals.keys()].map((id) => at(module.locals, id));
  return Object.freeze({ ...module, locals: Object.freeze(declared), body });
}

function number(numbers: Map<number, number>, id: number): void {
  if (!numbers.has(id)) numbers.set(id, numbers.size);
}

function localOrder(module: Module): ReadonlyMap<LocalId, LocalId> {
  const order = new Map<LocalId, LocalId>();
  walkBody(module.body, {
    statement: (s) => {
      const target = statementTarget(s);
      if (target !== undefined) number(order, target);
    },
  });
  const neverSet = [...bodyReads(module.body)].filter((id) => !order.has(id));
  for (const id of neverSet.toSorted((a, b) => a - b)) number(order, id);
  return order;
}

/** The text by which operands are sorted. Numbers are padded, so that %9 comes before %10. */
function orderKey(e: Expression, keys: Map<Expression, string>): string {
  let key = keys.get(e);
  if (key === undefined) {
    key = printExpression(e, { spans: false, args: [] }).replaceAll(
      /%\d+/g,
      (id) => `%${id.slice(1).padStart(6, '0')}`,
    );
    keys.set(e, key);
  }
  return key;
}

function renumberStatement(
  s: Statement,
  labels: ReadonlyMap<number, number>,
  sessions: ReadonlyMap<number, number>,
): Statement {
  if (s.kind === 'block' || s.kind === 'leave') return Object.freeze({ ...s, label: labels.get(s.label) ?? s.label });
  if (s.kind !== 'call' || s.session === undefined) return s;
  return Object.freeze({ ...s, session: sessions.get(s.session) ?? s.session });
}

const noSpan: Span = Object.freeze({ source: 0, start: 0, end: 0 });

/**
 * Removes the parts of `module` that are only for people: spans, captured texts, and the names of
 * locals and arrays.
 */
export function stripped(module: Module): Module {
  const body = mapBody(module.body, {
    expression: (e) => {
      if (e.span === undefined) return e;
      const { span: _span, ...rest } = e;
      return Object.freeze(rest);
    },
    statement: (s) => Object.freeze({ ...s, span: noSpan }),
  });
  const plain = <T extends object>(item: T): T & { name: string; span: Span } =>
    Object.freeze({ ...item, name: '', span: noSpan });
  const locals = module.locals.map(plain);
  return Object.freeze({ ...module, locals, arrays: module.arrays.map(plain), body, sources: [] });
}
