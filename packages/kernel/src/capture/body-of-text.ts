import type { Source } from '@nccl-ts/ir';
import type { BodyFunction } from '../author/device-fn.ts';

type BodyText = Pick<Source, 'text' | 'locate'>;

/** The texts of bodies that no engine holds as functions. */
const texts = new WeakMap<BodyFunction, BodyText>();

/**
 * Makes a body from its text, for tools that read programs and run none of them. The text is that
 * of a function, without types. `locate` maps its offsets to the author's file.
 *
 * The function can be compiled and not called.
 */
export function bodyOfText(text: string, locate?: Source['locate']): BodyFunction {
  const body = (): never => {
    throw new TypeError('The body of a kernel is compiled and not called.');
  };
  texts.set(body, locate === undefined ? { text } : { text, locate });
  return body;
}

/** The text that `body` was made of; `undefined` for a function of the engine. */
export function givenText(body: BodyFunction): BodyText | undefined {
  return texts.get(body);
}
