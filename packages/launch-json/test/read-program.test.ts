import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harnessProgram, translate } from '@nccl-ts/harness';
import { harnessOfProgram, MOST_PROGRAM_BYTES, programOf, readProgram, type ProgramJson } from '@nccl-ts/launch-json';
import { describe, expect, it } from 'vitest';

const copy = `.version 8.5
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd1];
  st.global.u32 [%rd2], %r2;
  ret;
}
`;

const base64 = (words: readonly number[]): string => Buffer.from(Uint32Array.from(words).buffer).toString('base64');

/** Each rank copies its data to the next rank, which copies it to its result. */
const program = {
  format: 'nccl-ts/program',
  version: 1,
  texts: { copy: { ptx: copy } },
  kernels: { copy: { text: 'copy', entry: 'copy', grid: 1, block: 2 } },
  worlds: [
    {
      ranks: 2,
      memory: [
        { name: 'data', type: 'u32', count: 2, contents: [{ base64: base64([1, 2]) }, { values: [3, 4] }] },
        { name: 'inbox', type: 'u32', count: 2, contents: 'uninitialised' },
        { name: 'out', type: 'u32', count: 2 },
        { name: 'flag', type: 'u32', count: 1 },
      ],
      programs: [0, 1].map((rank) => ({
        steps: [
          { kind: 'launch', kernel: 'copy', args: [{ memory: 'data' }, { memory: 'inbox', rank: 1 - rank }] },
          { kind: 'writeWord', to: { memory: 'flag', rank: 1 - rank }, value: 1 },
          { kind: 'waitWord', from: { memory: 'flag' }, value: 1 },
          { kind: 'launch', kernel: 'copy', args: [{ memory: 'inbox' }, { memory: 'out' }] },
          { kind: 'expect', memory: 'out', values: rank === 0 ? [3, 4] : [1, 2] },
        ],
      })),
    },
  ],
};

/** The program with another value at a place, or without it. */
function changed(path: readonly (string | number)[], value?: unknown): unknown {
  const all: unknown = structuredClone(program);
  let at = all;
  for (const key of path.slice(0, -1)) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  const last = path.at(-1);
  if (typeof at !== 'object' || at === null || last === undefined) throw new RangeError(`no place ${path.join('.')}`);
  if (Array.isArray(at) && value === undefined) at.splice(Number(last), 1);
  else if (value === undefined) Reflect.deleteProperty(at, last);
  else Reflect.set(at, last, value);
  return all;
}

async function told(json: ProgramJson): Promise<string> {
  const launch = harnessOfProgram(json);
  const texts = (file: string | undefined): { name: string; text: string } => {
    const text = json.texts[file ?? ''];
    if (text === undefined || !('ptx' in text)) throw new RangeError(`no text ${file}`);
    return { name: text.name ?? 'text', text: text.ptx };
  };
  const translated = translate(launch, texts, { name: 'program', ranks: 2 });
  return renderReport(await check({ ranks: 2, local: launch.local }, harnessProgram(launch, translated)));
}

/** Reads a tile by TMA, and writes its words. */
const tile = `.version 8.4
.target sm_90
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 to)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .shared .align 128 .b8 staged[64];
  .shared .align 8 .b64 bar;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra WAIT;
  mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 64;
  mov.b64 %rd2, map;
  cvta.param.u64 %rd3, %rd2;
  mov.u32 %r1, staged;
  mov.u32 %r2, bar;
  mov.u32 %r3, 0;
  mov.u32 %r4, 1;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd3, {%r3, %r4}], [%r2];
WAIT:
  bar.sync 0;
LOOK:
  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
  @!%p1 bra LOOK;
  mul.lo.u32 %r5, %r0, 4;
  mov.u32 %r1, staged;
  add.u32 %r5, %r5, %r1;
  ld.shared.u32 %r6, [%r5];
  ld.param.u64 %rd4, [to];
  mul.wide.u32 %rd5, %r0, 4;
  add.s64 %rd5, %rd4, %rd5;
  st.global.u32 [%rd5], %r6;
  ret;
}
`;

/** Each rank reads the last two of the three rows of its peer's data. */
const tiles = (box: readonly number[], memory = 'data'): object => ({
  format: 'nccl-ts/program',
  version: 1,
  texts: { tile: { ptx: tile } },
  kernel: { text: 'tile', entry: 'tile', grid: 1, block: 16 },
  worlds: [
    {
      ranks: 2,
      memory: [
        { name: 'data', type: 'u32', count: 24, contents: { values: Array.from({ length: 24 }, (_, i) => i) } },
        { name: 'out', type: 'u32', count: 16 },
      ],
      programs: [0, 1].map((rank) => ({
        args: [
          { tensorMap: { base: { memory, rank: 1 - rank }, type: 'u32', shape: [8, 3], strides: [32], box } },
          { memory: 'out' },
        ],
        expect: [{ memory: 'out', values: Array.from({ length: 16 }, (_, i) => 8 + i) }],
      })),
    },
  ],
});

describe('a program with tensor maps', () => {
  it('is checked', async () => {
    expect(await told(programOf(tiles([8, 2])))).toMatch(/^clean/);
  });

  it('says where a map is wrong', async () => {
    expect(() => programOf(tiles([8, 2], 'date'))).toThrow(
      'worlds[0].programs[0].args[0].tensorMap.base.memory is "date"; there is data, out.',
    );
    expect(() => programOf(tiles([0, 2]))).toThrow('worlds[0].programs[0].args[0]');
    await expect(told(programOf(tiles([3, 2])))).rejects.toThrow(
      'box[0] must be a multiple of 16 bytes; given 12 bytes',
    );
  });
});

describe('a program', () => {
  it('is checked', async () => {
    expect(await told(programOf(program))).toMatch(/^clean/);
  });

  it('has a race without its wait for a word', async () => {
    const racy = programOf(changed(['worlds', 0, 'programs', 1, 'steps', 2], { kind: 'synchronize' }));
    expect(await told(racy)).toContain('race');
  });

  it('is in the README', () => {
    const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, text = ''] = /^```json\n([^]*?)^```/m.exec(page) ?? [];
    expect(readProgram(text).worlds).toHaveLength(1);
  });

  it('is read from a text', () => {
    expect(readProgram(JSON.stringify(program))).toEqual(program);
  });
});

const world = ['worlds', 0] as const;
const memory = [...world, 'memory'] as const;
const steps = [...world, 'programs', 0, 'steps'] as const;

describe('a wrong program', () => {
  it.each([
    { path: ['format'], value: 'other', says: 'format must be "nccl-ts/program"; given "other".' },
    { path: ['version'], value: 2, says: 'version must be 1; given 2: a later nccl-ts wrote it, so update this one.' },
    { path: ['version'], value: 'one', says: 'version must be 1; given "one": write that number.' },
    { path: ['texts'], says: 'texts is missing; write an object.' },
    { path: ['extra'], value: 1, says: 'the program has a field extra that programs of version 1 do not have.' },
    { path: ['texts', 'copy'], value: {}, says: 'texts.copy' },
    { path: ['kernels', 'copy', 'grid'], value: 0, says: 'kernels.copy.grid must be above 0; it is 0.' },
    { path: ['kernels', 'copy', 'grid'], value: 'all', says: 'kernels.copy.grid' },
    { path: ['kernels', 'copy', 'text'], value: 'main', says: 'kernels.copy.text is "main", and texts has copy.' },
    {
      path: ['kernels', 'copy', 'entry'],
      value: ['copy'],
      says: 'kernels.copy.entry has 1 elements; it needs one for each of 2 ranks.',
    },
    { path: ['kernels'], says: 'the program must have either kernel, for one kernel, or kernels.' },
    { path: [...world, 'ranks'], value: -1, says: 'worlds[0].ranks must be at least 1; it is -1.' },
    { path: [...memory, 0, 'count'], says: 'worlds[0].memory[0].count is missing; write a number.' },
    { path: [...memory, 0, 'type'], value: 'int', says: 'worlds[0].memory[0].type must be "u8" or "u16"' },
    {
      path: [...memory, 0, 'contents', 0, 'base64'],
      value: base64([1]),
      says: "worlds[0].memory[0].contents[0].base64 has 4 bytes, and 'data' has 8.",
    },
    {
      path: [...memory, 0, 'contents', 0, 'base64'],
      value: 'no base64!',
      says: 'worlds[0].memory[0].contents[0].base64 must be base64; it is "no base64!".',
    },
    {
      path: [...memory, 0, 'contents', 1, 'values'],
      value: [1, 2, 3],
      says: "worlds[0].memory[0].contents[1].values has 3 numbers, and 'data' has 2 elements.",
    },
    { path: [...memory, 1, 'name'], value: 'data', says: 'worlds[0].memory[1].name is "data" for a second time.' },
    {
      path: [...memory, 2, 'contents'],
      value: { addresses: [{ at: 4, memory: 'data' }] },
      says: 'worlds[0].memory[2].contents.addresses[0].at is 4; 8 bytes from there are not inside the 8 bytes.',
    },
    {
      path: [...memory, 2, 'contents'],
      value: { addresses: [{ at: 0, memory: 'data', offset: 8 }] },
      says: "worlds[0].memory[2].contents.addresses[0].offset is 8, and 'data' has 8 bytes.",
    },
    {
      path: [...memory, 2, 'contents'],
      value: { addresses: [{ at: 0, memory: 'data', rank: 2 }] },
      says: 'worlds[0].memory[2].contents.addresses[0].rank is 2, and there are 2 ranks, from 0.',
    },
    {
      path: [...memory, 2, 'contents'],
      value: { fields: [{ at: 0, field: 'ranks', bytes: 4 }] },
      says: 'worlds[0].memory[2].contents.fields[0].field is "ranks"; the fields are rank, nRanks',
    },
    {
      path: [...world, 'programs', 1],
      says: 'worlds[0].programs has 1 elements; it needs a program for each of 2 ranks.',
    },
    { path: [...steps, 0, 'kind'], value: 'lunch', says: 'worlds[0].programs[0].steps[0].kind' },
    {
      path: [...steps, 0, 'kernel'],
      value: 'main',
      says: 'worlds[0].programs[0].steps[0].kernel is "main"; the kernels are copy.',
    },
    {
      path: [...steps, 0, 'args', 1, 'memory'],
      value: 'box',
      says: 'worlds[0].programs[0].steps[0].args[1].memory is "box"; there is data, inbox, out, flag.',
    },
    {
      path: [...steps, 1, 'to', 'offset'],
      value: 4,
      says: "worlds[0].programs[0].steps[1].to.offset is 4; 4 bytes from there are not inside the 4 bytes of 'flag'.",
    },
    { path: [...steps, 1, 'value'], value: 1.5, says: 'worlds[0].programs[0].steps[1].value' },
    {
      path: [...steps, 4, 'values'],
      value: [1, 2, 3],
      says: "worlds[0].programs[0].steps[4] expects 3 elements from element 0 on, and 'out' has 2.",
    },
    {
      path: [...steps, 4, 'base64'],
      value: 'AAAA',
      says: 'worlds[0].programs[0].steps[4] must have either values or base64.',
    },
    {
      path: [...world, 'programs', 0],
      value: { args: [] },
      says: 'worlds[0].programs[0] must have either steps or stepsByLaunch, because the program has kernels.',
    },
  ])('says where it is wrong: $path', ({ path, value, says }) => {
    expect(() => programOf(changed(path, value))).toThrow(
      expect.objectContaining({ code: 'NCCLTS_PROGRAM', message: expect.stringContaining(says) }),
    );
  });

  it('is no JSON, or no object', () => {
    expect(() => readProgram('{')).toThrow('the program is not JSON: ');
    expect(() => readProgram('[]')).toThrow('format must be');
    expect(() => readProgram('7')).toThrow(
      'the program must be an object with format, version, texts and worlds; given 7.',
    );
  });

  it('is too long', () => {
    const long = { length: MOST_PROGRAM_BYTES + 1 };
    expect(() => readProgram(' '.repeat(long.length))).toThrow(/has 268435457 bytes, and at most 268435456 are read/);
  });

  it('has another number of ranks', () => {
    const launch = harnessOfProgram(programOf(program));
    const texts = (): { name: string; text: string } => ({ name: 'copy', text: copy });
    expect(() => translate(launch, texts, { name: 'p', ranks: 3 })).toThrow(
      expect.objectContaining({ code: 'NCCLTS_PROGRAM', message: 'worlds has programs for 2 ranks, and none for 3.' }),
    );
  });
});
