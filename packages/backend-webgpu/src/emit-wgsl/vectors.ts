import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { elementScalar, valueBytes, type BinaryOp, type MathFunction, type UnaryOp, type ValueType } from '@nccl-ts/ir';
import {
  binaryText,
  convertText,
  fromBitsText,
  mathText,
  toBitsText,
  unaryText,
  type ArithmeticContext,
} from './arithmetic/index.ts';
import type { WgslEmitContext } from './context.ts';
import { rawType, typeWord, wgslType } from './value-type.ts';

type Vector = Extract<ValueType, { kind: 'vector' }>;

/** Applied to each element: parameters `a`, `b`, ... of vector types return one of `result`. */
function elementwise(
  c: WgslEmitContext,
  name: string,
  parameters: readonly Vector[],
  result: Vector,
  element: (parts: readonly string[], context: ArithmeticContext) => string,
): string {
  return c.helper(`${name}_${typeWord(result)}`, () => {
    const names = ['a', 'b', 'c'].slice(0, parameters.length);
    // Faults are attributed to the caller.
    const context: ArithmeticContext = { exact: c.arithmetic.exact, use: c.arithmetic.use, site: 'site' };
    const list = names.map((one, i) => `${one}: ${wgslType(parameters[i] ?? result)}`).join(', ');
    const elements = Array.from({ length: result.width }, (_, i) =>
      element(
        names.map((one) => `${one}[${i}]`),
        context,
      ),
    );
    return `fn ${name}_${typeWord(result)}(${list}, site: u32) -> ${wgslType(result)} {\n  return ${wgslType(result)}(${elements.join(', ')});\n}`;
  });
}

export function binaryOf(op: BinaryOp, type: Vector, a: string, b: string, c: WgslEmitContext): string {
  const fn = elementwise(c, `nts_${op}`, [type, type], type, ([x = '', y = ''], context) =>
    binaryText(op, type.element, x, y, context),
  );
  return `${fn}(${a}, ${b}, ${siteOf(op, type.element, c)})`;
}

export function unaryOf(op: UnaryOp, type: Vector, a: string, c: WgslEmitContext): string {
  const fn = elementwise(c, `nts_${op}`, [type], type, ([x = ''], context) => unaryText(op, type.element, x, context));
  return `${fn}(${a}, 0u)`;
}

export function mathOf(name: MathFunction, type: Vector, args: readonly string[], c: WgslEmitContext): string {
  const fn = elementwise(
    c,
    `nts_math_${name}`,
    args.map(() => type),
    type,
    (parts, context) => mathText(name, type.element, parts, context),
  );
  return `${fn}(${args.join(', ')}, 0u)`;
}

export function convertOf(from: Vector, to: Vector, a: string, c: WgslEmitContext): string {
  const fn = elementwise(c, `nts_convert_${typeWord(from)}`, [from], to, ([x = ''], context) =>
    convertText(from.element, to.element, x, context),
  );
  return `${fn}(${a}, 0u)`;
}

function siteOf(op: BinaryOp, kind: ScalarKind, c: WgslEmitContext): string {
  const divides = (op === 'div' || op === 'rem') && scalarInfo[kind].class === 'int';
  return divides ? c.arithmetic.site : '0u';
}

export function splat(type: Vector, a: string, c: WgslEmitContext): string {
  const fn = c.helper(`nts_splat_${typeWord(type)}`, () => {
    const copies = Array.from({ length: type.width }, () => 'a').join(', ');
    return `fn nts_splat_${typeWord(type)}(a: ${wgslType({ kind: 'scalar', scalar: type.element })}) -> ${wgslType(type)} {\n  return ${wgslType(type)}(${copies});\n}`;
  });
  return `${fn}(${a})`;
}

/** Element `index` (u32 text), which is not a constant. */
export function laneOf(type: Vector, vector: string, index: string, c: WgslEmitContext): string {
  const name = `nts_lane_${typeWord(type)}`;
  c.helper(name, () =>
    [
      `fn ${name}(v: ${wgslType(type)}, i: u32, site: u32) -> ${wgslType({ kind: 'scalar', scalar: type.element })} {`,
      `  nts_fault(site, select(0u, nts_no_lane, i >= ${type.width}u));`,
      '  var elements = v;',
      `  return elements[min(i, ${type.width - 1}u)];`,
      '}',
    ].join('\n'),
  );
  return `${name}(${vector}, ${index}, ${c.site('lane')}u)`;
}

export function withLaneOf(type: Vector, vector: string, index: string, value: string, c: WgslEmitContext): string {
  const name = `nts_with_lane_${typeWord(type)}`;
  c.helper(name, () =>
    [
      `fn ${name}(v: ${wgslType(type)}, i: u32, x: ${wgslType({ kind: 'scalar', scalar: type.element })}, site: u32) -> ${wgslType(type)} {`,
      `  nts_fault(site, select(0u, nts_no_lane, i >= ${type.width}u));`,
      '  var elements = v;',
      `  elements[min(i, ${type.width - 1}u)] = x;`,
      '  return elements;',
      '}',
    ].join('\n'),
  );
  return `${name}(${vector}, ${index}, ${value}, ${c.site('lane')}u)`;
}

/** Returns the memory representation of a value: `rawType(valueBytes(type))`. */
export function packed(type: ValueType, value: string, c: WgslEmitContext): string {
  if (type.kind === 'scalar') return toBitsText(type.scalar, value, c.arithmetic);
  const name = `nts_pack_${typeWord(type)}`;
  c.helper(name, () => {
    const words = wordsOf(type, (i) => toBitsText(type.element, `v[${i}]`, c.arithmetic));
    const raw = rawType(valueBytes(type));
    const text = words.length === 1 ? (words[0] ?? '0u') : `${raw}(${words.join(', ')})`;
    return `fn ${name}(v: ${wgslType(type)}) -> ${raw} {\n  return ${text};\n}`;
  });
  return `${name}(${value})`;
}

/** The value whose bits are `raw`. */
export function unpacked(type: ValueType, raw: string, c: WgslEmitContext): string {
  if (type.kind === 'scalar') return fromBitsText(type.scalar, raw, c.arithmetic);
  const name = `nts_unpack_${typeWord(type)}`;
  c.helper(name, () => {
    const bytes = valueBytes(type);
    const elements = Array.from({ length: type.width }, (_, i) =>
      fromBitsText(type.element, bitsOf(type, i, bytes > 4), c.arithmetic),
    );
    return `fn ${name}(w: ${rawType(bytes)}) -> ${wgslType(type)} {\n  return ${wgslType(type)}(${elements.join(', ')});\n}`;
  });
  return `${name}(${raw})`;
}

/** Returns the words of a vector. `bits(i)` are the bits of element i, at the low end. */
function wordsOf(type: Vector, bits: (i: number) => string): readonly string[] {
  const size = scalarInfo[elementScalar(type)].bytes;
  const all = Array.from({ length: type.width }, (_, i) => bits(i));
  if (size === 8) return all.flatMap((one) => [`(${one}).x`, `(${one}).y`]);
  const each = 4 / size;
  return Array.from({ length: Math.ceil(all.length / each) }, (_, word) =>
    all
      .slice(word * each, (word + 1) * each)
      .map((one, i) => (i === 0 ? `(${one})` : `((${one}) << ${i * size * 8}u)`))
      .join(' | '),
  );
}

function bitsOf(type: Vector, i: number, several: boolean): string {
  const size = scalarInfo[elementScalar(type)].bytes;
  const word = (at: number): string => (several ? `w[${at}]` : 'w');
  if (size === 8) return `vec2u(${word(2 * i)}, ${word(2 * i + 1)})`;
  if (size === 4) return word(i);
  const each = 4 / size;
  const shift = (i % each) * size * 8;
  return `((${word(Math.floor(i / each))} >> ${shift}u) & ${size === 1 ? '0xffu' : '0xffffu'})`;
}
