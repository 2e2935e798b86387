import {
  layoutOfArray,
  assignedLocals,
  countedLoop,
  isCounted,
  neededOf,
  parseModule,
  planArrays,
  printModule,
  specialiseLaunch,
  splitStates,
  validate,
  waitsByAtomics,
  walkBody,
  type Capabilities,
  type LoopStatement,
  type Module,
  type Needed,
  type WaitStatement,
} from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

function kernel(body: string, head = ''): Module {
  const locals = ['a', 'b', 'c', 'd'].map((name, id) => `local %${id} ${name}: u32`).join('\n');
  return parseModule(`kernel k\nparam $0 count: u32\nparam $1 p: ptr(u32)\n${head}${locals}\n{\n${body}\n}`);
}

function loops(module: Module): LoopStatement[] {
  const found: LoopStatement[] = [];
  walkBody(module.body, { statement: (s) => void (s.kind === 'loop' && found.push(s)) });
  return found;
}

function firstLoop(body: string): LoopStatement {
  const [loop] = loops(kernel(body));
  if (loop === undefined) throw new RangeError('no loop');
  return loop;
}

const spinLock = `
  loop {
    %0 = atomic cas ($1 +> 0:u32), 1:u32, expected 0:u32 acquire.device
    if (%0 == 0:u32) {
      break
    }
  }`;

const retry = `
  %1 = load $1
  loop {
    %0 = atomic cas $1, (%1 + 1:u32), expected %1 relaxed.device
    if (%0 == %1) {
      break
    }
    %1 = %0
  }`;

describe('waitsByAtomics', () => {
  it('is true for a loop that waits for a lock', () => {
    expect(waitsByAtomics(firstLoop(spinLock))).toBe(true);
  });

  it('is false for a loop that repeats because another thread made progress', () => {
    expect(waitsByAtomics(firstLoop(retry))).toBe(false);
  });

  it('is false for taking tickets', () => {
    const tickets = `
      loop {
        %0 = atomic add $1, 1:u32 relaxed.device
        if (%0 >= $0) {
          break
        }
      }`;
    expect(waitsByAtomics(firstLoop(tickets))).toBe(false);
  });

  it('refuses loops of single threads if the backend cannot let a single thread wait', () => {
    const capabilities: Capabilities = {
      backend: 'small',
      scalars: ['u32', 'bool', 'i32', 'addr'],
      maxBlockThreads: 256,
      maxSharedBytes: 1024,
      divergentWaits: false,
      subgroups: true,
      print: false,
      multimem: false,
      primitives: [],
    };
    const checked = validate(kernel(spinLock), capabilities);
    expect(checked.ok ? [] : checked.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'K3502 On the backend "small" all threads of a CTA must reach a loop that polls for other threads together.',
    ]);
    expect(validate(kernel(retry), capabilities).ok).toBe(true);
  });
});

describe('splitStates', () => {
  it('ends a state at a return that ends the CTA', () => {
    const module = kernel(`
      if ($0 == 0:u32) {
        return
      }
      sync cta
      store $1, 1:u32`);
    const whole = splitStates(module.body, { isCut: (s) => s.kind === 'sync', yields: false });
    expect(whole.states.map(({ terminator }) => terminator.kind)).toEqual(['cut', 'exit']);
    const apart = splitStates(module.body, { isCut: (s) => s.kind === 'sync', yields: false, endsState: () => true });
    expect(apart.states.map(({ terminator }) => terminator.kind).toSorted()).toEqual(['branch', 'cut', 'exit', 'exit']);
  });

  it('lets only the listed loops yield', () => {
    const graph = (yields: boolean | (() => boolean)): string[] =>
      splitStates(kernel(spinLock).body, { isCut: () => false, yields }).states.map(
        ({ terminator }) => terminator.kind,
      );
    expect(graph(true)).toContain('yield');
    expect(graph(() => false)).toEqual(['exit']);
  });

  it('moves code after such a loop to a later slice on request', () => {
    const graph = (yieldsBehind: boolean): number =>
      splitStates(kernel(`${spinLock}\nstore $1, 1:u32`).body, {
        isCut: () => false,
        yields: true,
        yieldsBehind,
      }).states.filter(({ terminator }) => terminator.kind === 'yield').length;
    expect([graph(false), graph(true)]).toEqual([1, 2]);
  });
});

describe('neededOf', () => {
  function needed(condition: string): Needed {
    const module = kernel(`
      wait {
        %0 = load $1 acquire.system
        %1 = load ($1 +> 1:u32) acquire.system
      } until ${condition}`);
    const wait = module.body.find((s): s is WaitStatement => s.kind === 'wait');
    if (wait === undefined) throw new RangeError('no wait');
    return neededOf(wait.condition, assignedLocals(wait.body));
  }

  it('returns the other side of a comparison, in both orders', () => {
    expect(needed('(%0 >= $0)')).toMatchObject({ kind: 'value', before: '>= ', value: { kind: 'param' }, after: '' });
    expect(needed('($0 < %0)')).toMatchObject({ kind: 'value', before: '> ', value: { kind: 'param' } });
  });

  it('supports epochs that wrap around', () => {
    expect(needed('((%0 - $0) <= 2147483647:u32)')).toMatchObject({
      kind: 'value',
      before: '',
      value: { kind: 'param' },
      after: ' (rolling, 32 bits)',
    });
  });

  it('supports the low bits of epochs', () => {
    expect(needed('(((%0 - $0) & 255:u32) <= 127:u32)')).toMatchObject({
      kind: 'value',
      before: '>= ',
      value: { kind: 'param' },
      after: '',
    });
  });

  it('turns negated comparisons around', () => {
    expect(needed('(! (%0 <= $0))')).toMatchObject({ kind: 'value', before: '> ', value: { kind: 'param' } });
    expect(needed('(! ($0 <= %0))')).toMatchObject({ kind: 'value', before: '< ', value: { kind: 'param' } });
    expect(needed('(! (%0 != 3:u32))')).toMatchObject({ kind: 'value', before: '' });
    expect(needed('(! ((%0 < 1:u32) || (%1 < 2:u32)))')).toMatchObject({
      kind: 'and',
      left: { kind: 'unary', op: 'not' },
      first: { before: '>= ' },
      second: { before: '>= ' },
    });
  });

  it('covers both sides of combined conditions', () => {
    expect(needed('((%0 == 1:u32) && (%1 != 2:u32))')).toMatchObject({
      kind: 'and',
      first: { before: '' },
      second: { before: 'not ' },
    });
    expect(needed('((%0 == 1:u32) || (%1 == 2:u32))')).toMatchObject({ kind: 'or' });
  });
});

describe('countedLoop', () => {
  it('finds the counter of a loop, and whether it certainly ends', () => {
    const by = (step: string): LoopStatement =>
      firstLoop(`loop while (%0 < $0) {\n store $1, %0\n} update {\n %0 = (%0 + ${step})\n}`);
    expect(countedLoop(by('1:u32'))).toMatchObject({ local: 0, onLeft: true });
    expect(isCounted(by('1:u32'))).toBe(true);
    // A step that may be 0, or that may jump over the bound and wrap.
    expect(isCounted(by('blockDim.x'))).toBe(false);
    expect(isCounted(by('4:u32'))).toBe(false);
  });
});

describe('planArrays', () => {
  it('places arrays one after the other, and none at the null address', () => {
    const plan = planArrays(
      kernel('', 'array #0 x: shared f32[3]\narray #1 y: local u8[5]\narray #2 z: shared u32[2]\n'),
    );
    expect(plan.layouts).toEqual([
      { low: 16, high: 28, region: 1 },
      { low: 16, high: 21, region: 1 },
      { low: 32, high: 40, region: 2 },
    ]);
    expect(plan.bytes).toEqual({ shared: 48, local: 32 });
    expect(layoutOfArray(plan, 2).low).toBe(32);
    expect(() => layoutOfArray(plan, 3)).toThrow(RangeError);
  });
});

describe('specialiseLaunch', () => {
  it('substitutes the common values of all launches, and unrolls short loops', () => {
    const module = kernel(`
      %0 = 0:u32
      loop while (%0 < blockDim.y) {
        store ($1 +> %0), blockDim.x
      } update {
        %0 = (%0 + 1:u32)
      }`);
    const text = printModule(specialiseLaunch(module, { blockDim: { x: 8, y: 2, z: 1 }, fields: {} }));
    expect(text.match(/store .*, 8:u32/g)).toHaveLength(2);
    expect(text).not.toContain('loop');
  });
});
