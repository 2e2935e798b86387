import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkFigures } from '../../src/figures/check-figures.ts';
import { Repository } from '../../src/figures/repository.ts';

const repository = new Repository(fileURLToPath(new URL('../../../..', import.meta.url)));

describe('the figures in this repository', () => {
  it('equal the result files in every README, and every file has its command and date', () => {
    const { problems, warnings } = checkFigures(repository);
    // Old figures are no failure, but must not pass for new ones.
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    expect(problems).toEqual([]);
    expect(repository.results.length).toBeGreaterThan(10);
    expect(repository.readmes).toContain('packages/collectives/README.md');
  });
});
