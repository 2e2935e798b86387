import { mapStatementParts, type Body } from '@nccl-ts/ir';
import type { Path } from './mutation-site.ts';

/**
 * Returns `body` with other statements, or none, in place of the one at `path`. Everything else
 * keeps its identity.
 */
export function replaceAt(body: Body, path: Path, by: Body): Body {
  const [index, which, ...rest] = path;
  const statement = index === undefined ? undefined : body[index];
  if (index === undefined || statement === undefined)
    throw new RangeError(`there is no statement at ${path.join('.')}`);
  if (which === undefined) return splice(body, index, by);
  let seen = 0;
  const changed = mapStatementParts(statement, {
    expression: (expression) => expression,
    target: (local) => local,
    // Bodies come in the order of `statementBodies`, by which sites are counted.
    body: (inner) => (seen++ === which ? replaceAt(inner, rest, by) : inner),
  });
  return splice(body, index, [changed]);
}

function splice(body: Body, index: number, by: Body): Body {
  return Object.freeze([...body.slice(0, index), ...by, ...body.slice(index + 1)]);
}
