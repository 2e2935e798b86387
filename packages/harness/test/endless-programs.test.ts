import { check, explore } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32, type HarnessDefinition } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const definition: HarnessDefinition = {
  entry: 'k',
  ranks: 1,
  grid: 1,
  block: 1,
  launches: 1,
  setup: ({ alloc }) => ({ args: [alloc('x', u32, 8)] }),
};

type Program = ReturnType<typeof harnessProgram>;

function programOf(body: string, own: Partial<HarnessDefinition> = {}): Program {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem)
{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [mem];
${body}
}
`;
  const launch = harness({ ...definition, ...own });
  return harnessProgram(launch, translate(launch, text, { name: 'k.ptx' }));
}

const loops = {
  'a jump to itself': 'A: bra A;',
  'a loop of 2^32 rounds':
    'mov.u32 %r1, 0; A: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra A; st.global.u32 [%rd1], %r1; ret;',
};

describe('a program that does not end', () => {
  it.each(Object.entries(loops).filter((row) => (row[0] === 'a jump to itself') !== inject('slow')))(
    'is incomplete when its fuel is used up: %s',
    async (_, body) => {
      const { verdict, findings, seen } = await check({ ranks: 1, fuel: 100_000 }, programOf(body));
      expect([verdict, findings.map(({ kind, message }) => `${kind}: ${message}`)]).toEqual([
        'incomplete',
        ['incomplete: the loop has not ended after all rounds that a thread may run (fuel)'],
      ]);
      // Further schedules would take as long, and none could complete the check.
      expect(seen).toEqual([3]);
    },
  );

  it.each(Object.entries(loops).filter((row) => (row[0] === 'a jump to itself') !== inject('slow')))(
    'ends an exploration by its work, long before its fuel: %s',
    async (_, body) => {
      const { runs, report } = await explore({ ranks: 1, mode: 'check', fuel: 2 ** 40 }, programOf(body), {
        runs: 1000,
        work: 1_000_000,
      });
      expect([runs, report?.proves]).toEqual([1, { kind: 'nothing', bound: '1000000 entries of clocks and orders' }]);
    },
  );

  it.for(slow)('ends an exploration of counted barriers by its work, within the first run', async () => {
    const body = `
      mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; setp.eq.u32 %p5, %r3, 0;
      setp.eq.u32 %p1, %r2, 0; @%p1 bra W0; setp.eq.u32 %p1, %r2, 1; @%p1 bra W1; barrier.cta.arrive 1, 96; ret;
      W0: @%p5 st.global.u32 [%rd1], 7; barrier.cta.arrive 1, 96; ret;
      W1: barrier.cta.sync 1, 96; @%p5 ld.global.u32 %r5, [%rd1]; @%p5 st.global.u32 [%rd1+4], %r5; ret;`;
    const limits = { runs: 1000, work: 2_000_000 };
    const { runs, report } = await explore({ ranks: 1, mode: 'check' }, programOf(body, { block: 96 }), limits);
    expect([runs, report?.proves.kind]).toEqual([1, 'nothing']);
  });
});

describe.for(quick)('a launch that no simulation ends', () => {
  it.each<readonly [string, Partial<HarnessDefinition>, string]>([
    ['10^6 CTAs', { grid: 1e6 }, 'harness: grid has 1000000 CTAs, and at most 65536 are simulated'],
    ['a grid of 2^31 - 1', { grid: { x: 2 ** 31 - 1, y: 1 } }, 'harness: grid has 2147483647 CTAs'],
    ['10^9 launches', { launches: 1e9 }, 'harness: launches must be an integer from 1 to 4096'],
    ['10^9 streams', { streams: 1e9 }, 'harness: streams must be an integer from 1 to 1024'],
  ])('is refused where it is described: %s', (_, own, message) => {
    expect(() => harness({ ...definition, ...own })).toThrow(message);
  });

  it.each([2 ** 29, 2 ** 31, 2 ** 40])('is refused before its memory is allocated: %s words', (count) => {
    const described = harness({ ...definition, setup: ({ alloc }) => ({ args: [alloc('x', u32, count, () => 1)] }) });
    const text = '.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 mem)\n{\n ret;\n}\n';
    const bytes = 4 * count;
    const refused = `alloc: x has ${bytes} bytes, so that 2 ranks have ${2 * bytes}; at most 2147483648 are simulated`;
    expect(() =>
      harnessProgram({ ...described, ranks: 2 }, translate({ ...described, ranks: 2 }, text, { name: 'k' })),
    ).toThrow(refused);
  });
});

describe.for(quick)('names that every JavaScript object has', () => {
  it.each(['__proto__', 'constructor', 'toString', 'valueOf'])('name variables and allocations: %s', async (name) => {
    const text = `.version 8.5
.target sm_90
.address_size 64
.global .u32 ${name}[4];
.visible .entry k(.param .u64 mem)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mem]; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1;
  mov.u64 %rd2, ${name}; st.global.u32 [%rd2], %r1; ret;
}
`;
    const launch = harness({
      ...definition,
      setup: ({ alloc }) => {
        const x = alloc(name, u32, 4, () => 0);
        return { args: [x], expect: () => x.equals([7, 0, 0, 0]) };
      },
    });
    const { findings } = await check({ ranks: 1 }, harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })));
    expect(findings.map(({ message }) => message)).toEqual([]);
  });
});
