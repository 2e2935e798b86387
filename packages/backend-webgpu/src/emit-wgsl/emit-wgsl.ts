import { at } from '@nccl-ts/core';
import {
  analyseLiveness,
  analyseUniformity,
  planArrays,
  assignedLocals,
  bodyReads,
  readLocals,
  recomputableLocals,
  specialiseLaunch,
  splitStates,
  statementReads,
  successors,
  valueBytes,
  walkBody,
  type Body,
  type CutStatement,
  type LocalId,
  type Module,
  type Uniformity,
  type ValidatedModule,
} from '@nccl-ts/ir';
import type { EmitWgslOptions, WgslSource } from '../wgsl-source.ts';
import { libraryText } from './arithmetic/index.ts';
import { WgslEmitContext, type Facts } from './context.ts';
import { isSolo } from './emit-collective.ts';
import { emitExplain } from './emit-explain.ts';
import { emitStates, type StateTexts } from './emit-states.ts';
import type { StateProgram } from './state-program.ts';
import { StateFrame } from './frame.ts';
import { withoutDependencies } from './grid-dependency.ts';
import { layOutRecord } from './launch-record.ts';
import { MemoryFunctions } from './memory.ts';
import { findOrigins, type Origins } from './pointer-origins.ts';
import { prelude } from './prelude.ts';
import { sharingOf } from './sharing.ts';

/**
 * Emits WGSL that runs `module`, for all launches with the block size and the fields of `options`.
 *
 * These parts bridge the differences between WebGPU and the IR:
 * - *Waiting.* A workgroup cannot rely on another workgroup's progress, and within a dispatch
 *   workgroups share no memory order. So a CTA's slice ends at a wait: the kernel is split there
 *   into states. `step` runs every CTA to its next wait, and `poll` finds those that may continue.
 *   The state buffer stores the values that a thread needs later.
 * - *Threads.* A CTA that is larger than a workgroup has several threads in each invocation, and a
 *   state runs them one after another. CTAs synchronize between states, where control flow is
 *   uniform, as WGSL requires.
 * - *Memory* is an array of words. Smaller values are merged into a word, and larger ones take
 *   several words.
 * - *Numbers* of 64 bits are pairs of words. Floats of 16 and 8 bits are rounded f32s.
 * - *Faults* are recorded and end the launch. Threads continue, so that their workgroup stays
 *   together.
 * - *Text is code.* Names come from the namer, strings are passed beside the text, and numbers are
 *   printed here.
 */
export function emitWgsl(module: ValidatedModule, options: EmitWgslOptions): WgslSource {
  const prepared = specialiseLaunch(withoutDependencies(module), options);
  const uniformity = analyseUniformity(prepared);
  const graph = splitStates(prepared.body, {
    isCut,
    yields: (loop) => uniformity.divergence(loop) === undefined && isUniformLoop(loop, uniformity),
    yieldsBehind: true,
    endsState: endsState(prepared, uniformity),
  });
  const program: StateProgram = { graph, liveness: analyseLiveness(graph) };
  const recomputable = recomputableLocals(prepared.body);
  const facts = factsOf(prepared, options, uniformity, program);
  const latched = graph.states.some(({ terminator }) => terminator.kind === 'cut' && waits(terminator.statement));
  const begin = (): { readonly c: WgslEmitContext; readonly frame: StateFrame } => {
    const c = new WgslEmitContext(facts, memoryOf(prepared, options, facts));
    return { c, frame: new StateFrame(c, recomputable, latched) };
  };
  const { c, frame } = begin();
  const texts = emitStates(c, program, frame);
  const text = assemble(c, texts);
  return {
    ...(c.lines?.read(text) ?? { text }),
    workgroup: facts.workgroup,
    threadsEach: facts.threadsEach,
    recordWords: facts.record.words,
    params: facts.record.params,
    threadWords: frame.words,
    arrayWords: texts.arrayWords,
    sharedWords: c.memory.options.sharedInResources ? facts.arrayWords.shared : 0,
    sites: c.sites,
    prints: c.prints,
    waits: texts.waits,
    explain: () => {
      const fresh = begin();
      const { functions, entry, variables, loads, needs } = emitExplain(fresh.c, program, fresh.frame);
      return { text: assemble(fresh.c, { functions, entries: [entry], variables }), loads, needs };
    },
    once: texts.once,
    rounds: roundsOf(program),
    atomicHeap: c.memory.options.atomicHeap,
    sharing: sharingOf(prepared, facts.origins),
  };
}

function assemble(c: WgslEmitContext, texts: Pick<StateTexts, 'functions' | 'entries' | 'variables'>): string {
  // The uses of the functions are known once these have been generated. The library may use
  // declarations of the prelude.
  const memory = c.memory.text();
  const parts = [
    prelude(c, c.facts.record.words),
    texts.variables.join('\n'),
    ...privateLocals(c),
    libraryText(c.library),
    memory,
    ...c.helpers.values(),
    ...texts.functions,
    ...texts.entries,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function privateLocals(c: WgslEmitContext): readonly string[] {
  const { crossing, threadsEach } = c.facts;
  const lines = [...crossing]
    .toSorted((a, b) => a - b)
    .map((id) => {
      const type = c.typeOf(id);
      return `var<private> ${at(c.locals, id)}: ${threadsEach > 1 ? `array<${type}, ${threadsEach}>` : type};`;
    });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function isCut(s: CutStatement): boolean {
  if (s.kind === 'sync') return s.coop.kind !== 'tile' || s.coop.size !== 1;
  return s.kind !== 'collective' || !isSolo(s);
}

function waits(s: CutStatement): boolean {
  return s.kind === 'wait' || s.kind === 'waitAll';
}

/** True if all threads of a CTA leave the loop in the same round. */
function isUniformLoop(loop: Extract<Body[number], { kind: 'loop' }>, uniformity: Uniformity): boolean {
  if (loop.condition !== undefined && !uniformity.isUniform(loop.condition)) return false;
  return [...loop.body, ...loop.update].every((s) => uniformity.divergence(s) === undefined);
}

/**
 * A `return` of the whole CTA ends a state if other states follow, because the remaining threads
 * would otherwise wait forever.
 */
function endsState(module: Module, uniformity: Uniformity): (s: Body[number]) => boolean {
  let cuts = false;
  walkBody(module.body, {
    statement: (s) => {
      cuts ||= (s.kind === 'sync' || s.kind === 'wait' || s.kind === 'waitAll' || s.kind === 'collective') && isCut(s);
    },
  });
  return (s) => cuts && uniformity.divergence(s) === undefined;
}

function factsOf(module: Module, options: EmitWgslOptions, uniformity: Uniformity, program: StateProgram): Facts {
  const { x, y, z } = options.blockDim;
  const threads = x * y * z;
  const workgroup = Math.min(threads, options.maxWorkgroup);
  const arrays = planArrays(module);
  let partialReturns = false;
  walkBody(module.body, {
    statement: (s) => {
      partialReturns ||= s.kind === 'return' && uniformity.divergence(s) !== undefined;
    },
  });
  return {
    module,
    options,
    uniformity,
    origins: findOrigins(module),
    record: layOutRecord(module, options.lsaSize, options.segments),
    arrays,
    arrayWords: { shared: arrays.bytes.shared / 4, local: arrays.bytes.local / 4 },
    threads,
    workgroup,
    threadsEach: Math.ceil(threads / workgroup),
    crossing: crossingLocals(program),
    partialReturns: partialReturns && program.graph.states.length > 1,
  };
}

/** Returns the locals that more than one state uses, or that something between states uses. */
function crossingLocals({ graph, liveness }: StateProgram): ReadonlySet<LocalId> {
  const seen = new Set<LocalId>();
  const crossing = new Set<LocalId>();
  const cross = (ids: Iterable<LocalId>): void => {
    for (const id of ids) crossing.add(id);
  };
  for (const { body, terminator } of graph.states) {
    for (const id of new Set([...bodyReads(body), ...assignedLocals(body)])) {
      if (seen.has(id)) crossing.add(id);
      seen.add(id);
    }
    if (terminator.kind === 'branch') cross(readLocals(terminator.condition));
    if (terminator.kind === 'yield') cross(liveness.liveInto(terminator.to));
    if (terminator.kind !== 'cut') continue;
    const { statement } = terminator;
    if (waits(statement)) {
      cross(liveness.liveBefore(statement));
      cross(liveness.liveInto(terminator.to));
    } else {
      cross(statementReads(statement));
      if (statement.kind === 'collective') cross([statement.local]);
    }
  }
  return crossing;
}

function memoryOf(module: Module, options: EmitWgslOptions, facts: Facts): MemoryFunctions {
  const atomics = atomicSpaces(module, facts.origins);
  return new MemoryFunctions({
    checks: options.checks,
    atomicHeap: atomics.heap,
    atomicShared: atomics.shared,
    sharedInResources: facts.arrayWords.shared * 4 + exchangedBytes > options.maxSharedBytes,
    sharedWords: facts.arrayWords.shared,
    segments: options.segments,
    heapElement: atomics.heap || options.segments > 0 ? 4 : smallestAccess(module, facts.origins),
    sharedBounds: facts.arrays.bounds.shared,
    localBounds: facts.arrays.bounds.local,
    localWords: facts.arrayWords.local,
    threadsEach: facts.threadsEach,
  });
}

/** The room that synchronizations take: the widest value of each thread. */
const exchangedBytes = 16 * 1024;

/**
 * Returns the spaces in which words are changed in part, or read and written in one step. Only
 * atomics can do that.
 */
function atomicSpaces(module: Module, origins: Origins): { readonly heap: boolean; readonly shared: boolean } {
  const found = { heap: false, shared: false };
  walkBody(module.body, {
    statement: (s) => {
      if (s.kind !== 'atomic' && s.kind !== 'store') return;
      const { type } = s.pointer;
      if (type.kind !== 'pointer' || (s.kind === 'store' && valueBytes(type.element) >= 4)) return;
      if (type.space === 'shared') found.shared = true;
      if (type.space === 'global' && !onlyResources(origins.of(s.pointer))) found.heap = true;
    },
  });
  return found;
}

/**
 * Returns the size of the smallest access to window memory. Its elements can have that size, which
 * is faster.
 */
function smallestAccess(module: Module, origins: Origins): 4 | 8 | 16 {
  let least = 16;
  walkBody(module.body, {
    statement: (s) => {
      if (s.kind !== 'atomic' && s.kind !== 'store' && s.kind !== 'load') return;
      const { type } = s.pointer;
      if (type.kind !== 'pointer' || type.space !== 'global' || onlyResources(origins.of(s.pointer))) return;
      least = Math.min(least, valueBytes(type.element));
    },
  });
  return least === 16 ? 16 : least === 8 ? 8 : 4;
}

function onlyResources(of: ReturnType<Origins['of']>): boolean {
  return of.has('resources') && !of.has('heap');
}

/** Returns the largest number of waits of a CTA, if no loop contains one. */
function roundsOf({ graph }: StateProgram): number | undefined {
  const known = new Map<number, number>();
  const active = new Set<number>();
  let endless = false;
  const visit = (id: number): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const state = graph.states[id];
    if (state === undefined) return 0;
    if (active.has(id)) return Number.NaN;
    active.add(id);
    const { terminator } = state;
    const here = terminator.kind === 'yield' || (terminator.kind === 'cut' && waits(terminator.statement)) ? 1 : 0;
    if (terminator.kind === 'yield') endless = true;
    let most = 0;
    for (const to of successors(terminator)) {
      const rest = visit(to);
      // A loop without a wait takes no round.
      if (Number.isNaN(rest)) endless ||= loopWaits(graph, to);
      else most = Math.max(most, rest);
    }
    active.delete(id);
    known.set(id, here + most);
    return here + most;
  };
  const rounds = visit(0);
  return endless ? undefined : rounds;
}

/** True if a path from `id` back to itself waits. */
function loopWaits(graph: StateProgram['graph'], id: number): boolean {
  const reaches = (from: number): ReadonlySet<number> => {
    const seen = new Set<number>();
    const open = [from];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const to of successors(graph.states[next]?.terminator ?? { kind: 'exit' })) {
        if (seen.has(to)) continue;
        seen.add(to);
        open.push(to);
      }
    }
    return seen;
  };
  const onLoop = [...reaches(id)].filter((state) => reaches(state).has(id));
  return onLoop.some((state) => {
    const terminator = graph.states[state]?.terminator;
    return terminator?.kind === 'cut' && waits(terminator.statement);
  });
}
