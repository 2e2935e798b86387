import { NcclError, showValue } from '@nccl-ts/core';

/**
 * Writes the choices of a schedule as text: numbers in base 36, separated by dots. `_` and a number
 * represent that many zeros in a row. Trailing zeros are left out.
 */
export function choicesText(choices: readonly number[]): string {
  const parts: string[] = [];
  let zeros = 0;
  for (const choice of choices) {
    if (choice === 0) {
      zeros++;
      continue;
    }
    if (zeros > 0) parts.push(zeros === 1 ? '0' : `_${zeros.toString(36)}`);
    zeros = 0;
    parts.push(choice.toString(36));
  }
  return parts.join('.');
}

const part = /^(_?)([0-9a-z]+)$/;

/** Parses the choices of a text. @throws NcclError `NCCL_INVALID_ARGUMENT` for any other text. */
export function parseChoices(text: string): number[] {
  if (text === '') return [];
  return text.split('.').flatMap((word) => {
    const [, mark, digits] = part.exec(word) ?? [];
    const number = digits === undefined ? Number.NaN : Number.parseInt(digits, 36);
    if (!Number.isSafeInteger(number) || (mark === '_' && number > 1 << 24)) {
      throw new NcclError(
        'NCCL_INVALID_ARGUMENT',
        `replay must be the choices of a schedule; given ${showValue(text)}.`,
      );
    }
    return mark === '_' ? Array.from({ length: number }, () => 0) : [number];
  });
}
