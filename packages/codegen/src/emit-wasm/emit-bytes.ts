import { scalarInfo, type ScalarKind } from '@nccl-ts/core';

import { helper } from '../emit-shared/context.ts';
import { value, type WasmValue } from './function-builder.ts';
import type { HelperName } from './helpers.ts';
import { block, i32, i64, lines, op, type WasmCode } from './instruction.ts';
import { wrapCode, type SiteOf } from './emit-operation.ts';
import { keep, type Components, type WasmScope } from './scope.ts';

const encoders: Readonly<Partial<Record<ScalarKind, HelperName>>> = {
  f16: 'f16Bits',
  bf16: 'bf16Bits',
  e4m3: 'e4m3Bits',
  e5m2: 'e5m2Bits',
};

/** Returns the bytes of a scalar as an unsigned integer of 32 or 64 bits. */
export function bitsOf(kind: ScalarKind, a: WasmValue, scope: Pick<WasmScope, 'region'>): WasmValue {
  const encoder = encoders[kind];
  if (encoder !== undefined) return value('i32', ...a.code, ...scope.region.helpers.call(encoder));
  switch (kind) {
    case 'f32':
      return value('i32', ...a.code, op('i32.reinterpret_f32'));
    case 'f64':
      return value('i64', ...a.code, op('i64.reinterpret_f64'));
    case 'addr':
      return value('i64', ...a.code, op('i64.trunc_sat_f64_u'));
    case 'i8':
      return value('i32', ...a.code, i32(255), op('i32.and'));
    case 'i16':
      return value('i32', ...a.code, i32(65535), op('i32.and'));
    case 'bool':
    case 'u8':
    case 'u16':
    case 'i32':
    case 'u32':
    case 'i64':
    case 'u64':
    case 'f16':
    case 'bf16':
    case 'e4m3':
    case 'e5m2':
      return a;
  }
}

/**
 * Returns the scalar that has these bytes. They are an integer of 64 bits, or of 32 bits, of which
 * those above the scalar's must be 0.
 */
export function ofBits(kind: ScalarKind, bits: WasmValue, scope: WasmScope, site: SiteOf): WasmValue {
  const { code } = bits;
  switch (kind) {
    case 'bool':
      return value('i32', ...code, i32(0), op('i32.ne'));
    case 'f16':
      return value('f32', ...code, ...scope.region.helpers.call('f16ToF32'));
    case 'bf16':
      return value('f32', ...code, ...scope.region.helpers.call('bf16ToF32'));
    case 'e4m3':
      return value('f32', ...code, ...scope.region.helpers.call('e4m3ToF32'));
    case 'e5m2':
      return value('f32', ...code, i32(8), op('i32.shl'), ...scope.region.helpers.call('f16ToF32'));
    case 'f32':
      return value('f32', ...code, op('f32.reinterpret_i32'));
    case 'f64':
      return value('f64', ...code, op('f64.reinterpret_i64'));
    case 'addr':
      return addressOf(bits, scope, site);
    case 'i8':
    case 'i16':
      return value('i32', ...code, ...wrapCode(kind));
    case 'u8':
    case 'u16':
    case 'i32':
    case 'u32':
    case 'i64':
    case 'u64':
      return bits;
  }
}

function addressOf(bits: WasmValue, scope: WasmScope, site: SiteOf): WasmValue {
  const stored = keep(scope, bits);
  const name = helper(scope.context, 'wordsToAddress');
  const words = (x: string | undefined): string =>
    `Number(BigInt.asUintN(32, ${x})), Number(BigInt.asUintN(64, ${x}) >> 32n)`;
  scope.code.push(
    ...lines(
      [...stored.code, i64(53n), op('i64.shr_u'), i64(0n), op('i64.ne'), block('if', scope.fn.label())],
      scope.region.fault(scope.thread, [stored], (t, [x]) => `${name}(cta, ${t}, ${site()}, ${words(x)});`),
      op('end'),
    ),
  );
  return value('f64', ...stored.code, op('f64.convert_i64_u'));
}

/** Returns the bytes of consecutive elements of `from` as `count` elements of `to`. */
export function bitcast(
  from: ScalarKind,
  to: ScalarKind,
  elements: Components,
  count: number,
  scope: WasmScope,
  site: SiteOf,
): Components {
  if (from === to) return elements;
  const [wide, narrow] = [scalarInfo[from].bytes, scalarInfo[to].bytes];
  const bits = elements.map((element) => bitsOf(from, element, scope));
  const made = (element: WasmValue): WasmValue => ofBits(to, element, scope, site);
  if (wide === narrow) return bits.map(made);
  if (wide < narrow) {
    const each = narrow / wide;
    return Array.from({ length: count }, (_, i) => made(joined(bits.slice(i * each, (i + 1) * each), wide, narrow)));
  }
  const each = wide / narrow;
  const stored = bits.map((element) => keep(scope, element));
  return Array.from({ length: count }, (_, i) => {
    const element = stored[Math.floor(i / each)] ?? value('i32', i32(0));
    return made(part(element, (i % each) * narrow * 8, narrow));
  });
}

function joined(parts: Components, bytes: number, total: number): WasmValue {
  const width = total === 8 ? 'i64' : 'i32';
  const code = parts.flatMap(({ type, code: one }, i): WasmCode => {
    const wide: WasmCode = width === 'i64' && type === 'i32' ? [...one, op('i64.extend_i32_u')] : one;
    if (i === 0) return wide;
    const shift = i * bytes * 8;
    const count = width === 'i64' ? i64(BigInt(shift)) : i32(shift);
    return [...wide, count, op(`${width}.shl`), op(`${width}.or`)];
  });
  return value(width, ...code);
}

function part({ type, code }: WasmValue, shift: number, bytes: number): WasmValue {
  const big = type === 'i64';
  const shifted: WasmCode =
    shift === 0 ? code : [...code, big ? i64(BigInt(shift)) : i32(shift), op(big ? 'i64.shr_u' : 'i32.shr_u')];
  const low: WasmCode = big ? [...shifted, op('i32.wrap_i64')] : shifted;
  return value('i32', ...low, ...(bytes < 4 ? [i32(bytes === 1 ? 255 : 65535), op('i32.and')] : []));
}
