import { parseModule, valueUses, walkBody, type LoadStatement, type Module } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

function kernel(body: string): Module {
  const locals = ['u32', 'u32', 'u32', 'u32', 'bool'].map((type, id) => `local %${id} x: ${type}`);
  const arrays = 'array #0 own: local u32[4]\narray #1 other: local u32[4]\narray #2 all: shared u32[4]';
  return parseModule(`kernel k\nparam $0 n: u32\nparam $1 p: ptr(u32)\n${arrays}\n${locals.join('\n')}\n{\n${body}\n}`);
}

/**
 * The accesses at which the value of the first ordered load leaves its thread: Returns the kinds of
 * accesses in program order, or `undefined` if it leaves in another way too.
 */
function uses(body: string): readonly string[] | undefined {
  const module = kernel(`%0 = load ($1 +> 0:u32) acquire.system\n${body}`);
  let load: LoadStatement | undefined;
  walkBody(module.body, {
    statement: (s) => {
      if (s.kind === 'load' && s.access !== undefined) load ??= s;
    },
  });
  if (load === undefined) throw new RangeError('no load');
  const found = valueUses(module.body, load);
  return found === undefined ? undefined : [...found].map(({ kind }) => kind);
}

describe('the accesses through which a loaded value can leave its thread', () => {
  it.each<[string, string, readonly string[] | undefined]>([
    ['nowhere', '%1 = (%0 + 1:u32) store ($1 +> 1:u32), $0', []],
    ['where it is stored', 'store ($1 +> 1:u32), %0', ['store']],
    ['where what follows from it is stored', '%1 = (%0 + 1:u32) %2 = (%1 * %1) store ($1 +> 1:u32), %2', ['store']],
    ['where it is stored for the CTA', 'store (#2 +> 0:u32), %0', ['store']],
    ['where it is added', 'atomic add ($1 +> 1:u32), %0 relaxed.device', ['atomic']],
    ['where a wait wants it', 'wait { %1 = load ($1 +> 1:u32) acquire.system } until (%1 == %0)', ['load']],
    [
      'nowhere where a wait wants something else',
      'wait { %1 = load ($1 +> 1:u32) acquire.system } until (%1 == $0)',
      [],
    ],
    ['nowhere from an array that nobody reads', 'store (#0 +> 0:u32), %0', []],
    ['by an array', 'store (#0 +> 0:u32), %0 %1 = load (#0 +> 1:u32) store ($1 +> 1:u32), %1', ['store']],
    ['not by another array', 'store (#0 +> 0:u32), %0 %1 = load (#1 +> 1:u32) store ($1 +> 1:u32), %1', []],
    ['in the next round', 'loop { if (%1 == 7:u32) { break } %1 = %0 } store ($1 +> 1:u32), $0', undefined],
    ['by which way is taken', 'if (%0 == 1:u32) { store ($1 +> 1:u32), $0 }', undefined],
    [
      'where copies behind an address that follows from it are stored',
      'loop while (0:i32 < multicastSize(($1 +> %0))) { store unicast(($1 +> %0), 0:i32), $0 }',
      ['store'],
    ],
    ['by how many rounds there are', 'loop while (%1 < (%0 + 1:u32)) { %1 = (%1 + 1:u32) }', undefined],
    ['by where is read', '%1 = load ($1 +> %0)', ['load']],
    ['by where is stored', 'store ($1 +> %0), $0', ['store']],
    ['by where is read in its own arrays', '%1 = load (#0 +> %0)', undefined],
    [
      'nowhere where a compare-and-swap is tried with it',
      '%1 = %0 loop { %2 = atomic cas $1, (%1 + 1:u32), expected %1 relaxed.device if (%2 == %1) { break } %1 = %2 }',
      [],
    ],
    [
      'by what such a loop leaves behind',
      '%1 = %0 loop { %2 = atomic cas $1, (%1 + 1:u32), expected %1 relaxed.device if (%2 == %1) { break } %1 = %2 } store $1, %2',
      undefined,
    ],
    ['by a vote', '%4 = collective any tile(32) value (%0 == 1:u32)', undefined],
  ])('a loaded value leaves its thread %s', (_, body, expected) => {
    expect(uses(body)).toEqual(expected);
  });

  it('are found through a loop, even if the loop sets the value after its use', () => {
    const round = 'loop while (%3 < $0) { store ($1 +> 1:u32), %2 %2 = %1 %1 = %0 } update { %3 = (%3 + 1:u32) }';
    expect(uses(round)).toEqual(['store']);
  });
});
