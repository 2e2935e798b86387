import { allCases, apiParts, rowsText } from '@nccl-ts/conformance';
import { describe, expect, it } from 'vitest';

const rows = apiParts.flatMap(({ rows: ofPart }) => ofPart);
const entries = rows.flatMap(({ id, cases, open, traps = [] }) => [
  { name: id, cases, open },
  ...traps.map((trap) => ({ name: `${id}: ${trap.trap}`, cases: trap.cases, open: trap.open })),
]);

describe('the rows of the device API', () => {
  it('have unique ids that name their part', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id) => !/^1\.\d+\/[a-z][A-Za-z0-9]*$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { title, rows: ofPart } of apiParts) {
      const part = title.split(' ', 1).join('');
      expect(ofPart.filter(({ id }) => !id.startsWith(`${part}/`))).toEqual([]);
    }
    expect(apiParts.map(({ title }) => title.split(' ', 1).join(''))).toEqual(
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((part) => `1.${part}`),
    );
  });

  it('have a case or a reason for none, and so do the traps', () => {
    expect(entries.filter(({ cases, open }) => cases.length === 0 && open === undefined)).toEqual([]);
    const late = entries.filter(({ cases, open }) => cases.length > 0 && open !== undefined && 'planned' in open);
    expect(late).toEqual([]);
  });

  it('that have a case also have a name here', () => {
    expect(rows.filter(({ cases, here }) => cases.length > 0 && here === '')).toEqual([]);
  });

  it('name existing cases, each case once, and every trap', () => {
    const known = new Set<string>(allCases.map(({ id }) => id));
    const named = entries.flatMap(({ cases }) => cases);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    for (const { cases } of entries) expect(new Set(cases).size).toBe(cases.length);
    const traps = new Set<string>(rows.flatMap(({ traps: ofRow = [] }) => ofRow.flatMap(({ cases }) => cases)));
    expect(allCases.filter(({ id }) => id.startsWith('traps/') && !traps.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it('are listed in ROWS.md (npm run rows writes it)', async () => {
    await expect(rowsText(apiParts)).toMatchFileSnapshot('../ROWS.md');
  });
});
