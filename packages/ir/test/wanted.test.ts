import {
  parseModule,
  reachedOf,
  timesWaitsOnly,
  walkBody,
  wantedWords,
  type Module,
  type WaitStatement,
} from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

function kernel(body: string): Module {
  const locals = ['u32', 'u32', 'u32', 'u32', 'bool', 'bool', 'u64', 'u64'].map(
    (type, id) => `local %${id} x: ${type}`,
  );
  const head = 'kernel k\nparam $0 n: u32\nparam $1 p: ptr(u32)\nparam $2 limit: u64\narray #0 own: local u32[4]';
  return parseModule(`${head}\n${locals.join('\n')}\n{\n${body}\n}`);
}

function firstWait(body: string): WaitStatement {
  let found: WaitStatement | undefined;
  walkBody(kernel(body).body, {
    statement: (s) => {
      if (s.kind === 'wait') found ??= s;
    },
  });
  if (found === undefined) throw new RangeError('no wait');
  return found;
}

/**
 * Describes the conditions of each word, such as their number, if they do not depend on other
 * words.
 */
function words(body: string, after: readonly number[] = []): readonly string[] | undefined {
  return wantedWords(firstWait(body), new Set(after))?.map(({ load, guards, conditions, isUsedAfter: isKept }) =>
    [
      `%${load.local}: ${conditions === undefined ? 'depends' : conditions.length}`,
      ...(guards.length > 0 ? [`if ${guards.length}`] : []),
      ...(isKept ? ['kept'] : []),
    ].join(', '),
  );
}

const load = (local: number, at = 0): string => `%${local} = load ($1 +> ${at}:u32) acquire.system`;

describe('the conditions of a wait on its words', () => {
  it("equal the wait's condition if it has one word", () => {
    expect(words(`wait { ${load(0)} } until (%0 == $0)`)).toEqual(['%0: 1']);
    expect(words(`wait { ${load(0)} %1 = (%0 >> 2:u32) } until ((%1 == $0) || (%0 == 7:u32))`)).toEqual(['%0: 1']);
  });

  it('are separate if all must hold, in any form', () => {
    expect(words(`wait { ${load(0)} ${load(1, 1)} } until ((%0 == $0) && (%1 == $0))`)).toEqual(['%0: 1', '%1: 1']);
    const gathered = `%4 = true ${load(0)} %4 = (%4 && (%0 == $0)) ${load(1, 1)} %4 = (%4 && (%1 == $0))`;
    expect(words(`wait { ${gathered} } until %4`)).toEqual(['%0: 1', '%1: 1']);
    const inTurn = `${load(0)} if (%0 == $0) { ${load(1, 1)} %4 = (%1 != 0:u32) } else { %4 = false }`;
    expect(words(`wait { ${inTurn} } until %4`)).toEqual(['%0: 1', '%1: 1, if 1']);
    // The form of a loop with an exit for each word.
    const left = `${load(0)} ${load(1, 1)} if (%0 == 0:u32) { %4 = false } else { %4 = (%1 != 0:u32) }`;
    expect(words(`wait { ${left} } until %4`)).toEqual(['%0: 1', '%1: 1']);
  });

  it('are separate if numbers stand for conditions', () => {
    // A compiler's form of `a != 0 && b != 0`.
    const chain = `${load(0)} ${load(1, 1)} %2 = select((%0 == 0:u32), 1:u32, select((%1 == 0:u32), 1:u32, 0:u32))`;
    expect(words(`wait { ${chain} } until (%2 == 0:u32)`)).toEqual(['%0: 1', '%1: 1']);
    expect(words(`wait { ${chain} } until (%2 == 1:u32)`)).toEqual(['%0: depends', '%1: depends']);
    const ored = `${load(0)} ${load(1, 1)} %2 = (select((%0 == 0:u32), 1:u32, 0:u32) | (%1 & 7:u32))`;
    expect(words(`wait { ${ored} } until (%2 == 0:u32)`)).toEqual(['%0: 1', '%1: 1']);
    expect(words(`wait { ${ored} } until (%2 != 0:u32)`)).toEqual(['%0: depends', '%1: depends']);
  });

  it('have no guards if both sides of a branch lead to the load', () => {
    const always = `${load(0)} if (%0 == 0:u32) { %4 = true } else { %4 = true } if %4 { ${load(1, 1)} } %5 = %4`;
    expect(words(`wait { ${always} } until ((%0 != 0:u32) && (%1 != 0:u32))`)).toEqual(['%0: 1', '%1: 1']);
  });

  it('cover only loaded words, even if values from outside the wait decide the rest', () => {
    const some = `%4 = true ${load(0)} %4 = (%4 && (%0 == $0)) if ($0 > 1:u32) { ${load(1, 1)} %4 = (%4 && (%1 == $0)) }`;
    expect(words(`wait { ${some} } until %4`)).toEqual(['%0: 1', '%1: 1, if 1']);
  });

  it('depend on other words if one word may replace another, or several form one number', () => {
    const two = `${load(0)} ${load(1, 1)}`;
    expect(words(`wait { ${two} } until ((%0 == $0) || (%1 == $0))`)).toEqual(['%0: depends', '%1: depends']);
    expect(words(`wait { ${two} } until ((%0 + %1) == $0)`)).toEqual(['%0: depends', '%1: depends']);
    expect(words(`wait { ${two} ${load(2, 2)} } until (((%0 + %1) == $0) && (%2 == 1:u32))`)).toEqual([
      '%0: depends',
      '%1: depends',
      '%2: 1',
    ]);
  });

  it('are undefined for a word whose address depends on another word', () => {
    expect(words(`wait { ${load(0)} %1 = load ($1 +> %0) acquire.system } until (%1 == $0)`)).toBeUndefined();
    expect(words(`wait { ${load(0)} store #0, %0 %1 = load #0 } until (%1 == $0)`)).toBeUndefined();
  });

  it('mark the words that are read afterwards', () => {
    expect(words(`wait { ${load(0)} } until (%0 >= $0)`, [0])).toEqual(['%0: 1, kept']);
    expect(words(`wait { ${load(0)} %1 = (%0 + 1:u32) ${load(2, 1)} } until ((%0 >= $0) && (%2 >= $0))`, [1])).toEqual([
      '%0: 1, kept',
      '%2: 1',
    ]);
    expect(words(`wait { ${load(0)} store #0, %0 } until (%0 >= $0)`)).toEqual(['%0: 1, kept']);
  });

  it('keep no word if only the end of the wait matters', () => {
    expect(words(`wait { ${load(0)} %4 = (%0 >= $0) store #0, select(%4, 0:u32, 1:u32) } until %4`, [4])).toEqual([
      '%0: 1',
    ]);
  });

  const late = `${load(0)} %4 = (%0 >= $0) if %4 { %5 = true } else { %6 = clock %5 = (%6 >= $2) }`;

  it('concern the awaited part only, for a wait with a time limit', () => {
    expect(words(`wait { ${late} } until %5`)).toEqual(['%0: 1']);
    expect(reachedOf(firstWait(`wait { ${late} } until %5`))).toMatchObject({ kind: 'compare', op: 'ge' });
  });
});

describe('the clock', () => {
  const timed = `%6 = clock wait { ${load(0)} if (%0 >= $0) { %5 = true } else { %7 = clock %5 = ((%7 - %6) >= $2) } } until %5`;

  it.each([
    ['decides when a wait gives up', timed, true],
    [
      'decides when another one does',
      `${timed} %7 = clock %6 = ($2 - (%7 - %6)) wait { %7 = clock } until (%7 >= %6)`,
      true,
    ],
    ['decides what is stored', '%6 = clock store ($1 +> 0:u32), u32(%6)', false],
    ['decides which way is taken', '%6 = clock if (%6 >= $2) { store $1, 1:u32 }', false],
    ['decides whether a wait gave up, which is stored', `${timed} store $1, u32(%5)`, false],
    [
      'decides what an array holds',
      `%6 = clock wait { ${load(0)} %5 = (%6 >= $2) if %5 { store #0, 1:u32 } } until (%0 >= $0)`,
      false,
    ],
    ['decides where is loaded', '%6 = clock %0 = load ($1 +> u32(%6))', false],
    [
      'decides when to give up, after which a way is taken',
      `%6 = clock wait { %3 = 1:u32 ${load(0)} if (%0 >= $0) { %3 = 0:u32 %5 = true } else { %7 = clock if ((%7 - %6) >= $2) { %5 = true } else { ${load(1)} if (%1 >= $0) { %3 = 0:u32 %5 = true } else { %5 = false } } } } until %5 if (%3 == 0:u32) { store $1, 1:u32 }`,
      true,
    ],
    [
      'decides which word a look adds',
      `%6 = clock wait { ${load(0)} if (%6 >= $2) { ${load(1)} } else { %1 = 0:u32 } } until (%0 >= $0) store $1, %1`,
      false,
    ],
  ])('the clock %s', (_, body, only) => {
    expect(timesWaitsOnly(kernel(body))).toBe(only);
  });
});
