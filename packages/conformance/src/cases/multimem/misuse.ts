import { isNcclError, type ErrorCode } from '@nccl-ts/core';
import { devComm, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import type { Check } from '@nccl-ts/ir';
import { i32, kernel, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat } from '../../mismatch.ts';

type MisuseKernel = Kernel<{ readonly comm: DevCommArg; readonly win: WindowArg; readonly n: number }>;

const params = { comm: devComm, win: window, n: i32 };

/**
 * The launch, or a wait for it, must fail with the code. The same kernel with `n` 0 must not fail.
 */
function misuseCase<const Id extends string>(definition: {
  readonly id: Id;
  readonly mirrors: string;
  readonly check: Check;
  readonly code: ErrorCode;
  readonly kernel: MisuseKernel;
  readonly harmful: readonly number[];
  /** True if the device communicator has the resources that the kernel uses. @default true */
  readonly lsaMultimem?: boolean;
}): Case<Id> {
  const { id, mirrors, check, code, kernel: one, harmful, lsaMultimem = true } = definition;
  return defineCase({
    id,
    mirrors,
    requires: { multimem: true, checks: [check] },
    ranks: [2],
    kernels: [one],
    run: async ({ run }) => {
      await run(async (comm) => {
        const dev = await comm.createDevComm({ lsaMultimem });
        const win = await comm.allocWindow('f32', 16);
        for (const n of [0, ...harmful, 0]) {
          const expected = n === 0 ? 'no error' : code;
          let got = 'no error';
          try {
            await comm.launch(one, { grid: 1, block: 2 }, { comm: dev, win, n });
            await comm.synchronize();
          } catch (thrown) {
            got = isNcclError(thrown) ? thrown.code : String(thrown);
          }
          expectThat(got === expected, `With ${n}: expected ${expected}, got ${got}.`);
        }
      });
    },
  });
}

export const plainAccess: Case<'multimem/plain-access'> = misuseCase({
  id: 'multimem/plain-access',
  mirrors: 'ld, st and atom at a multicast address',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  harmful: [1, 2, 3],
  kernel: kernel({ name: 'plainMulticastAccess', use: { multimem }, params }, ({ multimem, u32 }, { comm, win, n }) => {
    const p = multimem.lsaPointer(win, u32, 0, comm);
    if (n === 1) p.store(0, 1);
    if (n === 2) multimem.store(p, p.load(1));
    if (n === 3) p.atomicAdd(0, 1);
  }),
});

export const nullPointer: Case<'multimem/null-pointer-access'> = misuseCase({
  id: 'multimem/null-pointer-access',
  mirrors: 'multimem at the null pointer of a communicator without lsaMultimem',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  lsaMultimem: false,
  harmful: [1, 2, 3],
  kernel: kernel({ name: 'nullMulticastAccess', use: { multimem }, params }, ({ multimem, u32 }, { comm, win, n }) => {
    const p = multimem.lsaPointer(win, u32, 0, comm);
    if (n === 1) multimem.store(p, multimem.loadReduce(p));
    if (n === 2) multimem.store(p, 1);
    if (n === 3) multimem.reduce(p, 1);
  }),
});

export const ordinaryPointer: Case<'multimem/ordinary-pointer'> = misuseCase({
  id: 'multimem/ordinary-pointer',
  mirrors: 'multimem at an address that is not a multicast address',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  harmful: [1],
  kernel: kernel(
    { name: 'multimemAtUnicast', use: { lsa, multimem }, params },
    ({ lsa, multimem, u32 }, { comm, win, n }) => {
      multimem.store(multimem.lsaPointer(win, u32, 0, comm), 1);
      if (n === 1) multimem.store(lsa.localPointer(win, u32, 0), 1);
    },
  ),
});

export const outside: Case<'multimem/outside'> = misuseCase({
  id: 'multimem/outside',
  mirrors: 'multimem outside of the window',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  harmful: [1, 1024, -1],
  kernel: kernel({ name: 'multimemOutside', use: { multimem }, params }, ({ multimem, f32, vec }, { comm, win, n }) => {
    const last = multimem.lsaPointer(win, vec(f32, 4), 0, comm).offset(n < 0 ? n : n === 0 ? 3 : n + 3);
    multimem.store(last, multimem.loadReduce(last));
  }),
});

export const misaligned: Case<'multimem/misaligned'> = misuseCase({
  id: 'multimem/misaligned',
  mirrors: 'a vector at a multicast address that is aligned only for its elements',
  check: 'alignment',
  code: 'NCCLTS_MISALIGNED',
  harmful: [4, 8, 12],
  kernel: kernel(
    { name: 'multimemMisaligned', use: { multimem }, params },
    ({ multimem, f32, vec, addr }, { comm, win, n }) => {
      const p = multimem.lsaPointer(win, vec(f32, 4), addr(n), comm);
      multimem.store(p, multimem.loadReduce(p));
    },
  ),
});
