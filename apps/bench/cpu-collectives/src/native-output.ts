import { NcclError } from '@nccl-ts/core';
import type { Calibration } from './calibration.ts';

/** A line of a native program: the microseconds of one call, with a number for each round. */
export interface NativeLine {
  readonly name: string;
  readonly ranks: number;
  readonly bytes: number;
  readonly inPlace: boolean;
  readonly us: readonly number[];
  /** The width of the twin's vectors. */
  readonly vectorBits?: number;
}

/**
 * Parses the lines of JSON in the output of a program. Other lines, which MPI libraries print, are
 * skipped.
 *
 * @throws NcclError `NCCL_INTERNAL_ERROR` if a line of JSON does not describe a case.
 */
export function nativeLines(output: string): readonly NativeLine[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(nativeLine);
}

function nativeLine(text: string): NativeLine {
  const value = objectOf(text);
  const { name, ranks, bytes, inPlace, us, vectorBits } = value;
  if (
    typeof name !== 'string' ||
    typeof ranks !== 'number' ||
    typeof bytes !== 'number' ||
    typeof inPlace !== 'boolean' ||
    !isTimes(us)
  )
    throw malformed(text);
  return Object.freeze({ name, ranks, bytes, inPlace, us, ...(typeof vectorBits === 'number' ? { vectorBits } : {}) });
}

/**
 * Parses the output of `calibrate`.
 *
 * @throws NcclError `NCCL_INTERNAL_ERROR` if it has another format.
 */
export function calibrationOf(output: string): Calibration {
  const { lost, signalNs } = objectOf(output.trim());
  if (!isNumbers(lost) || lost.length !== 2 || typeof signalNs !== 'number') throw malformed(output);
  return Object.freeze({ lost, signalNs });
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(text);
  }
  if (typeof value !== 'object' || value === null) throw malformed(text);
  return { ...value };
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number' && Number.isFinite(one));
}

function isTimes(value: unknown): value is readonly number[] {
  return isNumbers(value) && value.length > 0 && value.every((one) => one > 0);
}

function malformed(text: string): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `a native program printed ${JSON.stringify(text.slice(0, 200))}`);
}
