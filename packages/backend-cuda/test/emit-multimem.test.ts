import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import type { ScalarKind } from '@nccl-ts/core';
import { devComm, llA2AHandle, lsaBarrierHandle, multimemHandle, symPtr, team, window } from '@nccl-ts/devcomm';
import { validate } from '@nccl-ts/ir';
import {
  bf16,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i32,
  i64,
  kernel,
  multicastSize,
  u32,
  u64,
  vec,
  type Kernel,
  type ScalarParam,
} from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import { multimem, multimemFormats } from '@nccl-ts/multimem';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import { describe, expect, inject, it } from 'vitest';
import { compileText, hasNvcc, unlessNvcc } from './support/nvcc.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

/** Returns the text for a GPU that has multicast addresses. Nothing here runs on a GPU. */
function textOf(of: Kernel, abortable = false): string {
  const result = validate(of.compile(), { ...cuda().capabilities, multimem: true });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion: 23007, abortable }).text;
}

const params = { comm: devComm, handle: multimemHandle, win: window };

const reduces = kernel(
  { name: 'reduces', use: { multimem }, params },
  ({ multimem, threadIdx, u32, i64, f32, f64, bf16, vec }, { comm, handle, win }) => {
    const p = multimem.lsaPointer(win, vec(bf16, 8), 64, comm).offset(threadIdx.x);
    multimem.store(p, multimem.loadReduce(p));
    multimem.reduce(multimem.pointer(win, vec(f32, 2), 0, handle), vec(f32, 2)(1, 2));
    const q = multimem.pointer(win, u32, 8, comm.lsaMultimem);
    multimem.reduce(q, multimem.loadReduce(q, 'xor'), 'max');
    multimem.loadReduce(multimem.pointer(win, i64, 8, handle));
    multimem.store(multimem.pointer(win, f64, 8, handle), 0.5);
  },
);

const blocks = kernel(
  {
    name: 'blocks',
    use: { reduceCopy },
    params: { handle: multimemHandle, of: team, src: symPtr(bf16), dst: symPtr(bf16), n: u64 },
  },
  ({ reduceCopy, coopCta }, { handle, of, src, dst, n }) => {
    reduceCopy.multimemReduceSum(coopCta(), src, dst.localPtr(), n, handle);
    reduceCopy.multimemCopy(coopCta(), src.localPtr(), dst, n, handle);
    reduceCopy.multimemReduceSumCopy(coopCta(), src, handle, dst, handle, n);
    reduceCopy.lsaReduceSumMultimemCopy(coopCta(), src, of, dst, handle, n);
    reduceCopy.multimemReduceSumLsaCopy(coopCta(), src, handle, dst, of, n);
  },
);

const scalars: readonly ScalarParam<ScalarKind, unknown>[] = [i32, u32, i64, u64, f32, f64, f16, bf16, e4m3, e5m2];

/** A kernel for each type, at its largest width, with every operation on it. */
const kernels = scalars.flatMap((scalar) =>
  (multimemFormats[scalar.scalar]?.widths ?? []).slice(-1).map((width) => {
    const T = width === 1 ? scalar : vec(scalar, width);
    const has = (op: string): boolean => multimemFormats[scalar.scalar]?.loadReduce.some((one) => one === op) === true;
    const takes = (op: string): boolean => multimemFormats[scalar.scalar]?.reduce.some((one) => one === op) === true;
    const flags = { hasMin: has('min'), hasAnd: has('and'), takesAdd: takes('add'), takesMin: takes('min') };
    const one = kernel(
      { name: `all_${scalar.scalar}_${width}`, use: { multimem, T, ...flags }, params },
      ({ multimem, T, hasMin, hasAnd, takesAdd, takesMin }, { comm, win }) => {
        const p = multimem.lsaPointer(win, T, 0, comm);
        multimem.store(p, multimem.loadReduce(p));
        if (hasMin) {
          multimem.store(p, multimem.loadReduce(p, 'min'));
          multimem.store(p, multimem.loadReduce(p, 'max'));
        }
        if (hasAnd) {
          multimem.reduce(p, multimem.loadReduce(p, 'and'), 'and');
          multimem.reduce(p, multimem.loadReduce(p, 'or'), 'or');
          multimem.reduce(p, multimem.loadReduce(p, 'xor'), 'xor');
        }
        if (takesAdd) multimem.reduce(p, T(1));
        if (takesMin) {
          multimem.reduce(p, T(1), 'min');
          multimem.reduce(p, T(2), 'max');
        }
      },
    );
    return { name: one.name, kernel: one, arch: /^e[45]/.test(scalar.scalar) ? 'sm_100a' : 'sm_90' };
  }),
);

/** Replaces the declarations in NCCL's headers. */
const declarations = `#include <stddef.h>
struct ncclWindow_vidmem { int lsaRank, worldRank; };
typedef ncclWindow_vidmem* ncclWindow_t;
struct ncclMultimemHandle { void* mcBasePtr; };
struct ncclDevComm { int rank; ncclMultimemHandle lsaMultimem; };
__device__ void* ncclGetMultimemPointer(ncclWindow_t w, size_t offset, ncclMultimemHandle) { return (char*)w + offset; }
__device__ void* ncclGetLsaMultimemPointer(ncclWindow_t w, size_t offset, ncclDevComm const&) { return (char*)w + offset; }
`;

const canCompile = hasNvcc();

describe('the CUDA text of a kernel with multimem', () => {
  it.for(quick)('has NCCL’s addresses and PTX’s instructions, once each', async () => {
    await expect(textOf(reduces)).toMatchFileSnapshot('snapshots/multimem.cu');
  });

  it.for(quick)('uses NCCL’s own sums and copies with nvcc', () => {
    const calls = [...textOf(blocks).matchAll(/^ *(nccl(?:Lsa|Multimem)(?:Reduce|Copy).*)$/gm)].map(([, call]) => call);
    expect(calls).toMatchInlineSnapshot(`
      [
        "ncclMultimemReduceSum<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), reinterpret_cast<__nv_bfloat16*>(src), reinterpret_cast<__nv_bfloat16*>(dst), n);",
        "ncclMultimemCopy<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), reinterpret_cast<__nv_bfloat16*>(src_1), reinterpret_cast<__nv_bfloat16*>(dst_1), n);",
        "ncclMultimemReduceSumCopy<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), reinterpret_cast<__nv_bfloat16*>(src_2), reinterpret_cast<__nv_bfloat16*>(dst_2), n);",
        "ncclLsaReduceSumMultimemCopy<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), ncclSymPtr<__nv_bfloat16>(src_window, src_offset), ncclTeam{of_nRanks, of_rank, of_stride}, reinterpret_cast<__nv_bfloat16*>(dst_3), n);",
        "ncclMultimemReduceSumLsaCopy<__nv_bfloat16, ncclCoopCta, unsigned long long, 32>(ncclCoopCta(), reinterpret_cast<__nv_bfloat16*>(src_3), ncclSymPtr<__nv_bfloat16>(dst_window, dst_offset), ncclTeam{of_nRanks, of_rank, of_stride}, n);",
      ]
    `);
  });

  it
    .skipIf(!canCompile)
    .each(kernels.map((one) => [one.name, one] as const).filter((row) => (row[0] === 'all_i32_1') !== inject('slow')))(
    `%s compiles: PTX supports every entry of the table${unlessNvcc}`,
    (_name, one) => {
      const text = declarations + textOf(one.kernel).replaceAll(/#include <nccl.*>\n/g, '');
      expect(() => compileText(text, ['-cubin', `-arch=${one.arch}`])).not.toThrow();
    },
    60_000,
  );

  it.for(quick)('the backend itself refuses it by name', () => {
    const result = validate(reduces.compile(), cuda().capabilities);
    expect(result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'K3507 The backend "cuda" does not support multimem.',
    ]);
  });

  it.for(quick)('cannot read single copies', () => {
    const looks = kernel({ name: 'looks', use: { multimem, multicastSize }, params }, (c, { comm, win }) => {
      c.assert(c.multicastSize(c.multimem.lsaPointer(win, c.u32, 0, comm)) > 0, 'there are some');
    });
    expect(() => textOf(looks)).toThrowError(/only multimem\.\* works on such addresses/);
  });
});

describe.for(quick)('the CUDA text of a multimem barrier', () => {
  const meets = kernel(
    { name: 'meets', use: { lsa }, params: { ...params, team, barriers: lsaBarrierHandle } },
    ({ lsa, coopCta, blockIdx }, { comm, handle, team, barriers }) => {
      lsa.barrierSession(coopCta(), comm, blockIdx.x, { multimem: true }).sync(coopCta(), 'acq_rel');
      lsa
        .barrierSession(coopCta(), comm, 1, { team, handle: barriers, multimem: true, mmHandle: handle })
        .sync(coopCta(), 'acq_rel');
      lsa.barrierSession(coopCta(), comm, 2, { multimem: true, mmHandle: handle }).sync(coopCta(), 'acq_rel');
      lsa.barrierSession(coopCta(), comm, 3, { team, handle: barriers }).sync(coopCta(), 'acq_rel');
    },
  );

  it('uses NCCL’s class', () => {
    const made = textOf(meets).match(/ncclLsaBarrierSession<ncclCoopCta>\(.*\);/g);
    expect(made?.map((text) => text.replace(/^ncclLsaBarrierSession<ncclCoopCta>/, ''))).toMatchInlineSnapshot(`
      [
        "(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x, true);",
        "(ncclCoopCta(), comm, ncclTeam{team_nRanks, team_rank, team_stride}, ncclLsaBarrierHandle{barriers_bufHandle, barriers_nBarriers}, 1u, true, ncclMultimemHandle{reinterpret_cast<void*>(handle_mcBasePtr)});",
        "(ncclCoopCta(), comm, ncclTeamLsa(comm), comm.lsaBarrier, 2u, true, ncclMultimemHandle{reinterpret_cast<void*>(handle_mcBasePtr)});",
        "(ncclCoopCta(), comm, ncclTeam{team_nRanks, team_rank, team_stride}, ncclLsaBarrierHandle{barriers_bufHandle, barriers_nBarriers}, 3u);",
      ]
    `);
  });

  it('adds with its own instruction if NCCL’s class does not fit', () => {
    const text = textOf(meets, true);
    expect(text.match(/asm volatile\(.*\);/g)).toMatchInlineSnapshot(`
      [
        "asm volatile("griddepcontrol.wait;" ::: "memory");",
        "asm volatile("griddepcontrol.launch_dependents;");",
        "asm volatile("multimem.red.release.sys.global.add.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(w[0]) : "memory");",
      ]
    `);
  });
});

describe.for(quick)('the CUDA text of an all-to-all session with multimem', () => {
  const sends = kernel(
    { name: 'sends', use: { llA2A }, params: { ...params, team, slots: llA2AHandle } },
    ({ llA2A, coopCta, u32 }, { comm, handle, team, slots }) => {
      llA2A.session(coopCta(), comm, team, slots, 0, 8, { multimem: true, mmHandle: handle }).bcast(0, u32(1));
      llA2A.session(coopCta(), comm, team, slots, 1, 8, { multimem: true }).bcast(0, u32(1));
      llA2A.session(coopCta(), comm, team, slots, 2, 8, { multimem: false }).bcast(0, u32(1));
    },
  );

  it('uses NCCL’s class', () => {
    const made = textOf(sends).match(/ncclLLA2ASession<ncclCoopCta>\(.*\);/g);
    expect(made?.map((text) => text.replace(/^ncclLLA2ASession<ncclCoopCta>/, ''))).toMatchInlineSnapshot(`
      [
        "(ncclCoopCta(), comm, ncclTeam{team_nRanks, team_rank, team_stride}, ncclLLA2AHandle{slots_bufHandle, slots_nSlots}, 0u, 8, true, ncclMultimemHandle{reinterpret_cast<void*>(handle_mcBasePtr)});",
        "(ncclCoopCta(), comm, ncclTeam{team_nRanks, team_rank, team_stride}, ncclLLA2AHandle{slots_bufHandle, slots_nSlots}, 1u, 8, true, comm.lsaMultimem);",
        "(ncclCoopCta(), comm, ncclTeam{team_nRanks, team_rank, team_stride}, ncclLLA2AHandle{slots_bufHandle, slots_nSlots}, 2u, 8);",
      ]
    `);
  });

  it('stores with its own instruction if NCCL’s class does not fit', () => {
    const text = textOf(sends, true);
    expect(text).not.toContain('ncclLLA2A');
    expect(text.match(/asm volatile\("multimem.*\);/g)).toMatchInlineSnapshot(`
      [
        "asm volatile("multimem.st.relaxed.sys.global.b64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(w[0]) : "memory");",
      ]
    `);
  });
});
