import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { bytesOf, connect, ginRequires, strictlyOrdered } from './connect.ts';

type Strength = 'strong' | 'weak' | 'legacy';

/** Alone, then with a put, then with a value: from the rank before to the next. The last one covers the value. */
const indexed = (STRENGTH: Strength, ADDS: boolean) =>
  kernel(
    {
      name: `${STRENGTH}Signal${ADDS ? 'Add' : 'Inc'}`,
      use: { gin, teamWorld, lsa, STRENGTH, ADDS },
      params: { comm: devComm, src: window, dst: window, out: window },
    },
    ({ gin, teamWorld, lsa, STRENGTH, ADDS, coopThread, u32, u64 }, { comm, src, dst, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      const next = (comm.rank + 1) % comm.nRanks;
      const action =
        STRENGTH === 'strong'
          ? ADDS
            ? gin.strongSignalAdd(1, 1000)
            : gin.strongSignalInc(1)
          : STRENGTH === 'weak'
            ? ADDS
              ? gin.weakSignalAdd(1, 1000)
              : gin.weakSignalInc(1)
            : ADDS
              ? gin.signalAdd(1, 1000)
              : gin.signalInc(1);
      const by = u64(ADDS ? 1000 : 1);
      const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
      net.signal(world, next, action);
      net.waitSignal(coopThread(), 1, by);
      net.put(world, next, dst, 0, src, 0, 64, action);
      net.waitSignal(coopThread(), 1, by * 2);
      lsa.localPointer(out, u64, 0).store(0, net.readSignal(1));
      lsa.localPointer(out, u64, 0).store(1, lsa.localPointer(dst, u64, 0).load(7));
      // Nobody sends the third before the second was looked at.
      net.signal(world, previous, gin.weakSignalInc(0));
      net.waitSignal(coopThread(), 0, 1);
      net.putValue(world, next, dst, 64, u32(comm.rank) + 77, action);
      net.waitSignal(coopThread(), 1, by * 3);
      lsa.localPointer(out, u64, 0).store(2, net.readSignal(1));
      lsa.localPointer(out, u64, 0).store(3, u64(lsa.localPointer(dst, u32, 0).load(16)));
    },
  );

/** The same with a signal at an address: the word after the data. */
const addressed = (STRENGTH: Strength, ADDS: boolean) =>
  kernel(
    {
      name: `${STRENGTH}VASignal${ADDS ? 'Add' : 'Inc'}`,
      use: { gin, teamWorld, lsa, STRENGTH, ADDS },
      params: { comm: devComm, src: window, dst: window, out: window },
    },
    ({ gin, teamWorld, lsa, STRENGTH, ADDS, coopThread, u32, u64 }, { comm, src, dst, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      const next = (comm.rank + 1) % comm.nRanks;
      const action =
        STRENGTH === 'strong'
          ? ADDS
            ? gin.strongVASignalAdd(dst, 72, 1000)
            : gin.strongVASignalInc(dst, 72)
          : STRENGTH === 'weak'
            ? ADDS
              ? gin.weakVASignalAdd(dst, 72, 1000)
              : gin.weakVASignalInc(dst, 72)
            : ADDS
              ? gin.vaSignalAdd(dst, 72, 1000)
              : gin.vaSignalInc(dst, 72);
      const by = u64(ADDS ? 1000 : 1);
      const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
      net.signal(world, next, action);
      net.waitVASignal(coopThread(), dst, 72, by);
      net.put(world, next, dst, 0, src, 0, 64, action);
      net.waitVASignal(coopThread(), dst, 72, by * 2);
      lsa.localPointer(out, u64, 0).store(0, net.readVASignal(dst, 72));
      lsa.localPointer(out, u64, 0).store(1, lsa.localPointer(dst, u64, 0).load(7));
      // Nobody sends the third before the second was looked at.
      net.signal(world, previous, gin.weakSignalInc(0));
      net.waitSignal(coopThread(), 0, 1);
      net.putValue(world, next, dst, 64, u32(comm.rank) + 77, action);
      net.waitVASignal(coopThread(), dst, 72, by * 3);
      lsa.localPointer(out, u64, 0).store(2, net.readVASignal(dst, 72));
      lsa.localPointer(out, u64, 0).store(3, u64(lsa.localPointer(dst, u32, 0).load(16)));
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
        // What has no strength of its own is weak where strong ones are not asked for; here each covers its own put only.
        for (const ginStrongSignalsRequired of strength === 'strong' ? [true] : [true, false]) {
          const dev = await connect(comm, { ginSignalCount: 2, ginStrongSignalsRequired });
          const src = await comm.allocWindow('u8', 64);
          const dst = await comm.allocWindow('u8', 80, strictlyOrdered);
          const out = await comm.allocWindow('u64', 4);
          await src.write(bytesOf(comm.rank, 64));
          await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, src, dst, out });
          const from = (comm.rank + shape.ranks - 1) % shape.ranks;
          const by = adds ? 1000n : 1n;
          const last = new DataView(bytesOf(from, 64).buffer).getBigUint64(56, true);
          expectValues(`rank ${comm.rank}`, await out.read(), [2n * by, last, 3n * by, BigInt(from + 77)]);
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
