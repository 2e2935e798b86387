import { approximate, exact } from '@nccl-ts/core';
import { rowsOf, type InstructionLowering, type InstructionTable } from '../lowering.ts';
import { bitCountLowerings } from './bit-counts.ts';
import { bitFieldLowerings } from './bit-fields.ts';
import { addCarry, carryLowerings, madCarry, subCarry } from './carry.ts';
import { compareLowerings } from './compare.ts';
import { convertLowerings } from './convert.ts';
import { divIntegers, remIntegers } from './divide.ts';
import {
  absFloats,
  addFloats,
  divFloats,
  floatLowerings,
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

const integers = exact('packages/ptx/test/arithmetic/integer.test.ts');
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
  ...rowsOf(convertLowerings, exact('packages/ptx/test/arithmetic/convert.test.ts')),
  ...rowsOf(
    {
      ...floatLowerings,
      add: byType(addIntegers, addFloats, addCarry),
      sub: byType(subIntegers, subFloats, subCarry),
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
