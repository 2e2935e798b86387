import { entryFacts, firstHarness } from '@nccl-ts/harness';
import type { PtxFunction, PtxInstruction, PtxModule, PtxOperand } from '@nccl-ts/ptx';
import { describe, expect, it } from 'vitest';
import { param, structParam, variable } from './support/stub-kernel.ts';

const span = { start: 0, end: 0 };
const register = (name: string): PtxOperand => ({ kind: 'register', name, isNegated: false });
const at = (name: string, offset = 0n): PtxOperand => ({ kind: 'address', base: { kind: 'register', name }, offset });
const ofParam = (name: string, offset = 0n): PtxOperand => ({
  kind: 'address',
  base: { kind: 'symbol', name },
  offset,
});

function instruction(text: string, ...operands: readonly PtxOperand[]): PtxInstruction {
  const [opcode = '', ...modifiers] = text.split('.');
  return { kind: 'instruction', words: [opcode, ...modifiers], operands, span };
}

/**
 * `__global__ void reduce(Peers peers, float *out, float scale, int count, long bytes)`, with
 * shared memory and a variable.
 */
const entry: PtxFunction = {
  kind: 'entry',
  name: '_Z6reduce5PeersPffil',
  params: [
    structParam('p0', 32, 8),
    param('p1', 'u64', 8),
    param('p2', 'f32', 4),
    param('p3', 'u32', 4),
    param('p4', 'u64', 8),
  ],
  returns: [],
  directives: new Map([['.maxntid', [256, 1, 1]]]),
  span,
  body: {
    registers: new Map(),
    variables: [{ ...variable('tile', 512), space: 'shared' }],
    branchTargets: new Map(),
    items: [
      instruction('ld.param.u64', register('%rd1'), ofParam('p0')),
      instruction('ld.param.u64', register('%rd11'), ofParam('p0', 8n)),
      instruction('st.local.u64', at('%rd20'), register('%rd11')),
      instruction('ld.param.u32', register('%r9'), ofParam('p0', 24n)),
      instruction('ld.param.u64', register('%rd2'), ofParam('p1')),
      instruction('ld.param.f32', register('%f1'), ofParam('p2')),
      instruction('ld.param.u32', register('%r1'), ofParam('p3')),
      instruction('ld.param.u64', register('%rd9'), ofParam('p4')),
      { kind: 'label', name: 'here', span },
      instruction('cvta.to.global.u64', register('%rd3'), register('%rd2')),
      instruction('add.s64', register('%rd4'), register('%rd3'), register('%rd8')),
      instruction('st.global.f32', at('%rd4'), register('%f1')),
      instruction('ld.global.f32', register('%f2'), at('%rd1', 4n)),
      instruction('mov.u32', register('%r3'), { kind: 'symbol', name: 'tile', offset: 0n }),
      instruction('mov.u32', register('%r4'), { kind: 'symbol', name: 'dynamic', offset: 0n }),
      instruction('mov.u64', register('%rd7'), { kind: 'symbol', name: 'counter', offset: 0n }),
      instruction('setp.lt.u64', register('%p1'), register('%rd9'), register('%rd8')),
      instruction('call.uni', { kind: 'symbol', name: 'vprintf', offset: 0n }),
      instruction('ret'),
    ],
  },
};

const vprintf: PtxFunction = {
  kind: 'func',
  name: 'vprintf',
  params: [],
  returns: [],
  directives: new Map(),
  span,
};

const module: PtxModule = {
  name: 'reduce.ptx',
  text: '',
  version: [9, 0],
  target: 'sm_90',
  files: new Map(),
  functions: [vprintf, entry],
  variables: [
    { ...variable('dynamic', 0), space: 'shared', isExtern: true },
    variable('counter', 4),
    variable('of another kernel', 4),
  ],
};

describe('a parameter that is read through computed addresses', () => {
  it('has the right word offsets, and an array if there is an index', () => {
    const indexed: PtxFunction = {
      ...entry,
      params: [structParam('p0', 96, 8)],
      body: {
        registers: new Map(),
        variables: [],
        branchTargets: new Map(),
        items: [
          instruction('mov.b64', register('%rd1'), { kind: 'symbol', name: 'p0', offset: 0n }),
          instruction('add.s64', register('%rd2'), register('%rd1'), { kind: 'integer', value: 72n }),
          instruction('ld.param.u32', register('%r1'), at('%rd2', -8n)),
          instruction('add.s64', register('%rd3'), register('%rd1'), register('%rd9')),
          instruction('ld.param.u64', register('%rd4'), at('%rd3')),
          instruction('ld.global.f32', register('%f2'), at('%rd4')),
        ],
      },
    };
    const [parameter] = entryFacts({ ...module, functions: [indexed] }, indexed).parameters;
    expect(parameter?.words).toEqual([
      { offset: 0, bytes: 8, guess: 'pointer', isIndexed: true },
      { offset: 64, bytes: 4, guess: 'integer' },
    ]);
  });
});

describe('a first harness', () => {
  it("of vLLM's custom AllReduce describes its memory and its results", () => {
    const title =
      'vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(vllm::RankData *, vllm::RankSignals, vllm::Signal *, __nv_bfloat16 *, int, int)';
    const written = firstHarness({ ...entryFacts(module, entry), title }, 'vllm.cu');
    expect(written).toContain("import { customAllReduce, bf16, harness } from '@nccl-ts/harness';");
    expect(written).toContain('ranks: 8,');
    expect(written).toContain('args: [rankData, rankSignals, signal, result, rank, (count * bf16.bytes) / 16],');
  });
});

describe('the requirements of a launch', () => {
  const facts = entryFacts(module, entry);

  it('describe each parameter, and guess its words', () => {
    expect(facts.title).toBe('reduce(Peers, float *, float, int, long)');
    expect(facts.parameters.map(({ offset, bytes, isStruct }) => [offset, bytes, isStruct])).toEqual([
      [0, 32, true],
      [32, 8, false],
      [40, 4, false],
      [44, 4, false],
      [48, 8, false],
    ]);
    expect(
      facts.parameters.map(({ words }) => words.map(({ offset, bytes, guess }) => `${offset} ${bytes} ${guess}`)),
    ).toEqual([
      ['0 8 pointer', '8 8 pointer', '24 4 integer'],
      ['0 8 pointer'],
      ['0 4 float'],
      ['0 4 integer'],
      ['0 8 integer'],
    ]);
    expect(facts.parameterBytes).toBe(56);
  });

  it('describe memory, threads and functions', () => {
    expect(facts).toMatchObject({
      sharedBytes: 512,
      hasDynamicShared: true,
      threads: [{ directive: 'maxntid', numbers: [256, 1, 1] }],
      externs: ['vprintf'],
    });
    expect(facts.variables.map(({ name }) => name)).toEqual(['counter']);
  });

  // The file is part of this project, so it is type-checked.
  it('are written as a first harness', async () => {
    await expect(firstHarness(facts, 'reduce.cu')).toMatchFileSnapshot('fixtures/first-harness.ts');
  });

  it("include adapters for NCCL's parameters, chosen by type and size", async () => {
    const kernel: PtxFunction = {
      ...entry,
      name: '_Z7combineP17ncclWindow_vidmem11ncclDevCommi',
      params: [param('p0', 'u64', 8), structParam('p1', 240, 8), param('p2', 'u32', 4)],
    };
    const combine: PtxModule = { ...module, functions: [kernel], variables: [] };
    await expect(firstHarness(entryFacts(combine, kernel), 'combine.cu')).toMatchFileSnapshot(
      'fixtures/first-harness-nccl.ts',
    );
  });
});
