import { ingredientsOf } from '@nccl-ts/backend-sim/internal';
import type { FindingLabel } from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';

function label(file: string, thread: number, does: string, rank = 0): FindingLabel {
  const location = { file, line: 1, column: 1 };
  return {
    agent: 'thread',
    does,
    rank,
    kernel: 'k',
    launch: 0,
    blockIdx: { x: 0, y: 0, z: 0 },
    thread,
    place: {
      span: { source: 0, start: 0, end: 1 },
      source: file,
      line: 1,
      column: 1,
      text: 'x',
      location,
      quote: { text: 'x', from: 'author', line: 1, start: 0, end: 1, location },
    },
  };
}

function helpFor(file: string, threads: readonly [number, number]): string | undefined {
  const [now, before] = [label(file, threads[1], 'load'), label(file, threads[0], 'store')];
  return ingredientsOf(now, before, [{ reason: 'coop-sync' }])[0]?.message;
}

describe('a help', () => {
  it('names what lets threads meet as their source does, for a CTA and for the lanes of a warp', () => {
    const files = ['kernel.ts', 'kernel.cu', 'kernel.py', 'kernel.ptx'];
    expect(files.map((file) => helpFor(file, [0, 32]))).toEqual(
      ['coop.sync()', '__syncthreads()', 'tl.debug_barrier()', 'bar.sync'].map(
        (name) => `thread 0 and thread 32 of one CTA do not synchronize in between: a ${name} is missing`,
      ),
    );
    expect(helpFor('kernel.cu', [0, 1])).toContain('a __syncwarp() (a __syncthreads(), if other warps take part)');
    expect(helpFor('kernel.ptx', [0, 1])).toContain('a bar.warp.sync (bar.sync, if other warps take part)');
  });

  it('names how a flag releases as its source does', () => {
    const helps = ['a.ts', 'a.cu', 'a.py', 'a.ptx'].map((file) => {
      const flag: FindingLabel = { ...label(file, 0, 'store'), access: { order: 'relaxed', scope: 'system' } };
      const [now, before] = [label(file, 0, 'load', 1), label(file, 0, 'store')];
      const [nearest] = ingredientsOf(now, before, [{ reason: 'release', at: flag }]);
      return nearest?.message.split('a fence that does: ')[1];
    });
    expect(helps).toEqual([
      "store it with 'release', or put fence('release', 'system') before it",
      'store it with st.release.sys (cuda::memory_order_release), or put __threadfence_system() before it',
      'use an atomic with sem="release" and scope="sys", or put fence.acq_rel.sys before it',
      'store it with st.release.sys, or put fence.acq_rel.sys before it',
    ]);
  });

  it('says what a fence of too narrow a scope reaches, between the CTAs or the ranks', () => {
    const fence: FindingLabel = { ...label('a.cu', 0, 'fence'), access: { order: 'seq_cst', scope: 'device' } };
    const flag: FindingLabel = { ...label('a.cu', 0, 'store'), access: { order: 'relaxed', scope: 'system' } };
    const [now, before] = [label('a.cu', 0, 'load', 1), label('a.cu', 0, 'store')];
    expect(ingredientsOf(now, before, [{ reason: 'scope', at: flag, fence }])[0]).toMatchObject({
      message:
        'the fence before the flag has device scope, which does not reach rank 1: device scope is one GPU; use __threadfence_system()',
      at: fence,
    });
  });
});
