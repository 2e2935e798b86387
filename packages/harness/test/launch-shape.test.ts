import { readPtxModule, entryFacts, harness, translate, u32, type HarnessDefinition } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** An entry with directives, whose body stores something that `index` reads to its parameter. */
function text(directives: string, index = '%tid.x', more = ''): string {
  return `.version 8.4
.target sm_90
.address_size 64
.extern .func __nccl_ts_shmem_barrier (.param .b32 a, .param .b32 b);
.visible .entry writes(.param .u64 p) ${directives}
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, ${index};
  ${more}
  st.global.u32 [%rd1], %r1;
  ret;
}
`;
}

/** A call of a barrier by one thread (1), a warp (32) or a block (0). */
const barrier = (group: number) => `{
  .param .b32 param0;
  st.param.b32 [param0], 1;
  .param .b32 param1;
  st.param.b32 [param1], ${group};
  call.uni __nccl_ts_shmem_barrier, (param0, param1);
  }`;

function warningsOf(ptx: string, launch: Pick<HarnessDefinition, 'grid' | 'block'>): readonly string[] {
  const described = harness({
    entry: 'writes',
    ...launch,
    setup: ({ alloc }) => ({ args: [alloc('out', u32, 64)] }),
  });
  return translate(described, ptx, { name: 'writes.ptx' }).warnings.filter((one) => one.includes(' is made for '));
}

describe('the block of a launch', () => {
  it('must be the one that the entry requires', () => {
    expect(() => warningsOf(text('.reqntid 128, 1, 1'), { grid: 1, block: 32 })).toThrow(
      'harness: the kernel is made for exactly 128 threads in a block (.reqntid), and the launch has 32; write block: 128.',
    );
    expect(() => warningsOf(text('.reqntid 16, 8, 1'), { grid: 1, block: 128 })).toThrow(
      'write block: { x: 16, y: 8, z: 1 } in place of 128 x 1 x 1.',
    );
    expect(warningsOf(text('.reqntid 128, 1, 1'), { grid: 2, block: 128 })).toHaveLength(1);
  });

  it('has at most the threads for which the entry was compiled', () => {
    expect(() => warningsOf(text('.maxntid 1, 1, 1'), { grid: 1, block: 32 })).toThrow(
      'made for at most 1 thread in a block (.maxntid), and the launch has 32',
    );
    expect(warningsOf(text('.maxntid 64, 1, 1'), { grid: 1, block: { x: 8, y: 8 } })).toEqual([]);
  });

  it('warns if no thread reads its index, and of CTAs likewise', () => {
    expect(warningsOf(text('', '7'), { grid: 1, block: 32 })).toEqual([
      expect.stringContaining('writes is made for 1 thread, launched with 32: it reads no index of a thread'),
    ]);
    expect(warningsOf(text('', '7'), { grid: 4, block: 1 })).toEqual([
      expect.stringContaining('writes is made for 1 CTA, launched with 4'),
    ]);
    expect(warningsOf(text('', '7'), { grid: 1, block: 1 })).toEqual([]);
    expect(warningsOf(text('', '%ctaid.x'), { grid: 4, block: 1 })).toEqual([]);
  });

  it.for(slow)('does not warn of threads that work together', () => {
    expect(warningsOf(text('', '7', 'bar.sync 0;'), { grid: 1, block: 32 })).toEqual([]);
    expect(warningsOf(text('', '7', barrier(0)), { grid: 1, block: 32 })).toEqual([]);
    expect(warningsOf(text('', '7', barrier(1)), { grid: 1, block: 32 })).toHaveLength(1);
  });
});

it('reads the bounds on threads from the directives of a text', () => {
  const module = readPtxModule(text('.maxntid 64, 2, 1'), 'writes.ptx');
  const [entry] = module.functions.filter(({ kind }) => kind === 'entry');
  if (entry === undefined) throw new Error('there is no entry');
  expect(entryFacts(module, entry).threads).toEqual([{ directive: 'maxntid', numbers: [64, 2, 1] }]);
});
