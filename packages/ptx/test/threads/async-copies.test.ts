import { binary, builtin, constant, convert, local, scalarType, type Expression } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { checkProgram, runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const u32 = (value: number): Expression => constant('u32', value);
const thread = builtin('threadLinear');
const data = (): number[] => Array.from({ length: 64 }, (_, i) => 0x01010101 * (i + 1));

/** `%r1` and `%rd1` are the addresses of a thread's 16 bytes of shared memory and of data. */
function places(p: ThreadProgram): void {
  p.set('%r1', binary('mul', thread, u32(16)));
  p.set('%rd2', convert(scalarType('u64'), p.get('%r1')));
  p.set('%rd1', binary('add', p.value({ kind: 'symbol', name: 'data', offset: 0n }, 'u64'), p.get('%rd2')));
}

/** Word `word` of the 16 bytes of shared memory of this thread, or of thread `of`. */
function shared(p: ThreadProgram, word: number, of: Expression = thread): Expression {
  p.set('%r9', binary('mul', of, u32(16)));
  const id = p.local('read', scalarType('u32'));
  const address = { kind: 'address', base: { kind: 'register', name: '%r9' }, offset: BigInt(4 * word) } as const;
  p.memory(address, 'shared', scalarType('u32'), (pointer) => {
    p.emit({ kind: 'load', local: id, pointer, span: p.span });
  });
  return local(id, scalarType('u32'));
}

const words = (p: ThreadProgram): void => {
  for (const word of [0, 1, 2, 3]) p.out(word, shared(p, word));
};

/** The words of thread 2 in each slot. */
async function ofThreadTwo(build: (p: ThreadProgram) => void, engine: 'js' | 'wasm' = 'js'): Promise<number[]> {
  const { out } = await runProgram(build, { block: 16, data, engine });
  return out.slice(0, 4).map((slot) => slot[2] ?? -1);
}

const [a, b, c, d] = [9, 10, 11, 12].map((i) => 0x01010101 * i);

describe('cp.async', () => {
  const copies: readonly (readonly [string, (number | undefined)[]])[] = [
    ['cp.async.cg.shared.global [%r1], [%rd1], 16', [a, b, c, d]],
    ['cp.async.ca.shared::cta.global.L2::128B [%r1+8], [%rd1], 8', [0, 0, a, b]],
    ['cp.async.ca.shared.global [%r1], [%rd1+8], 4', [c, 0, 0, 0]],
    ['cp.async.cg.shared.global [%r1], [%rd1], 16, 6', [a, 0x0a0a, 0, 0]],
    ['cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd1], 8, 8, %rd2', [a, b, 0, 0]],
    ['cp.async.ca.shared.global [%r1], [%rd1], 8, 0', [0, 0, 0, 0]],
  ];
  it.each(copies.filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    'copies the given bytes: %s',
    async (text, wanted) => {
      const program = (p: ThreadProgram): void => {
        places(p);
        p.ptx(text, 'cp.async.wait_all');
        words(p);
      };
      expect(await ofThreadTwo(program)).toEqual(wanted);
      expect(await ofThreadTwo(program, 'wasm')).toEqual(wanted);
    },
  );

  it.for(quick)('races with a read of its own thread before the wait for its group', async () => {
    const racesAfter = async (wait: string): Promise<readonly string[]> => {
      const program = (p: ThreadProgram): void => {
        places(p);
        p.ptx(
          'cp.async.ca.shared.global [%r1], [%rd1], 4',
          'cp.async.commit_group',
          'cp.async.ca.shared.global [%r1+4], [%rd1+4], 4',
          'cp.async.commit_group',
          'cp.async.ca.shared.global [%r1+8], [%rd1+8], 4',
          wait,
        );
        for (const word of [0, 1, 2]) p.out(word, shared(p, word));
      };
      const findings = await checkProgram(program, { block: 16, data });
      return findings.map(({ kind }) => kind);
    };
    expect(await racesAfter('cp.async.wait_group 2')).toEqual(['race', 'race', 'race']);
    expect(await racesAfter('cp.async.wait_group 1')).toEqual(['race', 'race']);
    expect(await racesAfter('cp.async.wait_group 0')).toEqual(['race']);
    expect(await racesAfter('cp.async.wait_all')).toEqual([]);
  });

  it.for(quick)('may run at any time until the wait for it', async () => {
    const store = (p: ThreadProgram, name: '%r1' | '%rd1'): void => {
      const address = { kind: 'address', base: { kind: 'register', name }, offset: 0n } as const;
      p.memory(address, name === '%r1' ? 'shared' : 'global', scalarType('u32'), (pointer) => {
        p.emit({ kind: 'store', pointer, value: u32(7), span: p.span });
      });
    };
    const kinds = async (...steps: readonly (string | ((p: ThreadProgram) => void))[]): Promise<readonly string[]> => {
      const program = (p: ThreadProgram): void => {
        places(p);
        for (const step of steps) {
          if (typeof step === 'string') p.ptx(step);
          else step(p);
        }
      };
      const findings = await checkProgram(program, { block: 16, data });
      return findings.map(({ kind }) => kind);
    };
    const [copy, wait] = ['cp.async.cg.shared.global [%r1], [%rd1], 16', 'cp.async.wait_all'];
    const toTarget = (p: ThreadProgram): void => store(p, '%r1');
    const toSource = (p: ThreadProgram): void => store(p, '%rd1');
    expect(await kinds(copy, toTarget, wait)).toEqual(['race']);
    expect(await kinds(copy, toSource, wait)).toEqual(['race']);
    expect(await kinds(toTarget, copy, wait)).toEqual([]);
    expect(await kinds(copy, wait, toSource)).toEqual([]);
  });

  it.for(slow)('may be started any number of times', async () => {
    const program = (p: ThreadProgram): void => {
      places(p);
      // Only the first four matter. No copy is lost, however many there are.
      for (let i = 0; i < 40; i++) {
        const to = i < 4 ? 4 * i : 512 + 4 * (i % 4);
        p.ptx(`cp.async.ca.shared.global [%r1+${to}], [%rd1+${4 * (3 - (i % 4))}], 4`, 'cp.async.commit_group');
      }
      p.ptx('cp.async.wait_group 0');
      words(p);
    };
    expect(await ofThreadTwo(program)).toEqual([d, c, b, a]);
  });

  it.for(quick)('races with a read of other threads without a wait, or before a barrier', async () => {
    const kinds = async (...order: readonly string[]): Promise<readonly string[]> => {
      const program = (p: ThreadProgram): void => {
        places(p);
        p.ptx('cp.async.cg.shared.global [%r1], [%rd1], 16', 'cp.async.commit_group', ...order);
        p.out(0, shared(p, 0, binary('xor', thread, u32(1))));
      };
      const findings = await checkProgram(program, { block: 16, data, strategy: 'late' });
      return findings.map(({ kind }) => kind);
    };
    expect(await kinds('cp.async.wait_group 0', 'bar.sync 0')).toEqual([]);
    expect(await kinds('bar.sync 0', 'cp.async.wait_group 0')).toContain('race');
  });
});
