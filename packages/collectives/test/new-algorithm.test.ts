import { NcclError } from '@nccl-ts/core';
import { describe, expect, it, vi } from 'vitest';
import { broadcast, explain, parseSelection, select, setSelection } from '../src/index.ts';
import { inWorld } from './support/in-world.ts';

// All that a new algorithm changes besides its own file: the list of algorithms.
vi.mock('../src/algorithms/algorithm.ts', async (original) => {
  const list = await original<typeof import('../src/algorithms/algorithm.ts')>();
  const { trivial } = await import('./support/trivial-algorithm.ts');
  const algorithmSpecs = { ...list.algorithmSpecs, trivial };
  return {
    ...list,
    algorithmNames: [...list.algorithmNames, 'trivial'],
    algorithmSpecs,
    algorithmFacts: algorithmSpecs,
    algorithmsOf: { ...list.algorithmsOf, broadcast: [...list.algorithmsOf.broadcast, 'trivial'] },
  };
});

// Parsed from text, since the type of a rule does not know the name.
const rules = parseSelection('[{ "collective": "broadcast", "algorithm": "trivial" }]');
const query = { collective: 'broadcast', element: 'f32', count: 300, op: undefined } as const;

describe('an algorithm that exists only in the list', () => {
  it('gets the largest launch for which its scratch memory has room', () => {
    const asked = { ...query, count: 1 << 24, backend: 'cuda', nRanks: 2, lsaSize: 2 } as const;
    expect(select(asked, rules)).toMatchObject({ algorithm: 'trivial', ctas: 1, threads: 32 });
  });

  it('moves the right elements', async () => {
    const received = await inWorld(2, async (comm) => {
      setSelection(comm, rules);
      const win = await comm.allocWindow('f32', 300);
      await win.write(Float32Array.from({ length: 300 }, (_, i) => i * (comm.rank + 1)));
      await broadcast(comm, win, win, 300, 1);
      return win.read();
    });
    const sent = Float32Array.from({ length: 300 }, (_, i) => i * 2);
    expect(received).toEqual([sent, sent]);
  });

  it('is explained with its own obstacle, and the first possible algorithm runs the call', async () => {
    const [text = ''] = await inWorld(3, async (comm) => {
      setSelection(comm, rules);
      return explain(comm, query);
    });
    expect(text).toContain('twoShot, 1 CTAs');
    expect(text).toContain('trivial: cannot, since it is for two ranks');
  });

  it('is refused for a collective that it does not implement', () => {
    expect(() => parseSelection('[{ "collective": "gather", "algorithm": "trivial" }]')).toThrow(NcclError);
  });
});
