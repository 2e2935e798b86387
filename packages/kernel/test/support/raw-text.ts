import type { BodyFunction, Kernel } from '@nccl-ts/kernel';
import { kernel } from '@nccl-ts/kernel';
import type { Given } from './compile.ts';

/**
 * Runs `test` with a kernel whose captured text is `text`, which need not be JavaScript. It may use
 * syntax that this engine does not support, or that no engine supports. Capture reads texts with
 * `Function.prototype.toString`, so that method returns the given text while `test` runs.
 */
export function withRawText<T>(text: string, given: Given, test: (of: Kernel) => T): T {
  const body: BodyFunction = () => undefined;
  const { name = 'fromText', use = {}, params = {} } = given;
  const of = kernel({ name, use, params }, body as never) as Kernel;
  const prototype: { toString: () => string } = Function.prototype;
  // oxlint-disable-next-line unbound-method
  const { toString } = prototype;
  prototype.toString = function (this: unknown): string {
    return this === body ? text : toString.call(this);
  };
  try {
    return test(of);
  } finally {
    prototype.toString = toString;
  }
}
