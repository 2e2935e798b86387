import { parseModule, printModule, type Module } from '@nccl-ts/ir';
import { changeableSites, changeSites, type SiteChange } from '@nccl-ts/mutation';
import { expect, test } from 'vitest';
import { halves } from './support/kernels.ts';

const module = parseModule(`kernel flags
param $0 flag: ptr(u32)
local %0 v: u32
{
  fence seq_cst.system
  store $0, 1:u32 release.system
  sync cta
  wait {
    %0 = load $0 acquire.system
  } until (%0 == 1:u32)
}
`);

const linesWith = (to: SiteChange, at = (_name: string): boolean => true): readonly string[] => {
  const changed = changeSites(module, ({ name }) => at(name), to);
  const before = printModule(module).split('\n');
  return printModule(changed.module)
    .split('\n')
    .filter((line) => !before.includes(line))
    .map((line) => line.trim());
};

test.each([
  [
    'weaker',
    ['fence acq_rel.system', 'store $0, 1:u32 relaxed.system', 'sync tile(32)', '%0 = load $0 relaxed.system'],
  ],
  ['relaxed', ['store $0, 1:u32 relaxed.system', '%0 = load $0 relaxed.system']],
  ['release', ['fence release.system']],
  ['plain', ['store $0, 1:u32', '%0 = load $0']],
  ['warp', ['sync tile(32)']],
] satisfies [SiteChange, string[]][])('%s changes what can be changed so', (to, lines) => {
  expect(linesWith(to)).toEqual(lines);
});

test('a scope of several steps is reached', () => {
  expect(linesWith('block', (name) => name === 'fence')).toEqual(['fence seq_cst.block']);
  const { changed } = changeSites(module, ({ name }) => name === 'fence', 'block');
  expect(changed.map(({ does }) => does)).toEqual(['is block, not system']);
});

test('removed synchronizations are gone, and the others stay', () => {
  const { module: made, changed } = changeSites(module, ({ name }) => name !== 'wait', 'removed');
  expect(printModule(made)).not.toMatch(/fence|sync/);
  expect(printModule(made)).toContain('wait {');
  expect(changed.map(({ name, does }) => `${name} ${does}`)).toEqual([
    'fence (seq_cst, system) is removed',
    'sync is removed',
  ]);
});

test('a call is changed rather than what is in it', () => {
  const whole: Module = halves.compile();
  const { changed } = changeSites(whole, () => true, 'removed');
  expect(changed.map(({ name }) => name)).toEqual(expect.arrayContaining(['lsa.barrierSession.arrive']));
  expect(changed.map(({ name }) => name)).not.toContain('fence');
});

test('places say how they can be changed', () => {
  expect(changeableSites(module).map(({ name, changes }) => `${name}: ${changes.join(' ')}`)).toEqual([
    'fence: weaker acq_rel device removed',
    'store: weaker relaxed plain device',
    'sync: removed weaker warp',
    'wait: removed',
    'load: weaker relaxed plain device',
  ]);
});
