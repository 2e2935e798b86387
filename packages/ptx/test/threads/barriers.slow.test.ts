import { binary, compare } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { checkProgram, runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';
import { load, store, thread, u32 } from './support/barriers.ts';
import './barriers.test.ts';

describe('threads at a barrier', () => {
  it('wait for threads that only arrive', async () => {
    const program =
      (arrive: string) =>
      (p: ThreadProgram): void => {
        p.when(compare('ge', thread, u32(32)), () => {
          store(p, thread, thread);
          p.ptx(arrive);
        });
        p.when(compare('lt', thread, u32(32)), () => {
          p.ptx('bar.sync 2, 64');
          p.out(0, load(p, binary('add', thread, u32(32))));
        });
      };
    const arrives = program('barrier.cta.arrive.aligned 2, 64');
    expect((await runProgram(arrives)).out[0]?.slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, i) => i + 32));
    expect(await checkProgram(arrives)).toEqual([]);
    const other = await checkProgram(program('bar.arrive 3, 64'), { strategy: 'random' });
    expect(other.map(({ kind }) => kind)).toContain('deadlock');
  });
});
