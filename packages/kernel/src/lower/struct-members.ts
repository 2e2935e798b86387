import type { Accept } from '../author/accept.ts';
import type { StructParam } from '../author/param-type.ts';

/** Lists the fields and the types of a struct, in the form that a call of the struct type takes. */
export function structMembers(struct: StructParam): Readonly<Record<string, Accept>> {
  const types = Object.keys(struct.types).map((name): [string, Accept] => [name, { kind: 'type' }]);
  return { ...struct.fields, ...Object.fromEntries(types) };
}
