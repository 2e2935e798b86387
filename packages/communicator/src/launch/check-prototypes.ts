import { invalidUsage } from '../errors.ts';

const nothing: readonly unknown[] = [];

/**
 * If every array inherits elements, empty arrays seem to have elements, and nothing works.
 *
 * @throws NcclError `NCCL_INVALID_USAGE`
 */
export function checkPrototypes(what: string): void {
  for (const index of ['0', '1', '2', '3']) {
    if (!(index in nothing)) continue;
    const owner = Object.hasOwn(Object.prototype, index) ? 'Object.prototype' : 'Array.prototype';
    throw invalidUsage(
      `${what}: some code of this process has set ${owner}[${index}], so empty arrays have elements: delete it.`,
    );
  }
}
