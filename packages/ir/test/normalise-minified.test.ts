import { normalise, printModule } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { agree, trace } from './support/interpreter.ts';
import { kernel } from './support/parse.ts';

const normal = (body: string): string => printModule(normalise(kernel(body)));

describe('normalise undoes what minifiers do', () => {
  it.each([
    ['a negated addend', 'print((%2 + neg(%3)))', 'print((%2 - %3))'],
    ['a negated addend on the left', 'print((neg(%2) + %3))', 'print((%3 - %2))'],
    ['a negated subtrahend', 'print((%7 - neg(%7)))', 'print((%7 + %7))'],
    [
      'one assignment for two',
      'loop while %4 { %0 = (%0 + %1) %0 = (%0 * 3:u32) print(%0) }',
      'loop while %4 { %0 = ((%0 + %1) * 3:u32) print(%0) }',
    ],
    [
      'an assignment that is overwritten',
      'loop while %4 { %0 = (%0 + %1) %0 = 3:u32 print(%0) %0 = %1 }',
      'loop while %4 { %0 = 3:u32 print(%0) %0 = %1 }',
    ],
    [
      'a condition with effects, for `&&`',
      'if (%0 < $4) { print("a") %4 = (%1 == 3:u32) } else { %4 = false } if %4 { print("b") }',
      'if (%0 < $4) { print("a") if (%1 == 3:u32) { print("b") } }',
    ],
    [
      'a condition with effects that leaves a loop',
      'loop { if (%0 < $4) { %0 = (%0 + 1:u32) %4 = (%1 < %0) } else { %4 = false } if (!%4) { break } print(%0) }',
      'loop while (%0 < $4) { %0 = (%0 + 1:u32) if (%0 <= %1) { break } print(%0) }',
    ],
    [
      'a condition with effects, for `||`, before a jump',
      'if (%0 < $4) { %4 = true } else { print("a") %4 = (%1 == 3:u32) } if %4 { return } print("b")',
      'if (%0 < $4) { return } print("a") if (%1 == 3:u32) { return } print("b")',
    ],
    [
      'conditions with effects in one another',
      `if (%0 < $4) {
        print("a")
        if (%1 == 3:u32) { print("b") %4 = (%1 < %0) } else { %4 = false }
      } else { %4 = false }
      if %4 { print("c") }`,
      'if (%0 < $4) { print("a") if (%1 == 3:u32) { print("b") if (%1 < %0) { print("c") } } }',
    ],
    [
      'a condition with effects that only one branch leaves open',
      `if (%0 < $4) {
        if (%1 == 3:u32) { %4 = true } else { print("b") %4 = (%1 < %0) }
      } else { %4 = false }
      if %4 { print("c") }`,
      `if (%0 < $4) {
        if (%1 == 3:u32) { %4 = true } else { print("b") %4 = (%1 < %0) }
        if %4 { print("c") }
      }`,
    ],
    [
      'a wait for the opposite of a flag',
      'wait { %0 = load $3 if (%0 == 1:u32) { %1 = load $3 %4 = (%1 != 2:u32) } else { %4 = true } } until (!%4)',
      'wait { %0 = load $3 if (%0 == 1:u32) { %1 = load $3 %4 = (%1 == 2:u32) } else { %4 = false } } until %4',
    ],
    [
      'one store for two',
      'if %4 { store $3, 1:u32 relaxed.device } else { store $3, 2:u32 relaxed.device }',
      'store $3, select(%4, 1:u32, 2:u32) relaxed.device',
    ],
    [
      'one read-modify-write for two',
      'if %4 { atomic add $3, 1:u32 relaxed.device } else { atomic add $3, 2:u32 relaxed.device }',
      'atomic add $3, select(%4, 1:u32, 2:u32) relaxed.device',
    ],
  ])('normalise undoes what minifiers do: %s', (_, one, other) => {
    expect(normal(one)).toBe(normal(other));
    const module = kernel(one);
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      expect(agree(trace(module, seed), trace(normalise(module), seed))).toBe(true);
    }
  });
});

describe('normalise does not merge kernels that differ', () => {
  it.each([
    ['a difference the other way round', 'print((neg(%2) + %3))', 'print((%2 - %3))'],
    [
      'a value that is read twice',
      'loop while %4 { %0 = (%0 + %1) %0 = (%0 * %0) print(%0) }',
      'loop while %4 { %0 = ((%0 + %1) * %0) print(%0) }',
    ],
    [
      'a quotient that is overwritten',
      'loop while %4 { %0 = (%0 / %1) %0 = 3:u32 print(%0) %0 = %1 }',
      'loop while %4 { %0 = 3:u32 print(%0) %0 = %1 }',
    ],
    [
      'a flag that is read again',
      'if (%0 < $4) { print("a") %4 = (%1 == 3:u32) } else { %4 = false } if %4 { print("b") } print(%4)',
      'if (%0 < $4) { print("a") if (%1 == 3:u32) { print("b") } } print(%4)',
    ],
    [
      'a flag that is turned round',
      'if (%0 < $4) { print("a") %4 = (%1 == 3:u32) } else { %4 = false } if (!%4) { return } print("b")',
      'if (%0 < $4) { print("a") if (%1 == 3:u32) { return } } print("b")',
    ],
    [
      'stores to different places',
      'if %4 { store $3, 1:u32 } else { store ($3 +> 1:u32), 2:u32 }',
      'store $3, select(%4, 1:u32, 2:u32)',
    ],
    [
      'stores of different orders',
      'if %4 { store $3, 1:u32 relaxed.device } else { store $3, 2:u32 release.device }',
      'store $3, select(%4, 1:u32, 2:u32) relaxed.device',
    ],
  ])('normalise does not merge kernels that differ: %s', (_, one, other) =>
    expect(normal(one)).not.toBe(normal(other)),
  );
});
