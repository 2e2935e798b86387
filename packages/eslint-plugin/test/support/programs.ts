/** A ring all-gather with flags. It has no mistake. */
export const ringAllGather = `import { devComm, f32, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

const CHUNK = 64;

function next(r: number, n: number) {
  return (r + 1) % n;
}

export const ringAllGather = kernel(
  { name: 'ringAllGather', use: { lsa }, params: { comm: devComm, data: window, flags: window, chunk: u32, epoch: u32 } },
  ({ lsa, coopCta, threadIdx, blockDim, u32, f32 }, { comm, data, flags, chunk, epoch }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    const n = comm.lsaSize;
    const me = comm.lsaRank;
    const right = (me + 1) % n;
    const mine = lsa.localPointer(data, u32, 0);
    const theirs = lsa.pointer(data, u32, 0, right);
    const myFlag = lsa.localPointer(flags, u32, 0);
    const theirFlag = lsa.pointer(flags, u32, 0, right);
    for (let step = 0; step < n - 1; step++) {
      const block = (me + n - step) % n;
      const base = u32(block) * chunk;
      for (let i = threadIdx.x; i < chunk; i += blockDim.x) theirs.store(base + i, mine.load(base + i));
      coopCta().sync();
      const value = epoch * u32(n) + u32(step) + 1;
      if (threadIdx.x === 0) {
        theirFlag.store(0, value, 'release');
        while (myFlag.load(0, 'acquire') < value);
      }
      coopCta().sync();
    }
    bar.sync(coopCta(), 'acq_rel');
  },
);

export async function host(comm: Communicator) {
  const n = comm.nRanks;
  const data = await comm.allocWindow(u32, CHUNK * n);
  const flags = await comm.allocWindow(u32, 1);
  const init = new Uint32Array(CHUNK * n);
  init.fill(comm.rank + 1, comm.rank * CHUNK, (comm.rank + 1) * CHUNK);
  await data.write(init);
  await flags.write(new Uint32Array(1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  for (let epoch = 0; epoch < 2; epoch++)
    await comm.launch(ringAllGather, { grid: 1, block: 32 }, { comm: dev, data, flags, chunk: CHUNK, epoch });
  const out = await data.read();
  return Array.from({ length: n }, (_, r) => out[r * CHUNK]);
}
`;

/** The tools that find a mistake: the types, the lint rules, or a run. */
export type Finder = 'types' | 'lint' | 'run';

/** An edit of the program, which makes one mistake, and everything that finds it. */
export interface Mistake {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** True if the kernel is async too. */
  readonly isAsync?: true;
  /** Empty if the edit is legal. A run finds what the types and the rules find too. */
  readonly finders: readonly Finder[];
  /** A part of the rule's message. */
  readonly message?: string;
}

const lint = ['lint', 'run'] as const;
const types = ['types', 'run'] as const;
const both = ['types', 'lint', 'run'] as const;
const run = ['run'] as const;

const storing = 'theirs.store(base + i, mine.load(base + i))';
const launching = '{ comm: dev, data, flags, chunk: CHUNK, epoch }';
const head = '({ lsa, coopCta, threadIdx, blockDim, u32, f32 }';
const inner = 'mine.load(base + i));\n      coopCta().sync();';

export const mistakes: readonly Mistake[] = [
  {
    name: 'Math.floor',
    from: '(me + n - step) % n',
    to: 'Math.floor((me + n - step) / 2) % n',
    finders: lint,
    message: 'K1008',
  },
  {
    name: 'Math.min',
    from: 'u32(block) * chunk',
    to: 'Math.min(u32(block), 3) * chunk',
    finders: lint,
    message: 'K1008',
  },
  {
    name: 'an array',
    from: 'const n = comm.lsaSize;',
    to: 'const n = comm.lsaSize; const t = [1, 2];',
    finders: lint,
    message: 'K1025',
  },
  { name: 'an async kernel', from: head, to: `async ${head}`, finders: lint, message: 'K1009' },
  { name: 'a missing await', from: 'await comm.allocWindow(u32, 1)', to: 'comm.allocWindow(u32, 1)', finders: types },
  {
    name: 'await in a kernel',
    from: inner,
    to: inner.replace('coopCta', 'await coopCta'),
    isAsync: true,
    finders: lint,
    message: 'K1009',
  },
  { name: 'a barrier past the count', from: 'comm, 0)', to: 'comm, 3)', finders: lint, message: 'lsaBarrierCount: 4' },
  { name: 'a block too large', from: 'block: 32', to: 'block: 2048', finders: lint, message: '1024 threads at most' },
  { name: 'a constant of the module', from: 'i < chunk', to: 'i < CHUNK', finders: lint, message: 'K1005' },
  { name: 'console.log', from: 'const me =', to: 'console.log(n); const me =', finders: lint, message: 'K1008' },
  {
    name: 'a group that is not called',
    from: inner,
    to: inner.replace('coopCta()', 'coopCta'),
    finders: both,
    message: 'coopCta().sync',
  },
  { name: 'mixed integers', from: 'epoch * u32(n)', to: 'epoch * n', finders: [] },
  { name: 'a fraction in integers', from: storing, to: 'theirs.store(base + i, 1.5)', finders: lint, message: 'K2004' },
  { name: 'a missing use', from: ' use: { lsa },', to: '', finders: both, message: 'use: { lsa }' },
  {
    name: 'a fraction as an index',
    from: storing,
    to: 'theirs.store((base + i) / 2.5, 1)',
    finders: lint,
    message: 'K2004',
  },
  { name: 'a fraction as an argument', from: 'chunk: CHUNK', to: 'chunk: 1.5', finders: lint, message: 'given 1.5' },
  {
    name: 'a missing argument',
    from: launching,
    to: launching.replace(' flags,', ''),
    finders: both,
    message: 'flags missing',
  },
  { name: 'a negative argument', from: 'chunk: CHUNK', to: 'chunk: -1', finders: lint, message: 'given -1' },
  {
    name: 'an unknown argument',
    from: 'chunk: CHUNK',
    to: 'chunks: CHUNK',
    finders: both,
    message: 'no parameter is called chunks',
  },
  {
    name: 'the type of a first literal',
    from: 'const me =',
    to: 'let acc = 0; acc += f32(n) * 0.5; const me =',
    finders: lint,
    message: 'f32(0)',
  },
  {
    name: 'a fraction of integers',
    from: 'mine.load(base + i))',
    to: 'mine.load(base + i) * 0.5)',
    finders: lint,
    message: 'K2004',
  },
  { name: 'i32 times u32', from: 'u32(block) * chunk', to: 'block * chunk', finders: [] },
  { name: 'an index below 0', from: 'mine.load(base + i))', to: 'mine.load(base + i - 1))', finders: run },
  { name: 'no synchronization before the flag', from: inner, to: 'mine.load(base + i));', finders: run },
  {
    name: 'no argument of createDevComm',
    from: '{ lsaBarrierCount: 1 }',
    to: '',
    finders: lint,
    message: 'lsaBarrierCount: 1',
  },
  { name: 'no requirement', from: '{ lsaBarrierCount: 1 }', to: '{}', finders: lint, message: 'lsaBarrierCount: 1' },
  { name: 'no barrier', from: "bar.sync(coopCta(), 'acq_rel');", to: '', finders: run },
  {
    name: 'a barrier of one thread',
    from: 'bar.sync',
    to: 'if (threadIdx.x === 0) bar.sync',
    finders: lint,
    message: 'only some get here',
  },
  {
    name: 'a window too small',
    from: 'allocWindow(u32, CHUNK * n)',
    to: 'allocWindow(u32, CHUNK * (n - 1))',
    finders: run,
  },
  { name: 'an unknown order', from: "'release'", to: "'rel'", finders: both, message: 'K1105' },
  { name: 'a plain function', from: '(me + 1) % n', to: 'next(me, n)', finders: lint, message: 'deviceFn' },
  { name: 'a relaxed flag', from: "'release'", to: "'relaxed'", finders: run },
  {
    name: 'a string',
    from: 'const me =',
    to: "const label = 'rank ' + n; const me =",
    finders: lint,
    message: 'K2021',
  },
  { name: 'the communicator of the host', from: 'comm: dev', to: 'comm: comm', finders: types },
  {
    name: 'switch',
    from: 'const me =',
    to: 'switch (n) { case 1: return; } const me =',
    finders: lint,
    message: 'K1012',
  },
  {
    name: 'sync without arguments',
    from: "bar.sync(coopCta(), 'acq_rel')",
    to: 'bar.sync()',
    finders: both,
    message: 'K1103',
  },
  { name: 'a wait for too much', from: '< value)', to: '<= value)', finders: run },
  {
    name: 'a window of another type',
    from: 'allocWindow(u32, CHUNK * n)',
    to: 'allocWindow(f32, CHUNK * n)',
    finders: [],
  },
  { name: 'a name that the facade lacks', from: 'import { devComm,', to: 'import { nothing, devComm,', finders: types },
  { name: 'a rank past the last', from: '(me + 1) % n', to: 'me + 1', finders: run },
];

/** The program with the mistake. */
export function withMistake({ from, to, isAsync }: Mistake): string {
  const text = ringAllGather.replaceAll(from, to);
  return isAsync === true ? text.replace(head, `async ${head}`) : text;
}
