import { expect, test } from 'vitest';
import { diagnosticsToJson, fixOf, quotedLocation, type Finding, type MissingKind } from '@nccl-ts/findings';
import type { Source } from '@nccl-ts/ir';

const line = "  bar.sync(coopCta(), 'relaxed');";
const source: Source = {
  name: 'k',
  text: line,
  locate: (offset) => ({ file: 'k.ts', line: 7, column: offset + 1, text: line }),
};
const span = { source: 0, start: 2, end: line.length - 1 };

function lacking(kind: MissingKind, text: Source = source): Finding {
  const place = quotedLocation({ name: 'k', sources: [text] }, span);
  if (place === undefined) throw new TypeError('The span has no place.');
  return {
    kind: 'race',
    severity: 'error',
    message: '',
    labels: [],
    missing: [{ kind, message: '', at: { agent: 'thread', does: 'sync', rank: 0, place } }],
    certainty: 'this schedule',
    schedule: { strategy: 'random', seed: 1 },
  };
}

test('a missing release has a fix of one word on the line that synchronizes', () => {
  const fix = fixOf(lacking('release'));
  expect(fix).toEqual({
    title: 'release instead of relaxed',
    file: 'k.ts',
    edits: [{ line: 7, column: 24, endColumn: 31, insert: 'release' }],
  });
  expect(line.slice(23, 30)).toBe('relaxed');
});

test('a missing barrier has no one-word fix', () => {
  expect(fixOf(lacking('synchronisation'))).toBeUndefined();
  expect(fixOf(lacking('scope'))).toBeUndefined();
});

test('a line of which only the captured text is known has no fix', () => {
  expect(fixOf(lacking('release', { name: 'k', text: line }))).toBeUndefined();
});

test('diagnostics as JSON have the locations of the author’s file', () => {
  const [one] = diagnosticsToJson(
    [{ code: 'K1008', severity: 'error', message: 'm', labels: [{ span, text: 'here' }], notes: [], hint: 'do' }],
    [source],
  );
  expect(one).toMatchObject({
    code: 'K1008',
    hint: 'do',
    labels: [{ text: 'here', place: { file: 'k.ts', line: 7, column: 3, endColumn: 33 } }],
  });
});
