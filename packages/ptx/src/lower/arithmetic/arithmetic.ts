import { approximate, exact } from '@nccl-ts/core';
import { rowsOf, type InstructionLowering, type InstructionTable } from '../lowering.ts';
import { bitCountLowerings } from './bit-counts.ts';
import { bitFieldLowerings } from './bit-fields.ts';
import { addCarry, carryLowerings, madCarry, subCarry } from './carry.ts';
import { compareLowerings } from './compare.ts';
import { convert } from './convert.ts';
import { divIntegers, remIntegers } from './divide.ts';
import {
  absFloats,
  addFloats,
  divFloats,
  floatLowerings,
  fma,
  madFloats,
  mulFloats,
  negFloats,
  subFloats,
} from './float.ts';
import {
  absIntegers,
  addIntegers,
  integerLowerings,
  madIntegers,
  maxIntegers,
  minIntegers,
  mulIntegers,
  negIntegers,
  subIntegers,
} from './integer.ts';
import { logicLowerings } from './logic.ts';
import { maxFloats, minFloats } from './min-max.ts';
import { addMixed, fusedMixed, isMixedPrecision, subMixed } from './mixed-precision.ts';
import { moveLowerings } from './moves.ts';
import { permuteLowerings } from './permute.ts';
import { shiftLowerings } from './shifts.ts';
import { videoLowerings } from './video.ts';

/** True if the first type in the modifiers is a float. */
function isOfFloats(words: readonly string[]): boolean {
  return words.slice(1).some((word) => /^b?f(16|32|64)(x2)?$/.test(word));
}

function byType(integers: InstructionLowering, floats: InstructionLowering, carry = integers): InstructionLowering {
  return (instruction, lowering) => {
    const { words } = instruction;
    const lower = words.includes('cc') ? carry : isOfFloats(words) ? floats : integers;
    lower(instruction, lowering);
  };
}

function mixedOr(mixed: InstructionLowering, plain: InstructionLowering): InstructionLowering {
  return (instruction, lowering) => {
    (isMixedPrecision(instruction.words) ? mixed : plain)(instruction, lowering);
  };
}

const integers = exact('packages/ptx/test/arithmetic/integer.test.ts');
const small = exact('packages/ptx/test/arithmetic/small-floats.test.ts');
const bits = exact('packages/ptx/test/arithmetic/bits.test.ts');
const floats = approximate('an approximate function as the nearest value, and a NaN with one payload', 'rounds');

/**
 * All instructions that access only registers: moves, integers, floats, packed values, conversions,
 * bits and comparisons. Instructions that are approximate on hardware return the nearest value
 * here. A NaN may have other payload bits.
 */
export const arithmetic: InstructionTable = Object.freeze({
  ...rowsOf({ ...integerLowerings, ...carryLowerings, ...videoLowerings, rem: remIntegers }, integers),
  ...rowsOf(
    {
      ...moveLowerings,
      ...shiftLowerings,
      ...logicLowerings,
      ...bitCountLowerings,
      ...bitFieldLowerings,
      ...permuteLowerings,
    },
    bits,
  ),
  ...rowsOf(compareLowerings, exact('packages/ptx/test/arithmetic/compare.test.ts')),
  cvt: {
    lower: convert,
    fidelity: exact('packages/ptx/test/arithmetic/convert.test.ts'),
    modifiers: { e2m1x2: small, e2m3x2: small, e3m2x2: small, ue8m0x2: small, tf32: small },
  },
  ...rowsOf(
    {
      ...floatLowerings,
      fma: mixedOr(fusedMixed, fma),
      add: byType(addIntegers, mixedOr(addMixed, addFloats), addCarry),
      sub: byType(subIntegers, mixedOr(subMixed, subFloats), subCarry),
      mul: byType(mulIntegers, mulFloats),
      mad: byType(madIntegers, madFloats, madCarry),
      div: byType(divIntegers, divFloats),
      abs: byType(absIntegers, absFloats),
      neg: byType(negIntegers, negFloats),
      min: byType(minIntegers, minFloats),
      max: byType(maxIntegers, maxFloats),
    },
    floats,
  ),
});
