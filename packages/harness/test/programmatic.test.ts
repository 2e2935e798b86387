import { check, explore } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Each launch adds 1 to a word, which it reads before or after `griddepcontrol.wait`. */
function textOf(body: string): string {
  return `.version 8.5
.target sm_90
.address_size 64
.func help()
{
  griddepcontrol.launch_dependents;
  ret;
}
.visible .entry k(.param .u64 word)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [word];
  ${body}
  ret;
}
`;
}

const adds = 'ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;';
const triggers = 'griddepcontrol.launch_dependents;';
const waits = 'griddepcontrol.wait;';

/** The kinds of findings of the default check and of all executions. */
async function found(body: string, programmatic?: boolean): Promise<readonly string[]> {
  const launch = harness({
    entry: 'k',
    ranks: 1,
    grid: 1,
    block: 1,
    launches: 2,
    ...(programmatic === undefined ? {} : { programmatic }),
    setup({ alloc }) {
      const word = alloc('word', u32, 1);
      return { args: [word], expect: () => word.equals([2]) };
    },
  });
  const program = harnessProgram(launch, translate(launch, textOf(body), { name: 'k.ptx' }));
  const checked = await check({ ranks: 1 }, program);
  const explored = await explore({ ranks: 1, mode: 'check' }, program, { runs: 2000 });
  expect(explored.complete).toBe(true);
  const kinds = [checked, explored.report].map((report) => report?.findings.some(({ kind }) => kind === 'race'));
  expect(kinds[0]).toBe(kinds[1]);
  return checked.findings.map(({ kind }) => kind);
}

describe('a programmatic dependent launch', () => {
  it('is clean if it waits before it reads', async () => {
    expect(await found(`${triggers} ${waits} ${adds}`)).toEqual([]);
  });

  it.for(slow)('races with the previous launch if it does not wait', async () => {
    expect(await found(`${triggers} ${adds}`)).toContain('race');
  });

  it.for(slow)('races with the previous launch if it waits after it has read', async () => {
    expect(await found(`${triggers} ${adds} ${waits}`)).toContain('race');
  });

  it.for(slow)('is the default also if only a called function has griddepcontrol', async () => {
    expect(await found(`call help, (); ${adds}`)).toContain('race');
  });

  it('is not the default without griddepcontrol', async () => {
    expect(await found(adds)).toEqual([]);
  });

  it('can be turned off', async () => {
    expect(await found(`${triggers} ${adds}`, false)).toEqual([]);
  });

  it('can be turned on', async () => {
    expect(await found(`${waits} ${adds}`, true)).toEqual([]);
  });

  it('is refused as anything but true or false', () => {
    const setup = (): { args: [] } => ({ args: [] });
    // @ts-expect-error -- a program in JavaScript may pass anything.
    expect(() => harness({ entry: 'k', grid: 1, block: 1, programmatic: 'yes', setup })).toThrow(
      /programmatic must be true or false/,
    );
  });
});
