import {
  analyseLiveness,
  analyseUniformity,
  mayFault,
  parseModule,
  pollsByAtomics,
  recomputableLocals,
  splitStates,
  walkBody,
  type Module,
  type StateGraph,
  type Statement,
} from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

function kernel(body: string): Module {
  const locals = ['a', 'b', 'c', 'd'].map((name, id) => `local %${id} ${name}: u32`).join('\n');
  return parseModule(`kernel k\nparam $0 count: u32\nparam $1 p: ptr(u32)\n${locals}\n{\n${body}\n}`);
}

function statements(module: Module): Statement[] {
  const all: Statement[] = [];
  walkBody(module.body, { statement: (s) => void all.push(s) });
  return all;
}

/** The kinds of the statements that threads may reach after they diverged. */
function divergent(module: Module): string[] {
  const uniformity = analyseUniformity(module);
  return statements(module).flatMap((s) => (uniformity.divergence(s) === undefined ? [] : [s.kind]));
}

const isCut = (s: { readonly kind: string }): boolean => s.kind === 'wait' || s.kind === 'sync';

describe('analyseUniformity', () => {
  it('finds the values that the threads of a CTA have in common', () => {
    const { varying } = analyseUniformity(
      kernel(`
      %0 = (blockIdx.x + ($0 * gridDim.x))
      %1 = (%0 + threadIdx.x)
      %2 = load $1
      %3 = collective bcast cta value %2 lane 0:u32`),
    );
    expect([...varying]).toEqual([1, 2]);
  });

  it('finds values that differ because control flow did', () => {
    const { varying } = analyseUniformity(
      kernel(`
      if (threadIdx.x < 3:u32) {
        %0 = 1:u32
      }
      if (blockIdx.x < 3:u32) {
        %1 = 1:u32
      }
      loop while (%2 < %0) {
        %2 = (%2 + 1:u32)
      }
      %3 = (%2 + 1:u32)`),
    );
    expect([...varying].toSorted((a, b) => a - b)).toEqual([0, 2, 3]);
  });

  it('treats code after a divergent jump as divergent up to its target', () => {
    const module = kernel(`
      loop while (%0 < 9:u32) {
        if (%1 < 3:u32) {
          break
        }
        if (threadIdx.x < %0) {
          continue
        }
        fence acq_rel.block
      } update {
        %0 = (%0 + 1:u32)
      }
      sync cta
      block 0 {
        if (threadIdx.x == 1:u32) {
          leave 0
        }
        store $1, 1:u32
      }
      sync cta`);
    expect(divergent(module)).toEqual(['continue', 'fence', 'leave', 'store']);
  });

  it('treats a loop that some threads leave early as divergent, and all code after some threads return', () => {
    const left = kernel(`
      loop {
        %0 = (%0 + 1:u32)
        if (threadIdx.x < %0) {
          break
        }
      }
      sync cta`);
    expect(divergent(left)).toEqual(['assign', 'if', 'break']);
    expect(
      divergent(
        kernel(`
      if (threadIdx.x > 3:u32) {
        return
      }
      sync cta`),
      ),
    ).toEqual(['return', 'sync']);
  });

  it('names the branch at which the threads diverged', () => {
    const module = kernel(`if (threadIdx.x > 3:u32) {\n sync cta\n }`);
    const [branch] = module.body;
    const sync = statements(module).find((s) => s.kind === 'sync');
    if (branch?.kind !== 'if' || sync === undefined) throw new Error('no branch');
    expect(analyseUniformity(module).divergence(sync)).toBe(branch.condition.span ?? branch.span);
  });
});

describe('splitStates', () => {
  it('cuts at blocking statements, and leaves everything else whole', () => {
    const { states } = splitStates(
      kernel(`
      if (%0 < 3:u32) {
        %1 = 1:u32
      }
      sync cta
      loop while (%0 < 3:u32) {
        if (%1 == 1:u32) {
          break
        }
        wait {
          %2 = load $1
        } until (%2 == 1:u32)
        if (%1 == 2:u32) {
          %1 = 3:u32
        }
      } update {
        %0 = (%0 + 1:u32)
      }`).body,
      { isCut, yields: true },
    );
    const shape = states.map(({ body, terminator }) =>
      [
        body.map((s) => s.kind).join(),
        terminator.kind,
        ...(terminator.kind === 'cut' ? [terminator.statement.kind] : []),
      ].join(' '),
    );
    expect(shape).toEqual(['if cut sync', ' branch', ' branch', ' exit', ' cut wait', 'if,assign jump']);
  });

  it('splits a block that surrounds a cut', () => {
    const { states } = splitStates(
      kernel(`
      block 4 {
        sync cta
        if (%0 == 0:u32) {
          leave 4
        }
        %1 = 2:u32
      }
      store $1, %1`).body,
      { isCut, yields: true },
    );
    expect(states.map(({ body, terminator }) => `${body.map((s) => s.kind).join()} ${terminator.kind}`)).toEqual([
      ' cut',
      ' branch',
      'store exit',
      'assign jump',
    ]);
  });

  const shapeOf = ({ states }: StateGraph): readonly string[] =>
    states.map(({ body, terminator }) => `${body.map((s) => s.kind).join()} ${terminator.kind}`);

  it('pauses before and after statements on request, and splits the constructs around them', () => {
    const graph = splitStates(
      kernel(`
      store $1, 1:u32
      if (%0 == 0:u32) {
        store $1, 2:u32 release.system
        store $1, 3:u32
      }
      %1 = 2:u32`).body,
      { isCut, yields: true, pausesAround: (s) => s.kind === 'store' && s.access !== undefined },
    );
    expect(shapeOf(graph)).toEqual(['store branch', ' pause', 'assign exit', 'store pause', 'store jump']);
  });

  it('pauses once if only assignments separate two accesses, and not before the first access', () => {
    const graph = splitStates(
      kernel(`
      store $1, 1:u32 relaxed.system
      %1 = 2:u32
      store $1, %1 relaxed.system`).body,
      { isCut, yields: true, pausesAround: (s) => s.kind === 'store' },
    );
    expect(shapeOf(graph)).toEqual(['store pause', 'assign,store pause', ' exit']);
  });

  it('keeps a construct that it pauses around whole, unless it contains a cut', () => {
    const text = (inner: string): string => `
      store $1, 1:u32
      if (%0 == 0:u32) {
        store $1, 2:u32 release.system
        ${inner}
      }`;
    const isConstruct = (s: Statement): boolean => s.kind === 'if';
    const options = { isCut, yields: true, pausesAround: isConstruct };
    expect(shapeOf(splitStates(kernel(text('')).body, options))).toEqual(['store pause', 'if pause', ' exit']);
    expect(shapeOf(splitStates(kernel(text('sync cta')).body, options))).toContain('store branch');
  });

  it('yields only in loops that poll with atomics', () => {
    const polling = kernel(`
      loop while (%0 == 0:u32) {
        %0 = atomic exch $1, 1:u32 acquire.device
      }`);
    const counting = kernel(`
      loop while (%1 < 9:u32) {
        %0 = atomic add $1, 1:u32 relaxed.device
        %1 = (%1 + 1:u32)
      }`);
    const kinds = ({ body }: Module): string[] =>
      splitStates(body, { isCut, yields: true }).states.map((s) => s.terminator.kind);
    expect(kinds(polling)).toContain('yield');
    expect(kinds(counting)).toEqual(['exit']);
    const loops = [polling, counting].flatMap(({ body }) =>
      body.flatMap((s) => (s.kind === 'loop' ? [pollsByAtomics(s)] : [])),
    );
    expect(loops).toEqual([true, false]);
  });
});

describe('analyseLiveness', () => {
  it('finds the locals that a state needs, also around loops', () => {
    const module = kernel(`
      %0 = load $1
      %1 = load $1
      %2 = load $1
      loop while (%3 < %1) {
        sync cta
        %3 = (%3 + 1:u32)
      }
      store $1, %0`);
    const graph = splitStates(module.body, { isCut, yields: true });
    const liveness = analyseLiveness(graph);
    expect([...liveness.liveInto(0)]).toEqual([3]);
    const cut = graph.states.findIndex(({ terminator }) => terminator.kind === 'cut');
    expect([...liveness.liveInto(cut)].toSorted((a, b) => a - b)).toEqual([0, 1, 3]);
  });

  it('keeps the locals that a wait reads, because it may be evaluated again', () => {
    const module = kernel(`
      %0 = load $1
      wait {
        %1 = load ($1 +> %0)
      } until (%1 == %2)
      store $1, %1`);
    const [, wait] = module.body;
    if (wait === undefined) throw new Error('no wait');
    const liveness = analyseLiveness(splitStates(module.body, { isCut, yields: true }));
    expect([...liveness.liveBefore(wait)].toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect([...liveness.liveAfter(wait)]).toEqual([1]);
  });
});

describe('recomputableLocals', () => {
  it('recomputableLocals are set once from constants, and cannot fault', () => {
    const found = recomputableLocals(
      kernel(`
      %0 = (threadIdx.x * $0)
      %1 = (%0 + 1:u32)
      %2 = ($0 / %1)
      %3 = 1:u32
      %3 = 2:u32`).body,
    );
    expect([...found.keys()]).toEqual([0, 1]);
  });
});

describe('mayFault', () => {
  it('finds divisors, addresses and elements', () => {
    const faults = (text: string): boolean => {
      const [assign] = parseModule(
        `kernel k\nlocal %0 a: u32\nlocal %1 b: vec(u32, 2)\nlocal %2 c: addr\n{\n ${text}\n}`,
      ).body;
      if (assign?.kind !== 'assign') throw new Error('no assignment');
      return mayFault(assign.value);
    };
    expect(faults('%0 = (%0 / 3:u32)')).toBe(false);
    expect(faults('%0 = (%0 / %0)')).toBe(true);
    expect(faults('%0 = lane(%1, 1:u32)')).toBe(false);
    expect(faults('%0 = lane(%1, %0)')).toBe(true);
    expect(faults('%2 = addr(%0)')).toBe(false);
    expect(faults('%2 = (%2 + 1:addr)')).toBe(true);
  });
});
