import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixtures } from './fixtures/index.ts';

const folder = new URL('fixtures/', import.meta.url);

describe('the kernels of the fixtures', () => {
  it.each(['.cu', '.ptx'])('have a launch in the table for each %s file', (end) => {
    const files = readdirSync(folder).filter((file) => file.endsWith(end));
    expect(files.toSorted()).toEqual(fixtures.map(({ name }) => name + end).toSorted());
  });

  it.each(fixtures)('$name has one argument for each parameter', ({ name, entry, args }) => {
    const text = readFileSync(new URL(`${name}.ptx`, folder), 'utf8');
    const parameters = /\.entry (\w+)\(([^)]*)\)/.exec(text);
    expect(parameters?.[1]).toContain(entry);
    expect(parameters?.[2]?.split(',')).toHaveLength(args.length);
  });

  it.each(fixtures)('$name expects as many elements as it has', ({ args }) => {
    const lengths = args.flatMap((arg) =>
      'values' in arg && arg.expected !== undefined ? [[arg.values.length, arg.expected.length]] : [],
    );
    expect(lengths).not.toEqual([]);
    expect(lengths.filter(([given, expected]) => given !== expected)).toEqual([]);
  });
});
