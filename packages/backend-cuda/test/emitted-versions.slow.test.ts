import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { allCases } from '@nccl-ts/conformance';
import { isNcclError } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import { expect, it } from 'vitest';
import { codeOf, tableVersions } from './nccl-versions/nccl-install.ts';

/**
 * Members and types of NCCL's device API with the first published version whose headers have them,
 * and the first without them. `npm run nccl-versions -- --suite` compiles the texts.
 */
const names: Readonly<Record<string, readonly [since: number, until?: number]>> = {
  ncclGin: [22807],
  railGinBarrier: [22807],
  ginContextCount: [22807],
  ginIsRailed: [22907, 23007],
  hybridLsaBarrier: [23003],
  hybridRailGinBarrier: [23003],
  worldGinBarrier: [23003],
  hybridWorldGinBarrier: [23007, 23102],
  ginContextsRailed: [23007, 23102],
  hybridDenseGinBarrier: [23102],
  ginContextStride: [23102],
  cftRank: [23102],
  cftMultimemSize: [23102],
};

it.for(tableVersions)('no text for NCCL %s has a name that its headers lack', (version) => {
  const ncclVersion = codeOf(version);
  const foreign = Object.entries(names).filter(
    ([, [since, until = Infinity]]) => ncclVersion < since || ncclVersion >= until,
  );
  const found = new Set<string>();
  let texts = 0;
  for (const kernel of new Set(allCases.flatMap(({ kernels }) => kernels))) {
    const result = validate(kernel.compile(), { ...cuda().capabilities, multimem: true });
    if (!result.ok) continue;
    try {
      const { text } = emitCuda(result.module, { ncclVersion });
      texts++;
      for (const [name] of foreign) if (new RegExp(`\\b${name}\\b`).test(text)) found.add(`${kernel.name}: ${name}`);
    } catch (error) {
      if (!isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) throw error;
    }
  }
  expect([...found]).toEqual([]);
  expect(texts).toBeGreaterThan(300);
});
