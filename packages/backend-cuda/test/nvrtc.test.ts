import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNcclError } from '@nccl-ts/core';
import { window } from '@nccl-ts/devcomm';
import { validate, type ValidatedModule } from '@nccl-ts/ir';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { probe, type CudaBackend, type CudaOptions } from '@nccl-ts/backend-cuda';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from './support/fake-gpu.ts';
import { createFakeToolkit, type FakeToolkit } from './support/fake-nvrtc.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const withNccl = kernel({ name: 'withNccl', params: { win: window, count: u32 } }, (_tools, { win, count }) => {
  void win;
  void count;
});
const alsoWithNccl = kernel({ name: 'alsoWithNccl', params: { win: window } }, (_tools, { win }) => {
  void win;
});
const plain = kernel({ name: 'plain', params: { count: u32 } }, (_tools, { count }) => {
  void count;
});
const shares = kernel(
  { name: 'shares', params: { count: u32 } },
  ({ sharedArray, threadIdx, u32: word }, { count }) => {
    const words = sharedArray(word, 64);
    words.store(threadIdx.x, count * 3);
  },
);

function moduleOf(of: Kernel, backend: CudaBackend): ValidatedModule {
  const result = validate(of.compile(), backend.capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.module;
}

describe.skipIf(noFakeGpu !== undefined)(`NVRTC${unlessFakeGpu}`, { timeout: 30_000 }, () => {
  let gpu: FakeGpu;
  let cacheDirectory: string;
  const toolkits: FakeToolkit[] = [];
  beforeAll(() => {
    gpu = createFakeGpu();
    gpu.configure(1, 0);
  });
  beforeEach(() => {
    cacheDirectory = mkdtempSync(join(tmpdir(), 'nccl-ts-cache-'));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cacheDirectory, { recursive: true, force: true });
    for (const toolkit of toolkits.splice(0)) toolkit.dispose();
  });
  afterAll(() => gpu.dispose());

  function fakeToolkit(options?: Parameters<typeof createFakeToolkit>[0]): FakeToolkit {
    const toolkit = createFakeToolkit(options);
    toolkits.push(toolkit);
    return toolkit;
  }

  function backendOf({ home }: FakeToolkit, options: CudaOptions = {}): CudaBackend {
    return gpu.backend({ toolkit: home, cacheDirectory, compiler: 'auto', ...options });
  }

  /** Compiles the kernels in their own world. Returns the text of the last one. */
  async function compile(backend: CudaBackend, ...kernels: readonly Kernel[]): Promise<string> {
    await using world = await backend.open({ onStall: () => undefined });
    let text = '';
    for (const one of kernels) text = (await world.compile(moduleOf(one, backend))).artifacts[0]?.text ?? '';
    return text;
  }

  it.for(quick)('compiles everything that the toolkit supports, and nothing twice', async () => {
    const toolkit = fakeToolkit();
    const backend = backendOf(toolkit);
    await compile(backend, withNccl, plain);
    expect(toolkit.nvccRuns()).toBe(0);
    const runs = toolkit.nvrtcRuns();
    expect(runs.length).toBe(3);
    const numerics = '-std=c++17 -fmad=false -ftz=false -prec-div=true -prec-sqrt=true';
    for (const run of runs) expect(run).toContain(`-arch=sm_90 ${numerics} -D_CCCL_META_UNROLL_LIMIT=10`);
    const nccl = ' -default-device -include=nccl_ts_prelude.h';
    expect(runs.map((run) => run.includes(nccl))).toEqual([true, true, false]);
    expect(runs[0]).toContain(`-I${toolkit.home}/include -I${toolkit.home}/include/cccl`);
    await compile(backendOf(toolkit), withNccl, plain);
    expect(toolkit.nvrtcRuns().length).toBe(3);
  });

  it.for(slow)('compiles several kernels at once', async () => {
    const toolkit = fakeToolkit();
    const backend = backendOf(toolkit);
    await using world = await backend.open({ onStall: () => undefined });
    await Promise.all(
      [withNccl, alsoWithNccl, plain, shares].map(async (one) => world.compile(moduleOf(one, backend))),
    );
    expect([toolkit.nvrtcRuns().length, toolkit.nvccRuns()]).toEqual([5, 0]);
  });

  it.for(slow)('leaves NCCL’s headers to nvcc after it has rejected them once', async () => {
    const toolkit = fakeToolkit();
    const messages = '/nccl/include/nccl_device/core.h(12): error: no such thing\n\n1 error detected';
    toolkit.fail({ result: 6, messages, only: '#include <nccl' });
    const backend = backendOf(toolkit);
    await compile(backend, withNccl, alsoWithNccl, plain);
    // The layout compiles. The first kernel does not, and neither do its headers alone. The second
    // one is not tried.
    expect(toolkit.nvrtcRuns().length).toBe(4);
    expect(toolkit.nvccRuns()).toBe(2);
    await compile(backendOf(toolkit), withNccl, alsoWithNccl, plain);
    expect([toolkit.nvrtcRuns().length, toolkit.nvccRuns()]).toEqual([4, 2]);
  });

  it.for(slow)('remembers rejected headers on disk', async () => {
    const toolkit = fakeToolkit();
    toolkit.fail({ result: 6, messages: 'core.h(12): error: no such thing', only: '#include <nccl' });
    await compile(backendOf(toolkit), withNccl);
    const before = toolkit.nvrtcRuns().length;
    // As in another process, without this one's memory.
    vi.resetModules();
    const { cuda } = await import('@nccl-ts/backend-cuda');
    const { nccl } = gpu;
    await compile(cuda({ toolkit: toolkit.home, nccl, cacheDirectory }), alsoWithNccl);
    expect(toolkit.nvrtcRuns().length).toBe(before);
    expect(toolkit.nvccRuns()).toBe(2);
  });

  it.for(slow)('reports errors on lines of the kernel itself, without nvcc', async () => {
    const toolkit = fakeToolkit();
    const text = await compile(backendOf(toolkit), shares);
    const line = text.split('\n').findIndex((part) => part.includes('* 3u')) + 1;
    const messages = `kernel.cu(${line}): error: identifier "nonsense" is undefined\n    words[0] = nonsense;\n`;
    toolkit.fail({ result: 6, messages });
    const other = join(cacheDirectory, 'other');
    const error: unknown = await compile(backendOf(toolkit, { cacheDirectory: other }), shares).catch(
      (reason: unknown) => reason,
    );
    if (!isNcclError(error, 'NCCLTS_COMPILE')) throw error;
    expect(error.message).toMatch(
      /kernel 'shares' does not compile with NVRTC 13\.0[^]*nonsense[^]*words\.store\(threadIdx\.x, count \* 3\)/,
    );
    expect(error.message).toContain("compiler: 'nvcc'");
    expect(error.details).toMatchObject({ compiler: 'nvrtc', diagnostics: [{ code: 'K9001' }] });
    // The layout of NCCL's structs is not a kernel, so nvcc computes it.
    expect(toolkit.nvccRuns()).toBe(1);
  });

  it.for(slow)('leaves all other errors to nvcc', async () => {
    const toolkit = fakeToolkit();
    await compile(backendOf(toolkit), plain);
    toolkit.fail({ result: 6, messages: 'kernel.cu(1): error: what NVRTC says' });
    toolkit.nvccFails('kernel.cu(1): error: what nvcc says\n');
    await expect(compile(backendOf(toolkit), shares)).rejects.toMatchObject({
      code: 'NCCLTS_COMPILE',
      message: expect.stringMatching(/does not compile with \S+\/bin\/nvcc[^]*what nvcc says/),
      details: { compiler: 'nvcc' },
    });
  });

  it.each(
    (
      [
        ['does not work', { result: 7, messages: '' }],
        [
          'does not know the GPU',
          { result: 5, messages: 'nvrtc: error: invalid value for --gpu-architecture (-arch)' },
        ],
      ] as const
    ).filter(() => !inject('slow')),
  )('is skipped if it %s', async (_what, failure) => {
    const toolkit = fakeToolkit();
    toolkit.fail(failure);
    await compile(backendOf(toolkit), withNccl, plain);
    expect([toolkit.nvrtcRuns().length, toolkit.nvccRuns()]).toEqual([1, 3]);
  });

  it.for(slow)('does not crash this process', async () => {
    const toolkit = fakeToolkit();
    toolkit.crash();
    await compile(backendOf(toolkit), plain);
    expect(toolkit.nvccRuns()).toBe(2);
  });

  it.for(quick)('is skipped if its version is not the toolkit’s', async () => {
    const toolkit = fakeToolkit({ minor: 1 });
    await compile(backendOf(toolkit), plain);
    expect([toolkit.nvrtcRuns().length, toolkit.nvccRuns()]).toEqual([0, 2]);
    await expect(compile(backendOf(toolkit, { compiler: 'nvrtc' }))).rejects.toMatchObject({
      code: 'NCCLTS_CUDA_NO_TOOLKIT',
      message: expect.stringContaining("is NVRTC 13.1, and the toolkit's headers are of CUDA 13.0"),
    });
  });

  it.for(quick)('works without nvcc', async () => {
    const toolkit = fakeToolkit({ nvcc: false });
    await compile(backendOf(toolkit), withNccl);
    expect(toolkit.nvrtcRuns().length).toBe(2);
    await expect(compile(backendOf(toolkit, { compiler: 'nvcc' }))).rejects.toMatchObject({
      code: 'NCCLTS_CUDA_NO_TOOLKIT',
      message: `The toolkit in ${toolkit.home} has no bin/nvcc, which the option compiler: 'nvcc' requires.`,
    });
  });

  it.for(quick)('is selected or skipped by the option, or by the environment', async () => {
    const toolkit = fakeToolkit();
    toolkit.fail({ result: 6, messages: 'core.h(12): error: no such thing' });
    await expect(compile(backendOf(toolkit, { compiler: 'nvrtc' }))).rejects.toMatchObject({
      code: 'NCCLTS_COMPILE',
      message: expect.stringMatching(/do not compile with NVRTC[^]*core\.h\(12\)/),
    });
    expect([toolkit.nvrtcRuns().length, toolkit.nvccRuns()]).toEqual([1, 0]);
    vi.stubEnv('NCCLTS_COMPILER', 'nvcc');
    const { nccl } = gpu;
    const { cuda } = await import('@nccl-ts/backend-cuda');
    await compile(cuda({ toolkit: toolkit.home, nccl, cacheDirectory }), plain);
    expect([toolkit.nvrtcRuns().length, toolkit.nvccRuns()]).toEqual([1, 2]);
    vi.stubEnv('NCCLTS_COMPILER', 'clang');
    await expect(compile(cuda({ toolkit: toolkit.home, nccl, cacheDirectory }))).rejects.toMatchObject({
      code: 'NCCL_INVALID_ARGUMENT',
      message: "NCCLTS_COMPILER must be 'auto', 'nvcc' or 'nvrtc'; given \"clang\".",
    });
  });

  it.for(slow)('is reported by probe()', async () => {
    const of = async (toolkit: string, options: CudaOptions = {}): Promise<unknown> =>
      (await probe({ toolkit, ...options })).items.find(({ name }) => name === 'NVRTC');
    const { home } = fakeToolkit();
    expect(await of(home)).toEqual({
      name: 'NVRTC',
      ok: true,
      found: `13.0, ${home}/lib64/libnvrtc.so.13 (the toolkit)`,
    });
    expect(await of(home, { compiler: 'nvcc' })).toEqual({
      name: 'NVRTC',
      ok: undefined,
      because: "skipped: the option compiler is 'nvcc'",
    });
    expect(await of(fakeToolkit({ nvcc: false }).home)).toMatchObject({ ok: true });
    const old = fakeToolkit({ minor: 1 }).home;
    expect(await of(old)).toMatchObject({
      ok: undefined,
      because: expect.stringMatching(/^not needed, nvcc compiles\. .*13\.1/),
    });
    expect(await of(old, { compiler: 'nvrtc' })).toMatchObject({ ok: false, code: 'NCCLTS_CUDA_NO_TOOLKIT' });
  });
});
