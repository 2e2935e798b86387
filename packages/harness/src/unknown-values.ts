import { walkBody } from '@nccl-ts/ir';
import type { TranslatedEntry } from './translated-entry.ts';

/** The first unknown values that a kernel computes: `the values of wgmma as unknown`. */
export function unknownValuesOf(kernels: readonly Pick<TranslatedEntry, 'kernel'>[]): string | undefined {
  let found: string | undefined;
  for (const { kernel } of kernels) {
    walkBody(kernel.compile().body, {
      statement: (s) => {
        if (s.kind === 'approximate' && s.isOpaque === true) found ??= s.how;
      },
    });
  }
  return found;
}
