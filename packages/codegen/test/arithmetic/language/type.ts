import { kinds, type Kind } from '../reference/scalar.ts';

/** A scalar (`width` 1) or a vector. */
export interface Type {
  readonly kind: Kind;
  readonly width: number;
}

const made = new Map<string, Type>();

/** Equal types are the same object. */
export function typeOf(kind: Kind, width: number = 1): Type {
  const key = `${kind} ${width}`;
  let type = made.get(key);
  if (type === undefined) {
    type = Object.freeze({ kind, width });
    made.set(key, type);
  }
  return type;
}

/** Returns the name as the kernel's author, and the IR's printer, write it. */
export function nameOf({ kind, width }: Type): string {
  return width === 1 ? kind : `vec(${kind}, ${width})`;
}

export function bytesOf({ kind, width }: Type): number {
  return (kinds[kind].bits / 8) * width;
}

export function isFp8(kind: Kind): boolean {
  return kind === 'e4m3' || kind === 'e5m2';
}

/** Integers below 32 bits and bools are promoted to i32, FP8 to f16. */
export function promote(kind: Kind): Kind {
  if (isFp8(kind)) return 'f16';
  const info = kinds[kind];
  return info.class === 'bool' || (info.class === 'int' && info.bits < 32) ? 'i32' : kind;
}

const floatsAbove: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  e4m3: ['f16', 'bf16', 'f32', 'f64'],
  e5m2: ['f16', 'bf16', 'f32', 'f64'],
  f16: ['f32', 'f64'],
  bf16: ['f32', 'f64'],
  f32: ['f64'],
};

/**
 * Returns the common type of two scalars, by C++'s usual arithmetic conversions. `undefined` if
 * they need a cast.
 */
export function commonKind(left: Kind, right: Kind): Kind | undefined {
  const [a, b] = [promote(left), promote(right)];
  if (a === b) return a;
  const [x, y] = [kinds[a], kinds[b]];
  if (x.class === 'float' || y.class === 'float') {
    if (floatsAbove[a]?.includes(b)) return b;
    return floatsAbove[b]?.includes(a) ? a : undefined;
  }
  if (x.class === 'addr' || y.class === 'addr') return 'addr';
  if (x.bits !== y.bits) return x.bits > y.bits ? a : b;
  return x.signed ? b : a;
}

/** True if a value of `from` may be assigned to `to` without a cast. */
export function assignable(from: Kind, to: Kind): boolean {
  if (from === to) return true;
  const [x, y] = [kinds[from], kinds[to]];
  if (y.class === 'bool') return false;
  if (x.class === 'bool') return y.class === 'int';
  if (x.class === 'float' || y.class === 'float') return floatsAbove[from]?.includes(to) ?? false;
  if (y.class === 'addr') return true;
  if (x.class === 'addr') return y.bits === 64;
  return y.bits >= x.bits;
}

/** Returns the type in which a vector computes: its own, or f16 for FP8. */
export function promoteType(type: Type): Type {
  return type.width === 1 ? typeOf(promote(type.kind)) : isFp8(type.kind) ? typeOf('f16', type.width) : type;
}
