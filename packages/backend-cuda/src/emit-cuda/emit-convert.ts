import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { cppScalar } from './cpp-type.ts';
import type { UsePrelude } from './emit-operation.ts';
import { literal } from './literal.ts';

/** Converts `value` of kind `from` to `to`, with the meaning of the IR's `convert`. */
export function convertText(from: ScalarKind, to: ScalarKind, value: string, use: UsePrelude): string {
  if (from === to) return value;
  const source = scalarInfo[from].class;
  const target = scalarInfo[to].class;
  if (to === 'bool') return source === 'float' ? `(${widened(from, value, use)} != 0)` : `(${value} != 0)`;
  if (source === 'float')
    return target === 'float' ? floatToFloat(from, to, value, use) : floatToInt(from, to, value, use);
  if (target === 'float') return intToFloat(from, to, value, use);
  return cppScalar(from) === cppScalar(to) ? value : `(${cppScalar(to)})${value}`;
}

/** Converts a float to a type in which C++ computes. */
function widened(kind: ScalarKind, value: string, use: UsePrelude): string {
  if (kind === 'f32' || kind === 'f64') return value;
  use(kind === 'f16' ? 'half' : kind === 'bf16' ? 'bf16' : 'fp8');
  return `nts::f(${value})`;
}

function floatToFloat(from: ScalarKind, to: ScalarKind, value: string, use: UsePrelude): string {
  const wide = widened(from, value, use);
  switch (to) {
    case 'f16':
      use('half');
      return from === 'f64' ? `__double2half(${wide})` : `nts::f16(${wide})`;
    case 'bf16':
      use('bf16');
      return from === 'f64' ? `__double2bfloat16(${wide})` : `nts::bf16(${wide})`;
    case 'e4m3':
    case 'e5m2':
      use('fp8');
      return `nts::to_${to}(${wide})`;
    default:
      return `(${cppScalar(to)})${wide}`;
  }
}

function floatToInt(from: ScalarKind, to: ScalarKind, value: string, use: UsePrelude): string {
  use('saturate');
  const kind = from === 'f64' ? 'f64' : 'f32';
  const { bits, signed } = scalarInfo[to];
  const width = to === 'addr' ? 53 : bits;
  const high = 2 ** (signed ? width - 1 : width);
  const most = signed ? 2n ** BigInt(width - 1) - 1n : 2n ** BigInt(width) - 1n;
  const least = signed ? -(2n ** BigInt(width - 1)) : 0n;
  const bound = (of: bigint): string => literal(to, bits === 64 && to !== 'addr' ? of : Number(of));
  const low = literal(kind, signed ? -high : 0);
  return `nts::saturate<${cppScalar(to)}, ${cppScalar(kind)}>(${widened(from, value, use)}, ${low}, ${literal(kind, high)}, ${bound(least)}, ${bound(most)})`;
}

/**
 * 16-bit targets have their own conversions. Through float, wide integers would be rounded twice.
 */
function intToFloat(from: ScalarKind, to: ScalarKind, value: string, use: UsePrelude): string {
  const unsigned = !scalarInfo[from].signed;
  const wide = unsigned ? `(unsigned long long)${value}` : `(long long)${value}`;
  switch (to) {
    case 'f16':
      use('half');
      return `__${unsigned ? 'u' : ''}ll2half_rn(${wide})`;
    case 'bf16':
      use('bf16');
      return `__${unsigned ? 'u' : ''}ll2bfloat16_rn(${wide})`;
    case 'e4m3':
    case 'e5m2':
      use('fp8');
      return `nts::to_${to}((double)${value})`;
    default:
      return `(${cppScalar(to)})${value}`;
  }
}
