import type { StructParam } from '../author/param-type.ts';
import type { Accept } from '../author/device-fn.ts';

/** Lists the fields and the types of a struct, in the form that a call of the struct type takes. */
export function structMembers(struct: StructParam): Readonly<Record<string, Accept>> {
  const types = Object.keys(struct.types).map((name): [string, Accept] => [name, { kind: 'type' }]);
  return { ...struct.fields, ...Object.fromEntries(types) };
}
