import { scalarInfo, type ScalarKind } from '@nccl-ts/core';

import { helper, type EmitContext } from './context.ts';
import { rounded, wrap, type FaultSite } from './emit-operation.ts';
import { isBig, isFloat } from './types.ts';

/** Converts the value `a` of `from` to `to`, by the rules of `ConvertExpression`. */
export function convertText(
  context: EmitContext,
  from: ScalarKind,
  to: ScalarKind,
  a: string,
  faultSite: FaultSite,
): string {
  if (from === to) return a;
  if (to === 'bool') return isBig(from) ? `(${a} !== 0n)` : `(${a} !== 0)`;
  if (from === 'bool') return isBig(to) ? `(${a} ? 1n : 0n)` : `(${a} ? 1 : 0)`;
  if (isFloat(to)) return toFloat(context, from, to, a);
  if (to === 'addr') return toAddress(context, from, a, faultSite);
  if (isFloat(from)) return floatToInt(context, to, a);
  return intToInt(from, to, a);
}

function toFloat(context: EmitContext, from: ScalarKind, to: ScalarKind, a: string): string {
  if (!isBig(from)) return isWithin(from, to) ? a : rounded(context, to, a);
  if (to === 'f64') return `Number(${a})`;
  // Number() would round an additional time, so the helper keeps a sticky bit.
  return rounded(context, to, `${helper(context, 'bigToOdd')}(${a})`);
}

/** True if the float `to` can represent every value of `from`. */
function isWithin(from: ScalarKind, to: ScalarKind): boolean {
  if (to === 'f64') return true;
  const info = scalarInfo[from];
  if (to === 'f32') return info.bits < 32 || from === 'bf16';
  return (to === 'f16' && info.bits === 8) || (to === 'bf16' && isFloat(from) && info.bits === 8);
}

function toAddress(context: EmitContext, from: ScalarKind, a: string, faultSite: FaultSite): string {
  const info = scalarInfo[from];
  if (!info.signed && info.bits <= 32) return a;
  const number = isBig(from) ? `Number(${a})` : isFloat(from) ? `Math.trunc(${a})` : a;
  return `${helper(context, 'address')}(cta, ${faultSite.thread}, ${faultSite.site()}, ${number})`;
}

function floatToInt(context: EmitContext, to: ScalarKind, a: string): string {
  const info = scalarInfo[to];
  if (info.class !== 'int') return a;
  if (isBig(to)) return `${helper(context, 'saturateBig')}(${a}, ${bigText(info.min)}, ${bigText(info.max)})`;
  return wrap(to, `${helper(context, 'saturate')}(${a}, ${Number(info.min)}, ${Number(info.max)})`);
}

function bigText(value: bigint): string {
  return value < 0n ? `(${value}n)` : `${value}n`;
}

function intToInt(from: ScalarKind, to: ScalarKind, a: string): string {
  const source = scalarInfo[from];
  const target = scalarInfo[to];
  if (isBig(from)) {
    if (isBig(to)) return wrap(to, a);
    return target.signed
      ? `Number(BigInt.asIntN(${target.bits}, ${a}))`
      : `Number(BigInt.asUintN(${target.bits}, ${a}))`;
  }
  if (isBig(to)) return source.signed && !target.signed ? wrap(to, `BigInt(${a})`) : `BigInt(${a})`;
  const fits = source.class === 'int' && target.class === 'int' && source.min >= target.min && source.max <= target.max;
  return fits ? a : wrap(to, a);
}
