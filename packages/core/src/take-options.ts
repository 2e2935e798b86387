import { expectOptions } from './expect-options.ts';
import { reading } from './reading.ts';

/**
 * Returns a copy of the options that `names` lists. Each was read once, so later reads neither
 * throw nor return other values. Nested objects are not copied.
 *
 * @param what names the call in the message, as in `launch of sum`.
 * @param names has every supported option. The compiler checks that none is missing.
 * @throws NcclError like {@link expectOptions}. `NCCL_INVALID_ARGUMENT` if reading an option
 * throws.
 */
export function takeOptions<T extends object>(
  what: string,
  options: T,
  names: Readonly<Record<keyof T & string, true>>,
): T {
  return reading(what, () => {
    expectOptions(what, options, names);
    const taken = { ...options };
    const prototype: unknown = Object.getPrototypeOf(options);
    if (prototype === Object.prototype || prototype === null) return taken;
    // Objects of a class inherit their getters.
    for (const name of Object.keys(names)) {
      if (name in options && !Object.hasOwn(taken, name)) Reflect.set(taken, name, Reflect.get(options, name));
    }
    return taken;
  });
}
