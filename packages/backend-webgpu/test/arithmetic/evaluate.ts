import type { ScalarKind } from '@nccl-ts/core';
import { isFault, readScalar, writeScalar, type ScalarFault, type ScalarValue } from '@nccl-ts/ir';
import {
  fromBitsText,
  libraryText,
  toBitsText,
  wgslScalar,
  type ArithmeticContext,
  type LibraryFunction,
} from '../../src/emit-wgsl/arithmetic/index.ts';
import { runCompute } from '../support/gpu.ts';

/** An expression whose operands all have one kind, and the kind of its result. */
export interface Formula {
  readonly result: ScalarKind;
  readonly text: (operands: readonly string[], c: ArithmeticContext) => string;
}

/** A formula with its name and its result by the rules of the IR. */
export interface Operation extends Formula {
  readonly name: string;
  readonly reference: (operands: readonly ScalarValue[]) => ScalarValue | ScalarFault;
}

/** The site to which faults are attributed. */
const site = 9;

const faultNames: ReadonlyMap<number, ScalarFault> = new Map([
  [site * 256 + 1, 'divisionByZero'],
  [site * 256 + 2, 'divisionOverflow'],
  [site * 256 + 3, 'addressRange'],
]);

const names = ['a', 'b', 'c'];

/** The declarations that an emitter provides: a zero unknown to the compiler, and faults. */
export const surroundings = `
var<private> fault: u32;

fn nts_fault(site: u32, kind: u32) {
  fault = select(fault, site * 256u + kind, kind != 0u);
}
`;

export function contextOf(exact: boolean, used: Set<LibraryFunction>): ArithmeticContext {
  return { exact, use: (fn) => void used.add(fn), site: `${site}u` };
}

function bitsOf(kind: ScalarKind, text: string, c: ArithmeticContext): string {
  const bits = toBitsText(kind, text, c);
  return wgslScalar(kind) === 'vec2u' ? bits : `vec2u(${bits}, 0u)`;
}

function valueOf(kind: ScalarKind, words: string, c: ArithmeticContext): string {
  return fromBitsText(kind, wgslScalar(kind) === 'vec2u' ? words : `${words}.x`, c);
}

/** A shader that computes all formulas for each row of operands. */
export function shaderOf(kind: ScalarKind, arity: number, formulas: readonly Formula[], exact: boolean): string {
  const used = new Set<LibraryFunction>();
  const c = contextOf(exact, used);
  const operands = names.slice(0, arity);
  const bindings = operands.map((name, i) => `@group(0) @binding(${i}) var<storage> ${name}_words: array<vec2u>;`);
  const params = operands.map((name) => `${name}: ${wgslScalar(kind)}`).join(', ');
  const functions = formulas.map(
    ({ result, text }, i) => `fn formula_${i}(${params}) -> vec2u {
  return ${bitsOf(result, text(operands, c), c)};
}`,
  );
  const loads = operands.map((name) => `  let ${name} = ${valueOf(kind, `${name}_words[row]`, c)};`);
  const steps = formulas.map(
    (_, i) => `  fault = nts_zero();
  let result_${i} = formula_${i}(${operands.join(', ')});
  results[row * ${formulas.length}u + ${i}u] = vec4u(result_${i}, fault, 0u);`,
  );
  return [
    ...bindings,
    `@group(0) @binding(${arity}) var<storage> zero: array<u32>;`,
    `@group(0) @binding(${arity + 1}) var<storage, read_write> results: array<vec4u>;`,
    surroundings,
    'fn nts_zero() -> u32 {\n  return zero[0];\n}\n',
    libraryText(used),
    ...functions,
    '@compute @workgroup_size(64)',
    'fn main(@builtin(global_invocation_id) id: vec3u) {',
    '  let row = id.x;',
    '  if (row >= arrayLength(&a_words)) {\n    return;\n  }',
    ...loads,
    ...steps,
    '}',
  ].join('\n');
}

/**
 * Returns the results of all formulas. `words` has 4 for each formula of each row; the third is the
 * fault.
 */
export async function evaluate(
  device: GPUDevice,
  kind: ScalarKind,
  rows: readonly (readonly ScalarValue[])[],
  formulas: readonly Formula[],
  exact: boolean,
): Promise<Uint32Array> {
  const arity = rows[0]?.length ?? 0;
  const columns = names.slice(0, arity).map((_, operand) => {
    const bytes = new DataView(new ArrayBuffer(rows.length * 8));
    rows.forEach((row, i) => writeScalar(bytes, 8 * i, kind, row[operand] ?? 0));
    return new Uint32Array(bytes.buffer);
  });
  return runCompute(device, {
    code: shaderOf(kind, arity, formulas, exact),
    inputs: [...columns, new Uint32Array(4)],
    outputWords: rows.length * formulas.length * 4,
    workgroups: Math.ceil(rows.length / 64),
  });
}

const scratch = new DataView(new ArrayBuffer(8));

/** The result of formula number `at`, counted through all rows: a value, or a fault. */
export function resultAt(words: Uint32Array, at: number, kind: ScalarKind): ScalarValue | string {
  const fault = words[4 * at + 2] ?? 0;
  if (fault !== 0) return faultNames.get(fault) ?? `fault ${fault}`;
  scratch.setUint32(0, words[4 * at] ?? 0, true);
  scratch.setUint32(4, words[4 * at + 1] ?? 0, true);
  return readScalar(scratch, 0, kind);
}

/**
 * Compares `operations` with their references for all rows. Returns descriptions of the first few
 * differences.
 */
export async function differences(
  device: GPUDevice,
  kind: ScalarKind,
  rows: readonly (readonly ScalarValue[])[],
  operations: readonly Operation[],
  exact = true,
): Promise<readonly string[]> {
  const words = await evaluate(device, kind, rows, operations, exact);
  const defined = [...rows.keys()].filter((row) => !rows[row]?.some((operand) => isSubnormal(kind, operand)));
  return operations.flatMap(({ name, result, reference }, i) => {
    const found: string[] = [];
    for (const row of defined) {
      const operands = rows[row] ?? [];
      const wanted = reference(operands);
      const got = resultAt(words, row * operations.length + i, result);
      if (Object.is(got, wanted) || (!isFault(wanted) && isTiny(result, wanted))) continue;
      found.push(`${name} of ${operands.map(show).join(', ')} is ${show(got)}, not ${show(wanted)}`);
      if (found.length === 3) break;
    }
    return found;
  });
}

/** True for an f32 below its normal range, for which hardware may compute with zeros. */
function isSubnormal(kind: ScalarKind, value: ScalarValue): boolean {
  return typeof value === 'number' && wgslScalar(kind) === 'f32' && value !== 0 && Math.abs(value) < 2 ** -126;
}

/**
 * This includes the smallest normal number, because a value that rounds up to it may have been
 * flushed to zero before.
 */
function isTiny(kind: ScalarKind, value: ScalarValue): boolean {
  return isSubnormal(kind, value) || (wgslScalar(kind) === 'f32' && Math.abs(Number(value)) === 2 ** -126);
}

function show(value: ScalarValue | string): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
