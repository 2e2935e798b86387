import { devComm, symPtr, team, teamLsa, teamRankToLsa, teamWorld, window } from '@nccl-ts/devcomm';
import { deviceFn, f32, kernel, u32, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

const clamp = deviceFn({ name: 'clamp' }, ({ min, max }, x: number, low: number, high: number) => {
  if (x < low) return low;
  return max(low, min(x, high));
});

/** Early returns, loops, a function that is passed on, and types as arguments. */
const firstAbove = deviceFn(
  { name: 'firstAbove', use: { clamp } },
  ({ clamp, u32 }, T: TypeFn, data: Ptr, n: number, accept: (value: number, i: number) => boolean) => {
    for (let i = u32(0); i < n; i++) {
      const value = T(data[i]!);
      if (accept(value, i)) return clamp(i, 1, 30);
    }
    return n;
  },
);

const forEachMine = deviceFn(
  { name: 'forEachMine' },
  ({ threadIdx, blockDim }, n: number, body: (i: number) => void) => {
    for (let i = threadIdx.x; i < n; i += blockDim.x) body(i);
  },
);

/** Device functions with arrow functions, teams, and a symmetric pointer. */
export const functions = kernel(
  {
    name: 'functions',
    use: { lsa, clamp, firstAbove, forEachMine, teamWorld, teamLsa, teamRankToLsa, Team: team },
    params: { comm: devComm, src: symPtr(f32), win: window, count: u32 },
  },
  (
    { lsa, clamp, firstAbove, forEachMine, teamWorld, teamLsa, teamRankToLsa, Team, threadIdx, f32, u32, i32 },
    { comm, src, win, count },
  ) => {
    const out = lsa.localPointer(win, u32, 0);
    const world = teamWorld(comm);
    const { nRanks, rank } = teamLsa(comm);
    const mine = Team({ nRanks: nRanks, rank: rank, stride: 1 });
    const peer = (rank + 1) % nRanks;
    const theirs = src.lsaPtr(peer);
    const own = src.localPtr();
    let scale = u32(3);
    const weigh = (x: number, by: number) => {
      const weighted = x * by;
      return weighted > 100 ? 100 : weighted;
    };
    forEachMine(count, (i) => {
      out[i] = u32(theirs[i]!) + weigh(i, scale);
      out[64 + i] = u32(own[i]!) + u32(src.peerPtr(comm.rank)[i]!);
    });
    scale = 4;
    const found = firstAbove(f32, theirs, count, (value, i) => value > 3 && i !== 5);
    if (threadIdx.x === 0) {
      out[200] = found + weigh(2, scale);
      out[201] = u32(clamp(i32(found) - 40, -3, 3));
      out[202] = u32(teamRankToLsa(comm, mine, peer)) + u32(world.nRanks) * 10;
    }
  },
);
