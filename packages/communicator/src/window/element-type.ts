import { isScalarKind, reading } from '@nccl-ts/core';
import type { ScalarKind } from '@nccl-ts/core';
import type { ScalarParam, VectorParam } from '@nccl-ts/kernel';
import { shown } from '../describe.ts';
import { invalidArgument } from '../errors.ts';

/**
 * The element type of memory: a type of the kernel language, such as `f32` or `vec(bf16, 8)`, or a
 * scalar's name.
 */
export type ElementType<K extends ScalarKind = ScalarKind> = K | ScalarParam<K, unknown> | VectorParam<K>;

/** The scalar of an element, and how many of them it has. */
export interface ScalarAndWidth<K extends ScalarKind> {
  readonly scalar: K;
  readonly width: number;
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if memory cannot have elements of `type`. */
export function elementOf<K extends ScalarKind>(type: ElementType<K>, what: string): ScalarAndWidth<K> {
  return reading(what, () => read(type, what));
}

function read<K extends ScalarKind>(type: ElementType<K>, what: string): ScalarAndWidth<K> {
  if (typeof type === 'string') {
    if (isScalarKind(type)) return { scalar: type, width: 1 };
  } else if (typeof type === 'object' && type !== null) {
    if (type.kind === 'scalar' && isScalarKind(type.scalar)) return { scalar: type.scalar, width: 1 };
    if (type.kind === 'vector' && isScalarKind(type.element)) return { scalar: type.element, width: type.width };
  }
  throw invalidArgument(
    `${what}: type must be a value type such as f32 or vec(f32, 4), or a scalar's name; given ${shown(type)}.`,
  );
}
