import { expect, test } from 'vitest';

import { add, agent, barrier, cas, fence, load, store, strong, wait, when } from './operations.ts';
import { showProgram } from './show-program.ts';
import { smallProgram } from './small-program.ts';

test('a program is printed in columns with the positions of its operations', () => {
  const program = smallProgram('example', [
    agent('0.1.2', store('x', 1), fence('acq_rel', 'device'), add('a', 'f', 1, strong('relaxed'))),
    agent(
      '1',
      wait('f', 1, strong('acquire')),
      load('a', 'x'),
      when('a', 1, cas('b', 'y', 0, { register: 'a', constant: 2 }, strong('seq_cst', 'block')), store('z', 'b')),
      barrier(),
    ),
  ]);
  expect(showProgram(program).split('\n')).toEqual([
    'example',
    'agent 0: rank 0 cta 1 thread 2 | agent 1: rank 1 cta 0 thread 0',
    '0 st.weak x, 1                 | 0 wait.acquire.system f == 1',
    '1 fence.acq_rel.device         | 1 a = ld.weak x',
    '2 a = add.relaxed.system f, 1  | 2 if a == 1',
    '                               | 3   b = cas.seq_cst.block y, 0, a + 2',
    '                               | 4   st.weak z, b',
    '                               | 5 barrier',
  ]);
});

test('a program is frozen, and smallProgram refuses ambiguous operations', () => {
  const one = agent('0', store('x', 1));
  expect(Object.isFrozen(smallProgram('frozen', [one]).agents[0]?.operations[0])).toBe(true);
  expect(() => smallProgram('places', [one, one])).toThrow('two agents have one place');
  expect(() => smallProgram('twice', [agent('0', load('a', 'x'), load('a', 'x'))])).toThrow('loaded twice');
  expect(() => smallProgram('unknown', [agent('0', store('x', 'a'))])).toThrow('not loaded before');
  const inside = when('a', 1, load('b', 'x'));
  expect(() => smallProgram('outside', [agent('0', load('a', 'x'), inside, store('x', 'b'))])).toThrow('another body');
});
