import { expectOptions } from './expect-options.ts';
import { reading } from './reading.ts';

/**
 * Returns a copy of `options` with only their options, each of which was read once: later reads
 * neither throw nor give other values. Objects inside it are not copied.
 *
 * @param what the call, for the message: `launch of sum`.
 * @param names every supported option; the compiler checks that none is missing.
 * @throws NcclError as {@link expectOptions}; `NCCL_INVALID_ARGUMENT` if reading an option throws.
 */
export function takeOptions<T extends object>(
  what: string,
  options: T,
  names: Readonly<Record<keyof T & string, true>>,
): T {
  return reading(what, () => {
    expectOptions(what, options, names);
    const taken = { ...options };
    // Objects of a class inherit their getters.
    for (const name of Object.keys(names)) {
      if (name in options && !Object.hasOwn(taken, name)) Reflect.set(taken, name, Reflect.get(options, name));
    }
    return taken;
  });
}
