import type { Span } from '../span.ts';
import type { Body, FenceStatement, Statement } from '../statement.ts';
import { statementBodies } from '../visit/children.ts';

/**
 * Returns the last fence before the statement at `span` that may release what comes before it, in
 * the order of the text.
 */
export function fenceBefore(body: Body, span: Span): FenceStatement | undefined {
  let fence: FenceStatement | undefined;
  const isFound = (statements: readonly Statement[]): boolean =>
    statements.some((s) => {
      if (s.span === span) return true;
      if (s.kind === 'fence' && s.access.order !== 'acquire') fence = s;
      return statementBodies(s).some(isFound);
    });
  return isFound(body) ? fence : undefined;
}
