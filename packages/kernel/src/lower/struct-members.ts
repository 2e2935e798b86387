import type { StructParam } from '../author/param-type.ts';
import type { Accept } from '../device-fn.ts';

/** The fields of a struct, and the types that it carries, as a call that makes one takes them. */
export function structMembers(struct: StructParam): Readonly<Record<string, Accept>> {
  const types = Object.keys(struct.types).map((name): [string, Accept] => [name, { kind: 'type' }]);
  return { ...struct.fields, ...Object.fromEntries(types) };
}
