import type { ScalarKind } from '@nccl-ts/core';
import type { BitcastExpression } from '@nccl-ts/ir';

import { helper, type Components } from './context.ts';
import { wrap } from './emit-operation.ts';
import { bound, fresh, type EmitScope } from './scope.ts';
import { integerViewOf, isBig, scalarOf, viewOf, widthOf } from './types.ts';

/**
 * Reinterprets the bytes of `operand`, which are the value of `e.operand`, as `e.type`, by means of
 * a few shared bytes.
 */
export function bitcast(e: BitcastExpression, operand: Components, scope: EmitScope): Components {
  const from = scalarOf(e.operand.type) ?? 'u32';
  const to = scalarOf(e.type) ?? 'u32';
  if (from === to) return operand;
  if (isPlainInt(from) && isPlainInt(to) && operand.length === widthOf(e.type)) {
    return operand.map((text) => wrap(to, text));
  }
  operand.forEach((text, i) => scope.code.push(...storeTexts(scope, scratch(scope), from, `${i}`, text)));
  return Array.from({ length: widthOf(e.type) }, (_, i) => {
    const name = fresh(scope);
    scope.code.push(`const ${name} = ${loadText(scope, scratch(scope), to, `${i}`, '0')};`);
    return name;
  });
}

function isPlainInt(kind: ScalarKind): boolean {
  return kind === 'i32' || kind === 'u32' || isBig(kind);
}

function scratch(scope: EmitScope): (view: string) => string {
  return (view) => bound(scope, `scratch_${view}`, `support.scratch.${view}`);
}

const decoders: Readonly<Partial<Record<ScalarKind, string>>> = {
  f16: 'f16Table',
  e4m3: 'e4m3Table',
  e5m2: 'e5m2Table',
};

const encoders: Readonly<Partial<Record<ScalarKind, string>>> = {
  f16: 'f16Bits',
  bf16: 'bf16Bits',
  e4m3: 'numberToE4m3',
  e5m2: 'e5m2Bits',
};

/**
 * Returns text that reads element `index` (in units of the scalar's size) of the views that `view`
 * names.
 */
export function loadText(
  scope: EmitScope,
  view: (name: string) => string,
  kind: ScalarKind,
  index: string,
  fault: string,
): string {
  if (kind === 'addr') {
    const words = view('u32');
    return `${helper(scope.context, 'wordsToAddress')}(cta, ${scope.thread}, ${fault}, ${words}[(${index}) * 2], ${words}[(${index}) * 2 + 1])`;
  }
  return decodedText(scope, kind, `${view(viewOf[kind])}[${index}]`);
}

/** Like `loadText`, in one step that is atomic to other host threads and also orders accesses. */
export function strongLoadText(
  scope: EmitScope,
  view: (name: string) => string,
  kind: ScalarKind,
  index: string,
  fault: string,
): string {
  return ofIntegerText(scope, kind, `Atomics.load(${view(integerViewOf[kind])}, ${index})`, fault);
}

/** Returns the scalar whose bytes are those of `raw`, an integer that is evaluated once. */
export function ofIntegerText(scope: EmitScope, kind: ScalarKind, raw: string, fault: string): string {
  if (kind === 'f32') return `${helper(scope.context, 'floatOfBits')}(${raw})`;
  if (kind === 'f64') return `${helper(scope.context, 'doubleOfBits')}(${raw})`;
  if (kind === 'addr') return `${helper(scope.context, 'bitsToAddress')}(cta, ${scope.thread}, ${fault}, ${raw})`;
  return decodedText(scope, kind, raw);
}

/** Returns the integer with the bytes of a scalar. */
export function toIntegerText(scope: EmitScope, kind: ScalarKind, value: string): string {
  if (kind === 'f32') return `${helper(scope.context, 'bitsOfFloat')}(${value})`;
  if (kind === 'f64') return `${helper(scope.context, 'bitsOfDouble')}(${value})`;
  if (kind === 'addr') return `BigInt(${value})`;
  return encodedText(scope, kind, value);
}

function decodedText(scope: EmitScope, kind: ScalarKind, raw: string): string {
  if (kind === 'bool') return `(${raw} !== 0)`;
  if (kind === 'bf16') return `${helper(scope.context, 'bf16ToNumber')}(${raw})`;
  const decoder = decoders[kind];
  return decoder === undefined ? raw : `${helper(scope.context, decoder)}[${raw}]`;
}

/** Returns statements that set element `index` to `value`. */
export function storeTexts(
  scope: EmitScope,
  view: (name: string) => string,
  kind: ScalarKind,
  index: string,
  value: string,
): readonly string[] {
  if (kind === 'addr') {
    const words = view('u32');
    const name = fresh(scope);
    return [
      `const ${name} = ${value};`,
      `${words}[(${index}) * 2] = ${name} >>> 0; ${words}[(${index}) * 2 + 1] = ${name} / 4294967296;`,
    ];
  }
  return [`${view(viewOf[kind])}[${index}] = ${encodedText(scope, kind, value)};`];
}

/** Like `storeTexts`, in one step that is atomic to other host threads. */
export function strongStoreTexts(
  scope: EmitScope,
  view: (name: string) => string,
  kind: ScalarKind,
  index: string,
  value: string,
): readonly string[] {
  return [`Atomics.store(${view(integerViewOf[kind])}, ${index}, ${toIntegerText(scope, kind, value)});`];
}

function encodedText(scope: EmitScope, kind: ScalarKind, value: string): string {
  if (kind === 'bool') return `${value} ? 1 : 0`;
  const encoder = encoders[kind];
  return encoder === undefined ? value : `${helper(scope.context, encoder)}(${value})`;
}
