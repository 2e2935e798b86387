import { valueBytes, type Type, type ValueType } from '@nccl-ts/ir';
import { wgslScalar } from './arithmetic/index.ts';

/**
 * Returns the WGSL type of a value. Pointers are `nts_ptr`, and handles are the index of their part
 * of the launch record.
 */
export function wgslType(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return wgslScalar(type.scalar);
    case 'vector':
      return `array<${wgslScalar(type.element)}, ${type.width}>`;
    case 'pointer':
      return 'nts_ptr';
    case 'handle':
      return 'u32';
  }
}

/**
 * Returns the type of a value's bits in memory, as one WGSL value: `u32` up to four bytes, and then
 * `vec2u` and `vec4u`.
 */
export function rawType(bytes: number): string {
  if (bytes <= 4) return 'u32';
  return bytes === 8 ? 'vec2u' : 'vec4u';
}

/** The number of words of a value if each value has separate words. */
export function valueWords(type: ValueType): number {
  return Math.ceil(valueBytes(type) / 4);
}

/** `f32`, `f16x8`: the type in names of functions. */
export function typeWord(type: ValueType): string {
  return type.kind === 'scalar' ? type.scalar : `${type.element}x${type.width}`;
}

/** Words of any value of the type while its thread waits. */
export function stateWords(type: Type, checks: boolean): number {
  if (type.kind === 'pointer') return checks ? 2 : 1;
  return type.kind === 'handle' ? 1 : valueWords(type);
}
