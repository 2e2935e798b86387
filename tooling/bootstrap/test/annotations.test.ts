import { expect, test } from 'vitest';
import { annotationsOf } from '../src/annotations.mjs';

test('file names in a log cannot begin a command or control the terminal', () => {
  const message = { text: 'A load and a store of the same bytes.\n::error::injected' };
  const physicalLocation = {
    artifactLocation: { uri: 'a.ts' },
    region: { startLine: 3, startColumn: 5, endColumn: 9 },
  };
  const results = [{ ruleId: 'race', level: 'error', message, locations: [{ physicalLocation }] }];
  const [line] = annotationsOf({ runs: [{ results, invocations: [] }] }, () => 'src/\u001b]0;title\u0007\n::b.ts');
  expect(line).toBe(
    String.raw`::error file=src/\u001b]0;title\u0007%0A%3A%3Ab.ts,line=3,col=5,endColumn=9,title=nccl-ts%3A race::A load and a store of the same bytes.%0A::error::injected`,
  );
});
