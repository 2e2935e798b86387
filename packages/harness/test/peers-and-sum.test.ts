import { array, harness, ptr, translate, u32, type RankSetup } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

const text = `.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .align 8 .b8 table[64]) { ret; }
`;

/** Runs the setups of three ranks, and returns what `look` returns for each. */
function atRanks<T>(look: (setup: RankSetup) => T): readonly T[] {
  const seen: T[] = [];
  const described = harness({
    entry: 'k',
    ranks: 3,
    grid: 1,
    block: 1,
    setup(setup) {
      const data = setup.alloc('data', u32, 8);
      seen.push(look(setup));
      return { args: [array(ptr, 8)(setup.peers(data))] };
    },
  });
  translate(described, text, { name: 'k.ptx', ranks: 3 });
  return seen;
}

describe('the setup of a rank', () => {
  it('has the addresses of all ranks, in their order', () => {
    const [first, second] = atRanks(({ alloc, peers, peer }) => {
      const flags = alloc('flags', u32, 4);
      return { all: peers(flags, 8), each: [0, 1, 2].map((r) => peer(flags, r, 8)) };
    });
    expect(first?.all).toHaveLength(3);
    expect(first?.all).toEqual(first?.each);
    expect(second?.all.map(({ rank, offset }) => [rank, offset])).toEqual([
      [0, 8],
      [1, 8],
      [2, 8],
    ]);
  });

  it('adds numbers up over the ranks', () => {
    expect(atRanks(({ sum }) => sum((r) => 10 * r + 1))).toEqual([33, 33, 33]);
  });

  it('reports a byte outside of an allocation, and a sum of no function', () => {
    expect(() => atRanks(({ alloc, peers }) => peers(alloc('flags', u32, 4), 16))).toThrow(
      'setup of rank 0: peers: byteOffset into flags must be',
    );
    expect(() => atRanks(({ sum }): unknown => Reflect.apply(sum, undefined, [3]))).toThrow(
      'setup of rank 0: sum needs a function of the rank; given 3.',
    );
  });
});
