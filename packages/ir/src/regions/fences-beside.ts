import type { Span } from '../span.ts';
import type { Body, FenceStatement, Statement } from '../statement.ts';
import { statementBodies } from '../visit/children.ts';

/** The fences nearest to a statement, in the order of the text. */
export interface FencesBeside {
  /** The last one before it that may release what comes before. */
  readonly before: FenceStatement | undefined;
  /** The first one after it that may acquire for what comes after. */
  readonly after: FenceStatement | undefined;
}

/** Finds the fences nearest to the statement at `span`. */
export function fencesBeside(body: Body, span: Span): FencesBeside {
  let before: FenceStatement | undefined;
  let after: FenceStatement | undefined;
  let isPast = false;
  const visit = (statements: readonly Statement[]): void => {
    for (const s of statements) {
      if (s.span === span) isPast = true;
      if (s.kind === 'fence' && !isPast && s.access.order !== 'acquire') before = s;
      if (s.kind === 'fence' && isPast && s.access.order !== 'release') after ??= s;
      for (const inner of statementBodies(s)) visit(inner);
    }
  };
  visit(body);
  return isPast ? { before, after } : { before: undefined, after: undefined };
}

/** The last fence before the statement at `span` that also stands before the one at `access`. */
export function earlyFence(body: Body, span: Span, access: Span): FenceStatement | undefined {
  const { before } = fencesBeside(body, span);
  return before === fencesBeside(body, access).before ? before : undefined;
}
