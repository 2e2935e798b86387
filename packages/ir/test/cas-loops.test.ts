import { casLoops, parseModule, spinRound, walkBody, type LoopStatement, type Module } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

function kernel(body: string): Module {
  const locals = ['u32', 'u32', 'u32', 'u32'].map((type, id) => `local %${id} x: ${type}`);
  return parseModule(`kernel k\nparam $0 n: u32\nparam $1 p: ptr(u32)\n${locals.join('\n')}\n{\n${body}\n}`);
}

const loop = (value: string, pointer = '$1', order = 'acq_rel'): string =>
  `loop { %1 = atomic cas ${pointer}, ${value}, expected %0 ${order}.system if (%1 == %0) { break } %0 = %1 }`;

describe('a loop of compare-and-swap', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'applies a function of what the word holds',
      `%0 = 0:u32 ${loop('((%0 * 3:u32) + 1:u32)')}`,
      ['u32 ((%0 * 3:u32) + 1:u32)'],
    ],
    [
      'begins with what was loaded',
      `%2 = load $1 relaxed.system %0 = %2 ${loop('(%0 + 1:u32)')}`,
      ['u32 (%0 + 1:u32)'],
    ],
    ['stands wherever it likes', `if ($0 == 1:u32) { ${loop('(%0 + 1:u32)')} }`, ['u32 (%0 + 1:u32)']],
    ['does not where threads apply others', loop('(%0 + threadIdx.x)'), []],
    ['does not where launches apply others', loop('(%0 + $0)'), []],
    ['does not where locals make a difference', loop('(%0 + %3)'), []],
    ['does not where somebody keeps what was there', `${loop('(%0 + 1:u32)')} store ($1 +> 1:u32), %1`, []],
    ['does not where somebody keeps what was seen', `${loop('(%0 + 1:u32)')} store ($1 +> 1:u32), %0`, []],
    ['does not where its rounds do more', loop('(%0 + 1:u32)').replace('%0 = %1', 'store $1, 0:u32 %0 = %1'), []],
  ])('a loop of compare-and-swap %s', (_, body, expected) => {
    expect(casLoops(kernel(body).body).map(({ applies }) => applies)).toEqual(expected);
  });
});

/** How the first loop spins, or `undefined` if it does not. */
function spins(body: string): 'looks' | 'modifies' | undefined {
  const loops: LoopStatement[] = [];
  walkBody(kernel(body).body, {
    statement: (s) => {
      if (s.kind === 'loop') loops.push(s);
    },
  });
  const [first] = loops;
  const round = first === undefined ? undefined : spinRound(first);
  if (round === undefined) return undefined;
  return round.onlyLooks ? 'looks' : 'modifies';
}

describe('a loop that spins until another thread acts', () => {
  const cas = 'atomic cas $1, 1:u32, expected 0:u32 acquire.device';
  it.each<[string, string, 'looks' | 'modifies' | undefined]>([
    ['waits for a lock', `loop { %1 = ${cas} if (%1 == 0:u32) { break } }`, 'modifies'],
    ['waits whatever it ends at', `loop { %1 = ${cas} if (%1 == 1:u32) { break } }`, 'modifies'],
    [
      'waits where it adds nothing',
      'loop { %1 = atomic add $1, 0:u32 acquire.system if (%1 == 1:u32) { break } }',
      'modifies',
    ],
    [
      'does not where it adds',
      'loop { %1 = atomic add $1, 1:u32 acquire.system if (%1 == 9:u32) { break } }',
      undefined,
    ],
    [
      'waits where it exchanges',
      'loop { %1 = atomic exch $1, 1:u32 acquire.system if (%1 == 0:u32) { break } }',
      'modifies',
    ],
    ['waits where it loads', 'loop { %1 = load $1 acquire.system if (%1 == 1:u32) { break } }', 'looks'],
    ['waits where it loads plainly', 'loop { %1 = load $1 if (%1 == 1:u32) { break } }', 'looks'],
    [
      'does not where it stores',
      'loop { %1 = load $1 acquire.system if (%1 == 1:u32) { break } store $1, 1:u32 }',
      undefined,
    ],
    ['does not where it expects what it has seen', loop('(%0 + 1:u32)'), undefined],
    [
      'does not where it counts',
      `loop while (%2 < 3:u32) { %1 = ${cas} if (%1 == 0:u32) { break } %2 = (%2 + 1:u32) }`,
      undefined,
    ],
  ])('a loop that spins until another thread acts %s', (_, body, expected) => {
    expect(spins(body)).toBe(expected);
  });
});
