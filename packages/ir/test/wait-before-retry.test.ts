import { parseModule, printModule, waitBeforeRetry } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

function changed(body: string): string | undefined {
  const locals = ['u32', 'u32', 'bool', 'u32', 'i32'].map((type, id) => `local %${id} x: ${type}`);
  const module = parseModule(`kernel k\nparam $0 n: u32\nparam $1 p: ptr(u32)\n${locals.join('\n')}\n{\n${body}\n}`);
  const after = waitBeforeRetry(module);
  if (after === module) return undefined;
  const text = printModule(after);
  return text.slice(text.indexOf('\n{\n') + 3, text.lastIndexOf('}')).trim();
}

const exch = '%1 = atomic exch $1, 1:u32 acquire.device';
const cas = '%1 = atomic cas $1, 1:u32, expected 0:u32 acq_rel.device';

describe('a wait comes before an exchange', () => {
  it('that a loop repeats until it replaces another value', () => {
    expect(changed(`loop { ${exch} if (%1 == 0:u32) { break } }`)).toMatchInlineSnapshot(`
      "loop {
          wait {
            %5 = load $1 relaxed.device
          } until (%5 != 1:u32)
          %1 = atomic exch $1, 1:u32 acquire.device
          if (%1 == 0:u32) {
            break
          }
        }"
    `);
  });

  it.each([
    ['that ends at any other value', `loop { ${exch} if (%1 != 1:u32) { break } }`],
    ['with the condition of the next round', `loop { ${exch} if (%1 != 0:u32) { continue } else { break } }`],
    ['of a value that is no constant', `loop { ${exch.replace('1:u32', '$0')} if (%1 != $0) { break } }`],
  ])('%s', (_, body) => {
    expect(changed(body)).toContain('wait {');
  });
});

describe('no wait comes before an exchange', () => {
  it.each([
    ['that is not repeated', `${exch} if (%1 == 0:u32) { return }`],
    ['whose loop ends when nothing changes', `loop { ${exch} if (%1 == 1:u32) { break } }`],
    ['whose loop may end when nothing changes', `loop { ${exch} if (%1 != 2:u32) { break } }`],
    ['of a value that may be the awaited one', `loop { ${exch.replace('1:u32', '$0')} if (%1 == 0:u32) { break } }`],
    ['whose rounds count', `loop { ${exch} %0 = (%0 + 1:u32) if (%1 == 0:u32) { break } }`],
  ])('%s', (_, body) => {
    expect(changed(body)).toBeUndefined();
  });
});

describe('a wait for the expected value comes before a compare-and-swap', () => {
  it('that a loop repeats until it succeeds', () => {
    expect(changed(`loop { ${cas} if (%1 == 0:u32) { break } }`)).toMatchInlineSnapshot(`
      "loop {
          wait {
            %5 = load $1 relaxed.device
          } until (%5 == 0:u32)
          %1 = atomic cas $1, 1:u32, expected 0:u32 acq_rel.device
          if (%1 == 0:u32) {
            break
          }
        }"
    `);
  });

  it.each([
    ['with the condition in a local', `loop { ${cas} %2 = (%1 != 0:u32) if (!%2) { break } }`],
    ['with the condition of the next round', `loop { ${cas} if (%1 != 0:u32) { continue } else { break } }`],
    ['with bits of another type', `loop { ${cas} %4 = i32(%1) if (%4 == 0:i32) { break } }`],
    ['with another way to succeed', `loop { ${cas} if ((%1 == 0:u32) && ($0 == 3:u32)) { break } }`],
    [
      'whose address a round computes',
      `loop { %3 = ($0 + 1:u32) ${cas.replace('$1,', '($1 +> %3),')} if (%1 == 0:u32) { break } }`,
    ],
  ])('%s', (_, body) => {
    expect(changed(body)).toContain('wait {');
  });
});

describe('no wait comes before a compare-and-swap', () => {
  it.each([
    ['that is not repeated', `${cas} if (%1 == 0:u32) { return }`],
    ['whose loop ends at another value', `loop { ${cas} if (%1 == 2:u32) { break } }`],
    ['whose loop ends at every other value', `loop { ${cas} if (%1 != 0:u32) { break } }`],
    ['whose loop may end otherwise', `loop { ${cas} if ((%1 == 0:u32) || ($0 == 3:u32)) { break } }`],
    [
      'that applies a function',
      `loop { %1 = atomic cas $1, (%0 + 1:u32), expected %0 relaxed.system if (%1 == %0) { break } %0 = %1 }`,
    ],
    ['whose rounds store', `loop { ${cas} store ($1 +> 1:u32), %1 if (%1 == 0:u32) { break } }`],
    ['whose rounds count', `loop { ${cas} %0 = (%0 + 1:u32) if (%1 == 0:u32) { break } }`],
    ['whose rounds end by the clock', `loop { ${cas} if (%1 == 0:u32) { break } if (%0 == 3:u32) { break } }`],
  ])('%s', (_, body) => {
    expect(changed(body)).toBeUndefined();
  });
});
