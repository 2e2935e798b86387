import { at } from '@nccl-ts/core';
/** Formats ascending whole numbers as `0-3, 6`. */
export function ranges(numbers: Iterable<number>): string {
  const sorted = [...new Set(numbers)].toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    const first = at(sorted, i);
    let last = first;
    while (sorted[i + 1] === last + 1) {
      last++;
      i++;
    }
    i++;
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join(', ');
}

/** Formats ranks as `rank 3` or `ranks 0-2, 5`. */
export function counted(noun: string, numbers: Iterable<number>): string {
  const all = [...new Set(numbers)];
  return `${noun}${all.length === 1 ? '' : 's'} ${ranges(all)}`;
}
