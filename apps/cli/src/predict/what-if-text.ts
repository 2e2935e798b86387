import { alignCells } from '@nccl-ts/core';
import { renderTime } from '@nccl-ts/timeline';
import type { WhatIfRow, WithWhatIfs } from './what-ifs.ts';

/** The effects of changes: what was changed by its line, and the times before and after. */
export function whatIfText({ nanoseconds, whatIfs = [] }: WithWhatIfs, label: string): readonly string[] {
  if (whatIfs.length === 0) return [];
  const cells = whatIfs.map((row): readonly string[] => {
    const change = changeText(row);
    if ('why' in row) return [change, '', `cannot be predicted: ${row.why}`];
    const times = `${renderTime(nanoseconds)} -> ${renderTime(row.nanoseconds)}`;
    if (row.isBelowResolution) return [change, times, "below the model's resolution"];
    const percent = Math.round((100 * Math.abs(row.saved)) / nanoseconds);
    return [change, times, `${renderTime(Math.abs(row.saved))} ${row.saved > 0 ? 'less' : 'more'}, ${percent} %`];
  });
  const title = label === '' ? 'what if' : `what if, ${label}`;
  return ['', title, ...alignCells(cells, () => false).map((row) => `  ${row.join('  ').trimEnd()}`)];
}

function changeText({ whatIf, changes }: WhatIfRow): string {
  if (changes.length === 0) return whatIf;
  return changes
    .map(({ at, does, copies }) => {
      const many = copies === 1 ? '' : ` (${copies} ${at === '' ? 'launches' : 'places'})`;
      return `${at === '' ? '' : `${at}: `}${does}${many}`;
    })
    .join(', ');
}
