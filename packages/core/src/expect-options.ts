import { NcclError } from './nccl-error.ts';
import { showValue } from './show-value.ts';

/**
 * Checks that `options` is an object without properties other than `names`.
 *
 * @param what names the call in the message, as in `launch of sum`.
 * @param names has every supported option. The compiler checks that none is missing.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` otherwise. `NCCL_INVALID_USAGE` if `options` inherits
 * an option that other code in the process has added to `Object.prototype`.
 */
export function expectOptions<T extends object>(
  what: string,
  options: T,
  names: Readonly<Record<keyof T & string, true>>,
): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `${what} takes its options as an object; given ${showValue(given)}.`, {
      details: { what, given },
    });
  }
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(names, key));
  if (unknown.length > 0) {
    const known = Object.keys(names).join(', ');
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what} has no option ${unknown.join(', ')}; its options are ${known}.`,
      {
        details: { what, unknown },
      },
    );
  }
  const inherited = Object.keys(names).find(
    (name) => Object.hasOwn(Object.prototype, name) && !Object.hasOwn(given, name),
  );
  if (inherited === undefined) return;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `${what} would read its option '${inherited}' from Object.prototype, because other code in this process has added it there: remove it.`,
    { details: { what, name: inherited } },
  );
}
