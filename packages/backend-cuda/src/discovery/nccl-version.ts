import { ncclVersionCode } from '@nccl-ts/core';
import type { NcclVersionCode } from '../cuda-source.ts';

/** The first version with a device API. */
export const oldestNccl: NcclVersionCode = 22803;

/** Returns the version that the text of `nccl.h` states; undefined if it states none. */
export function headerVersion(text: string): NcclVersionCode | undefined {
  const part = (name: string): number | undefined => {
    const stated = new RegExp(`^\\s*#\\s*define\\s+NCCL_${name}\\s+(\\d+)`, 'm').exec(text);
    return stated === null ? undefined : Number(stated[1]);
  };
  const [major, minor, patch] = [part('MAJOR'), part('MINOR'), part('PATCH')];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return ncclVersionCode(major, minor, patch);
}

/**
 * Returns the version in a library's file name, such as `libnccl.so.2.28.9`; undefined if there is
 * none.
 */
export function libraryNameVersion(file: string): NcclVersionCode | undefined {
  const named = /libnccl\.so\.(\d+)\.(\d+)\.(\d+)$/.exec(file);
  return named === null ? undefined : ncclVersionCode(Number(named[1]), Number(named[2]), Number(named[3]));
}
