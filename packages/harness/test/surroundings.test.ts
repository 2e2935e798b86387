import { check } from '@nccl-ts/checker';
import { f32, harness, harnessProgram, translate, type HarnessDefinition, type Surroundings } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Reads the peer's word and stores it. Nothing tells the peer that it was read. */
const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry reads(.param .u64 reads_param_0, .param .u64 reads_param_1)
{
  .reg .f32 %f<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [reads_param_0];
  ld.param.u64 %rd2, [reads_param_1];
  ld.global.f32 %f1, [%rd1];
  st.global.f32 [%rd2], %f1;
  ret;
}
`;

const definition: HarnessDefinition = {
  kernel: 'k.ptx',
  entry: 'reads',
  ranks: 2,
  grid: 1,
  block: 1,
  setup({ rank, alloc, peer }) {
    const data = alloc('data', f32, 1, () => 7 + rank);
    const out = alloc('out', f32, 1);
    return { args: [peer(data, 1 - rank), out], expect: () => out.equals([8 - rank]) };
  },
};

async function verdict(around: Surroundings | undefined, other: Partial<HarnessDefinition> = {}): Promise<string> {
  const launch = harness({ ...definition, ...other, ...(around === undefined ? {} : { around }) });
  const report = await check(
    { ranks: 2, local: launch.local },
    harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })),
  );
  return report.verdict;
}

describe('the work around the launches of a harness', () => {
  it('shows that a rank does not wait until its peer has read', async () => {
    expect(await verdict(undefined)).toBe('clean');
    expect(await verdict({ producer: true })).toBe('race');
    expect(await verdict({ producer: true, inputs: ['data'] })).toBe('race');
    expect(await verdict({ consumer: true })).toBe('clean');
    expect(await verdict({ consumer: true, outputs: ['data'] })).toBe('race');
  });

  it.for(slow)('compares the results after a producer, and nothing after a consumer', async () => {
    const setup: HarnessDefinition['setup'] = ({ rank, alloc, peer }) => {
      const data = alloc('data', f32, 1, () => 7 + rank);
      const out = alloc('out', f32, 1);
      return { args: [peer(data, rank), out], expect: () => out.equals([9]) };
    };
    const alone = { setup, local: true };
    expect(await verdict({ producer: true }, alone)).toBe('fault');
    expect(await verdict({ consumer: true }, alone)).toBe('clean');
  });

  it.each<[string, Surroundings, Partial<HarnessDefinition>, RegExp]>([
    ['an unknown input', { producer: true, inputs: ['nix'] }, {}, /setup allocates no 'nix'/u],
    ['an unknown output', { consumer: true, outputs: ['nix'] }, {}, /setup allocates no 'nix'/u],
    [
      'no input',
      { producer: true },
      { setup: ({ alloc }) => ({ args: [alloc('data', f32, 1), alloc('out', f32, 1)] }) },
      /name the inputs/u,
    ],
    [
      'no output',
      { consumer: true },
      { setup: ({ alloc }) => ({ args: [alloc('data', f32, 1), alloc('out', f32, 1)] }) },
      /name the outputs/u,
    ],
  ])('%s is an error', async (_, around, other, why) => {
    await expect(verdict(around, other)).rejects.toThrow(why);
  });
});
