import { scalarInfo, type ScalarKind } from '@nccl-ts/core';

import { isBig, isFloat } from '../emit-shared/types.ts';
import { checkedAddress, doubleCode, roundedCode, roundedSingleCode, wrapCode, type SiteOf } from './emit-operation.ts';
import { value, type WasmValue } from './function-builder.ts';
import { f32, f64, i32, i64, op } from './instruction.ts';
import type { WasmScope } from './scope.ts';
import { heldIn } from './types.ts';

/** Converts the value `a` of `from` to `to`, by the rules of `ConvertExpression`. */
export function convert(from: ScalarKind, to: ScalarKind, a: WasmValue, scope: WasmScope, site: SiteOf): WasmValue {
  if (from === to) return a;
  if (to === 'bool') return toBool(a);
  if (from === 'bool') return convert('u32', to, a, scope, site);
  if (isFloat(to)) return toFloat(from, to, a, scope);
  if (to === 'addr') return toAddress(from, a, scope, site);
  if (isFloat(from)) return floatToInt(from, to, a);
  if (from === 'addr') return addressToInt(to, a);
  return intToInt(from, to, a);
}

function toBool({ type, code }: WasmValue): WasmValue {
  switch (type) {
    case 'i32':
      return value('i32', ...code, i32(0), op('i32.ne'));
    case 'i64':
      return value('i32', ...code, i64(0n), op('i64.ne'));
    case 'f32':
      return value('i32', ...code, f32(0), op('f32.ne'));
    case 'f64':
    case 'v128':
      return value('i32', ...code, f64(0), op('f64.ne'));
  }
}

function toFloat(from: ScalarKind, to: ScalarKind, a: WasmValue, scope: WasmScope): WasmValue {
  const sign = scalarInfo[from].signed ? 's' : 'u';
  if (isFloat(from) || from === 'addr') {
    if (heldIn[from] === 'f32') {
      if (to === 'f64') return value('f64', ...a.code, op('f64.promote_f32'));
      // Every 8-bit float is representable as f16 and as bf16, and every 16-bit float as f32.
      const widens = to === 'f32' || scalarInfo[from].bits < scalarInfo[to].bits;
      return widens ? a : value('f32', ...a.code, ...roundedSingleCode(scope, to));
    }
    return to === 'f64' ? a : value('f32', ...a.code, ...roundedCode(scope, to));
  }
  const width = isBig(from) ? 'i64' : 'i32';
  if (to === 'f64' || to === 'f32') return value(to, ...a.code, op(`${to}.convert_${width}_${sign}`));
  // A double represents all 32-bit integers. For 64-bit integers the helper keeps what a second
  // rounding needs.
  if (width === 'i32') return value('f32', ...a.code, op(`f64.convert_i32_${sign}`), ...roundedCode(scope, to));
  if (sign === 's') {
    return value('f32', ...a.code, ...scope.region.helpers.callGiven('bigToOdd'), ...roundedCode(scope, to));
  }
  return value('f32', ...a.code, ...scope.region.helpers.callGiven('bigToOddUnsigned'), ...roundedCode(scope, to));
}

function toAddress(from: ScalarKind, a: WasmValue, scope: WasmScope, site: SiteOf): WasmValue {
  const { signed, bits } = scalarInfo[from];
  if (isFloat(from)) return checkedAddress(value('f64', ...a.code, ...doubleCode(from), op('f64.trunc')), scope, site);
  const width = isBig(from) ? 'i64' : 'i32';
  const number = value('f64', ...a.code, op(`f64.convert_${width}_${signed ? 's' : 'u'}`));
  return !signed && bits <= 32 ? number : checkedAddress(number, scope, site);
}

function floatToInt(from: ScalarKind, to: ScalarKind, a: WasmValue): WasmValue {
  const info = scalarInfo[to];
  const sign = info.signed ? 's' : 'u';
  const source = heldIn[from] === 'f64' ? 'f64' : 'f32';
  if (isBig(to)) return value('i64', ...a.code, op(`i64.trunc_sat_${source}_${sign}`));
  if (info.bits === 32) return value('i32', ...a.code, op(`i32.trunc_sat_${source}_${sign}`));
  const clamped = [f64(Number(info.min ?? 0n)), op('f64.max'), f64(Number(info.max ?? 0n)), op('f64.min')];
  return value('i32', ...a.code, ...doubleCode(from), ...clamped, op('i32.trunc_sat_f64_s'));
}

function addressToInt(to: ScalarKind, a: WasmValue): WasmValue {
  const whole = [...a.code, op('i64.trunc_sat_f64_u')];
  return isBig(to) ? value('i64', ...whole) : value('i32', ...whole, op('i32.wrap_i64'), ...wrapCode(to));
}

function intToInt(from: ScalarKind, to: ScalarKind, a: WasmValue): WasmValue {
  if (isBig(from)) return isBig(to) ? a : value('i32', ...a.code, op('i32.wrap_i64'), ...wrapCode(to));
  if (isBig(to)) return value('i64', ...a.code, op(scalarInfo[from].signed ? 'i64.extend_i32_s' : 'i64.extend_i32_u'));
  return value('i32', ...a.code, ...wrapCode(to));
}
