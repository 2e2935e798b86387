import type { SourceLocation } from '@nccl-ts/ir';
import type { BodyFunction } from '../author/device-fn.ts';
import { attempt } from './attempt.ts';
import { authorPosition } from './author-position.ts';
import { functionScript } from './function-script.ts';
import { providedLocation } from './provided-texts.ts';

/**
 * Finds a captured function in the author's file. It searches the provided texts. In Node it also
 * follows the source map, or searches the file itself. Returns `undefined` if it does not find the
 * function. Never throws, because a report without a position is better than none.
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
