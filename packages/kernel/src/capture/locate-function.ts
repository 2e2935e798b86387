import type { SourceLocation } from '@nccl-ts/ir';
import type { BodyFunction } from '../device-fn.ts';
import { authorPosition } from './author-position.ts';
import { functionScript } from './function-script.ts';

/**
 * Finds a captured function in the author's file, in Node: through its source map, or in the file itself. Everywhere
 * else, and where it cannot be found, the answer is always `undefined`. Never throws.
 */
export function locateFunction(body: BodyFunction, text: string): (offset: number) => SourceLocation | undefined {
  const locate = attempt(() => {
    const script = functionScript(body, text);
    return script && authorPosition(script, text.length);
  });
  return (offset) => attempt(() => locate?.(offset));
}

/** A report that cannot say where is better than none, whatever the engine, the files or the source map are like. */
function attempt<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
