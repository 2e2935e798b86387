/** The threads of one CTA pass words to their neighbours. */
export const neighbours = `import { devComm, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// Each thread stores a word, and then reads the word of the thread beside it.
export const neighbours = kernel(
  { name: 'neighbours', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win }) => {
    const mine = lsa.localPointer(win, u32, 0);
    mine.store(threadIdx.x, comm.lsaRank * 100 + threadIdx.x);
    coopCta().sync();
    mine.store(32 + threadIdx.x, mine.load((threadIdx.x + 1) % 32));
  },
);

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, 64);
  const dev = await comm.createDevComm({});
  await comm.launch(neighbours, { grid: 1, block: 32 }, { comm: dev, win });
  return (await win.read()).slice(32, 36);
}
`;

/** All ranks count in the window of rank 0. */
export const ticket = `import { devComm, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// Every rank adds one to a counter of rank 0.
export const count = kernel(
  { name: 'count', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, u32 }, { comm, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    const there = lsa.pointer(win, u32, 0, 0);
    there.atomicAdd(0, 1, 'relaxed', 'system');
    bar.sync(coopCta(), 'acq_rel');
  },
);

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, 1);
  await win.write(new Uint32Array(1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(count, { grid: 1, block: 1 }, { comm: dev, win });
  return comm.rank === 0 ? (await win.read())[0] : 'rank 0 counts';
}
`;

/** Ranks pass words around a ring in several rounds, through the same location. */
export const twoSteps = `import { devComm, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// In each round a rank stores a word to the right, and takes the word from the left.
export const rounds = kernel(
  { name: 'rounds', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, u32 }, { comm, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const mine = lsa.localPointer(win, u32, 0);
    const right = lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    let word = u32(comm.lsaRank);
    for (let round = 0; round < 2; round++) {
      right.store(0, word);
      bar.sync(coopCta(), 'acq_rel');
      word = mine.load(0);
      bar.sync(coopCta(), 'acq_rel'); // before the words are used again
    }
    mine.store(1, word);
  },
);

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, 2);
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(rounds, { grid: 1, block: 1 }, { comm: dev, win });
  return (await win.read())[1];
}
`;
