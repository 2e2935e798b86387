import type { PtxModule } from '@nccl-ts/ptx';
import { ncclLayouts, type NcclVersion } from '../adapters/nccl.ts';

/**
 * The version of NCCL with whose headers a text was compiled, by the `nccl.h` beside the device
 * headers that it names. A later version than those known here counts as the last.
 */
export function ncclVersionOf(
  { files }: PtxModule,
  source: (path: string) => string | undefined,
): NcclVersion | undefined {
  for (const file of files.values()) {
    const folder = /^(.*\/)(?:nccl_device(?:\/.*|\.h)|nccl\.h)$/su.exec(file)?.[1];
    const text = folder === undefined ? undefined : source(`${folder}nccl.h`);
    const [major, minor, patch] = ['MAJOR', 'MINOR', 'PATCH'].map((part) =>
      Number(new RegExp(`^\\s*#\\s*define\\s+NCCL_${part}\\s+(\\d+)`, 'mu').exec(text ?? '')?.[1] ?? Number.NaN),
    );
    if (major === undefined || minor === undefined || Number.isNaN(major) || Number.isNaN(minor)) continue;
    const known = Object.keys(ncclLayouts).filter((one): one is NcclVersion => Object.hasOwn(ncclLayouts, one));
    if (major === 2 && minor === 29 && (patch ?? 0) <= 3) return '2.29.3';
    return known.find((one) => one === `${major}.${minor}`) ?? (minor > 28 ? known.at(-1) : undefined);
  }
  return undefined;
}
