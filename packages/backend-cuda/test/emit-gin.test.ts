import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cuda, emitCuda, type CudaSource } from '@nccl-ts/backend-cuda';
import { ginBarrierHandle, devComm, team, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { lsa } from '@nccl-ts/lsa';
import { validate } from '@nccl-ts/ir';
import { kernel, u64, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';
import { barriers, basics, requests, signals, timed, waits } from './support/gin-kernels.ts';
import {
  compileText,
  compileTexts,
  hasNvcc,
  ncclHeaders,
  standInFlags,
  standInHeaders,
  unlessHeaders,
  unlessNvcc,
} from './support/nvcc.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

function emitted(of: Kernel, ncclVersion: number, abortable = false): CudaSource {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion, abortable });
}

const everything: readonly (readonly [string, Kernel, number])[] = [
  ['basics', basics, 22807],
  ['basics', basics, 23007],
  ['signals', signals, 22907],
  ['signals', signals, 23007],
  ['requests', requests, 23007],
  ['barriers', barriers, 23007],
  ['waits', waits, 23007],
  ['timed', timed, 23102],
];

describe.for(quick)('the CUDA text of a kernel that uses the network', () => {
  it.each(everything)("calls NCCL's %s", async (name, of, version) => {
    const { text, ncclIncludes } = emitted(of, version);
    await expect(text).toMatchFileSnapshot(`snapshots/gin-${name}-${version}.cu`);
    expect(ncclIncludes).toContain('nccl_device/impl/gin__funcs.h');
    expect(ncclIncludes.includes('nccl_device/impl/gin_barrier__funcs.h')).toBe(text.includes('BarrierSession'));
  });

  it('has no code from the portable bodies', () => {
    const puts = kernel(
      { name: 'puts', use: { gin }, params: { comm: devComm, t: team, win: window } },
      ({ gin }, { comm, t, win }) => {
        gin.context(comm, 0).put(t, 1, win, 0, win, 0, 8, gin.strongSignalInc(0));
      },
    );
    const { text } = emitted(puts, 23007);
    const body = text.slice(text.indexOf('__global__'));
    expect(body.slice(body.indexOf('{') + 1).trim()).toBe(
      'nts::wait_for_earlier();\n  ncclGin(comm, 0u).put(ncclTeam{t_nRanks, t_rank, t_stride}, 1, win, 0ull, win, 0ull, 8ull, ncclGin_StrongSignalInc{0u});\n}',
    );
  });
});

describe.for(quick)('a feature that the installed NCCL lacks', () => {
  it.each([
    ['basics', basics, 22803, 'DevComm.ginContextCount', '2.28.7'],
    ['signals', signals, 22803, 'GIN', '2.28.7'],
    ['signals', signals, 22902, 'signals at addresses', '2.29.7'],
    ['requests', requests, 22907, '`gin.get`', '2.30.3'],
    ['requests', requests, 23003, 'memory that does not belong to one device', '2.30.4'],
    ['barriers', barriers, 22907, 'GIN barriers of the world', '2.30.3'],
    ['timed', timed, 23007, '`gin.flush` with a time limit', '2.31.2'],
    ['barriers', barriers, 23004, "a GIN barrier with the fence 'putGet'", '2.30.7'],
  ])('is reported for %s, with the version that has it', (_name, of, version, what, since) => {
    expect(() => emitted(of, version)).toThrow(
      expect.objectContaining({
        code: 'NCCLTS_NOT_SUPPORTED',
        message: expect.stringMatching(new RegExp(`uses ${what}, which NCCL .* lacks; ${since} brings it`)),
      }),
    );
  });

  it('is reported if a kernel reads a missing handle', () => {
    const reads = kernel({ name: 'reads', use: { gin }, params: { comm: devComm } }, ({ gin, coopCta }, { comm }) => {
      const net = gin.context(comm, 0);
      gin
        .barrierSession(coopCta(), net, 'rail', 0, { handle: comm.worldGinBarrier })
        .sync(coopCta(), 'relaxed', 'none');
    });
    expect(() => emitted(reads, 22907)).toThrow('DevComm.worldGinBarrier.signal0');
    expect(emitted(reads, 23003).text).toContain('ncclGinFenceLevel::Relaxed');
  });

  it('is reported if a kernel reads a missing LSA barrier', () => {
    const reads = kernel({ name: 'reads', use: { lsa }, params: { comm: devComm } }, ({ lsa, coopCta }, { comm }) => {
      lsa.barrierSession(coopCta(), comm, 0, { handle: comm.hybridLsaBarrier }).sync(coopCta(), 'acq_rel');
    });
    expect(() => emitted(reads, 22809)).toThrow(
      /uses DevComm\.hybridLsaBarrier\.\w+, which NCCL 2\.28\.9 lacks; 2\.30\.3 brings it/,
    );
    expect(emitted(reads, 23003).text).toContain('hybridLsaBarrier');
  });

  it('is left out if it is only a hint or a promise', () => {
    const hints = kernel(
      { name: 'hints', use: { gin }, params: { comm: devComm, t: team } },
      ({ gin }, { comm, t }) => {
        gin.context(comm, 0, 'thread').signal(t, 1, gin.weakSignalInc(0), { aggregateRequests: true });
      },
    );
    const said = (version: number): string | undefined => /ncclGin\(.*/.exec(emitted(hints, version).text)?.[0];
    const peer = 'ncclTeam{t_nRanks, t_rank, t_stride}, 1';
    expect(said(22809)).toBe(`ncclGin(comm, 0u).signal(${peer}, ncclGin_SignalInc{0u});`);
    expect(said(23003)).toMatch(/^ncclGin\(comm, 0u, NCCL_GIN_RESOURCE_SHARING_CTA\)/);
    expect(said(23007)).toMatch(/^ncclGin\(comm, 0u, NCCL_GIN_RESOURCE_SHARING_THREAD\)/);
    expect(said(23007)).toContain('ncclGin_WeakSignalInc{0u}');
  });
});

describe.for(quick)('CUDA refuses', () => {
  const waits = kernel(
    { name: 'waits', use: { gin }, params: { comm: devComm, least: u64 } },
    ({ gin, coopCta }, { comm, least }) => {
      gin.context(comm, 0).waitSignal(coopCta(), 0, least);
    },
  );

  it('a wait in an abortable launch', () => {
    expect(emitted(waits, 23007).text).toContain('waitSignal');
    expect(() => emitted(waits, 23007, true)).toThrow(
      expect.objectContaining({ code: 'NCCLTS_NOT_SUPPORTED', message: expect.stringContaining('`gin.waitSignal`') }),
    );
  });

  it('a group that the author defined', () => {
    const grouped = kernel(
      { name: 'grouped', use: { gin }, params: { comm: devComm, t: team } },
      ({ gin, coopWarp, laneId, u32 }, { comm, t }) => {
        const group = { threadRank: () => laneId, size: () => u32(32), sync: () => coopWarp().sync() };
        gin.context(comm, 0).signal(t, 1, gin.strongSignalInc(0), { coop: group });
      },
    );
    expect(() => emitted(grouped, 23007)).toThrow('cannot call `gin.signal`: the call is made by a group of its own');
  });

  it("a barrier used by a group other than its session's", () => {
    const mixed = kernel(
      { name: 'mixed', use: { gin }, params: { comm: devComm, handle: ginBarrierHandle } },
      ({ gin, coopCta, coopWarp }, { comm, handle }) => {
        const session = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', 0, { handle });
        session.sync(coopWarp(), 'acq_rel');
      },
    );
    expect(() => emitted(mixed, 23007)).toThrow("a group other than the session's");
  });
});

const canCompile = hasNvcc();

/** Returns the version code of a directory of headers. */
function versionOf(include: string): number {
  const text = readFileSync(join(include, 'nccl.h'), 'utf8');
  const [major = 0, minor = 0, patch = 0] = ['MAJOR', 'MINOR', 'PATCH'].map((part) =>
    Number(new RegExp(`#define NCCL_${part} (\\d+)`).exec(text)?.[1]),
  );
  return major * 10000 + minor * 100 + patch;
}

function compile(text: string, include: string, flags: readonly string[]): void {
  compileText(text, ['-arch=sm_90', '-I', include, ...flags]);
}

describe.skipIf(!canCompile).each(slow)(`nvcc compiles the text${unlessNvcc}`, () => {
  it('against declarations equal to those of NCCL 2.30.7', { timeout: 120_000 }, () => {
    const texts = [basics, signals, requests, barriers].map((of) => emitted(of, 23007).text);
    const flags = ['-arch=sm_90', '-ptx', '-I', standInHeaders];
    expect(() => compileTexts(texts, [...flags, ...standInFlags(23007)])).not.toThrow();
    expect(() => compileTexts([emitted(timed, 23102).text], [...flags, ...standInFlags(23102)])).not.toThrow();
  });

  const headers = ncclHeaders();
  it.skipIf(headers === undefined)(`against NCCL's own headers${unlessHeaders}`, { timeout: 600_000 }, () => {
    const include = headers ?? '';
    const version = versionOf(include);
    let compiled = 0;
    for (const of of [basics, signals, requests, barriers, timed]) {
      let text: string;
      try {
        ({ text } = emitted(of, version));
      } catch {
        continue; // The test above covers the message for features that this version lacks.
      }
      expect(() => compile(text, include, ['-cubin'])).not.toThrow();
      compiled++;
    }
    expect(compiled).toBeGreaterThan(0);
  });
});
