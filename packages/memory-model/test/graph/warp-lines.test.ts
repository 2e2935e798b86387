import { exploreExecutions, read, WarpLines, write, type AgentProgram } from '@nccl-ts/memory-model';
import { describe, expect, it } from 'vitest';

const relaxed = { order: 'relaxed', scope: 'system' } as const;
const HALF = 64;

/** A lane that accesses half of the line from `first` on, by the instruction at `site`. */
function lane(kind: 'read' | 'write', thread: number, at: number, site = 'line'): AgentProgram {
  const range = { at, bytes: HALF };
  return {
    name: `${kind} ${thread}`,
    coordinates: { rank: kind === 'read' ? 1 : 0, cta: kind === 'read' ? 1 : 0, thread },
    start: function* () {
      return kind === 'read' ? yield* read(range, relaxed, site) : yield* write(range, relaxed, site, 1n);
    },
  };
}

/** For each result of the two reads: whether a line was seen in part. */
function seen(writers: readonly AgentProgram[], first = 128): Readonly<Record<string, boolean>> {
  const results: Record<string, boolean> = {};
  exploreExecutions([...writers, lane('read', 0, first), lane('read', 1, first + HALF)], {
    onExecution: ({ run, results: all, consistent: { causality } }) => {
      const torn = new WarpLines(run.graph).torn((x, y) => causality.base(x, y));
      results[all.slice(-2).join()] = torn !== undefined;
    },
    initialValue: () => 0n,
    runs: 100,
  });
  return results;
}

describe('a line of 128 bytes that lanes store', () => {
  it('is torn if an instruction of a warp reads it in part', () => {
    const writers = [lane('write', 0, 128), lane('write', 1, 192)];
    expect(seen(writers)).toEqual({ '0,0': false, '0,1': true, '1,0': true, '1,1': false });
  });

  it.each([
    ['two warps', [lane('write', 0, 128), lane('write', 32, 192)], 128],
    ['two instructions', [lane('write', 0, 128), lane('write', 1, 192, 'other')], 128],
    ['lanes that leave out a part', [lane('write', 0, 128)], 128],
    ['lanes, without alignment', [lane('write', 0, 64), lane('write', 1, 128)], 64],
  ])('may arrive in parts if %s store it', (_, writers, first) => {
    expect(Object.values(seen(writers, first))).not.toContain(true);
  });
});
