import type { ProgramHost } from '../program/program.ts';
import type { RunningCta } from './running-cta.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

const bytes = new ArrayBuffer(8);
const float = new Float32Array(bytes);
const double = new Float64Array(bytes);
const word = new Uint32Array(bytes);
const longWord = new BigUint64Array(bytes);

/** Converts between values and the integers with their bytes, for atomic operations. */
export function bits(host: ProgramHost): SupportFunctions {
  return {
    floatOfBits: (a: number): number => {
      word[0] = a;
      return float[0] ?? 0;
    },
    bitsOfFloat: (a: number): number => {
      float[0] = a;
      return word[0] ?? 0;
    },
    doubleOfBits: (a: bigint): number => {
      longWord[0] = a;
      return double[0] ?? 0;
    },
    bitsOfDouble: (a: number): bigint => {
      double[0] = a;
      return longWord[0] ?? 0n;
    },
    bitsToAddress: (cta: RunningCta, thread: number, site: number, a: bigint): number => {
      if (a <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(a);
      const message = `${Number(a)} is not an address or offset: they range from 0 to 2^53 - 1`;
      return host.fault(cta.identity, { kind: 'addressRange', site, thread, message });
    },
  };
}
