/**
 * Stands for a value of `use` or `params` that a reader of the text cannot evaluate. The compiler
 * takes it without a report, and reports nothing about what depends on it.
 */
export const unknownValue: { readonly kind: 'unknown' } = Object.freeze({ kind: 'unknown' });

export function isUnknownValue(value: unknown): boolean {
  return value === unknownValue;
}
