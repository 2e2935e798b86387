import { statementBodies, type Body } from '@nccl-ts/ir';

/** The number of statements inside each other, without recursion. */
export function nestingOf(body: Body): number {
  let deepest = 0;
  const open: (readonly [body: Body, depth: number])[] = [[body, 0]];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const [statements, depth] = top;
    deepest = Math.max(deepest, depth);
    for (const s of statements) for (const inner of statementBodies(s)) open.push([inner, depth + 1]);
  }
  return deepest;
}
