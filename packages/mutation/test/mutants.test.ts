import { parseModule, printModule, validate, type Module, type ValidatedModule } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { mutants, mutate, probe, type Mutant } from '@nccl-ts/mutation';
import { describe, expect, inject, it } from 'vitest';
import { capabilities } from './support/capabilities.ts';
import { differenceOf } from './support/difference.ts';
import { allReduceInPlace, halves, hybrid, requests } from './support/kernels.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

function checked(module: Module, lacking: Partial<typeof capabilities> = {}): ValidatedModule {
  const result = validate(module, { ...capabilities, ...lacking });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.module;
}

const kernels: readonly Kernel[] = [allReduceInPlace, halves, requests, hybrid];

function listOf(all: readonly Mutant[]): string {
  return all.map(({ id, does }) => `${id}\n  ${does}\n`).join('');
}

/**
 * Returns the changes of each mutant of a kernel, which is given as text, as the lines that differ.
 */
function changesOf(text: string): Readonly<Record<string, readonly string[]>> {
  const module = checked(parseModule(text));
  const before = printModule(module).split('\n');
  return Object.fromEntries(
    mutants(module).map((mutant) => [
      mutant.id,
      printModule(mutant.module)
        .split('\n')
        .filter((line) => !before.includes(line))
        .map((line) => line.trim()),
    ]),
  );
}

/** The quick tests have the smaller kernels. */
const now = kernels.filter((kernel) => [allReduceInPlace, halves].includes(kernel) !== inject('slow'));

describe.each(now.map((kernel) => ({ name: kernel.name, kernel })))('mutants of $name', ({ name, kernel }) => {
  const module = checked(kernel.compile());
  const text = printModule(module, { spans: true });
  const all = mutants(module);

  it('equal their snapshot', async () => {
    await expect(listOf(all)).toMatchFileSnapshot(`snapshots/${name}.txt`);
  });

  it('differ from the kernel only at the named source location', () => {
    const found = all.map((mutant) => {
      const { before, after } = differenceOf(module.body, mutant.module.body);
      const [statement] = before;
      // Removing half of a call, or moving an end after a body, keeps the call or loop itself.
      const inside = ['arrive-removed', 'await-removed', 'poll-once'].includes(mutant.operator);
      if (inside) return { id: mutant.id, isOne: before.length + after.length > 0 };
      const named = statement?.kind === 'call' ? statement.name : statement?.kind;
      const last = mutant.id.slice(0, mutant.id.indexOf(':')).split('/').at(-1);
      const isNamed = last?.slice(0, last.lastIndexOf('#')) === named && statement?.span === mutant.span;
      return { id: mutant.id, isOne: before.length === 1 && isNamed };
    });
    expect(found.filter(({ isOne }) => !isOne)).toEqual([]);
  });

  it('have unique names and texts', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map((mutant) => printModule(mutant.module))).size).toBe(all.length);
    expect(all.map((mutant) => printModule(mutant.module))).not.toContain(printModule(module));
  });

  it('leave the kernel unchanged, and are deterministic', () => {
    expect(printModule(module, { spans: true })).toBe(text);
    expect(listOf(mutants(module))).toBe(listOf(all));
  });

  it('are frozen', () => {
    expect(Object.isFrozen(all)).toBe(true);
    for (const mutant of all) expect(Object.isFrozen(mutant) && Object.isFrozen(mutant.module.body)).toBe(true);
  });
});

describe('operators', () => {
  it.for(quick)('weaken orders and scopes by one step, and remove them', () => {
    expect(
      changesOf(`kernel orders
param $0 data: ptr(u32)
local %0 v: u32
{
  %0 = load $0 seq_cst.system
  store $0, %0 release.block
  fence seq_cst.device
}
`),
    ).toEqual({
      'load#1:order-weakened:acquire': ['%0 = load $0 acquire.system'],
      'load#1:access-plain': ['%0 = load $0'],
      'load#1:scope-narrowed:device': ['%0 = load $0 seq_cst.device'],
      'store#1:order-weakened:relaxed': ['store $0, %0 relaxed.block'],
      'store#1:access-plain': ['store $0, %0'],
      'fence#1:order-weakened:acq_rel': ['fence acq_rel.device'],
      'fence#1:scope-narrowed:block': ['fence seq_cst.block'],
      'fence#1:fence-removed': [],
    });
  });

  it.for(quick)('split atomics', () => {
    const changes = changesOf(`kernel atomics
param $0 data: ptr(u32)
local %0 v: u32
{
  %0 = atomic add ($0 +> %0), %0 relaxed.block
  atomic cas $0, 2:u32, expected %0 relaxed.block
}
`);
    expect(changes).toEqual({
      'atomic#1:atomic-split': [
        'local %1 before: u32',
        '%1 = load ($0 +> %0)',
        'store ($0 +> %0), (%1 + %0)',
        '%0 = %1',
      ],
      'atomic#2:atomic-split': ['local %1 before: u32', '%1 = load $0', 'if (%1 == %0) {', 'store $0, 2:u32', '}'],
    });
  });

  it.for(quick)('end polling loops early, and lower the thresholds of waits', () => {
    expect(
      changesOf(`kernel polling
param $0 flag: ptr(u32)
local %0 v: u32
{
  loop {
    %0 = load $0 relaxed.block
    if (%0 > 3:u32) {
      break
    }
  }
  wait {
    %0 = load $0 relaxed.block
  } until (%0 >= 3:u32)
}
`),
    ).toMatchObject({
      'loop#1:poll-once': ['break'],
      'wait#1:wait-removed': ['} until true'],
      'wait#1:wait-one-less': ['} until (%0 >= (3:u32 - 1:u32))'],
    });
  });

  it.for(quick)('replace the result of a removed call by 0', () => {
    const { mutants: made } = mutate(checked(halves.compile()));
    const removed = made.find(({ id }) => id === 'lsa.barrierSession.sync#1:call-removed');
    const text = removed === undefined ? '' : printModule(removed.module);
    expect(text).not.toContain('call lsa.barrierSession.sync');
    expect(text).toMatch(/%\d+ = 0:u32\n\s*store/);
  });

  it.for(slow)('leave calls that only move data unchanged', () => {
    const removed = mutants(checked(requests.compile())).filter(({ operator }) => operator === 'call-removed');
    const names = removed.map(({ id }) => id);
    expect(names.some((id) => id.includes('gin.flush'))).toBe(true);
    expect(names.some((id) => /gin\.(?:put|get)#\d+:/.test(id))).toBe(false);
  });
});

describe.for(quick)('probe', () => {
  const module = checked(
    parseModule(`kernel waiting
param $0 flag: ptr(u32)
local %0 v: u32
{
  if (threadIdx.x == 0:u32) {
    wait {
      %0 = load $0 acquire.system
    } until (%0 == 1:u32)
  }
  sync cta
}
`),
  );

  it('faults where a mutant differs', () => {
    const mutant = mutants(module).find(({ operator }) => operator === 'sync-removed');
    const probed = mutant === undefined ? undefined : probe(module, mutant);
    expect(probed === undefined ? '' : printModule(probed)).toContain('  }\n  assert false, "reached"\n  sync cta\n');
  });

  it('faults before the wait that a mutant changes', () => {
    const mutant = mutants(module).find(({ operator }) => operator === 'access-plain');
    const probed = mutant === undefined ? undefined : probe(module, mutant);
    expect(probed === undefined ? '' : printModule(probed)).toContain('    assert false, "reached"\n    wait {\n');
  });

  it('is undefined for mutants of other kernels', () => {
    expect(probe(module, { id: 'lsa.barrierSession.sync#1:call-removed' })).toBeUndefined();
  });
});

describe.for(quick)('mutate', () => {
  it('lists the mutants that a backend refuses', () => {
    const module = checked(allReduceInPlace.compile(), { subgroups: false });
    const { mutants: made, rejected } = mutate(module);
    expect(made.some(({ operator }) => operator === 'sync-narrowed')).toBe(false);
    expect(rejected.map(({ operator }) => operator)).toContain('sync-narrowed');
    expect(rejected[0]?.diagnostics[0]?.code).toBe('K3503');
  });

  it('lists equivalent variants once', () => {
    const { mutants: made, repeated } = mutate(checked(allReduceInPlace.compile()));
    // The release of the last barrier is its fence, and nothing else.
    expect(made.map(({ id }) => id)).toContain('lsa.barrierSession.sync#2:call-order-weakened:relaxed');
    expect(repeated).toContain('lsa.barrierSession.sync#2/fence#1:fence-removed');
  });

  it('returns no mutants for a kernel without synchronization', () => {
    const module = checked(parseModule('kernel none\nparam $0 data: ptr(u32)\n{\n  store $0, 1:u32\n}\n'));
    expect(mutate(module)).toEqual({ mutants: [], rejected: [], repeated: [] });
  });
});
