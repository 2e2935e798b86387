import type { Communicator } from '@nccl-ts/communicator';
import type { DevCommArg, WindowArg } from '@nccl-ts/devcomm';
import { f32 } from '@nccl-ts/kernel';
import { registerMatchers } from '@nccl-ts/vitest';
import { describe, expect, inject, it } from 'vitest';
import { drops, fails, hands, rests, spins } from './kernels.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

registerMatchers(expect);

const COUNT = 8;

interface HandsArgs {
  readonly comm: DevCommArg;
  readonly win: WindowArg;
  readonly count: number;
}

async function args(comm: Communicator): Promise<HandsArgs> {
  const win = await comm.allocWindow(f32, 2 * COUNT);
  await win.write(new Float32Array(2 * COUNT));
  return { win, comm: await comm.createDevComm({ lsaBarrierCount: 1 }), count: COUNT };
}

const launch = { ranks: 2, block: 4, args };

/** The message of an expectation that fails. */
async function failure(expectation: Promise<void>): Promise<string> {
  return expectation.then(
    () => 'nothing',
    (error: unknown) => String(error),
  );
}

describe('toBeRaceFree', () => {
  it('passes without errors', async () => {
    await expect(hands).toBeRaceFree(launch);
    await expect(rests).toBeRaceFree({ ranks: 1, grid: 2 });
  });

  it('holds its test until the check is over, so that no failure is lost without an await', async ({ task }) => {
    const checked = failure(expect(drops).toBeRaceFree(launch));
    let isOver = false;
    void checked.then(() => (isOver = true));
    expect(task.promises).toHaveLength(1);
    await Promise.all(task.promises ?? []);
    await checked;
    expect(isOver).toBe(true);
  });

  it.for(slow)('fails with the report', async () => {
    const text = await failure(expect(drops).toBeRaceFree(launch));
    expect(text).toContain('expected to be race-free\n\nerror[race]: ');
    expect(text).toMatch(/kernels\.ts:(27|29):\d+\n +\|\n/);
    expect(text).toMatch(/\n27 \| .*next\[i\] = f32\(i\);\n +\| +[-^]+/);
    expect(text).toMatch(/\n29 \| .*mine\[i\]!;\n +\| +[-^]+/);
    expect(text).toMatch(/\n += help: /);
    expect(text).toMatch(/\n += replay: strategy \w+/);
    expect(text).toMatch(/\nrace: \d errors?, .*$/);
  });

  it('can be negated', async () => {
    await expect(drops).not.toBeRaceFree(launch);
    const text = await failure(expect(hands).not.toBeRaceFree(launch));
    expect(text).toMatch(
      /expected not to be race-free, but the check found no error\n\nclean: no findings, \d+ accesses checked on 2 ranks x 1 CTA x 4 threads;/,
    );
  });

  it('fails with and without .not if the ranks do not reach each other, unless they are to work alone', async () => {
    const alone = 'no rank touched the memory of another and no wait was reached';
    const pattern = { kind: 'race' } as const;
    for (const expectation of [
      expect(rests).toBeRaceFree({ ranks: 2 }),
      expect(rests).not.toBeRaceFree({ ranks: 2 }),
      expect(rests).toHaveFinding(pattern, { ranks: 2 }),
      expect(rests).not.toHaveFinding(pattern, { ranks: 2 }),
    ])
      expect(await failure(expectation)).toContain(alone);
    await expect(rests).toBeRaceFree({ ranks: 2, local: true });
    await expect(rests).not.toHaveFinding(pattern, { ranks: 2, local: true });
  });

  it('fails if no kernel is launched', async () => {
    const idle = (): void => {};
    for (const expectation of [expect(idle).toBeRaceFree({ ranks: 2 }), expect(idle).not.toBeRaceFree({ ranks: 2 })])
      expect(await failure(expectation)).toContain('cannot check the program because it launched no kernel');
  });

  it('lets the check choose schedules if no strategy is named', async () => {
    const provenOf = async (options: { readonly strategy?: 'late'; readonly schedules?: number }): Promise<string> => {
      const text = await failure(expect(rests).not.toBeRaceFree({ ranks: 1, seed: 5, ...options }));
      return /; (.*)/.exec(text)?.[1] ?? '';
    };
    expect(await provenOf({})).not.toContain('strategy random');
    expect(await provenOf({ strategy: 'late' })).toContain('10 schedules were run (strategy late, seeds from 5 on)');
    expect(await provenOf({ strategy: 'late', schedules: 3 })).toContain('3 schedules were run (strategy late');
    expect(await provenOf({ strategy: 'late', schedules: 1 })).toContain('one schedule was run (strategy late');
  });

  it('accepts a time limit', async () => {
    await expect(rests).toBeRaceFree({ ranks: 1, time: 600 });
  });

  it('accepts a host program, or one that launches the kernel', async () => {
    const ranks: number[] = [];
    const program = async (comm: Communicator): Promise<void> => {
      ranks.push(comm.rank);
      await comm.launch(hands, { grid: 1, block: 4 }, await args(comm));
    };
    await expect(program).toBeRaceFree({ ranks: 3 });
    expect(new Set(ranks)).toEqual(new Set([0, 1, 2]));
    await expect(hands).toBeRaceFree({ ranks: 2, host: program });
    await expect(hands).not.toBeRaceFree({
      ranks: 2,
      host: async (comm) => {
        await comm.launch(drops, { grid: 1, block: 4 }, await args(comm));
      },
    });
  });

  it('reports a fault as a fault', async () => {
    const text = await failure(expect(fails).toBeRaceFree({ ranks: 1 }));
    expect(text).toContain('error[fault]: assertion failed: not the second');
  });

  it.for(slow)('never passes if a bound was reached, negated or not', async () => {
    const spinning = {
      ranks: 1,
      block: 1,
      fuel: 10_000,
      args: async (comm: Communicator) => {
        const win = await comm.allocWindow('u32', 1);
        await win.write(new Uint32Array(1));
        return { win };
      },
    };
    expect(await failure(expect(spins).toBeRaceFree(spinning))).toContain('error[incomplete]: ');
    expect(await failure(expect(spins).not.toBeRaceFree(spinning))).toContain('error[incomplete]: ');
    const pattern = { kind: 'race' } as const;
    expect(await failure(expect(spins).toHaveFinding(pattern, spinning))).toContain('error[incomplete]: ');
    expect(await failure(expect(spins).not.toHaveFinding(pattern, spinning))).toContain('error[incomplete]: ');
  });

  it('requires a kernel and its arguments', async () => {
    // @ts-expect-error -- hands takes parameters
    expect(await failure(expect(hands).toBeRaceFree({ ranks: 2 }))).toMatch(
      /'hands' takes comm, win, count: give args/,
    );
    // @ts-expect-error -- there is no such parameter
    const wrong = failure(expect(hands).toBeRaceFree({ ...launch, args: { count: 1 } }));
    expect(await wrong).toMatch(/NCCL_INVALID_ARGUMENT|needs|lacks|missing/);
    // @ts-expect-error -- 3 is no kernel
    expect(await failure(expect(3).toBeRaceFree({ ranks: 2 }))).toMatch(/must get a kernel, or a host program/);
  });

  it('passes on errors of the program itself', async () => {
    const program = (): never => {
      throw new Error('mine');
    };
    expect(await failure(expect(program).toBeRaceFree({ ranks: 1 }))).toBe('Error: mine');
  });
});

describe('toHaveFinding', () => {
  it('passes if a finding matches', async () => {
    await expect(drops).toHaveFinding({ kind: 'race' }, launch);
    await expect(drops).toHaveFinding({ kind: 'race', lines: ['next[i] =', 'mine[i]!'] }, launch);
    await expect(fails).toHaveFinding({ kind: 'fault' }, { ranks: 1 });
    await expect(hands).not.toHaveFinding({ kind: 'race' }, launch);
  });

  it.for([
    { kind: 'deadlock' },
    { kind: 'race', missing: 'proxy-fence' },
    { kind: 'race', lines: ['next[i] =', 'next[i] ='] },
    { kind: 'race', lines: ['nowhere'] },
  ] as const)('fails if no finding matches: %o', async (pattern) => {
    const text = await failure(expect(drops).toHaveFinding(pattern, launch));
    expect(text).toContain(`expected to have a finding ${JSON.stringify(pattern)}\n\nerror[race]: `);
  });
});
