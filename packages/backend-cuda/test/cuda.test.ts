import { describe, expect, it } from 'vitest';
import { cuda, probe, type CudaOptions } from '@nccl-ts/backend-cuda';

describe('cuda()', () => {
  it('creates a backend without a machine', () => {
    const backend = cuda();
    expect(backend.name).toBe('cuda');
    expect(Object.isFrozen(backend.capabilities)).toBe(true);
    expect(JSON.parse(JSON.stringify(backend.capabilities))).toEqual(backend.capabilities);
  });

  it.each([
    [{ devices: [] }, "devices must be 'all' or an array of at least one number; given an array of 0."],
    [{ devices: [-1] }, 'devices[0] must be an integer from 0 to 65535; given -1.'],
    [{ ranks: 0 }, `ranks must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}; given 0.`],
    [{ nccl: '' }, 'nccl must be a path; given "".'],
    [{ compiler: 'clang' }, "compiler must be 'auto', 'nvcc' or 'nvrtc'; given \"clang\"."],
    [{ printBytes: 63 }, 'printBytes must be an integer from 64 to 1073741824; given 63.'],
    [{ launchTimeout: 0 }, `launchTimeout must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}; given 0.`],
    [
      { lsaSize: 4 },
      'cuda() has no option lsaSize; its options are devices, ranks, nccl, toolkit, compiler, cacheDirectory, abortable, launchTimeout, printBytes, compileTimeout.',
    ],
  ])('refuses %j', (options, message) => {
    expect(() => cuda(options as CudaOptions)).toThrow(message);
  });
});

describe('probe()', () => {
  it('reports every part, even if the machine lacks some', async () => {
    const report = await probe();
    expect(report.items.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['koffi', 'driver', 'toolkit', 'NCCL', 'cache']),
    );
    for (const item of report.items) {
      if (item.ok === false) expect(item.problem).not.toBe('');
    }
    expect(JSON.parse(JSON.stringify(report))).toMatchObject({ ok: report.ok });
  });
});

const report = await probe();
const missing = report.items.flatMap((item) =>
  item.ok === false ? [`${item.name}: ${item.problem.split('\n', 1).join('')}`] : [],
);
const hasDriver = report.items.some(({ name, ok }) => name === 'driver' && ok === true);
const reason = hasDriver ? missing.join('; ') : 'no CUDA driver';

describe.skipIf(!report.ok)(`on the GPUs of this machine${report.ok ? '' : ` (skipped: ${reason})`}`, () => {
  it('opens a world, and frees it', { timeout: 60_000 }, async () => {
    await using world = await cuda().open({ onStall: () => undefined });
    expect(world.localRanks.length).toBe(report.gpus.length);
    const buffer = await world.alloc(0, 4096);
    await world.write(buffer, Uint8Array.of(1, 2, 3), 5);
    const into = new Uint8Array(4);
    await world.read(buffer, into, 4);
    expect([...into]).toEqual([0, 1, 2, 3]);
  });
});
