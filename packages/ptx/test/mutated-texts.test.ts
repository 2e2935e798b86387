import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { answerOfText } from './support/answer-of-text.ts';
import { mutateText, pick } from './support/mutate-text.ts';
import { seeded } from './support/seeded.ts';

/** With NCCLTS_EVERY_CASE set, eight times as many; with NCCLTS_MUTATED_TEXTS, that many. */
const count = Number(process.env['NCCLTS_MUTATED_TEXTS'] ?? (!inject('slow') ? 20 : inject('everyCase') ? 1000 : 125));
const seed = Number(process.env['NCCLTS_SEED'] ?? 20_261_125);
/** Reading and translating a text of a few kilobytes takes milliseconds. */
const MOST_MILLISECONDS = 5000;

const root = new URL('../../../', import.meta.url);
const texts = ['packages/ptx/test/fixtures/', 'packages/harness/test/fixtures/', 'apps/examples/museum/']
  .map((folder) => new URL(folder, root))
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => new URL(path, folder)))
  .filter(({ pathname }) => pathname.endsWith('.ptx'))
  .toSorted((a, b) => (a.pathname < b.pathname ? -1 : 1))
  .map((file) => readFileSync(file, 'utf8'));

describe('a mutated PTX text', () => {
  it('gives diagnostics or a module', { timeout: 60_000 + count * 100 }, () => {
    const faults = new Map<string, string>();
    const counts = { unread: 0, kernels: 0, refused: 0 };
    for (let i = 0; i < count && faults.size < 20; i++) {
      const random = seeded(seed + i);
      const text = mutateText(pick(texts, random), random);
      const start = process.cpuUsage().user;
      const answer = answerOfText(text);
      const took = (process.cpuUsage().user - start) / 1000;
      if (took > MOST_MILLISECONDS) faults.set(`text ${i} took ${Math.round(took)} ms`, text);
      if (answer.kind === 'fault') {
        if (!faults.has(answer.what)) faults.set(answer.what, `text ${i}\n${text}`);
      } else if (answer.kind === 'unread') counts.unread++;
      else {
        counts.kernels += answer.kernels;
        counts.refused += answer.refused;
      }
    }
    expect([...faults].map(([what, text]) => `${what}\n${text}`).join('\n\n'), `seed ${seed}`).toBe('');
    // Some are no PTX any more, some are refused, and some are still kernels.
    expect(Math.min(counts.unread, counts.kernels, counts.refused)).toBeGreaterThan(count / 20);
  });
});
