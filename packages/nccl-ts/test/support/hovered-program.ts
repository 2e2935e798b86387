import { devComm, f32, gin, kernel, lsa, teamWorld, u32, window } from 'nccl-ts';

/** A program whose hovers the tests read. */
export const hovered = kernel(
  { name: 'hovered', use: { lsa, gin, teamWorld, f32 }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, gin, teamWorld, coopCta, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const theirs = lsa.pointer(win, f32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    const mine = lsa.localPointer(win, f32, 0);
    theirs.store(0, mine.load(0), 'release');
    const net = gin.context(comm, 0);
    net.put({ team: teamWorld(comm), peer: 0, dst: win, src: win, bytes: count });
    bar.sync(coopCta(), 'acq_rel');
  },
);
