import { handleType, pointerType, type Type } from '@nccl-ts/ir';
import { valueTypeOf, type ParamType } from '../author/param-type.ts';

/** The IR type of a parameter that is passed as one value. Structs were already flattened. */
export function paramIrType(type: ParamType): Type {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
      return valueTypeOf(type);
    case 'pointer':
      return pointerType(valueTypeOf(type.element), 'global');
    case 'handle':
      return handleType(type.handle);
    case 'struct':
      return handleType(type.struct);
  }
}

/** A value that a launch passes, and its parameter. */
export interface FlatParam {
  /** `comm`, `team.nRanks`. */
  readonly name: string;
  readonly type: Exclude<ParamType, { kind: 'struct' }>;
}

/** The values that a launch passes for a parameter. A struct has several, depth first. */
export function flattenParam(name: string, type: ParamType): readonly FlatParam[] {
  if (type.kind !== 'struct') return [{ name, type }];
  return Object.entries(type.fields).flatMap(([member, inner]) => flattenParam(`${name}.${member}`, inner));
}
