import { mapBody, type LoopStatement, type Module } from '@nccl-ts/ir';

/**
 * Returns `module` with each loop at only one place. A loop that occurs at several places is
 * copied, because a thread that pauses in a loop must continue at the same point. The rounds of an
 * unrolled loop may share loops.
 */
export function distinctLoops(module: Module): Module {
  const seen = new Set<LoopStatement>();
  const body = mapBody(module.body, {
    statement: (s) => {
      if (s.kind !== 'loop') return s;
      if (seen.has(s)) return Object.freeze({ ...s });
      seen.add(s);
      return s;
    },
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
