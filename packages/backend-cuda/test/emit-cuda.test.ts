import { cuda, emitCuda, type CudaSource } from '@nccl-ts/backend-cuda';
import { devComm, llA2AHandle, symPtr, team } from '@nccl-ts/devcomm';
import {
  constant,
  scalarType,
  validate,
  type Expression,
  type Module,
  type NamedBarrier,
  type SyncStatement,
} from '@nccl-ts/ir';
import { bf16, e4m3, e5m2, f16, f32, i32, kernel, ptr, u32, u64, vec, type Kernel } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import { describe, expect, inject, it } from 'vitest';
import { compileText, hasNvcc, unlessNvcc } from './support/nvcc.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

function emitted(of: Kernel, ncclVersion = 22809, abortable = false): CudaSource {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion, abortable });
}

const prints = kernel(
  {
    name: 'prints',
    params: { n: i32, big: u64, half: f16, brain: bf16, small: e4m3, smaller: e5m2, v: vec(f32, 4) },
  },
  ({ print, assert, threadIdx, blockIdx, i8 }, { n, big, half, brain, small, smaller, v }) => {
    if (threadIdx.x === 1) print('block', blockIdx.x, 'n is', n, n > 3, big, half, brain, small, smaller, v, i8(n));
    assert(n < 100, 'n is "small"');
    print();
  },
);

const meets = kernel(
  { name: 'meets', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta, blockIdx }, { comm }) => {
    lsa.barrierSession(coopCta(), comm, blockIdx.x).sync(coopCta(), 'acquire');
  },
);

const exchanges = kernel(
  {
    name: 'exchanges',
    use: { llA2A, V: vec(f32, 4), T: f32 },
    params: { comm: devComm, t: team, handle: llA2AHandle, n: u32 },
  },
  ({ llA2A, V, T, coopCta, localArray, blockIdx, threadIdx, bf16, f32 }, { comm, t, handle, n }) => {
    const session = llA2A.session(coopCta(), comm, t, handle, blockIdx.x, 64);
    session.send(1, threadIdx.x, bf16(f32(n)));
    session.bcast(2, V(1));
    const several = localArray(T, 6);
    session.recvUnrolled(1, 2, 3, n, 4, several, 3);
    session.send(t.nRanks - 1, 5, several, 3);
    const sum = session.recvReduce(
      2,
      T,
      threadIdx.x,
      t.nRanks,
      32,
      (elt) => elt,
      (a, b) => a + b,
    );
    session.recv(T, 0);
    session.bcast(7, session.recv(T, 6) + sum);
    session.endEpoch(coopCta());
  },
);

const canCompile = hasNvcc();

describe('the CUDA text of a kernel that prints', () => {
  it('passes the numbers of print statements, and values', async () => {
    const source = emitted(prints);
    await expect(source.text).toMatchFileSnapshot('snapshots/prints.cu');
    expect(source.params.at(-1)).toEqual({
      kind: 'printer',
      sites: [
        {
          kind: 'print',
          parts: [
            { text: 'block' },
            { scalar: 'u32' },
            { text: 'n is' },
            { scalar: 'i32' },
            { scalar: 'bool' },
            { scalar: 'u64' },
            { scalar: 'f16' },
            { scalar: 'bf16' },
            { scalar: 'e4m3' },
            { scalar: 'e5m2' },
            ...Array.from({ length: 4 }, () => ({ scalar: 'f32' })),
            { scalar: 'i8' },
          ],
        },
        { kind: 'assert', parts: [{ text: 'assertion failed: n is "small"' }] },
        { kind: 'print', parts: [] },
      ],
    });
  });

  it.skipIf(!canCompile).for(slow)(`compiles${unlessNvcc}`, () => {
    const flags = ['-cubin', '-arch=sm_90', '-Werror', 'all-warnings'];
    expect(() => compileText(emitted(prints).text, flags)).not.toThrow();
  });

  it('has no printing code without a print', () => {
    const { text, params } = emitted(kernel({ name: 'quiet', params: { n: i32 } }, () => undefined));
    expect(text).not.toContain('print');
    expect(params.length).toBe(1);
  });
});

const reduces = kernel(
  { name: 'reduces', use: { reduceCopy }, params: { comm: devComm, src: symPtr(bf16), dst: symPtr(e4m3), n: u64 } },
  ({ reduceCopy, coopCta, coopWarp, u32 }, { comm, src, dst, n }) => {
    reduceCopy.lsaReduceSum(coopCta(), src, src.localPtr().offset(n), n, comm);
    reduceCopy.lsaCopy(coopWarp(), dst.localPtr(), dst, u32(n), comm, { unroll: 16 });
    reduceCopy.lsaReduceSumCopy(coopCta(), dst, dst, n, comm);
    reduceCopy.localReduceSum(coopCta(), 2, src.localPtr(), n, src.localPtr(), n);
    reduceCopy.localCopy(coopCta(), src.localPtr(), 2, src.localPtr().offset(n), n, n);
    reduceCopy.localReduceSumCopy(coopCta(), 2, dst.localPtr(), n, 2, dst.localPtr(), n, n);
  },
);

describe('the CUDA text of a kernel that reduces and copies', () => {
  /** The calls of NCCL's functions. */
  const calls = (version: number): readonly string[] =>
    emitted(reduces, version)
      .text.split('\n')
      .filter((line) => /^ *nccl(Lsa|Local)(Reduce|Copy)/.test(line))
      .map((line) => line.trim());

  it("calls NCCL's functions if that version has them and the compiler accepts its headers", () => {
    expect(calls(22907)).toMatchInlineSnapshot(`
      [
        "ncclLsaReduceSum<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), src_window, src_offset, reinterpret_cast<__nv_bfloat16*>(dst), n, ncclTeam{comm_lsaSize, comm_lsaRank, 1});",
        "ncclLsaCopy<__nv_fp8_e4m3, ncclCoopWarp, unsigned int, 16>(ncclCoopWarp(), reinterpret_cast<__nv_fp8_e4m3*>(src), dst_window, dst_offset, count, ncclTeam{comm_lsaSize, comm_lsaRank, 1});",
        "ncclLsaReduceSumCopy<__nv_fp8_e4m3, ncclCoopCta, unsigned long long, 64>(ncclCoopCta(), ncclSymPtr<__nv_fp8_e4m3>(dst_window, dst_offset), ncclTeam{comm_lsaSize, comm_lsaRank, 1}, ncclSymPtr<__nv_fp8_e4m3>(dst_window, dst_offset), ncclTeam{comm_lsaSize, comm_lsaRank, 1}, n);",
        "ncclLocalReduceSum<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), 2, reinterpret_cast<__nv_bfloat16*>(base), n, reinterpret_cast<__nv_bfloat16*>(dst_1), n);",
        "ncclLocalCopy<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), reinterpret_cast<__nv_bfloat16*>(src_1), 2, reinterpret_cast<__nv_bfloat16*>(base_1), n, n);",
        "ncclLocalReduceSumCopy<__nv_fp8_e4m3, ncclCoopCta, unsigned long long, 64>(ncclCoopCta(), 2, reinterpret_cast<__nv_fp8_e4m3*>(srcBase), n, 2, reinterpret_cast<__nv_fp8_e4m3*>(dstBase), n, n);",
      ]
    `);
    expect(emitted(reduces, 22907).text).toContain('#include <nccl_device/impl/reduce_copy__funcs.h>');
    expect(calls(22902)).toEqual([]);
    expect(emitted(reduces, 22902).text).not.toContain('EXTENDED_LAMBDA');
  });

  it('also has the portable body', () => {
    const { text } = emitted(reduces, 23007);
    // NCCL's call precedes the body that is emitted without it.
    expect(text.match(/^ *#else\n(?:.*\n)*?.*for \(/gm)).toHaveLength(6);
    expect(text.slice(text.indexOf('__global__')).match(/^ *#endif$/gm)).toHaveLength(6);
  });

  it('uses the portable body for functions that the author defined', () => {
    const { text } = emitted(
      kernel(
        { name: 'places', use: { reduceCopy }, params: { src: symPtr(bf16), n: u64 } },
        ({ reduceCopy, coopCta }, { src, n }) => {
          reduceCopy.lsaCopy(coopCta(), src.localPtr(), (i) => src.lsaPtr(i + 1), 2, n);
        },
      ),
      23007,
    );
    expect(text).not.toContain('EXTENDED_LAMBDA');
  });
});

describe('the CUDA text of a kernel with a barrier', () => {
  it.each([
    [22803, 'mem_barrier'],
    [22807, 'lsa_barrier'],
    [22809, 'lsa_barrier'],
    [23007, 'lsa_barrier'],
  ])('includes the header of NCCL %i', (version, name) => {
    const { text, ncclIncludes } = emitted(meets, version);
    const header = `nccl_device/impl/${name}__funcs.h`;
    expect(ncclIncludes.filter((path) => path.includes('barrier'))).toEqual([header]);
    expect(text).toContain(`#include <${header}>\n`);
    // The class has always had this name.
    expect(text).toContain('ncclLsaBarrierSession<ncclCoopCta>');
  });
});

describe('the CUDA text of a kernel with an all-to-all session', () => {
  it("uses NCCL's class", async () => {
    const { text, ncclIncludes } = emitted(exchanges);
    await expect(text).toMatchFileSnapshot('snapshots/exchanges.cu');
    expect(ncclIncludes).toContain('nccl_device/impl/ll_a2a__funcs.h');
  });

  it('uses the portable body for abortable launches', async () => {
    const of = kernel(
      { name: 'oneValue', use: { llA2A }, params: { comm: devComm, t: team, handle: llA2AHandle, x: f32 } },
      ({ llA2A, coopCta, f32 }, { comm, t, handle, x }) => {
        const session = llA2A.session(coopCta(), comm, t, handle, 0, 64);
        session.send(1, 2, x);
        session.bcast(3, session.recv(f32, 2));
        session.endEpoch(coopCta());
      },
    );
    const { text, ncclIncludes } = emitted(of, 22809, true);
    await expect(text).toMatchFileSnapshot('snapshots/one-value.cu');
    expect(text).not.toContain('ncclLLA2A');
    expect(ncclIncludes).not.toContain('nccl_device/impl/ll_a2a__funcs.h');
  });

  it('uses the portable body for a group that the author defined', () => {
    const of = kernel(
      { name: 'half', use: { llA2A }, params: { comm: devComm, t: team, handle: llA2AHandle } },
      ({ llA2A, coopWarp, laneId, u32 }, { comm, t, handle }) => {
        const group = { threadRank: () => laneId, size: () => u32(32), sync: () => coopWarp().sync() };
        const session = llA2A.session(group, comm, t, handle, 0, 64);
        session.bcast(1, u32(2));
        session.endEpoch(group);
      },
    );
    expect(emitted(of).text).not.toContain('ncclLLA2A');
  });
});

describe('the CUDA text of a loop that polls without being a wait', () => {
  // Its lanes vote, so it is no wait.
  const votes = kernel({ name: 'votes', params: { flags: ptr(u32) } }, ({ coopWarp, laneId }, { flags }) => {
    let all = false;
    while (!all) all = coopWarp().all(flags.load(laneId, 'relaxed') === 1);
  });

  it('reads the word that aborts in each round, only in abortable launches', () => {
    const round = (abortable: boolean): string =>
      /for \(; !all; \) \{(.*?)\n {2}\}/s.exec(emitted(votes, 22809, abortable).text)?.[1] ?? '';
    expect(round(true).match(/abort_word/g)).toHaveLength(1);
    expect(round(false)).toContain('__all_sync');
    expect(round(false)).not.toContain('abort_word');
  });
});

describe('the CUDA text of a named barrier', () => {
  const number = (value: number): Expression => constant('u32', value);
  it.each<[text: string, barrier: NamedBarrier, vote?: SyncStatement['vote']]>([
    ['__syncthreads();', { name: number(0), isAligned: true }],
    ['__barrier_sync(0);', { name: number(0), isAligned: false }],
    ['__barrier_sync(3);', { name: number(19), isAligned: true }],
    ['__barrier_sync_count(1, 64u);', { name: number(1), threads: number(64), isAligned: true }],
    [
      'barrier.red.popc.aligned.u32 %0, %2, %3, p; }" : "=r"(votes) : "r"((unsigned int)true), "r"(1), "r"(64u) : "memory");',
      { name: number(17), threads: number(64), isAligned: true },
      { value: constant('bool', true), local: 0 },
    ],
  ])('is %s', (text, barrier, vote) => {
    const span = { source: 0, start: 0, end: 1 };
    const module: Module = {
      name: 'named',
      params: [],
      locals: vote === undefined ? [] : [{ name: 'votes', type: scalarType('u32'), span }],
      arrays: [],
      body: [{ kind: 'sync', coop: { kind: 'cta' }, barrier, ...(vote !== undefined && { vote }), span }],
      sources: [{ name: 'named', text: ' ' }],
    };
    const result = validate(module, cuda().capabilities);
    if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
    expect(emitCuda(result.module, { ncclVersion: 22809, abortable: false }).text).toContain(text);
  });
});
