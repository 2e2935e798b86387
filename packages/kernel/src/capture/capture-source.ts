import type { Source } from '@nccl-ts/ir';
import type { BodyFunction } from '../author/device-fn.ts';
import { givenText } from './body-of-text.ts';
import { noteCaptured } from './captured-bodies.ts';
import { locateFunction } from './locate-function.ts';

/** The text of a function, and how to find it in the author's file. */
export function captureSource(name: string, body: BodyFunction): Source {
  const given = givenText(body);
  if (given !== undefined) return Object.freeze({ name, ...given });
  const text = Function.prototype.toString.call(body);
  noteCaptured(body);
  let locate: ((offset: number) => ReturnType<NonNullable<Source['locate']>>) | undefined;
  return Object.freeze({
    name,
    text,
    // The position is looked up for the first report, because most kernels have no errors.
    locate: (offset: number) => (locate ??= locateFunction(body, text))(offset),
  });
}
