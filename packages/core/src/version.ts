/** The version of this package, from its package.json. */
export const version: string = '0.1.0';

/**
 * The NCCL version whose device API the packages follow: the headers of 2.32.3, and the release
 * notes of 2.32.6. Flow and parts of CFT are missing: see docs/reference/nccl-versions.md.
 */
export const NCCL_VERSION: { readonly major: 2; readonly minor: 32; readonly patch: 6; readonly code: 23206 } =
  Object.freeze({ major: 2, minor: 32, patch: 6, code: 23206 });

/**
 * The integer code of an NCCL version, for 2.9 and later.
 *
 * @see NCCL_VERSION
 */
export function ncclVersionCode(major: number, minor: number, patch: number): number {
  return major * 10000 + minor * 100 + patch;
}

/** Formats a code of `ncclVersionCode`: 22809 becomes `2.28.9`. */
export function ncclVersionText(code: number): string {
  return `${Math.floor(code / 10000)}.${Math.floor((code % 10000) / 100)}.${code % 100}`;
}
