import type { ElementName, MemoryJson } from './program-json.ts';

const sizes: Readonly<Record<ElementName, number>> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  f16: 2,
  bf16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  u64: 8,
  i64: 8,
  f64: 8,
  ptr: 8,
};

/** The bytes of an element of memory. */
export function elementBytes({ type = 'u8' }: Pick<MemoryJson, 'type'>): number {
  return sizes[type];
}

export function isElementName(name: string): name is ElementName {
  return Object.hasOwn(sizes, name);
}
