import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { build, ncclTs } from './support/command.ts';
import { FreshFolder } from './support/fresh-folder.ts';

const timeout = 120_000;
const folder = new FreshFolder('repair-programs');
const slow = inject('slow');

beforeAll(() => {
  build();
  folder.install({ 'nccl-ts': 'packages/nccl-ts', '@nccl-ts/barrier': 'packages/barrier' });
}, timeout);
afterAll(() => {
  folder.remove();
});

/** Each rank sends its numbers to the next one by a flag, in each launch with the next value. */
const shift = `import { devComm, kernel, lsa, window } from 'nccl-ts';

export const shift = kernel(
  { name: 'shift', use: { lsa }, params: { comm: devComm, data: window, flags: window, out: window } },
  ({ lsa, threadIdx, blockDim, waitUntil, coopCta, u32 }, { comm, data, flags, out }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const next = (comm.lsaRank + 1) % comm.lsaSize;
    const to = lsa.pointer(data, u32, 0, next);
    const own = lsa.localPointer(flags, u32, 0);
    const launch = own.load(1);
    for (let i = threadIdx.x; i < 64; i += blockDim.x) {
      to.store(i, u32(comm.rank) + i);
    }
    coopCta().sync(); // all have stored
    if (threadIdx.x === 0) {
      lsa.pointer(flags, u32, 0, next).store(0, launch + 1, 'release', 'system');
      waitUntil(() => own.load(0, 'acquire', 'system') === launch + 1);
      own.store(1, launch + 1);
    }
    coopCta().sync(); // the data is here
    const from = lsa.localPointer(data, u32, 0);
    const mine = lsa.localPointer(out, u32, 0);
    for (let i = threadIdx.x; i < 64; i += blockDim.x) mine.store(i, from.load(i));
    bar.sync(coopCta(), 'acq_rel'); // all have read
  },
);
`;

/** Sends the edges of each rank to both neighbours over the network. */
const halo = `import { devComm, gin, kernel, lsa, teamWorld, window } from 'nccl-ts';

export const shift = kernel(
  { name: 'halo', use: { gin, lsa, teamWorld }, params: { comm: devComm, data: window, flags: window, out: window } },
  ({ gin, lsa, teamWorld, coopCta, threadIdx, u32 }, { comm, data, out }) => {
    const net = gin.context(comm, 0);
    const before = net.readSignal(0);
    const bar = gin.barrierSession(coopCta(), net, 'world', 0);
    bar.sync(coopCta(), 'acq_rel', 'none');
    if (threadIdx.x === 0) {
      net.put(teamWorld(comm), (comm.rank + 1) % comm.nRanks, data, 0, data, 64, 4, gin.weakSignalInc(0));
    }
    net.waitSignal(coopCta(), 0, before + 1);
    const mine = lsa.localPointer(data, u32, 0);
    if (threadIdx.x === 0) lsa.localPointer(out, u32, 0).store(0, mine.load(0));
    net.flush(coopCta());
    if (threadIdx.x === 0) {
      mine.store(16, 0);
    }
  },
);
`;

/** Each rank puts a number, and flushes the context of the put before it stores the next one. */
const contexts = `import { devComm, gin, kernel, lsa, teamWorld, window } from 'nccl-ts';

export const shift = kernel(
  { name: 'contexts', use: { gin, lsa, teamWorld }, params: { comm: devComm, data: window, flags: window, out: window } },
  ({ gin, lsa, teamWorld, coopCta, coopThread, threadIdx, u32 }, { comm, data, out }) => {
    const net = gin.context(comm, 0);
    const other = gin.context(comm, 1);
    if (threadIdx.x === 0) {
      lsa.localPointer(out, u32, 0).store(0, 1);
      net.put(teamWorld(comm), (comm.rank + 1) % comm.nRanks, data, 0, out, 0, 4);
      net.flush(coopThread());
      lsa.localPointer(out, u32, 0).store(0, 2);
      other.flush(coopThread());
    }
    gin.barrier(coopCta(), net, 'world', 0, 'acq_rel', 'put');
    gin.barrier(coopCta(), net, 'world', 0, 'acq_rel', 'none');
  },
);
`;

/** Each rank puts a number, meets the others, and reads what it got. */
const fenced = `import { barrier } from '@nccl-ts/barrier';
import { devComm, gin, kernel, lsa, teamWorld, window } from 'nccl-ts';

export const shift = kernel(
  { name: 'fenced', use: { barrier, gin, lsa, teamWorld }, params: { comm: devComm, data: window, flags: window, out: window } },
  ({ barrier, gin, lsa, teamWorld, coopCta, threadIdx, u32 }, { comm, data, out }) => {
    const net = gin.context(comm, 0);
    const bar = barrier.session(coopCta(), net, 'world', 0);
    bar.sync(coopCta(), 'acq_rel', 'none');
    if (threadIdx.x === 0) net.put(teamWorld(comm), (comm.rank + 1) % comm.nRanks, data, 0, data, 64, 4);
    bar.sync(coopCta(), 'acq_rel', 'put');
    if (threadIdx.x === 0) lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(data, u32, 0).load(0));
    bar.sync(coopCta(), 'acq_rel', 'none');
  },
);
`;

/** A kernel that may begin before the one before it has ended, and waits for it. */
const early = `import { kernel, lsa, window, type Communicator } from 'nccl-ts';

const first = kernel({ name: 'first', use: { lsa }, params: { data: window } }, ({ lsa, threadIdx, u32 }, { data }) => {
  lsa.localPointer(data, u32, 0).store(threadIdx.x, 1);
});
const second = kernel(
  { name: 'second', use: { lsa }, params: { data: window, out: window } },
  ({ lsa, threadIdx, gridDependencySync, u32 }, { data, out }) => {
    gridDependencySync();
    lsa.localPointer(out, u32, 0).store(threadIdx.x, lsa.localPointer(data, u32, 0).load(threadIdx.x));
  },
);

export async function host(comm: Communicator): Promise<void> {
  const [data, out] = [await comm.allocWindow('u32', 32), await comm.allocWindow('u32', 32)];
  await comm.launch(first, { grid: 1, block: 32 }, { data });
  const attributes = { programmaticStreamSerialization: true };
  await comm.launch(second, { grid: 1, block: 32, attributes }, { data, out });
  await comm.synchronize();
}
`;

const host = `import type { Communicator } from 'nccl-ts';
import { shift } from './shift.ts';

export async function host(comm: Communicator): Promise<void> {
  const [data, flags, out] = [
    await comm.allocWindow('u32', 64),
    await comm.allocWindow('u32', 2),
    await comm.allocWindow('u32', 64),
  ];
  for (const one of [data, flags, out]) await one.write(new Uint32Array(one === flags ? 2 : 64));
  const dev = await comm.createDevComm({
    lsaBarrierCount: 1,
    ginConnectionType: 'full',
    ginSignalCount: 1,
    ginContextCount: 2,
    worldGinBarrierCount: 1,
    barrierCount: 1,
  });
  for (let launch = 0; launch < 2; launch++)
    await comm.launch(shift, { grid: 1, block: 64 }, { comm: dev, data, flags, out });
  await comm.synchronize();
}
`;

/** Each rank stores a number at the next one and loads its own, and nothing is between the two. */
const unmet = `import { devComm, kernel, lsa, window, type Communicator } from 'nccl-ts';

const unmet = kernel(
  { name: 'unmet', use: { lsa }, params: { comm: devComm, data: window, out: window } },
  ({ lsa, threadIdx, blockIdx, u32 }, { comm: dev, data, out }) => {
    const i = blockIdx.x * 32 + threadIdx.x;
    lsa.pointer(data, u32, 0, (dev.lsaRank + 1) % dev.lsaSize).store(i, u32(dev.rank) + i);
    lsa.localPointer(out, u32, 0).store(i, lsa.localPointer(data, u32, 0).load(i));
  },
);

export async function host(comm: Communicator): Promise<void> {
  const [data, out] = [await comm.allocWindow('u32', 64), await comm.allocWindow('u32', 64)];
  const dev = await comm.createDevComm({ ginSignalCount: 0 });
  await comm.launch(unmet, { grid: 2, block: 32 }, { comm: dev, data, out });
  await comm.synchronize();
}
`;

/** A CTA passes a number to another one of its rank. */
const handed = `import { kernel, lsa, window, type Communicator } from 'nccl-ts';

const handed = kernel(
  { name: 'handed', use: { lsa }, params: { data: window, flags: window } },
  ({ lsa, threadIdx, blockIdx, waitUntil, u32 }, { data, flags }) => {
    const mine = lsa.localPointer(data, u32, 0);
    const flag = lsa.localPointer(flags, u32, 0);
    if (blockIdx.x === 0 && threadIdx.x === 0) {
      mine.store(0, 7);
      flag.store(0, 1, 'release', 'block');
    }
    if (blockIdx.x === 1 && threadIdx.x === 0) {
      waitUntil(() => flag.load(0, 'acquire', 'device') === 1);
      mine.store(1, mine.load(0));
    }
  },
);

export async function host(comm: Communicator): Promise<void> {
  const [data, flags] = [await comm.allocWindow('u32', 2), await comm.allocWindow('u32', 1)];
  await flags.write(new Uint32Array(1));
  await comm.launch(handed, { grid: 2, block: 32 }, { data, flags });
  await comm.synchronize();
}
`;

async function repaired(text: string, ...args: readonly string[]): Promise<Awaited<ReturnType<typeof ncclTs>>> {
  folder.write('shift.ts', text);
  folder.write('host.ts', host);
  return ncclTs(['repair', 'host.ts', '--ranks', '2', '--patience', '60', ...args], folder.path);
}

/** The lines that each repair adds, the first repair first. */
const added = (report: string): readonly string[] => report.match(/(?<=^\+)(?!\+\+).*$/gmu) ?? [];

/** A mistake, and the line that one of the first repairs adds. */
const mistakes = [
  ['a flag that does not release', shift, "'release'", "'relaxed'", "launch + 1, 'release', 'system');"],
  ['a wait that does not acquire', shift, "'acquire'", "'relaxed'", "own.load(0, 'acquire', 'system')"],
  ['a flag with too narrow a scope', shift, "'release', 'system'", "'release', 'device'", "'release', 'system'"],
  ['a flag that is a plain store', shift, ", 'release', 'system')", ')', "launch + 1, 'release', 'system')"],
  ['a missing barrier before the flag', shift, 'coopCta().sync(); // all have stored', '', 'coopCta().sync();'],
  ['a missing barrier after the wait', shift, 'coopCta().sync(); // the data is here', '', 'coopCta().sync();'],
  [
    'a missing barrier at the end',
    shift,
    "bar.sync(coopCta(), 'acq_rel'); // all have read",
    '',
    "bar.sync(coopCta(), 'acq_rel');",
  ],
  ['a missing barrier of the network', halo, "bar.sync(coopCta(), 'acq_rel', 'none');", '', 'bar.sync(coopCta()'],
  ['a source that is reused before it was read', halo, 'net.flush(coopCta());', '', 'net.flush(coopThread());'],
  ['a flush of another context', contexts, 'net.flush', 'other.flush', 'net.flush(coopThread());'],
  ['a barrier that does not wait for puts', fenced, "'put');", "'get');", "bar.sync(coopCta(), 'acq_rel', 'put');"],
] as const;

describe('nccl-ts repair of a host program', () => {
  it.for(slow ? mistakes : [])('mends %s', { timeout }, async ([, right, from, to, line]) => {
    const { code, stdout, stderr } = await repaired(right.replace(from, to));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('--- shift.ts');
    expect(added(stdout).join('\n')).toContain(line);
  });

  it.for(slow ? [0] : [])('widens a scope no farther than is needed', { timeout }, async () => {
    folder.write('handed.ts', handed);
    const { stdout } = await ncclTs(['repair', 'handed.ts', '--ranks', '2', '--local'], folder.path);
    expect(added(stdout)[0]).toBe("      flag.store(0, 1, 'release', 'device');");
  });

  const requirements = [
    ['{ ginSignalCount: 0 }', '{ lsaBarrierCount: 2, ginSignalCount: 0 }'],
    ['', '{ lsaBarrierCount: 2 }'],
    ['asked', '{ ...asked, lsaBarrierCount: 2 }'],
  ] as const;
  it.for(slow ? requirements : [])(
    'opens a session where the kernel has none, and asks for its memory: createDevComm(%s)',
    { timeout },
    async ([given, made]) => {
      const own = unmet
        .replace('{ ginSignalCount: 0 }', given)
        .replace('  const dev', '  const asked = {};\n  const dev');
      folder.write('unmet.ts', own);
      const met = `met-${given.length}.ts`;
      const line = ['repair', 'unmet.ts', '--ranks', '2', '--patience', '60', '--write', met];
      const { code } = await ncclTs(line, folder.path);
      expect(code).toBe(0);
      const expected = own
        .replace('({ lsa,', '({ coopCta, lsa,')
        .replace(`createDevComm(${given})`, `createDevComm(${made})`)
        .replace(
          '    lsa.localPointer(out',
          "    const bar = lsa.barrierSession(coopCta(), dev, blockIdx.x);\n    bar.sync(coopCta(), 'acq_rel');\n    lsa.localPointer(out",
        );
      expect(readFileSync(join(folder.path, met), 'utf8')).toBe(expected);
    },
  );

  it.for(slow ? [0] : [])('lets a launch wait for the one before it', { timeout }, async () => {
    folder.write('early.ts', early.replace('    gridDependencySync();\n', ''));
    const { code } = await ncclTs(['repair', 'early.ts', '--patience', '60', '--write', 'mended.ts'], folder.path);
    expect(code).toBe(0);
    expect(readFileSync(join(folder.path, 'mended.ts'), 'utf8')).toBe(early);
  });

  it.for(slow ? [0] : [])('finds nothing to mend in the programs as they are', { timeout }, async () => {
    for (const right of [shift, halo, contexts, fenced]) {
      const { code, stdout } = await repaired(right);
      expect([code, stdout]).toEqual([0, 'The check finds no error: there is nothing to repair.\n']);
    }
  });

  it.for(slow ? [] : [0])('writes the first repair in place of the file', { timeout }, async () => {
    const file = join(folder.path, 'shift.ts');
    const { code, stderr } = await repaired(shift.replace("'release'", "'relaxed'"), '--write', 'shift.ts');
    expect([code, stderr]).toEqual([0, 'wrote shift.ts\n']);
    expect(readFileSync(file, 'utf8')).toBe(shift);
  });

  it.for(slow ? [0] : [])('writes over no other file', { timeout }, async () => {
    const { code, stderr } = await repaired(shift.replace("'release'", "'relaxed'"), '--write', 'host.ts');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--write host.ts.*the repair is of .*shift.ts/u)]);
    expect(readFileSync(join(folder.path, 'host.ts'), 'utf8')).toBe(host);
  });

  it.for(slow ? [0] : [])('says that a wrong value is not mended by any order', { timeout }, async () => {
    const { code, stdout } = await repaired(shift.replace('=== launch + 1', '=== launch + 2'));
    expect(code).toBe(1);
    expect(stdout).toContain('No change that was tried mends it');
  });

  it.for(slow ? [0] : [])('leaves out of account a kernel in an installed package', { timeout }, async () => {
    folder.write('node_modules/shift.ts', shift.replace("'release'", "'relaxed'"));
    folder.write('host.ts', host.replace('./shift.ts', './node_modules/shift.ts'));
    const { code, stderr } = await ncclTs(['repair', 'host.ts', '--ranks', '2'], folder.path);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the kernel shift cannot be changed.*node_modules/su)]);
  });
});
