import { existsSync, readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { array, harness, harnessProgram, ptr, struct, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const fixture = (name: string): URL => new URL(`fixtures/${name}`, import.meta.url);
const source = (name: string): string | undefined =>
  existsSync(fixture(name)) ? readFileSync(fixture(name), 'utf8') : undefined;
const Peers = struct({ inbox: array(ptr, 8), flags: array(ptr, 8) });
const count = 32;

/** Checks the kernel after replacing a part of its text. */
async function checked(part: string | RegExp = '', instead = '', entry = 'send'): Promise<CheckReport> {
  const launch = harness({
    entry,
    ranks: 2,
    grid: 1,
    block: count,
    setup({ rank, ranks, nRanks, alloc, peer }) {
      const inbox = alloc('inbox', u32, 2 * nRanks * count);
      const flags = alloc('flags', u32, nRanks);
      const out = alloc('out', u32, count);
      const peers = Peers({ inbox: ranks.map((r) => peer(inbox, r)), flags: ranks.map((r) => peer(flags, r)) });
      return {
        args: (number) => [peers, out, count, rank, nRanks, number + 1],
        expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + 200 + 10 * r + i, 0)),
      };
    },
  });
  const given = readFileSync(fixture('bulk-send.ptx'), 'utf8');
  const edited = typeof part === 'string' ? given.replaceAll(part, instead) : given.replace(part, instead);
  if (part !== '' && edited === given) throw new Error('the edit changes nothing');
  const kernel = translate(launch, edited, { name: 'bulk-send.ptx', source });
  return check({ ranks: 2, strategy: 'random', schedules: 1 }, harnessProgram(launch, kernel));
}

describe('a kernel that sends and receives by bulk copies', () => {
  it.for(quick)('is clean, with the right results', async () => {
    const { verdict, findings } = await checked();
    expect([verdict, ...findings.map(({ message }) => message)]).toEqual(['clean']);
  });

  const wrong: readonly (readonly [string, string | RegExp, string, string, RegExp])[] = [
    // The copy may still write the locations that peers read.
    ['the flag waits only until copies have read', 'wait_group 0', 'wait_group.read 0', 'race', /store of a bulk copy/],
    ['the flag waits for no copy', 'cp.async.bulk.wait_group 0;', '', 'race', /store of a bulk copy/],
    ['copies are in no group', 'cp.async.bulk.commit_group;', '', 'race', /store of a bulk copy/],
    [
      'threads write shared memory, and no proxy fence follows',
      'fence.proxy.async.shared::cta;',
      '',
      'proxy',
      /fence\.proxy\.async/,
    ],
    // The threads of the block synchronize after the copies, but that does not wait for the copies.
    [
      'nobody waits for the mbarrier',
      /^mbarrier\.try_wait.*$/m,
      'setp.eq.u32 done, 0, 0;',
      'race',
      /store of a bulk copy|load/,
    ],
  ];
  it.each(wrong.filter((_, i) => (i === 0) !== inject('slow')))(
    'is reported if %s',
    async (_, part, instead, kind, message) => {
      const { findings } = await checked(part, instead);
      const errors = findings.filter(({ severity }) => severity === 'error');
      expect(errors.map((one) => one.kind)).toContain(kind);
      expect(errors.map((one) => one.message).join('\n')).toMatch(message);
    },
  );

  it.for(slow)('is reported if a copy writes over what threads have read, without a proxy fence', async () => {
    expect((await checked('', '', 'gather')).findings).toEqual([]);
    const { findings } = await checked('fence.proxy.async.shared::cta;', '', 'gather');
    expect(new Set(findings.map(({ kind, severity }) => `${severity} ${kind}`))).toEqual(new Set(['error proxy']));
  });

  it.for(slow)('is a model finding if a flag hands global memory to a copy without a proxy fence', async () => {
    // The checker assumes that the fence for shared memory also covers global memory. So removing
    // it also removes the order of what threads have read.
    const { findings } = await checked(/fence\.proxy\.async\.\S+;/g, '', 'gather');
    const inGlobal = findings.filter(({ severity }) => severity === 'model');
    expect(new Set(inGlobal.map(({ kind }) => kind))).toEqual(new Set(['proxy']));
    expect(inGlobal.map((one) => one.message).join('\n')).toMatch(/not known to mix them up in global memory/);
  });

  it.for(slow)("is clean if all threads arrive at the copy's barrier, and reported if they do not wait", async () => {
    const adds = async (part: string | RegExp = '', instead = ''): Promise<readonly string[]> => {
      const launch = harness({
        entry: 'addOne',
        ranks: 1,
        grid: 1,
        block: count,
        setup({ alloc }) {
          const data = alloc('data', u32, count, (i) => 7 * i);
          // The second launch and the host are ordered after the copies of a kernel that has ended.
          return { args: [data, count], expect: () => data.equals((i) => 7 * i + 2) };
        },
      });
      const text = readFileSync(fixture('bulk-send.ptx'), 'utf8').replace(part, instead);
      const kernel = translate(launch, text, { name: 'bulk-send.ptx', source });
      const { findings } = await check({ ranks: 1, strategy: 'random', schedules: 2 }, harnessProgram(launch, kernel));
      return [...new Set(findings.map(({ kind, severity }) => `${severity} ${kind}`))];
    };
    expect(await adds()).toEqual([]);
    expect(await adds(/mbarrier\.try_wait\.shared::cta\.b64 p, .*?;/, 'setp.eq.u32 p, 0, 0;')).toEqual(['error race']);
  });

  it.for(slow)('hangs if it expects more bytes than arrive', async () => {
    const { findings } = await checked(/(expect_tx\S+ _, \[%r\d+\]), %r\d+/, '$1, 4096');
    expect(findings.map(({ kind }) => kind)).toContain('deadlock');
  });
});
