import type { ScalarKind } from '@nccl-ts/core';

/**
 * The memory of a pointer: a window or raw device memory, a CTA's shared memory, or a thread's own
 * memory.
 */
export type AddressSpace = 'global' | 'shared' | 'local';

/** One number or boolean. */
export interface ScalarType {
  readonly kind: 'scalar';
  readonly scalar: ScalarKind;
}

/** Up to 16 bytes of scalars of one type, computed element by element. */
export interface VectorType {
  readonly kind: 'vector';
  readonly element: ScalarKind;
  readonly width: number;
}

/** The types of values in memory. */
export type ValueType = ScalarType | VectorType;

/** The address of an array of values. */
export interface PointerType {
  readonly kind: 'pointer';
  readonly element: ValueType;
  readonly space: AddressSpace;
}

/**
 * A value such as `DevComm` or `Window` that only its backend understands. `FieldExpression`s read
 * its fields, which the package that declares the handle defines.
 */
export interface HandleType {
  readonly kind: 'handle';
  readonly name: string;
}

export type Type = ScalarType | VectorType | PointerType | HandleType;
export type TypeKind = Type['kind'];

const scalars = new Map<ScalarKind, ScalarType>();

/** Returns the `ScalarType` of `scalar`. Equal types are the same object. */
export function scalarType(scalar: ScalarKind): ScalarType {
  let type = scalars.get(scalar);
  if (type === undefined) {
    type = Object.freeze({ kind: 'scalar', scalar });
    scalars.set(scalar, type);
  }
  return type;
}

/** A vector of `width` elements. The caller has checked that it has at most 16 bytes. */
export function vectorType(element: ScalarKind, width: number): VectorType {
  return Object.freeze({ kind: 'vector', element, width });
}

export function pointerType(element: ValueType, space: AddressSpace): PointerType {
  return Object.freeze({ kind: 'pointer', element, space });
}

export function handleType(name: string): HandleType {
  return Object.freeze({ kind: 'handle', name });
}

/** The scalar that a value consists of: its own type, or that of its elements. */
export function elementScalar(type: ValueType): ScalarKind {
  return type.kind === 'scalar' ? type.scalar : type.element;
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case 'scalar':
      return b.kind === 'scalar' && a.scalar === b.scalar;
    case 'vector':
      return b.kind === 'vector' && a.element === b.element && a.width === b.width;
    case 'pointer':
      return b.kind === 'pointer' && a.space === b.space && sameType(a.element, b.element);
    case 'handle':
      return b.kind === 'handle' && a.name === b.name;
  }
}

/**
 * Returns a type as the printer writes it: `f32`, `vec(bf16, 8)`, `ptr(f32)`, `ptr(u32, shared)`,
 * `Window`.
 */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.scalar;
    case 'vector':
      return `vec(${type.element}, ${type.width})`;
    case 'pointer':
      return type.space === 'global'
        ? `ptr(${typeName(type.element)})`
        : `ptr(${typeName(type.element)}, ${type.space})`;
    case 'handle':
      return type.name;
  }
}
