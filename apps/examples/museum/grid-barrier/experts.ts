import { array, harness, ptr, struct, u32, type Harness } from '@nccl-ts/harness';

const Peers = struct({ mail: array(ptr, 8) });

/** Launches a receiver, and then a sender with this many CTAs on another stream. */
export function experts(grid: number): Harness {
  return harness({
    kernel: 'kernel.ptx',
    entry: 'experts',
    ranks: 2,
    grid,
    block: 2,
    launches: 2,
    streams: 2,
    setup({ rank, ranks, nRanks, alloc, peer }) {
      const mail = alloc('mail', u32, nRanks);
      const parts = alloc('parts', u32, grid);
      const arrived = alloc('arrived', u32, 1);
      const out = alloc('out', u32, nRanks);
      const peers = Peers({ mail: ranks.map((r) => peer(mail, r)) });
      return {
        args: (launch) => [peers, parts, arrived, out, rank, nRanks, launch === 0],
        expect: () => out.equals((r) => grid * (r + 1)),
      };
    },
  });
}
