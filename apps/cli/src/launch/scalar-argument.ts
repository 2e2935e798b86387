import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { UsageError } from '../usage-error.ts';

/**
 * Parses a value of the command line. `what` is its source, for messages, such as `--arg count`.
 *
 * @throws UsageError if it is not a value of that type.
 */
export function scalarArgument(what: string, kind: ScalarKind, text: string): number | bigint | boolean {
  const info = scalarInfo[kind];
  const wrong = (allowed: string): UsageError =>
    new UsageError(`${what}: it must be ${allowed} (${kind}); given ${JSON.stringify(text)}`);
  switch (info.class) {
    case 'bool':
      if (text !== 'true' && text !== 'false') throw wrong('true or false');
      return text === 'true';
    case 'int':
    case 'addr': {
      const value = integerIn(text);
      if (value === undefined || value < info.min || value > info.max) {
        throw wrong(`an integer from ${info.min} to ${info.max}`);
      }
      return info.bytes === 8 ? value : Number(value);
    }
    case 'float': {
      const value = floatIn(text);
      const infinite = kind !== 'e4m3' && Math.abs(value ?? 0) === Infinity;
      if (value === undefined || (Math.abs(value) > info.maxFinite && !infinite)) {
        throw wrong(`a number from ${-info.maxFinite} to ${info.maxFinite}`);
      }
      return value;
    }
  }
}

/** Parses `1024`, `-1`, `0xff` or `1e6` exactly, however large. */
function integerIn(text: string): bigint | undefined {
  if (/^[+-]?\d+$/.test(text) || /^0x[\da-f]+$/i.test(text)) return BigInt(text.replace(/^\+/, ''));
  const value = floatIn(text);
  return value !== undefined && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function floatIn(text: string): number | undefined {
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? undefined : value;
}
