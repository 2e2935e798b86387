import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, connect, ginRequires, strictlyOrdered } from './connect.ts';

const grid = 2;
const block = 2;
const threads = grid * block;

type Strength = 'strong' | 'weak' | 'legacy';

/**
 * The signal comes alone, then with a put, and then with a value, from the previous rank. The last
 * one covers the value.
 */
const indexed = (STRENGTH: Strength, ADDS: boolean) =>
  kernel(
    {
      name: `${STRENGTH}Signal${ADDS ? 'Add' : 'Inc'}`,
      use: { gin, teamWorld, lsa, STRENGTH, ADDS },
      params: { comm: devComm, src: window, dst: window, out: window },
    },
    (
      { gin, teamWorld, lsa, STRENGTH, ADDS, coopThread, threadIdx, blockIdx, blockDim, u32, u64 },
      { comm, src, dst, out },
    ) => {
      const net = gin.context(comm, 0);
      // Each thread has two signals, its own part of each window, and four results.
      const i = blockIdx.x * blockDim.x + threadIdx.x;
      const back = i * 2;
      const told = back + 1;
      const from = i * 64;
      const to = i * 80;
      const seen = lsa.localPointer(out, u64, 0).offset(i * 4);
      const world = teamWorld(comm);
      const next = (comm.rank + 1) % comm.nRanks;
      const action =
        STRENGTH === 'strong'
          ? ADDS
            ? gin.strongSignalAdd(told, 1000)
            : gin.strongSignalInc(told)
          : STRENGTH === 'weak'
            ? ADDS
              ? gin.weakSignalAdd(told, 1000)
              : gin.weakSignalInc(told)
            : ADDS
              ? gin.signalAdd(told, 1000)
              : gin.signalInc(told);
      const by = u64(ADDS ? 1000 : 1);
      const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
      net.signal(world, next, action);
      net.waitSignal(coopThread(), told, by);
      net.put(world, next, dst, to, src, from, 64, action);
      net.waitSignal(coopThread(), told, by * 2);
      seen.store(0, net.readSignal(told));
      seen.store(1, lsa.localPointer(dst, u64, to).load(7));
      // No rank sends the third before the second was read.
      net.signal(world, previous, gin.weakSignalInc(back));
      net.waitSignal(coopThread(), back, 1);
      net.putValue(world, next, dst, to + 64, u32(comm.rank) * 10 + i + 77, action);
      net.waitSignal(coopThread(), told, by * 3);
      seen.store(2, net.readSignal(told));
      seen.store(3, u64(lsa.localPointer(dst, u32, to).load(16)));
    },
  );

/** The same with a signal at an address, which is the word after the data. */
const addressed = (STRENGTH: Strength, ADDS: boolean) =>
  kernel(
    {
      name: `${STRENGTH}VASignal${ADDS ? 'Add' : 'Inc'}`,
      use: { gin, teamWorld, lsa, STRENGTH, ADDS },
      params: { comm: devComm, src: window, dst: window, out: window },
    },
    (
      { gin, teamWorld, lsa, STRENGTH, ADDS, coopThread, threadIdx, blockIdx, blockDim, u32, u64 },
      { comm, src, dst, out },
    ) => {
      const net = gin.context(comm, 0);
      // Each thread has two signals, one of them in its part of a window, and four results.
      const i = blockIdx.x * blockDim.x + threadIdx.x;
      const back = i;
      const from = i * 64;
      const to = i * 80;
      const word = to + 72;
      const seen = lsa.localPointer(out, u64, 0).offset(i * 4);
      const world = teamWorld(comm);
      const next = (comm.rank + 1) % comm.nRanks;
      const action =
        STRENGTH === 'strong'
          ? ADDS
            ? gin.strongVASignalAdd(dst, word, 1000)
            : gin.strongVASignalInc(dst, word)
          : STRENGTH === 'weak'
            ? ADDS
              ? gin.weakVASignalAdd(dst, word, 1000)
              : gin.weakVASignalInc(dst, word)
            : ADDS
              ? gin.vaSignalAdd(dst, word, 1000)
              : gin.vaSignalInc(dst, word);
      const by = u64(ADDS ? 1000 : 1);
      const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
      net.signal(world, next, action);
      net.waitVASignal(coopThread(), dst, word, by);
      net.put(world, next, dst, to, src, from, 64, action);
      net.waitVASignal(coopThread(), dst, word, by * 2);
      seen.store(0, net.readVASignal(dst, word));
      seen.store(1, lsa.localPointer(dst, u64, to).load(7));
      // No rank sends the third before the second was read.
      net.signal(world, previous, gin.weakSignalInc(back));
      net.waitSignal(coopThread(), back, 1);
      net.putValue(world, next, dst, to + 64, u32(comm.rank) * 10 + i + 77, action);
      net.waitVASignal(coopThread(), dst, word, by * 3);
      seen.store(2, net.readVASignal(dst, word));
      seen.store(3, u64(lsa.localPointer(dst, u32, to).load(16)));
    },
  );

function actionCase<const Id extends string>(
  id: Id,
  mirrors: string,
  strength: Strength,
  adds: boolean,
  atAddress: boolean,
): Case<Id> {
  const one = atAddress ? addressed(strength, adds) : indexed(strength, adds);
  return defineCase({
    id,
    mirrors,
    requires: ginRequires,
    ranks: [1, 3],
    lsaSizes: [1, 3],
    kernels: [one],
    run: async ({ run, shape }) => {
      await run(async (comm) => {
        // A signal without a strength is weak, unless strong signals are required. Here each covers
        // only its own put.
        for (const ginStrongSignalsRequired of strength === 'strong' ? [true] : [true, false]) {
          const dev = await connect(comm, { ginSignalCount: 2 * threads, ginStrongSignalsRequired });
          const src = await comm.allocWindow('u8', 64 * threads);
          const dst = await comm.allocWindow('u8', 80 * threads, strictlyOrdered);
          const out = await comm.allocWindow('u64', 4 * threads);
          await src.write(bytesOf(comm.rank, 64 * threads));
          await comm.launch(one, { grid, block }, { comm: dev, src, dst, out });
          const from = (comm.rank + shape.ranks - 1) % shape.ranks;
          const by = adds ? 1000n : 1n;
          const sent = new DataView(bytesOf(from, 64 * threads).buffer);
          const expected = count(threads).flatMap((i) => [
            2n * by,
            sent.getBigUint64(64 * i + 56, true),
            3n * by,
            BigInt(from * 10 + i + 77),
          ]);
          expectValues(`rank ${comm.rank}`, await out.read(), expected);
        }
      });
    },
  });
}

export const strongInc: Case<'gin/actions/strong-signal-inc'> = actionCase(
  'gin/actions/strong-signal-inc',
  'ncclGin_StrongSignalInc',
  'strong',
  false,
  false,
);
export const strongAdd: Case<'gin/actions/strong-signal-add'> = actionCase(
  'gin/actions/strong-signal-add',
  'ncclGin_StrongSignalAdd',
  'strong',
  true,
  false,
);
export const weakInc: Case<'gin/actions/weak-signal-inc'> = actionCase(
  'gin/actions/weak-signal-inc',
  'ncclGin_WeakSignalInc',
  'weak',
  false,
  false,
);
export const weakAdd: Case<'gin/actions/weak-signal-add'> = actionCase(
  'gin/actions/weak-signal-add',
  'ncclGin_WeakSignalAdd',
  'weak',
  true,
  false,
);
export const inc: Case<'gin/actions/signal-inc'> = actionCase(
  'gin/actions/signal-inc',
  'ncclGin_SignalInc, deprecated',
  'legacy',
  false,
  false,
);
export const add: Case<'gin/actions/signal-add'> = actionCase(
  'gin/actions/signal-add',
  'ncclGin_SignalAdd, deprecated',
  'legacy',
  true,
  false,
);
export const strongVAInc: Case<'gin/actions/strong-va-signal-inc'> = actionCase(
  'gin/actions/strong-va-signal-inc',
  'ncclGin_StrongVASignalInc',
  'strong',
  false,
  true,
);
export const strongVAAdd: Case<'gin/actions/strong-va-signal-add'> = actionCase(
  'gin/actions/strong-va-signal-add',
  'ncclGin_StrongVASignalAdd',
  'strong',
  true,
  true,
);
export const weakVAInc: Case<'gin/actions/weak-va-signal-inc'> = actionCase(
  'gin/actions/weak-va-signal-inc',
  'ncclGin_WeakVASignalInc',
  'weak',
  false,
  true,
);
export const weakVAAdd: Case<'gin/actions/weak-va-signal-add'> = actionCase(
  'gin/actions/weak-va-signal-add',
  'ncclGin_WeakVASignalAdd',
  'weak',
  true,
  true,
);
export const vaInc: Case<'gin/actions/va-signal-inc'> = actionCase(
  'gin/actions/va-signal-inc',
  'ncclGin_VASignalInc, deprecated',
  'legacy',
  false,
  true,
);
export const vaAdd: Case<'gin/actions/va-signal-add'> = actionCase(
  'gin/actions/va-signal-add',
  'ncclGin_VASignalAdd, deprecated',
  'legacy',
  true,
  true,
);
