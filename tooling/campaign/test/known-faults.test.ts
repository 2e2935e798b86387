import { describe, expect, inject, test } from 'vitest';
import { judge } from '../src/judge.ts';
import { rules } from '../src/rules.ts';
import { knownFaults } from './known-faults.ts';

/** The quick tests have one. */
const isNow = ({ name }: { readonly name: string }): boolean =>
  (name === 'a signal that nobody waits for') !== inject('slow');

describe('engines agree on former disagreements', () => {
  test.each(knownFaults.filter(isNow))('$name', async ({ program, rule }) => {
    expect(rules.map(({ name }) => name)).toContain(rule);
    const { refused, disagreements } = await judge(program, { schedules: 8, bound: 2000 });
    expect(refused).toBeUndefined();
    expect(disagreements).toEqual([]);
  });
});
