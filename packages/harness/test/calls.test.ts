import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { renderReport } from '@nccl-ts/findings';
import {
  entryFacts,
  entryOf,
  firstHarness,
  harnessProgram,
  readPtxModule,
  translate,
  type Harness,
} from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';
import { eachThread, exchange, exchanges, manyCalls, ownWait, passOn, teamBarrier } from './fixtures/calls/launches.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const textOf = (name: string): string => readFileSync(new URL(`fixtures/calls/${name}`, import.meta.url), 'utf8');
const source = (path: string): string | undefined => (path.endsWith('.cu') ? textOf(path) : undefined);

type Program = ReturnType<typeof harnessProgram>;

function program(harness: Harness, name: string, text = textOf(`${name}.ptx`)): Program {
  return harnessProgram(harness, translate(harness, text, { name: `${name}.ptx`, source }));
}

/** Removes the calls of a function from the text, or only the call with that number. */
function without(name: string, callee: string, number?: number): string {
  let calls = 0;
  const calling = new RegExp(`call\\.uni\\s+${callee},\\s+\\([^)]*\\)\\s*;`, 'g');
  const text = textOf(`${name}.ptx`).replace(calling, (call) => {
    return number === undefined || number === calls++ ? '' : call;
  });
  expect(text).not.toBe(textOf(`${name}.ptx`));
  return text;
}

async function found(harness: Harness, name: string, text?: string): Promise<string> {
  const report = await check({ ranks: 2 }, program({ ...harness, ranks: 2 }, name, text));
  return renderReport(report);
}

describe('a kernel of NCCL’s device API', () => {
  it.each([2, 3, 4].filter((row) => (row === 2) !== inject('slow')))(
    'exchanges its data on %i ranks',
    async (ranks) => {
      await expect(program(exchange, 'exchange')(sim({ ranks }))).resolves.toBeUndefined();
    },
  );

  it.for(slow)('runs each call on ranks of one domain', async () => {
    await expect(program(manyCalls, 'many-calls')(sim({ ranks: 3 }))).resolves.toBeUndefined();
  });

  it.for(slow)('is clean', async () => {
    expect(await found(exchange, 'exchange')).toMatch(/^clean/);
    expect(await found(manyCalls, 'many-calls')).toMatch(/^clean/);
  });

  it.for(slow)('synchronizes an LSA team by a part of the whole barrier', async () => {
    expect(await found(teamBarrier, 'team-barrier')).toMatch(/^clean/);
    const report = await found(teamBarrier, 'team-barrier', without('team-barrier', '__nccl_ts_lsa_barrier'));
    expect(report).toContain('team-barrier.cu:9:3');
  });

  it.for(quick)('has a first harness with its device communicator', () => {
    const module = readPtxModule(textOf('exchange.ptx'), 'exchange.ptx');
    const facts = entryFacts(module, entryOf(module, 'exchange'));
    expect(facts.externs).toEqual([]);
    expect(facts.calls).toContain('__nccl_ts_gin_put');
    const text = firstHarness(facts, 'exchange.cu');
    expect(text).toMatch(/^ {2}devComm: \{ ginConnectionType: 'full'/m);
    expect(text).toContain('setup({ rank, alloc, devComm }) {');
    expect(text).toMatch(/args: \[[^]*\bdevComm,\n/);
  });

  it.for(quick)('has a first harness with windows as allocations if its text has types', () => {
    const text = textOf('exchange.ptx').replaceAll('exchange', '_Z8exchangeP17ncclWindow_vidmemS0_Pfi11ncclDevComm');
    const module = readPtxModule(text, 'exchange.ptx');
    const written = firstHarness(entryFacts(module, entryOf(module, /exchange/)), 'exchange.cu');
    expect(written).toMatch(/ncclWindow_vidmem \*,[^]*args: \[\n? *data0,/);
    expect(written).toMatch(/\bdevComm\b,?\n? *\],/);
    expect(written).not.toMatch(/ncclWindow\(|ncclDevComm\(/);
  });

  it.for(quick)('is refused if the harness gives it no device communicator', async () => {
    const { devComm: _left, ...others } = exchange;
    await expect(program(others, 'exchange')(sim({ ranks: 2 }))).rejects.toThrow(/GIN/);
  });

  it.for(quick)('races with the put if it does not wait for the signal', async () => {
    const text = await found(exchange, 'exchange', without('exchange', '__nccl_ts_gin_wait_signal'));
    expect(text).toMatch(/^error\[race\]/);
    expect(text).toMatch(/put that writes by the network/);
    expect(text).toMatch(
      /--> \S*exchange\.cu:\d+:\d+\n[^]*?\n *\d+ \| .*net\.put\(ncclTeamWorld\(comm\), peer, receive/,
    );
    expect(text).toMatch(/--> \S*exchange\.cu:\d+:\d+\n[^]*?\n *\d+ \| .*out\[i\] = got\[i\];/);
    expect(text).toMatch(/bytes: .*'receive', rank \d's copy/);
  });

  it.for(slow)('overwrites the source of a pending put if it does not flush', async () => {
    const text = await found(exchange, 'exchange', without('exchange', '__nccl_ts_gin_flush'));
    expect(text).toMatch(/^error\[race\]/);
    expect(text).toMatch(/put that reads its source by the network/);
    expect(text).toMatch(/--> \S*exchange\.cu:\d+:\d+\n[^]*?\n *\d+ \| .*mine\[i\] \+= 1;/);
    expect(text).toContain('flush');
  });

  it.for(slow)('puts before the peer is ready if its barrier is removed', async () => {
    const text = await found(exchange, 'exchange', without('exchange', '__nccl_ts_gin_barrier'));
    expect(text).toMatch(/^error\[(race|deadlock)\]/);
  });
});

describe('a kernel with all-to-all slots, reductions and time limits', () => {
  it.each([2, 3].filter((row) => (row === 2) !== inject('slow')))('has right results on %i ranks', async (ranks) => {
    await expect(program(exchanges, 'exchanges')(sim({ ranks }))).resolves.toBeUndefined();
  });

  it.for(slow)('is clean', async () => {
    expect(await found(exchanges, 'exchanges')).toMatch(/^clean/);
  });

  it.for(slow)('sums too early without the first barrier', async () => {
    const text = textOf('exchanges.ptx').replace(
      /call\.uni\s+\(retval0\),\s+__nccl_ts_lsa_barrier_timed,\s+\([^)]*\)\s*;\s+ld\.param\.b32\s+(%r\d+), \[retval0\+0\];/,
      'mov.b32 $1, 0;',
    );
    expect(text).not.toBe(textOf('exchanges.ptx'));
    const report = await found(exchanges, 'exchanges', text);
    expect(report).toMatch(/^error\[(race|fault)\]/);
    expect(report).toMatch(/\d+ \| .*ncclLsaReduceSumCopy<int>\(/);
  });

  it.for(slow)('needs the resource that its handle names', async () => {
    const { devComm, ...others } = exchanges;
    const without = { ...others, devComm: { ...devComm, resourceRequirementsList: [] } };
    await expect(program(without, 'exchanges')(sim({ ranks: 2 }))).rejects.toThrow(/there is no resource 0/);
  });
});

describe('a kernel that waits by itself for the word of a signal', () => {
  it.for(quick)('reads what the signal covers, in contexts that it computes', async () => {
    await expect(program(ownWait, 'own-wait')(sim({ ranks: 3 }))).resolves.toBeUndefined();
    expect(await found(ownWait, 'own-wait')).toMatch(/^clean/);
  });

  it.for(slow)('races with the put if its load does not acquire', async () => {
    const text = textOf('own-wait.ptx').replace('ld.acquire.sys', 'ld.relaxed.sys');
    const report = await found(ownWait, 'own-wait', text);
    expect(report).toMatch(/^error\[race\]/);
    expect(report).toMatch(/put that writes by the network/);
    expect(report).toMatch(/--> \S*own-wait\.cu:\d+:\d+\n[^]*?\n *\d+ \| .*out\[i\] = mine/);
  });
});

describe('a kernel of NVSHMEM', () => {
  it.each([2, 4].filter((row) => (row === 2) !== inject('slow')))('passes its numbers around %i PEs', async (ranks) => {
    await expect(program(passOn, 'pass-on')(sim({ ranks }))).resolves.toBeUndefined();
  });

  it.for(slow)('is clean', async () => {
    expect(await found(passOn, 'pass-on')).toMatch(/^clean/);
  });

  it.for(slow)('may call quiet in each thread separately, with the same results for one schedule', async () => {
    const options = { ranks: 2, schedules: 1 };
    const report = await check(options, program({ ...eachThread, ranks: 2 }, 'each-thread'));
    expect(renderReport(report)).toMatch(/^clean/);
  });

  it.for(slow)('sets its flag before the put has arrived if it does not call quiet', async () => {
    const text = await found(passOn, 'pass-on', without('pass-on', '__nccl_ts_shmem_quiet'));
    expect(text).toMatch(/^error\[race\]/);
    expect(text).toMatch(
      /--> \S*pass-on\.cu:\d+:\d+\n[^]*?\n *\d+ \| .*nvshmem_float_put_nbi\(twice, once, count, next\);/,
    );
    expect(text).toMatch(/bytes: .*'twice', rank \d's copy/);
  });

  it.for(slow)('is overtaken by the next launch if its barrier is removed', async () => {
    const text = await found(passOn, 'pass-on', without('pass-on', '__nccl_ts_shmem_barrier'));
    expect(text).toMatch(/^error\[race\]/);
  });
});
