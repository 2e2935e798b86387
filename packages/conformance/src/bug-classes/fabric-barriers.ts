import { cft } from '@nccl-ts/cft';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

const requirements = { cftCaps: 'cft', cftBarrierCount: 1 } as const;

/** Each rank puts to the other one, and reads after a CFT barrier with an order and two proxies. */
const exchange = (
  ORDER: 'acq_rel' | 'acquire' | 'relaxed',
  PRODUCER: 'fabric' | 'generic',
  INDEX: 0 | 1 = 0,
): BugKernel =>
  kernel(
    { name: `exchangeBy_${ORDER}_${PRODUCER}_${INDEX}`, use: { cft, lsa, ORDER, PRODUCER, INDEX }, params },
    ({ cft, lsa, ORDER, PRODUCER, INDEX, coopThread, sharedArray, u32, u64 }, { comm, data, inbox, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 4);
      const fabric = cft.session(coopThread(), smem);
      const bar = cft.barrierSession(coopThread(), comm, INDEX); // the barrier
      for (let i = 0; i < 4; i++) part.store(i, lsa.localPointer(data, u32, 0).load(i));
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      const le = cft.peerLeInfo(inbox, 0, 1 - comm.rank, comm);
      fabric.put(coopThread(), le.leId, le.leOffset, part, 16); // the put
      fabric.submit(coopThread());
      fabric.flush(coopThread());
      bar.sync(coopThread(), ORDER, PRODUCER, 'generic');
      const seen = lsa.localPointer(inbox, u32, 0).load(3); // the read
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

export const fabricBarriers: BugClass = {
  id: 'F10',
  title: 'a CFT barrier has too weak an order, or other proxies than the accesses around it',
  programs: [
    ...(['acquire', 'relaxed'] as const).map((order) =>
      bugProgram({
        name: `F10/${order}`,
        requirements,
        launches: [{ kernel: exchange(order, 'fabric') }],
        expects: { kind: 'race', lines: ['// the read', '// the put'], anyOrder: true },
      }),
    ),
    bugProgram({
      name: 'F10/generic',
      requirements,
      launches: [{ kernel: exchange('acq_rel', 'generic') }],
      expects: { kind: 'proxy', lines: ['// the read', '// the put'], missing: ['proxy-fence'] },
    }),
    bugProgram({
      name: 'F10/no-such-barrier',
      requirements,
      launches: [{ kernel: exchange('acq_rel', 'fabric', 1) }],
      expects: { kind: 'misuse', lines: ['// the barrier'] },
    }),
    bugProgram({
      name: 'F10/acq-rel',
      requirements,
      launches: [{ kernel: exchange('acq_rel', 'fabric') }],
      result: (rank) => [dataWord(1 - rank, 3)],
      expects: 'clean',
    }),
  ],
};
