import { parseModule, printModule, voteLoops, type Statement } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

/**
 * Returns the reads and the ends of the loops around votes. The kernel has numbers %0 to %3, bools
 * %4 to %6, and an array.
 */
function waits(body: string): readonly string[] {
  const locals = ['u32', 'u32', 'u32', 'u32', 'bool', 'bool', 'bool'].map((type, id) => `local %${id} x: ${type}`);
  const head = `kernel k\nparam $0 n: u32\nparam $1 p: ptr(u32)\narray #0 own: local u32[2]\n${locals.join('\n')}`;
  const module = parseModule(`${head}\n{\n${body}\n}`);
  return [...voteLoops(module.body).values()].map(({ look, ends, vote }) => {
    const leaves: Statement = { kind: 'if', condition: ends, then: [], else: [], span: vote.span };
    const text = printModule({ ...module, body: [...look, leaves] }, { spans: false });
    return [...text.matchAll(/load .*|store .*|(?<=^ {2})if .*(?= \{)/gm)].join(', ');
  });
}

const look = '%0 = load ($1 +> laneId) relaxed.system %4 = (%0 == $0)';
const read = 'load ($1 +> laneId) relaxed.system';
const vote = (op: string): string => `collective ${op} tile(32) value %4`;

describe('a loop around a vote', () => {
  it.each<[string, string, string]>([
    [
      'leaves by its condition',
      `%6 = false loop while (!%6) { ${look} %5 = ${vote('all')} %6 = %5 }`,
      `${read}, if (!(!%5))`,
    ],
    ['leaves in its middle', `loop { ${look} %5 = ${vote('any')} if (!%5) { break } }`, `${read}, if (!%5)`],
    ['votes at its end', `loop { ${look} } update { %5 = ${vote('any')} if %5 { break } }`, `${read}, if %5`],
    ['compares a ballot', `loop { ${look} %1 = ${vote('ballot')} if (%1 == $0) { break } }`, `${read}, if (%1 == $0)`],
    [
      'keeps what it reads',
      `loop { %4 = true if ($0 == 1:u32) { ${look} store #0, %0 } %5 = ${vote('all')} if %5 { break } }`,
      `if ($0 == 1:u32), ${read}, if %5`,
    ],
    [
      'counts rounds besides',
      `loop { ${look} %2 = (%2 + 1:u32) %5 = ${vote('all')} if %5 { break } }`,
      `${read}, if %5`,
    ],
  ])('waits if it %s', (_, body, text) => {
    expect(waits(body)).toEqual([text]);
  });

  it.each<[string, string]>([
    ['stores what others see', `loop { ${look} store $1, 1:u32 %5 = ${vote('all')} if %5 { break } }`],
    ['stores behind the vote', `loop { ${look} %5 = ${vote('all')} if %5 { break } store $1, 1:u32 }`],
    ['reads nothing', `loop { %4 = ($0 == 1:u32) %5 = ${vote('all')} if %5 { break } }`],
    [
      'reads other words in each round',
      `loop { ${look.replace('laneId', '%1')} %1 = (%1 + 1:u32) %5 = ${vote('all')} if %5 { break } }`,
    ],
    [
      'votes on earlier rounds too',
      `loop { %0 = load $1 relaxed.system %4 = (%4 || (%0 == $0)) %5 = ${vote('all')} if %5 { break } }`,
    ],
    [
      'votes on what it has kept',
      `loop { ${look} store #0, %0 %1 = load #0 %4 = (%1 == $0) %5 = ${vote('all')} if %5 { break } }`,
    ],
    ['has another exit', `loop { ${look} if %4 { break } %5 = ${vote('all')} if %5 { break } }`],
    ['has another exit behind the vote', `loop { ${look} %5 = ${vote('all')} if %5 { break } if %4 { break } }`],
    ['ends for other reasons too', `loop { ${look} %5 = ${vote('all')} if (%5 || %4) { break } }`],
  ])('does not wait if it %s', (_, body) => {
    expect(waits(body)).toEqual([]);
  });
});
