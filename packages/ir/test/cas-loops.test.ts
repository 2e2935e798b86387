import { casLoops, parseModule, spinWait, walkBody, type LoopStatement, type Module } from '@nccl-ts/ir';
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
  ])('%s', (_, body, expected) => {
    expect(casLoops(kernel(body).body).map(({ applies }) => applies)).toEqual(expected);
  });
});

/** What the first loop waits for, as kinds of statements; `undefined`: for nothing. */
function waited(body: string): string | undefined {
  const loops: LoopStatement[] = [];
  walkBody(kernel(body).body, {
    statement: (s) => {
      if (s.kind === 'loop') loops.push(s);
    },
  });
  const [first] = loops;
  const wait = first === undefined ? undefined : spinWait(first);
  return wait?.body.map((s) => (s.kind === 'load' ? `${s.kind} ${s.access?.order}.${s.access?.scope}` : s.kind)).join();
}

describe('a loop that tries until it has a lock', () => {
  const cas = 'atomic cas $1, 1:u32, expected 0:u32 acquire.device';
  it.each<[string, string, string | undefined]>([
    ['waits until the word is free', `loop { %1 = ${cas} if (%1 == 0:u32) { break } }`, 'load relaxed.device'],
    ['whichever is compared with which', `loop { %1 = ${cas} if (0:u32 == %1) { break } }`, 'load relaxed.device'],
    ['does not where it ends at something else', `loop { %1 = ${cas} if (%1 == 1:u32) { break } }`, undefined],
    ['does not where it does more', `loop { %1 = ${cas} if (%1 == 0:u32) { break } %2 = %1 }`, undefined],
    ['does not where it expects what it has seen', loop('(%0 + 1:u32)'), undefined],
    [
      'does not where it ends in any case',
      `loop while (%2 < 3:u32) { %1 = ${cas} if (%1 == 0:u32) { break } }`,
      undefined,
    ],
  ])('%s', (_, body, expected) => {
    expect(waited(body)).toBe(expected);
  });
});
