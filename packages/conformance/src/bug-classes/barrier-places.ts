import type { Communicator, World } from '@nccl-ts/communicator';
import { devComm, lsaBarrierCreateRequirement, lsaBarrierHandle, team } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass, BugProgram, ExpectedFinding } from './bug-class.ts';
import { bugProgram, params, type BugKernel, type BugProgramObjects } from './bug-program.ts';

/** The second session reads the epoch before the first one has saved it. */
const bothAlive = kernel(
  { name: 'bothSessionsAlive', use: { lsa }, params },
  ({ lsa, coopCta, u32 }, { comm, inbox, out }) => {
    const first = lsa.barrierSession(coopCta(), comm, 0);
    first.sync(coopCta(), 'acq_rel');
    const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    next.store(0, u32(comm.rank) + 7);
    const second = lsa.barrierSession(coopCta(), comm, 0);
    second.sync(coopCta(), 'acq_rel');
    const seen = lsa.localPointer(inbox, u32, 0).load(0);
    lsa.localPointer(out, u32, 0).store(0, seen);
  },
);

const inTurn = kernel(
  { name: 'sessionsInTurn', use: { lsa }, params },
  ({ lsa, coopCta, u32 }, { comm, inbox, out }) => {
    {
      const first = lsa.barrierSession(coopCta(), comm, 0);
      first.sync(coopCta(), 'acq_rel');
    }
    const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    next.store(0, u32(comm.rank) + 7);
    const second = lsa.barrierSession(coopCta(), comm, 0);
    second.sync(coopCta(), 'acq_rel');
    const seen = lsa.localPointer(inbox, u32, 0).load(0);
    lsa.localPointer(out, u32, 0).store(0, seen);
  },
);

/** Two CTAs, each with its own barrier or with one for both. */
const ofTwoCtas = (SHARED: boolean): BugKernel =>
  kernel(
    { name: `ofTwoCtas_${SHARED}`, use: { lsa, SHARED }, params },
    ({ lsa, SHARED, coopCta, blockIdx, u32 }, { comm }) => {
      const bar = lsa.barrierSession(coopCta(), comm, SHARED ? u32(0) : blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
    },
  );

const ofIndex = (INDEX: number): BugKernel =>
  kernel({ name: `barrierOfIndex_${INDEX}`, use: { lsa, INDEX }, params }, ({ lsa, INDEX, coopCta }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, INDEX);
    bar.sync(coopCta(), 'acq_rel');
  });

const [onFirst, onSecond] = [ofIndex(0), ofIndex(1)];

/** Launches the kernel on a separate stream, concurrently with the one on the default stream. */
const beside =
  (other: BugKernel) =>
  async (comm: Communicator, prepared: BugProgramObjects): Promise<void> => {
    const stream = await comm.createStream();
    await comm.launch(other, { grid: 1, block: 1, stream }, prepared);
    await comm.synchronize(stream);
  };

export const staleEpoch: BugClass = {
  id: 'L10',
  title: 'two sessions of one barrier are alive at once',
  programs: [
    bugProgram({
      name: 'L10/both-alive',
      requirements: { lsaBarrierCount: 1 },
      launches: [{ kernel: bothAlive }],
      expects: {
        kind: 'misuse',
        lines: ['const second = lsa.barrierSession(', 'const first = lsa.barrierSession('],
        // The second wait ends immediately, although the peer has not arrived a second time.
        may: [{ kind: 'race', lines: ['.load(0);', 'next.store('], anyOrder: true }],
      },
    }),
    bugProgram({
      name: 'L10/in-turn',
      requirements: { lsaBarrierCount: 1 },
      launches: [{ kernel: inTurn }],
      result: (rank) => [((rank + 1) % 2) + 7],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L10/one-for-two-ctas',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: ofTwoCtas(true), grid: 2 }],
      expects: {
        kind: 'misuse',
        lines: ['const bar = lsa.barrierSession(', 'const bar = lsa.barrierSession('],
        may: [
          // The race is on the word with the saved epoch, which a session reads at its beginning
          // and writes at its end.
          { kind: 'race', lines: ['', ''] },
          { kind: 'deadlock', lines: ['bar.sync('] },
        ],
      },
    }),
    bugProgram({
      name: 'L10/one-for-two-streams',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: onFirst }],
      then: beside(onFirst),
      expects: {
        kind: 'misuse',
        lines: ['const bar = lsa.barrierSession(', 'const bar = lsa.barrierSession('],
        may: [
          { kind: 'race', lines: ['', ''] },
          { kind: 'deadlock', lines: ['bar.sync('] },
        ],
      },
    }),
    bugProgram({
      name: 'L10/one-for-each-stream',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: onFirst }],
      then: beside(onSecond),
      expects: 'clean',
    }),
    bugProgram({
      name: 'L10/one-each',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: ofTwoCtas(false), grid: 2 }],
      expects: 'clean',
    }),
  ],
};

const ofHandle = kernel(
  { name: 'barrierOfHandle', use: { lsa }, params: { comm: devComm, of: team, handle: lsaBarrierHandle } },
  ({ lsa, coopCta }, { comm, of, handle }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0, { team: of, handle });
    bar.sync(coopCta(), 'acq_rel');
  },
);

/** The barriers' handle is an offset in the communicator for which it was made. */
function handleProgram(name: string, ownHandle: boolean, expects: 'clean' | ExpectedFinding): BugProgram {
  return Object.freeze({
    name,
    ranks: 2,
    lsaSize: 2,
    multimem: false,
    expects,
    run: async (world: World) => {
      await world.run(async (comm) => {
        const of = comm.teamLsa();
        const { requirement, handleOf } = lsaBarrierCreateRequirement(of, 1);
        const large = await comm.createDevComm({ resourceRequirementsList: [{ bufferSize: 4096 }, requirement] });
        const small = await comm.createDevComm({ resourceRequirementsList: [requirement] });
        const resource = ownHandle ? small.plan.resources[0] : large.plan.resources[1];
        if (resource === undefined) throw new Error('The plan lacks the required resources.');
        await comm.launch(ofHandle, { grid: 1, block: 1 }, { comm: small, of, handle: handleOf(resource) });
        await comm.synchronize();
      });
    },
  });
}

export const wrongBarrier: BugClass = {
  id: 'L11',
  title: 'a barrier that does not exist: an index past their number, or the handle of another communicator',
  programs: [
    bugProgram({
      name: 'L11/more-ctas-than-barriers',
      requirements: { lsaBarrierCount: 1 },
      launches: [{ kernel: ofTwoCtas(false), grid: 2 }],
      expects: { kind: 'misuse', lines: ['const bar = lsa.barrierSession('] },
    }),
    bugProgram({
      name: 'L11/as-many-barriers-as-ctas',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: ofTwoCtas(false), grid: 2 }],
      expects: 'clean',
    }),
    handleProgram('L11/foreign-handle', false, {
      kind: 'out-of-bounds',
      lines: ['const bar = lsa.barrierSession('],
    }),
    handleProgram('L11/own-handle', true, 'clean'),
  ],
};
