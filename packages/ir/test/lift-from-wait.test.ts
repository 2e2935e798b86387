import { expandIntrinsics, liftWaits, parseModule, printModule, validate, type Module } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { everything } from './support/vocabulary.ts';

function kernel(body: string): Module {
  const types = ['u64', 'ptr(u64)', 'bool', 'u32', 'u32'];
  const locals = types.map((type, id) => `local %${id} l${id}: ${type}`).join('\n');
  return parseModule(`kernel k\nparam $0 p: ptr(u64)\nparam $1 n: u32\nparam $2 q: ptr(u32)\n${locals}\n{\n${body}\n}`);
}

function bodyOf(module: Module): string {
  const text = printModule(module);
  return `\n${text.slice(text.indexOf('\n{\n') + 3, text.lastIndexOf('}')).trimEnd()}\n`;
}

/** Reads a signal into `%0`. */
const read = (index: string): string => `
      call readSignal(${index}) {
        require (${index} < 4:u32), "a signal is one of four"
        %1 = ($0 +> ${index})
        %0 = load %1 acquire.system
        call gin.acquire(%1)
      }`;

function lifted(body: string): string {
  const module = kernel(body);
  const text = bodyOf(liftWaits(module));
  // Backends that run portable bodies expand all calls.
  expect(bodyOf(expandIntrinsics(module, () => false))).toBe(text);
  return text;
}

function refused(body: string): readonly string[] {
  const result = validate(kernel(body), { ...everything, primitives: [...everything.primitives, 'gin.acquire'] });
  return result.ok ? [] : result.diagnostics.map(({ message }) => message);
}

describe('a call that only reads, in a wait,', () => {
  const plain = `wait {${read('$1')}\n} until (%0 >= 1n:u64)`;
  const branch = `wait {
      %2 = false
      %3 = load $2 relaxed.system
      if (%3 == 1:u32) {${read('$1')}
        %2 = (%0 >= 1n:u64)
      }
    } until %2`;
  const computed = `wait {\n%3 = load $2 relaxed.system${read('%3')}\n} until (%0 >= 1n:u64)`;

  it('has its precondition before the wait, and its acquire after it', () => {
    expect(lifted(plain)).toMatchInlineSnapshot(`
      "
        require ($1 < 4:u32), "a signal is one of four"
        wait {
          %1 = ($0 +> $1)
          %0 = load %1 acquire.system
        } until (%0 >= 1n:u64)
        call gin.acquire(%1)
      "
    `);
  });

  it('acquires only if the last round reads', () => {
    expect(lifted(branch)).toMatchInlineSnapshot(`
      "
        wait {
          %2 = false
          %3 = load $2 relaxed.system
          if (%3 == 1:u32) {
            %1 = ($0 +> $1)
            %0 = load %1 acquire.system
            %2 = (%0 >= 1n:u64)
          }
        } until %2
        if (%3 == 1:u32) {
          require ($1 < 4:u32), "a signal is one of four"
          call gin.acquire(%1)
        }
      "
    `);
  });

  it("has its precondition after the wait if it depends on the wait's reads", () => {
    expect(lifted(computed)).toMatchInlineSnapshot(`
      "
        wait {
          %3 = load $2 relaxed.system
          %1 = ($0 +> %3)
          %0 = load %1 acquire.system
        } until (%0 >= 1n:u64)
        require (%3 < 4:u32), "a signal is one of four"
        call gin.acquire(%1)
      "
    `);
  });

  it('may be in a wait by one thread', () => {
    expect([plain, branch, computed].map(refused)).toEqual([[], [], []]);
  });
});

describe('a wait cannot contain', () => {
  it('a call that stores', () => {
    expect(refused('wait {\ncall post() {\nstore $2, 1:u32\n}\n} until true')).toEqual([
      'Malformed IR: call is in a wait, which may only load, assign and branch.',
    ]);
  });

  it('a call that reads, if a group waits', () => {
    expect(refused(`waitAll cta %4 < $1 {${read('$1')}\n} until (%0 >= 1n:u64)`)).toEqual([
      'Malformed IR: call is in a waitAll, which may only load, assign and branch.',
    ]);
  });

  it("a change of a call's argument after the call", () => {
    const changed = `wait {
      %3 = load $2 relaxed.system${read('%3')}
      %3 = 0:u32
    } until (%0 >= 1n:u64)`;
    expect(refused(changed)).toEqual(['Malformed IR: a wait changes an argument of a call in it.']);
  });
});
