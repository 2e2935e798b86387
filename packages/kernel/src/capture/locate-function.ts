import type { SourceLocation } from '@nccl-ts/ir';
import type { BodyFunction } from '../device-fn.ts';
import { attempt } from './attempt.ts';
import { authorPosition } from './author-position.ts';
import { functionScript } from './function-script.ts';
import { providedLocation } from './provided-texts.ts';

/**
 * Finds a captured function in the author's file: in a text that was provided, or in Node through
 * its source map, or in the file itself. Returns `undefined` on all other hosts, and if it cannot
 * find the function. Never throws: a report without a position is better than none.
 */
export function locateFunction(body: BodyFunction, text: string): (offset: number) => SourceLocation | undefined {
  const provided = providedLocation(text);
  if (provided !== undefined) return provided;
  const locate = attempt(() => {
    const script = functionScript(body, text);
    return script && authorPosition(script, text.length);
  });
  return (offset) => attempt(() => locate?.(offset));
}
