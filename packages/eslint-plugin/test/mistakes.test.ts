import { describe, expect, it } from 'vitest';
import { lintText } from './support/lint-text.ts';
import { mistakes, ringAllGather, withMistake } from './support/programs.ts';

const needNoRun = mistakes.filter(({ finders }) => finders.includes('types') || finders.includes('lint'));

describe('the mistakes of a newcomer', () => {
  it('are none in a program that is right', () => {
    expect(lintText(ringAllGather)).toEqual([]);
  });

  it('are found without a run where none is needed', () => {
    expect([mistakes.length, needNoRun.length]).toEqual([40, 30]);
  });

  it.for(mistakes)('the rules judge as the table says: $name', (mistake) => {
    const { from, finders, message } = mistake;
    expect(ringAllGather).toContain(from);
    const found = lintText(withMistake(mistake));
    if (finders.includes('lint')) expect(found).not.toEqual([]);
    else expect(found).toEqual([]);
    if (message !== undefined) expect(found.join('\n')).toContain(message);
  });
});
