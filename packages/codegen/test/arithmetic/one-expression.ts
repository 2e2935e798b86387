import { ptr, u8, type ParamType } from '@nccl-ts/kernel';

import { typeOf, bytesOf, nameOf, type Type } from './language/type.ts';
import { analyseText, argument, builtinNames, compileText, Memory, paramType, variableTypes } from './machine.ts';
import { kinds, type Kind } from './reference/scalar.ts';

/** A type as kernels write it: `f32`, `vec(u8, 16)`. */
export function typeNamed(name: string): Type {
  const vector = /^vec\((\w+), (\d+)\)$/.exec(name);
  const kind = Object.keys(kinds).find((known): known is Kind => known === (vector?.[1] ?? name));
  if (kind === undefined) throw new Error(`no type ${name}`);
  return typeOf(kind, Number(vector?.[2] ?? 1));
}

/** An operand: its type and its value; for a float, its bits. */
export type Operand = readonly [type: string, ...elements: readonly bigint[]];
export type Operands = Readonly<Record<string, Operand>>;

function textOf(expression: string, operands: Operands, store: string): string {
  const names = ['to', ...Object.keys(operands)];
  // Statements up to the last semicolon, then the expression.
  const at = expression.lastIndexOf(';') + 1;
  return `({ ${builtinNames} }, { ${names.join(', ')} }) => { ${expression.slice(0, at)} const result = ${expression.slice(at)}; ${store} }`;
}

function parametersOf(operands: Operands): Readonly<Record<string, ParamType>> {
  const own = Object.entries(operands).map(([name, [type]]) => [name, paramType(typeNamed(type))] as const);
  return { to: ptr(u8), ...Object.fromEntries(own) };
}

/**
 * Returns the type that the front end infers for an expression that is not just a literal or an
 * operand.
 */
function inferred(expression: string, operands: Operands): Type {
  const module = compileText(textOf(expression, operands, 'to.cast(i32).store(0, 0);'), parametersOf(operands));
  const found = variableTypes(module).get('result');
  if (found === undefined) throw new Error(`'${expression}' has no variable`);
  return typeNamed(found);
}

/**
 * Runs an expression of parameters. Returns its type and its value, such as `i32 7`; for floats,
 * the bits.
 */
export function evaluate(expression: string, operands: Operands): string {
  const type = inferred(expression, operands);
  const stores: Readonly<Partial<Record<Kind, string>>> = {
    bool: 'to.store(0, u8(result));',
    addr: 'to.cast(u64).store(0, u64(result));',
  };
  const text = textOf(expression, operands, stores[type.kind] ?? `to.cast(${nameOf(type)}).store(0, result);`);
  const memory = new Memory([Math.max(16, bytesOf(type))]);
  const args = Object.values(operands).map(([name, ...elements]) => argument(typeNamed(name), elements));
  memory.run(compileText(text, parametersOf(operands)), 1, args);
  const elements = memory.read(0, 0, type);
  const { class: of } = kinds[type.kind];
  return `${nameOf(type)} ${elements.map((value) => (of === 'float' ? `0x${value.toString(16)}` : `${value}`)).join(' ')}`;
}

/** Returns the front end's error for an expression, such as `K2005 300 does not fit u8`. */
export function complaints(expression: string, operands: Operands): readonly string[] {
  const result = analyseText(textOf(expression, operands, ''), parametersOf(operands));
  return result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`);
}
