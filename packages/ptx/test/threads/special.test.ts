import { convert, scalarType, type Statement } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { runProgram } from './support/run-program.ts';
import { ThreadProgram } from './support/thread-program.ts';
import { special } from '../../src/lower/effects/special.ts';

const lanes = Array.from({ length: 48 }, (_, thread) => thread);

async function values(...names: readonly string[]): Promise<readonly (readonly number[])[]> {
  const { out } = await runProgram(
    (p) => {
      names.forEach((name, slot) => p.out(slot, convert(scalarType('u32'), p.get(name))));
    },
    { block: 48 },
  );
  return out.slice(0, names.length);
}

const same = (value: number): number[] => lanes.map(() => value);

describe('special registers', () => {
  it('have the position of a thread', async () => {
    expect(
      await values('%tid.x', '%tid.y', '%ntid.x', '%ntid.z', '%ctaid.x', '%laneid', '%warpid', '%nwarpid'),
    ).toEqual([
      lanes,
      same(0),
      same(48),
      same(1),
      same(0),
      lanes.map((lane) => lane % 32),
      lanes.map((lane) => lane >> 5),
      same(2),
    ]);
  });

  it('have masks of the lanes around a thread', async () => {
    const masks = (mask: (lane: bigint) => bigint): number[] =>
      lanes.map((lane) => Number(BigInt.asUintN(32, mask(BigInt(lane % 32)))));
    expect(await values('%lanemask_eq', '%lanemask_lt', '%lanemask_le', '%lanemask_gt', '%lanemask_ge')).toEqual([
      masks((lane) => 1n << lane),
      masks((lane) => (1n << lane) - 1n),
      masks((lane) => (2n << lane) - 1n),
      masks((lane) => -(2n << lane)),
      masks((lane) => -(1n << lane)),
    ]);
  });

  it('make every block a cluster, on its own multiprocessor', async () => {
    expect(
      await values(
        '%cluster_ctaid.x',
        '%cluster_nctaid.y',
        '%cluster_ctarank',
        '%cluster_nctarank',
        '%is_explicit_cluster',
        '%smid',
        '%nsmid',
        '%nclusterid.x',
      ),
    ).toEqual([0, 1, 0, 1, 0, 0, 1, 1].map(same));
  });

  it('read the clock at their position', () => {
    const clocks = ['%clock', '%clock_hi', '%clock64', '%globaltimer', '%globaltimer_lo'].map((name) => {
      const emitted: Statement[] = [];
      const program = new ThreadProgram();
      program.emit = (statement) => emitted.push(statement);
      const type = special(name, program)?.type;
      return [type?.kind === 'scalar' ? type.scalar : undefined, emitted.map(({ kind }) => kind)];
    });
    expect(clocks).toEqual([
      ['u32', ['clock']],
      ['u32', ['clock']],
      ['u64', ['clock']],
      ['u64', ['clock']],
      ['u32', ['clock']],
    ]);
  });

  it('have the address of the workspace of a cooperative launch, high half first', async () => {
    expect(await values('%envreg1', '%envreg2')).toEqual([same(0x1234_5678), same(0x9abc_def0)]);
  });

  it('are undefined for other names', () => {
    const program = new ThreadProgram();
    const names = ['%r1', '%tid', '%tid.w', '%envreg0', '%dynamic_smem_size', '%laneid.x', '%toString'];
    expect(names.map((name) => special(name, program))).toEqual(names.map(() => undefined));
  });
});
