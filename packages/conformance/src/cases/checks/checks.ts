import { isNcclError, type ErrorCode } from '@nccl-ts/core';
import { devComm, window, type WindowArg } from '@nccl-ts/devcomm';
import { i32, kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Check } from '@nccl-ts/ir';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat } from '../../mismatch.ts';

type CheckKernel = Kernel<{ readonly win: WindowArg; readonly other: WindowArg; readonly n: number }>;

const params = { win: window, other: window, n: i32 };

/**
 * The launch, or a wait for it, must fail with the code. The same kernel with a harmless `n` must
 * not fail.
 */
function checkCase<const Id extends string>(definition: {
  readonly id: Id;
  readonly mirrors: string;
  readonly check: Check;
  readonly code: ErrorCode;
  readonly kernel: CheckKernel;
  readonly harmless: number;
  readonly harmful: readonly number[];
  readonly ranks?: readonly number[];
}): Case<Id> {
  const { id, mirrors, check, code, kernel: one, harmless, harmful, ranks = [1] } = definition;
  return defineCase({
    id,
    mirrors,
    requires: { checks: [check] },
    ranks,
    kernels: [one],
    run: async ({ run }) => {
      await run(async (comm) => {
        const win = await comm.allocWindow('u32', 16);
        const other = await comm.allocWindow('u32', 16);
        await comm.launch(one, { grid: 2, block: 4 }, { win, other, n: harmless });
        await comm.synchronize();
        for (const n of harmful) {
          let thrown: unknown;
          try {
            await comm.launch(one, { grid: 2, block: 4 }, { win, other, n });
            await comm.synchronize();
          } catch (error) {
            thrown = error;
          }
          const got = isNcclError(thrown) ? thrown.code : String(thrown);
          expectThat(got === code, `With ${n}: expected ${code}, got ${got}.`);
        }
        // The rank's stream continues after the report.
        await comm.launch(one, { grid: 2, block: 4 }, { win, other, n: harmless });
        await comm.synchronize();
      });
    },
  });
}

export const loadOutside: Case<'checks/load-outside'> = checkCase({
  id: 'checks/load-outside',
  mirrors: 'a load outside the window',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  harmless: 15,
  harmful: [16, -1, 1024, 1 << 20, -(1 << 24)],
  ranks: [1, 2],
  kernel: kernel({ name: 'loadOutside', use: { lsa }, params }, ({ lsa, u32 }, { win, other, n }) => {
    lsa.localPointer(other, u32, 0).store(0, lsa.localPointer(win, u32, 0).load(n));
  }),
});

export const storeOutside: Case<'checks/store-outside'> = checkCase({
  id: 'checks/store-outside',
  mirrors: 'a store outside the window, even into another one',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  harmless: 0,
  harmful: [13, -1, 1023, 1024, 4096],
  kernel: kernel({ name: 'storeOutside', use: { lsa }, params }, ({ lsa, threadIdx, i32, u32 }, { win, n }) => {
    lsa.localPointer(win, u32, 0).store(n + i32(threadIdx.x), 5);
  }),
});

export const partlyOutside: Case<'checks/partly-outside'> = checkCase({
  id: 'checks/partly-outside',
  mirrors: 'a wide access whose last bytes lie outside the window',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  harmless: 3,
  harmful: [4],
  kernel: kernel({ name: 'partlyOutside', use: { lsa }, params }, ({ lsa, vec, f32 }, { win, other, n }) => {
    const from = lsa.localPointer(win, vec(f32, 4), 0);
    lsa.localPointer(other, vec(f32, 4), 0).store(n, from.load(0));
  }),
});

export const contractBroken: Case<'checks/requires'> = checkCase({
  id: 'checks/requires',
  mirrors: 'requires: what a caller must ensure',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  harmless: 3,
  harmful: [4, -1],
  kernel: kernel({ name: 'contractBroken', params }, ({ requires, threadIdx, i32 }, { n }) => {
    requires(n >= 0 && n - i32(threadIdx.x) < 4, 'n is from 0 to 3');
  }),
});

export const peerOutside: Case<'checks/peer-outside'> = checkCase({
  id: 'checks/peer-outside',
  mirrors: 'a pointer to a rank that the load-store domain does not have',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  harmless: 0,
  harmful: [2, -1, 100],
  ranks: [2],
  kernel: kernel({ name: 'peerOutside', use: { lsa }, params }, ({ lsa, u32 }, { win, other, n }) => {
    lsa.localPointer(other, u32, 0).store(0, lsa.pointer(win, u32, 0, n).load(0));
  }),
});

export const arrayOutside: Case<'checks/array-outside'> = checkCase({
  id: 'checks/array-outside',
  mirrors: 'an access outside of a shared or local array',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  harmless: 3,
  harmful: [8, -1, 9, -8],
  kernel: kernel(
    { name: 'arrayOutside', use: { lsa }, params },
    ({ lsa, threadIdx, coopCta, sharedArray, localArray, u32 }, { win, n }) => {
      const shared = sharedArray(u32, 8);
      const own = localArray(u32, 8);
      for (let i = 0; i < 8; i++) own.store(i, 1);
      shared.store(threadIdx.x, 1);
      shared.store(threadIdx.x + 4, 2);
      coopCta().sync();
      const seen = n % 2 === 0 ? shared.load(n) : own.load(n);
      lsa.localPointer(win, u32, 0).store(threadIdx.x, seen);
    },
  ),
});

export const misaligned: Case<'checks/misaligned'> = checkCase({
  id: 'checks/misaligned',
  mirrors: 'an address that is not a multiple of the size of the access',
  check: 'alignment',
  code: 'NCCLTS_MISALIGNED',
  harmless: 8,
  harmful: [1, 2, 3, 6],
  kernel: kernel({ name: 'misalignedStore', use: { lsa }, params }, ({ lsa, addr, u32 }, { win, n }) => {
    lsa.localPointer(win, u32, addr(n)).store(0, 5);
  }),
});

export const misalignedVector: Case<'checks/misaligned-vector'> = checkCase({
  id: 'checks/misaligned-vector',
  mirrors: 'a vector at an address that is aligned only for its elements',
  check: 'alignment',
  code: 'NCCLTS_MISALIGNED',
  harmless: 16,
  harmful: [4, 8, 12],
  kernel: kernel({ name: 'misalignedVector', use: { lsa }, params }, ({ lsa, addr, vec, u32 }, { win, other, n }) => {
    const v = lsa.localPointer(win, vec(u32, 4), addr(n)).load(0);
    lsa.localPointer(other, vec(u32, 4), 0).store(0, v);
  }),
});

export const divisionByZero: Case<'checks/division-by-zero'> = checkCase({
  id: 'checks/division-by-zero',
  mirrors: 'integer division by zero',
  check: 'fault',
  code: 'NCCLTS_FAULT',
  harmless: 7,
  harmful: [0],
  kernel: kernel({ name: 'divisionByZero', use: { lsa }, params }, ({ lsa, i32 }, { win, n }) => {
    lsa.localPointer(win, i32, 0).store(0, 100 / n + (n > 3 ? 50 % n : 0));
  }),
});

export const divisionOverflow: Case<'checks/division-overflow'> = checkCase({
  id: 'checks/division-overflow',
  mirrors: 'INT_MIN / -1',
  check: 'fault',
  code: 'NCCLTS_FAULT',
  harmless: 2,
  harmful: [-1],
  kernel: kernel({ name: 'divisionOverflow', use: { lsa }, params }, ({ lsa, i32 }, { win, n }) => {
    lsa.localPointer(win, i32, 0).store(0, i32(-2147483648) / n);
  }),
});

export const failedAssert: Case<'checks/assert'> = checkCase({
  id: 'checks/assert',
  mirrors: 'assert',
  check: 'fault',
  code: 'NCCLTS_FAULT',
  harmless: 1,
  harmful: [5, 9],
  kernel: kernel({ name: 'asserts', use: { lsa }, params }, ({ assert, threadIdx, i32 }, { n }) => {
    assert(n > 0, 'n is positive');
    if (n > 4) assert(i32(threadIdx.x) !== 2, 'never thread 2');
  }),
});

const skips = kernel(
  { name: 'skipsBarrier', use: { lsa }, params: { comm: devComm, rounds: u32 } },
  ({ lsa, coopCta, u32 }, { comm, rounds }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    for (let round = u32(0); round < rounds; round++) bar.sync(coopCta(), 'acq_rel');
  },
);

export const deadlock: Case<'checks/deadlock'> = defineCase({
  id: 'checks/deadlock',
  mirrors: 'a barrier that one rank does not reach',
  requires: { checks: ['deadlock'] },
  ranks: [2, 4],
  kernels: [skips],
  run: async ({ run }) => {
    let thrown: unknown;
    try {
      await run(async (comm) => {
        const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
        await comm.launch(skips, { grid: 1, block: 32 }, { comm: dev, rounds: comm.rank === 1 ? 2 : 3 });
        await comm.synchronize();
      });
    } catch (error) {
      thrown = error;
    }
    const got = isNcclError(thrown) ? thrown.code : String(thrown);
    expectThat(got === 'NCCLTS_DEADLOCK', `expected NCCLTS_DEADLOCK, got ${got}.`);
  },
});

const notLaunched = kernel(
  { name: 'waitsForever', use: { lsa }, params: { win: window } },
  ({ lsa, waitUntil, u32 }, { win }) => {
    waitUntil(() => lsa.localPointer(win, u32, 0).load(0, 'acquire') === 1);
  },
);

export const lonelyWait: Case<'checks/lonely-wait'> = defineCase({
  id: 'checks/lonely-wait',
  mirrors: 'a flag that no thread sets',
  requires: { checks: ['deadlock'] },
  ranks: [1, 2],
  kernels: [notLaunched],
  run: async ({ run }) => {
    let thrown: unknown;
    try {
      await run(async (comm) => {
        const win = await comm.allocWindow('u32', 1);
        if (comm.rank === 0) await comm.launch(notLaunched, { grid: 1, block: 8 }, { win });
        await comm.synchronize();
      });
    } catch (error) {
      thrown = error;
    }
    const got = isNcclError(thrown) ? thrown.code : String(thrown);
    expectThat(got === 'NCCLTS_DEADLOCK', `expected NCCLTS_DEADLOCK, got ${got}.`);
  },
});

const prints = kernel({ name: 'prints', params: { n: i32 } }, ({ print, threadIdx, blockIdx, f32 }, { n }) => {
  if (threadIdx.x === 1) print('block', blockIdx.x, 'n is', n, f32(n) / 2, n > 3);
});

export const printing: Case<'checks/print'> = defineCase({
  id: 'checks/print',
  mirrors: 'printf',
  requires: { print: true },
  ranks: [1, 2],
  kernels: [prints],
  run: async ({ run }) => {
    await run(async (comm) => {
      await comm.launch(prints, { grid: 2, block: 4 }, { n: 5 });
      const { printed } = await comm.synchronize();
      const sorted = [...printed].sort();
      const fits =
        sorted.length === 2 &&
        sorted.every((line, i) => /block/.test(line) && line.includes(String(i)) && line.includes('2.5'));
      expectThat(fits, `One line per printing thread was expected, got ${JSON.stringify(printed)}.`);
    });
  },
});
