import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import { encodeModule } from '../../src/emit-wasm/encode-module.ts';
import {
  block,
  br,
  brIf,
  f32,
  f64,
  get,
  i32,
  i64,
  lane,
  lines,
  memory,
  op,
  set,
  v128,
  type WasmCode,
  type Instruction,
} from '../../src/emit-wasm/instruction.ts';
import { signedLeb, unsignedLeb } from '../../src/emit-wasm/leb128.ts';
import {
  laneOps,
  memoryOps,
  plainOps,
  type LaneOp,
  type MemoryOp,
  type PlainOp,
  type WasmType,
} from '../../src/emit-wasm/opcodes.ts';
import { wat } from '../../src/emit-wasm/wat.ts';
import type { WasmFunction, WasmModule } from '../../src/emit-wasm/wasm-module.ts';
import { compileModule, createMemory, instantiate, isValidModule } from '../../src/program/web-assembly.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const seed = 20261122;

function decoded(bytes: readonly number[], signed: boolean): bigint {
  let value = 0n;
  bytes.forEach((byte, i) => {
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    expect(byte >= 0x80).toBe(i < bytes.length - 1);
  });
  const last = bytes.at(-1) ?? 0;
  return signed && (last & 0x40) !== 0 ? value - (1n << BigInt(7 * bytes.length)) : value;
}

describe('LEB128', () => {
  it('decodes to the same number, and has the fewest bytes', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), (value) => {
        const bytes = unsignedLeb(value);
        expect(decoded(bytes, false)).toBe(BigInt(value));
        expect(bytes.length).toBe(Math.max(1, Math.ceil(value.toString(2).length / 7)));
      }),
      { seed },
    );
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        expect(decoded(signedLeb(value), true)).toBe(value);
        const bits = (value < 0n ? ~value : value).toString(2).length + (value === 0n || value === -1n ? 0 : 1);
        expect(signedLeb(value).length).toBe(Math.max(1, Math.ceil(bits / 7)));
      }),
      { seed },
    );
  });
});

function module(...functions: readonly WasmFunction[]): WasmModule {
  return { imports: [], functions };
}

function fn(
  params: readonly WasmType[],
  results: readonly WasmType[],
  code: WasmCode,
  locals: readonly WasmType[] = [],
): WasmFunction {
  return { name: 'run', params, results, locals, code, exported: true };
}

function run(f: WasmFunction, ...args: readonly unknown[]): unknown {
  const memoryOf = createMemory(1, 1);
  const { run: exported } = instantiate(compileModule(encodeModule(module(f))), { memory: memoryOf });
  if (typeof exported !== 'function') throw new Error('exports no function');
  const call: unknown = Reflect.apply(exported, undefined, args);
  return call;
}

const zero: Readonly<Record<WasmType, Instruction>> = {
  i32: i32(0),
  i64: i64(0n),
  f32: f32(0),
  f64: f64(0),
  v128: v128(Array.from({ length: 16 }, () => 0)),
};
const types: readonly WasmType[] = ['i32', 'i64', 'f32', 'f64', 'v128'];

const operandLists: readonly (readonly WasmType[])[] = [
  [],
  ...types.map((a) => [a]),
  ...types.flatMap((a) => types.map((b) => [a, b])),
  ['v128', 'v128', 'v128'],
  ['i32', 'i32', 'i32'],
  ['i32', 'i64', 'i64'],
  ['i32', 'i32', 'i64'],
];

/**
 * Returns the types that the engine accepts for `instruction`: all operands with its own result,
 * and all results with its own operands.
 */
function accepted(instruction: Instruction): readonly string[] {
  const [own = '', end = ''] = promised(instruction.op).split(' -> ');
  const found: string[] = [];
  for (const operands of operandLists) {
    const given = operands.join(' ');
    for (const result of [undefined, ...types]) {
      if (given !== own && (result ?? '') !== end) continue;
      const code = [...operands.map((type) => zero[type]), instruction];
      const f = fn([], result === undefined ? [] : [result], code);
      if (isValidModule(encodeModule(module(f)))) found.push(`${given} -> ${result ?? ''}`);
    }
  }
  return found;
}

/** Returns the operands and the result that an instruction's name implies. */
function promised(name: string): string {
  if (name === 'memory.atomic.wait32') return 'i32 i32 i64 -> i32';
  const [prefix = '', rest = ''] = name
    .replace('.atomic', '')
    .replace('.rmw', '.update')
    .split(/[.](.+)/);
  if (rest.includes('cmpxchg')) return `i32 ${prefix} ${prefix} -> ${prefix}`;
  if (rest.startsWith('update')) return `i32 ${prefix} -> ${prefix}`;
  const isVector = prefix.includes('x') || prefix === 'v128';
  const own = isVector ? 'v128' : prefix;
  const lanes = prefix.startsWith('f64')
    ? 'f64'
    : prefix.startsWith('f32')
      ? 'f32'
      : prefix.startsWith('i64')
        ? 'i64'
        : 'i32';
  if (rest === 'splat') return `${lanes} -> v128`;
  if (rest.startsWith('extract_lane')) return `v128 -> ${lanes}`;
  if (rest === 'replace_lane') return `v128 ${lanes} -> v128`;
  if (rest === 'bitselect') return 'v128 v128 v128 -> v128';
  if (rest.startsWith('load')) return `i32 -> ${own}`;
  if (rest.startsWith('store')) return `i32 ${own} -> `;
  if (isVector && /^(shl|shr_[su])$/.test(rest)) return 'v128 i32 -> v128';
  if (rest.startsWith('narrow')) return 'v128 v128 -> v128';
  if (isVector && rest.startsWith('extend_')) return 'v128 -> v128';
  const source = /_(i32|i64|f32|f64)(x4)?(_[su])?$/.exec(rest)?.[1];
  if (source !== undefined) return `${isVector ? 'v128' : source} -> ${own}`;
  if (/^(eqz)$/.test(rest)) return `${own} -> i32`;
  if (/^(eq|ne|[lg][te](_[su])?)$/.test(rest)) return `${own} ${own} -> ${isVector ? own : 'i32'}`;
  if (/^(clz|ctz|popcnt|abs|neg|ceil|floor|trunc|nearest|sqrt|not|extend\d+_s)$/.test(rest)) return `${own} -> ${own}`;
  return `${own} ${own} -> ${own}`;
}

/**
 * Returns the alignment. Atomic instructions must have their full alignment; for others any will
 * do.
 */
function alignmentOf(name: string): number {
  if (!name.includes('atomic')) return 1;
  const narrow = /(?:load|store|rmw)(8|16)/.exec(name)?.[1];
  if (narrow !== undefined) return Number(narrow) / 8;
  return name.startsWith('i64') ? 8 : 4;
}

const control = new Set(['unreachable', 'else', 'end', 'return', 'drop', 'select']);

describe('every instruction has the operand types that its name implies', () => {
  it.for(slow)('without immediates', { timeout: 60_000 }, () => {
    const names = Object.keys(plainOps).filter((name): name is PlainOp => !control.has(name));
    for (const name of names) expect({ name, types: accepted(op(name)) }).toEqual({ name, types: [promised(name)] });
  });

  it('with memory and lanes', () => {
    for (const name of Object.keys(memoryOps) as MemoryOp[]) {
      expect({ name, types: accepted(memory(name, alignmentOf(name), 304)) }).toEqual({
        name,
        types: [promised(name)],
      });
    }
    for (const name of Object.keys(laneOps) as LaneOp[]) {
      expect({ name, types: accepted(lane(name, 1)) }).toEqual({ name, types: [promised(name)] });
    }
  }, 60_000);
});

describe('modules', () => {
  it('run a loop with branches, whose labels count from the inside out', () => {
    const [n, sum] = [0, 1];
    const code = lines(
      [block('block', 7), block('loop', 9), get(n), op('i32.eqz'), brIf(7)],
      [get(n), i32(3), op('i32.eq'), block('if', 2), get(n), i32(1), op('i32.sub'), set(n), br(9), op('end')],
      [get(sum), get(n), op('i32.add'), set(sum), get(n), i32(1), op('i32.sub'), set(n), br(9)],
      [op('end'), op('end'), get(sum)],
    );
    expect(run(fn(['i32'], ['i32'], code, ['i32']), 6)).toBe(6 + 5 + 4 + 2 + 1);
  });

  it('keep constants exactly', () => {
    for (const value of [0, -0, 1.5, -1e-40, Infinity]) {
      expect(run(fn([], ['f32'], [f32(value)]))).toBe(Math.fround(value));
      expect(run(fn([], ['f64'], [f64(value)]))).toBe(value);
    }
    const computed = Number('0') / Number('0');
    const bits = (code: WasmCode): unknown => run(fn([], ['i32'], code));
    for (const value of [computed, -computed, Number.NaN]) {
      expect(bits([f32(value), op('i32.reinterpret_f32')])).toBe(0x7fc00000);
      const upper = [op('i64.reinterpret_f64'), i64(32n), op('i64.shr_u'), op('i32.wrap_i64')];
      expect(bits([f64(value), ...upper])).toBe(0x7ff80000);
    }
    for (const value of [0, -1, 63, 64, -64, -65, 2 ** 31 - 1, -(2 ** 31)])
      expect(run(fn([], ['i32'], [i32(value)]))).toBe(value);
    for (const value of [-(2n ** 63n), 2n ** 63n - 1n]) expect(run(fn([], ['i64'], [i64(value)]))).toBe(value);
    const bytes = Array.from({ length: 16 }, (_, i) => i * 16);
    expect(run(fn([], ['i32'], [v128(bytes), lane('i8x16.extract_lane_u', 15)]))).toBe(240);
  });

  it('call each other by name, and have a text form', () => {
    const twice: WasmFunction = {
      ...fn(['i32'], ['i32'], [get(0), get(0), op('i32.add')]),
      name: 'twice',
      exported: false,
    };
    const f = fn(
      ['i32'],
      ['i32'],
      [get(0), { op: 'call', callee: 'twice' }, i32(-1), op('i32.xor')],
      ['v128', 'f64', 'f64'],
    );
    const whole = module(twice, f);
    const { run: exported } = instantiate(compileModule(encodeModule(whole)), { memory: createMemory(1, 1) });
    expect(typeof exported === 'function' && Reflect.apply(exported, undefined, [21])).toBe(~42);
    expect(wat(whole)).toMatchInlineSnapshot(`
      "(module
        (import "env" "memory" (memory 0))
        (func $twice (param i32) (result i32)
          local.get 0
          local.get 0
          i32.add
        )
        (func $run (export "run") (param i32) (result i32)
          (local v128 f64 f64)
          local.get 0
          call $twice
          i32.const -1
          i32.xor
        )
      )
      "
    `);
  });

  it('with unknown names are errors', () => {
    expect(() => encodeModule(module(fn([], [], [{ op: 'call', callee: 'nobody' }])))).toThrow(/nobody/);
    expect(() => encodeModule(module(fn([], [], [br(3)])))).toThrow(/label/);
  });
});
