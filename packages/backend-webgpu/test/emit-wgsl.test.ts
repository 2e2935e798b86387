import { emitWgsl, webgpu, type EmitWgslOptions, type WgslSource } from '@nccl-ts/backend-webgpu';
import { allCases } from '@nccl-ts/conformance';
import { devComm, team } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { validate, type ValidatedModule } from '@nccl-ts/ir';
import { kernel as defineKernel, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';
import { compileMessages, nullDevice } from './support/gpu.ts';
import {
  allReduce,
  atomics,
  barrierLoop,
  blockSum,
  halves,
  prints,
  vectorAllReduce,
  warpSum,
} from './support/kernels.ts';

const { capabilities } = webgpu({ ranks: 1 });
const compiler = await nullDevice();

/** Two ranks on a device with SwiftShader's limits. */
const usual: Omit<EmitWgslOptions, 'blockDim'> = {
  fields: { nRanks: 2, lsaSize: 2 },
  lsaSize: 2,
  maxWorkgroup: 256,
  maxSharedBytes: 32_768,
  exact: true,
  checks: true,
  fuel: 2 ** 22,
  segments: 0,
};

interface Choice extends Partial<EmitWgslOptions> {
  /** Threads of a CTA. */
  readonly block?: number;
}

function validated(kernel: Kernel): ValidatedModule | undefined {
  const result = validate(kernel.compile(), capabilities);
  return result.ok ? result.module : undefined;
}

function emitted(kernel: Kernel, { block = 64, ...others }: Choice = {}): WgslSource {
  const module = validated(kernel);
  if (module === undefined) throw new Error(`${kernel.name} is refused`);
  return emitWgsl(module, { ...usual, ...others, blockDim: { x: block, y: 1, z: 1 } });
}

it('the WGSL text tells which statement each line is part of', () => {
  const module = validated(allReduce);
  const { text, lines = [] } = emitted(allReduce, { lines: true });
  expect(text).toBe(emitted(allReduce).text);
  expect(lines).toHaveLength(text.split('\n').length - 1);
  const quotes = text.split('\n').flatMap((line, i) => {
    const span = lines[i];
    const source = span === undefined ? undefined : module?.sources[span.source]?.text;
    return /^ +nts_store_\w+\(/.test(line) && source !== undefined ? [source.slice(span?.start, span?.end)] : [];
  });
  expect(quotes).toContain('lsa.pointer(win, f32, offset, peer).store(o, v)');
});

interface Text extends Choice {
  readonly name: string;
  readonly kernel: Kernel;
}

describe('the WGSL text', () => {
  it.for<Text>([
    { name: 'all-reduce', kernel: allReduce },
    { name: 'all-reduce-unchecked', kernel: allReduce, checks: false, exact: false },
    { name: 'all-reduce-adopted-buffers', kernel: allReduce, segments: 2 },
    { name: 'barrier-loop', kernel: barrierLoop },
    { name: 'halves', kernel: halves },
    { name: 'atomics', kernel: atomics },
    { name: 'block-sum', kernel: blockSum },
    { name: 'block-sum-coarsened', kernel: blockSum, block: 512 },
    { name: 'warp-sum', kernel: warpSum },
    { name: 'prints', kernel: prints },
  ])('of $name equals its snapshot, and compiles', async ({ name, kernel, ...choice }) => {
    const { text } = emitted(kernel, choice);
    await expect(text).toMatchFileSnapshot(`snapshots/${name}.wgsl`);
    expect(await compileMessages(compiler, text)).toBe('');
  });

  it("of the search for a stuck CTA's wait equals its snapshot, and compiles", async () => {
    const { text } = emitted(allReduce).explain();
    await expect(text).toMatchFileSnapshot('snapshots/all-reduce-explain.wgsl');
    expect(await compileMessages(compiler, text)).toBe('');
  });

  it('a block that is larger than a workgroup has several threads per invocation', () => {
    expect(emitted(blockSum, { block: 512 })).toMatchObject({ workgroup: 256, threadsEach: 2 });
    expect(emitted(blockSum, { block: 600, maxWorkgroup: 128 })).toMatchObject({ workgroup: 128, threadsEach: 5 });
    expect(emitted(blockSum, { block: 32 })).toMatchObject({ workgroup: 32, threadsEach: 1 });
  });

  it('a kernel without a wait has one entry point, which one dispatch runs to its end', () => {
    const source = emitted(halves);
    expect(source).toMatchObject({ once: true, waits: [], rounds: 0, threadWords: 0 });
    expect(source.text.match(/^@compute/gm)).toHaveLength(1);
  });

  it('a kernel that waits is split there', () => {
    const source = emitted(allReduce);
    expect(source).toMatchObject({ once: false, rounds: 2 });
    expect(source.waits.map(({ kind }) => kind)).toEqual(['waitAll', 'waitAll']);
    expect(emitted(barrierLoop).rounds).toBeUndefined();
  });

  it('shared arrays that do not fit in a workgroup are in a buffer', () => {
    expect(emitted(blockSum).sharedWords).toBe(0);
    const { text, sharedWords } = emitted(blockSum, { maxSharedBytes: 1024 });
    expect(sharedWords).toBeGreaterThanOrEqual(1024);
    expect(text).not.toContain('var<workgroup> nts_shared:');
  });
});

describe('the size of the WGSL text', () => {
  const characters = (ranks: number, segments: number): number => {
    const fields = { nRanks: ranks, lsaSize: ranks };
    return emitted(vectorAllReduce, { fields, lsaSize: ranks, segments }).text.length;
  };
  it.for([0, 1, 3])('grows by at most a fixed amount for each rank, with %i adopted buffers', (segments) => {
    const [two = 0, four = 0, eight = 0, sixteen = 0] = [2, 4, 8, 16].map((ranks) => characters(ranks, segments));
    expect(four).toBeGreaterThan(two);
    // Room for longer numbers.
    expect((eight - four) / 4).toBeLessThan(((four - two) / 2) * 1.05);
    expect((sixteen - eight) / 8).toBeLessThan(((four - two) / 2) * 1.05);
  });

  it('is nearly the same whether a buffer is adopted or not', () => {
    for (const ranks of [2, 8]) expect(characters(ranks, 1) - characters(ranks, 0)).toBeLessThan(2000);
  });
});

describe('every kernel of the conformance suite', () => {
  const kernels = [...new Map(allCases.flatMap((one) => one.kernels).map((kernel) => [kernel.name, kernel])).values()];
  // The quick tests have one of 32.
  const modules = kernels
    .filter((_, i) => (i % 32 === 0) !== inject('slow'))
    .flatMap((kernel) => validated(kernel) ?? []);

  it.for<readonly [string, Choice]>([
    ['with checks', { checks: true }],
    [
      'without checks, in blocks larger than a workgroup, with adopted buffers',
      { checks: false, block: 512, segments: 2 },
    ],
  ])('compiles %s', async ([, choice]) => {
    const { block = 64, ...others } = choice;
    const wrong: string[] = [];
    for (const module of modules) {
      const { text, waits, explain } = emitWgsl(module, { ...usual, ...others, blockDim: { x: block, y: 1, z: 1 } });
      for (const one of waits.length > 0 ? [text, explain().text] : [text]) {
        // SwiftShader's compile time doubles with every further such branch in a loop.
        const branch = /\belse\b|&&|\|\|/.exec(one.replaceAll(/\/\/.*|\/\*\*.*?\*\//g, ''));
        if (branch !== null) wrong.push(`${module.name}: ${branch[0]}`);
        const messages = await compileMessages(compiler, one);
        if (messages !== '') wrong.push(`${module.name}: ${messages}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(modules.length).toBeGreaterThan(inject('slow') ? 150 : 4);
  });
});

describe('a kernel that uses the network', () => {
  it('is refused, and the error names the missing feature', () => {
    const puts = defineKernel(
      { name: 'puts', use: { gin }, params: { comm: devComm, t: team } },
      ({ gin, coopCta }, { comm, t }) => {
        const net = gin.context(comm, 0);
        net.signal(t, 1, gin.strongSignalInc(0));
        net.flush(coopCta());
      },
    );
    const result = validate(puts.compile(), capabilities);
    expect(result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'K3506 The backend "webgpu" does not support `gin.checkListed`, which `gin.signal` is made of.',
      'K3506 The backend "webgpu" does not support `gin.post`, which `gin.signal` is made of.',
      'K3506 The backend "webgpu" does not support `gin.release`, which `gin.flush` is made of.',
    ]);
  });
});

describe('a kernel with early launches', () => {
  it('compiles as it does without them, because here no launch begins before the previous one has ended', () => {
    const depends = (SAYS: boolean) =>
      defineKernel({ name: 'depends', use: { SAYS }, params: {} }, (b) => {
        if (b.SAYS) b.gridDependencySync();
        b.print('block', b.blockIdx.x);
        if (b.SAYS) b.launchDependents();
      });
    const [says, is] = [emitted(depends(true)), emitted(depends(false))];
    expect(says.waits).toEqual(is.waits);
    expect(says.text.split('\n').length).toBe(is.text.split('\n').length);
  });
});
