import type { PtxFunction, PtxModule } from '@nccl-ts/ptx';
import { namedBy } from './named-by.ts';

/**
 * True if an entry, or a function that it calls, has `griddepcontrol`, as kernels for programmatic
 * dependent launches do.
 */
export function controlsDependents(module: PtxModule, entry: PtxFunction): boolean {
  const named = namedBy(module, entry);
  return module.functions
    .filter((one) => one === entry || (one.kind === 'func' && named.has(one.name)))
    .some(({ body }) => body?.items.some((item) => item.kind === 'instruction' && item.words[0] === 'griddepcontrol'));
}
