import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import {
  algorithmFacts,
  algorithmsOf,
  collectiveNames,
  collectiveShapes,
  kernelOf,
  redOpCreatePreMulSum,
  type KernelQuery,
  type ReduceOp,
} from '@nccl-ts/collectives';
import { RedOp } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { canCompile, compileText, unlessNvcc } from './support/nvcc.ts';

/** The quick tests have one of 16, and compile none. */
const isNow = (_: unknown, i: number): boolean => (i % 16 === 0) !== inject('slow');

const scaled = redOpCreatePreMulSum(2);

/** Every algorithm with a type that is reduced in another, and one that is not. */
const queries = collectiveNames.flatMap((collective): KernelQuery[] =>
  algorithmsOf[collective].flatMap((algorithm): KernelQuery[] => {
    if (!collectiveShapes[collective].reduces) return [{ collective, algorithm, element: 'bf16' }];
    const lsaSize = algorithmFacts[algorithm].spansDomains ? 2 : 4;
    const asked = { nRanks: 4, lsaSize, element: 'f32', op: 'preMulSum', inPlace: false } as const;
    const scales = algorithmFacts[algorithm].obstacle(asked) === undefined;
    const ops: readonly ReduceOp[] = [RedOp.Avg, scales ? scaled : RedOp.Max];
    return [
      { collective, algorithm, element: 'bf16', op: ops[0] ?? RedOp.Sum },
      { collective, algorithm, element: 'f32', op: ops[1] ?? RedOp.Sum },
    ];
  }),
);

/** NCCL 2.30.7: the version whose words the text is in. */
const ncclVersion = 23007;

function cudaText(query: KernelQuery): string {
  const result = validate(kernelOf(query).compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion }).text;
}

/** With NCCLTS_EVERY_CASE set all are compiled, a minute; otherwise every twentieth. */
const step = inject('everyCase') ? 1 : 20;

const titled = queries.map((query) => [`${query.collective} ${query.algorithm} ${query.element}`, query] as const);

describe('the CUDA text of a collective', () => {
  it.each(titled.filter(isNow))('%s is one kernel of its own name, with all parameters', (_title, query) => {
    const { name, params } = kernelOf(query).compile();
    const heads = [...cudaText(query).matchAll(/__global__ void (\w+)\(([^)]*)\)/g)];
    expect(heads.map(([, declared]) => declared)).toEqual([name]);
    expect(heads[0]?.[2]?.split(',')).toHaveLength(params.length);
  });

  it.each(titled.filter(isNow))('%s uses the network only between load-store domains', (_title, query) => {
    expect(/\bncclGin\b/.test(cudaText(query))).toBe(algorithmFacts[query.algorithm].spansDomains);
  });

  const lines = (['allReduce', 'allGather', 'reduceScatter', 'allToAll'] as const).filter(
    (collective) => (collective === 'allReduce') !== inject('slow'),
  );
  it.each(lines)('%s by ll128 loads and stores its lines without a branch for some lanes of a warp', (collective) => {
    const op = collectiveShapes[collective].reduces ? { op: RedOp.Sum } : {};
    const text = cudaText({ collective, algorithm: 'll128', element: 'bf16', backend: 'cuda', lsaSize: 4, ...op });
    const stores = text.split('__syncwarp(').slice(1, 4);
    const [loads = ''] = text.split('for (; !isHere; )').at(1)?.split('__all_sync(') ?? [];
    expect(loads.match(/nts::load_sys_v4_b32\(/g)).toHaveLength(6);
    // The one branch is that of warps without elements.
    for (const part of [...stores, loads])
      expect(part.split('if (isShort')[0]?.match(/if \(|&&|\|\|/g)).toEqual(['if (']);
    for (const part of stores) expect(part.match(/nts::store_sys_v4_b32\(/g)).toHaveLength(2);
  });

  // With flags it is NCCL's own class that does it, which these declarations do not have.
  const declared = titled.filter(([, { algorithm }]) => algorithm !== 'll');
  it.skipIf(!canCompile).each(declared.filter((_, i) => inject('slow') && i % step === 0))(
    `nvcc compiles %s${unlessNvcc}`,
    { timeout: 120_000 },
    (_title, query) => {
      expect(() => compileText(cudaText(query), ['-ptx'])).not.toThrow();
    },
  );
});
