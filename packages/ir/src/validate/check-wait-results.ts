import type { LocalId } from '../expression.ts';
import type { Module } from '../module.ts';
import type { Span } from '../span.ts';
import type { Body } from '../statement.ts';
import { statementBodies, statementTarget } from '../visit/children.ts';
import { assignedLocals, statementReads } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';
import type { ReportMalformed } from './findings.ts';

/**
 * Checks that a local that only the bodies of `waitAll`s set is read only there. Afterwards it has
 * no known value.
 */
export function checkWaitResults(module: Module, report: ReportMalformed): void {
  let waits = false;
  walkBody(module.body, {
    statement: ({ kind }) => {
      waits ||= kind === 'waitAll';
      return !waits;
    },
  });
  if (!waits) return;
  const inside = new Set<LocalId>();
  const outside = new Set<LocalId>();
  const reads = new Map<LocalId, Span>();
  const visit = (body: Body): void => {
    for (const s of body) {
      if (s.kind === 'waitAll') {
        for (const id of assignedLocals([s])) inside.add(id);
        continue;
      }
      const target = statementTarget(s);
      if (target !== undefined) outside.add(target);
      for (const id of statementReads(s)) reads.set(id, s.span);
      for (const inner of statementBodies(s)) visit(inner);
    }
  };
  visit(module.body);
  for (const [id, span] of reads) {
    if (inside.has(id) && !outside.has(id)) {
      report('waitResultRead', `local ${id}, which the body of a waitAll sets, is read outside it`, span);
    }
  }
}
