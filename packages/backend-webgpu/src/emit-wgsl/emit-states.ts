import {
  assignedLocals,
  bodyReads,
  readLocals,
  statementReads,
  successors,
  type CutStatement,
  type StateGraph,
  type StateId,
  type Terminator,
} from '@nccl-ts/ir';
import type { WaitSite } from '../wgsl-source.ts';
import { exit, stateLabel, waitLabel, yielding } from './labels.ts';
import type { WgslEmitContext } from './context.ts';
import { emitBring, emitTake, exchangedWords, rankAndSize, votes } from './emit-collective.ts';
import { emitExpression, recordWord } from './emit-expression.ts';
import { emitBody } from './emit-statement.ts';
import type { StateFrame } from './frame.ts';
import { functionText } from './functions.ts';
import { copyArrays, eachThread, indented, isWait, planFrame, setsArrays } from './state-parts.ts';
import { header } from './launch-record.ts';
import { launchStatus } from './status-layout.ts';
import type { StateProgram } from './state-program.ts';

/** The functions of a kernel's states, and the entry points that run them. */
export interface StateTexts {
  readonly functions: readonly string[];
  readonly entries: readonly string[];
  readonly variables: readonly string[];
  readonly waits: readonly WaitSite[];
  /** True if one dispatch runs the kernel to its end. */
  readonly once: boolean;
  /** The words of shared arrays that survive a dispatch. */
  readonly arrayWords: number;
}

/**
 * Emits the states of `program`. A CTA runs one state after another until it waits, and its threads
 * run each of them.
 */
export function emitStates(c: WgslEmitContext, program: StateProgram, frame: StateFrame): StateTexts {
  return new StateEmitter(c, program, frame).emit();
}

class StateEmitter {
  readonly #c: WgslEmitContext;
  readonly #program: StateProgram;
  readonly #frame: StateFrame;
  readonly #functions: string[] = [];
  #waits: readonly WaitSite[] = [];
  readonly #tests: string[] = [];
  readonly #next: string[] = [];
  /**
   * Returns the states in an order in which no state repeats within a dispatch; `undefined` if
   * there is none.
   */
  #order: readonly StateId[] | undefined;
  #exchanged = 0;
  #votes = false;
  #branches = false;

  constructor(c: WgslEmitContext, program: StateProgram, frame: StateFrame) {
    this.#c = c;
    this.#program = program;
    this.#frame = frame;
  }

  emit(): StateTexts {
    const { states } = this.#program.graph;
    const { waits, keeps } = planFrame(this.#c, this.#program, this.#frame);
    this.#waits = waits;
    this.#order = orderInside(this.#program.graph);
    const cases = (this.#order ?? states.map((_, id) => id)).map((id) => this.#state(id));
    const once = states.length === 1 && states[0]?.terminator.kind === 'exit';
    const entries = [
      once ? this.#only() : this.#step(cases, keeps),
      ...(this.#waits.length > 0 ? [this.#poll(keeps)] : []),
    ];
    return {
      functions: [...(this.#frame.words > 0 ? [this.#frame.text()] : []), ...this.#functions],
      entries,
      variables: this.#variables(once),
      once,
      waits: this.#waits,
      arrayWords: keeps ? this.#c.facts.arrayWords.shared : 0,
    };
  }

  #variables(once: boolean): readonly string[] {
    const { threads } = this.#c.facts;
    return [
      ...(once ? [] : ['var<workgroup> nts_shared_pc: u32;']),
      ...(this.#branches ? ['var<workgroup> nts_choice: u32;'] : []),
      ...(this.#waits.length > 0 ? ['var<workgroup> nts_pending: atomic<u32>;'] : []),
      ...(this.#votes ? ['var<workgroup> nts_votes: atomic<u32>;'] : []),
      ...(this.#exchanged > 0 ? [`var<workgroup> nts_exchanged: array<u32, ${threads * this.#exchanged}>;`] : []),
    ];
  }

  #each(text: string): readonly string[] {
    return eachThread(text, this.#c);
  }

  #state(id: StateId): readonly string[] {
    const c = this.#c;
    const state = this.#program.graph.states[id];
    if (state === undefined) return [];
    const lines: string[] = [
      this.#order === undefined ? `case ${stateLabel(id)}u: {` : `if (pc == ${stateLabel(id)}u) {`,
    ];
    const add = (more: readonly string[]): void => void lines.push(...more.map((line) => `  ${line}`));
    if (state.body.length > 0 || this.#program.graph.states.length === 1) {
      this.#functions.push(
        functionText(`fn nts_state_${id}()`, c, () => {
          if (c.facts.partialReturns) c.line(`if (nts_gone${c.facts.threadsEach > 1 ? '[nts_k]' : ''}) { return; }`);
          emitBody(state.body, c);
        }),
      );
      add(this.#each(`nts_state_${id}();`));
    }
    add(this.#terminator(state.terminator, id));
    lines.push('}');
    return lines;
  }

  #terminator(terminator: Terminator, id: StateId): readonly string[] {
    const c = this.#c;
    switch (terminator.kind) {
      case 'exit':
        return [`pc = ${exit}u;`];
      case 'jump':
      // A GPU may interrupt threads anywhere.
      case 'pause':
        if (this.#order !== undefined || terminator.to > id) return [`pc = ${stateLabel(terminator.to)}u;`];
        return this.#burn(id, terminator.to);
      case 'branch': {
        this.#branches = true;
        this.#functions.push(
          functionText(`fn nts_branch_${id}() -> bool`, c, () => {
            c.line(`return ${emitExpression(terminator.condition, c)};`);
          }),
        );
        const { threadsEach } = c.facts;
        return [
          `if (lane == 0u) {${threadsEach > 1 ? ' nts_k = 0u; nts_thread = 0u;' : ''} nts_choice = select(0u, 1u, nts_branch_${id}()); }`,
          `pc = select(${stateLabel(terminator.else)}u, ${stateLabel(terminator.then)}u, workgroupUniformLoad(&nts_choice) != 0u);`,
        ];
      }
      case 'yield': {
        this.#keep(`nts_yield_${id}`, () => this.#frame.save(this.#program.liveness.liveInto(terminator.to)));
        return [...this.#each(`nts_yield_${id}();`), `pc = ${yielding + stateLabel(terminator.to)}u;`];
      }
      case 'cut':
        return this.#cut(terminator.statement, id, terminator.to);
    }
  }

  /** Loops that were split into states count their rounds like other loops. */
  #burn(id: StateId, to: StateId): readonly string[] {
    const span = this.#program.graph.states[id]?.body.at(-1)?.span ?? { source: 0, start: 0, end: 0 };
    const { fuel } = this.#c.facts.options;
    const site = this.#c.site('loop', span);
    return [
      'rounds += 1u;',
      `nts_fault(${site}u, select(0u, nts_out_of_fuel, rounds > ${fuel}u));`,
      `pc = select(${stateLabel(to)}u, ${exit}u, rounds > ${fuel}u);`,
    ];
  }

  #keep(name: string, write: () => void): void {
    this.#functions.push(
      functionText(`fn ${name}()`, this.#c, () => {
        write();
        this.#frame.saveArrays();
      }),
    );
  }

  #cut(s: CutStatement, id: StateId, to: StateId): readonly string[] {
    const c = this.#c;
    const next = `pc = ${stateLabel(to)}u;`;
    switch (s.kind) {
      case 'sync':
        return ['workgroupBarrier();', 'storageBarrier();', next];
      case 'collective': {
        const voting = votes(s);
        if (voting) this.#votes = true;
        else this.#exchanged = Math.max(this.#exchanged, exchangedWords(s, c.checks));
        this.#functions.push(
          functionText(`fn nts_bring_${id}()`, c, () => emitBring(s, c)),
          functionText(`fn nts_take_${id}()`, c, () => emitTake(s, c)),
        );
        return [
          ...(voting ? ['if (lane == 0u) { atomicStore(&nts_votes, 0u); }', 'workgroupBarrier();'] : []),
          ...this.#each(`nts_bring_${id}();`),
          'workgroupBarrier();',
          ...this.#each(`nts_take_${id}();`),
          'workgroupBarrier();',
          next,
        ];
      }
      case 'wait':
      case 'waitAll': {
        const before = this.#program.liveness.liveBefore(s);
        this.#keep(`nts_keep_${id}`, () => {
          c.span = s.span;
          this.#frame.save(before);
          const first = s.kind === 'waitAll' ? rankAndSize(s.coop, c).rank : '0u';
          c.line(`${this.#frame.word(0)} = ${first};`);
        });
        this.#test(s, id, to);
        return [...this.#each(`nts_keep_${id}();`), `pc = ${waitLabel(id)}u;`];
      }
    }
  }

  /** Returns the function that tests if a thread's wait is over, and records that. */
  #test(s: Extract<CutStatement, { kind: 'wait' | 'waitAll' }>, id: StateId, to: StateId): void {
    const c = this.#c;
    const latch = this.#frame.word(0);
    const reads = new Set([...bodyReads(s.body), ...readLocals(s.condition), ...statementReads(s)]);
    this.#functions.push(
      functionText(`fn nts_test_${id}() -> bool`, c, () => {
        c.span = s.span;
        if (s.kind === 'wait') c.line(`if (${latch} != 0u) { return true; }`);
        this.#frame.restore(reads);
        this.#frame.restoreArrays();
        this.#frame.recompute(reads);
        if (s.kind === 'waitAll') {
          const { size } = rankAndSize(s.coop, c);
          c.line(`let nts_count = ${emitExpression(s.count, c)};`);
          c.line(`let nts_size = ${size};`);
          c.line(`var nts_index = ${latch};`);
          c.block('while (nts_index < nts_count) {', () => {
            c.line(`${c.local(s.index)} = nts_index;`);
            emitBody(s.body, c);
            c.line(`if (!${emitExpression(s.condition, c)}) { break; }`);
            c.line('nts_index += nts_size;');
          });
          c.line(`${latch} = nts_index;`);
          c.line('return nts_index >= nts_count;');
          return;
        }
        emitBody(s.body, c);
        c.line(`if (!${emitExpression(s.condition, c)}) { return false; }`);
        const after = this.#program.liveness.liveAfter(s);
        this.#frame.save([...assignedLocals(s.body)].filter((local) => after.has(local)));
        if (setsArrays(s.body)) this.#frame.saveArrays();
        c.line(`${latch} = 1u;`);
        c.line('return true;');
      }),
    );
    const held = `if (!nts_test_${id}()) { atomicOr(&nts_pending, 1u); }`;
    this.#tests.push(`case ${waitLabel(id)}u: {`, ...this.#each(held).map((line) => `  ${line}`), '}');
    this.#next.push(`case ${waitLabel(id)}u: { pc = ${stateLabel(to)}u; }`);
  }

  /** Returns the lines that restore the values that a state needs. */
  #resume(): readonly string[] {
    const { graph, liveness } = this.#program;
    const entered = new Set(
      graph.states.flatMap(({ terminator }) =>
        terminator.kind === 'yield' || (terminator.kind === 'cut' && isWait(terminator.statement))
          ? [terminator.to]
          : [],
      ),
    );
    if (entered.size === 0) return [];
    const cases = [...entered]
      .toSorted((a, b) => a - b)
      .flatMap((id) => {
        const needed = liveness.liveInto(id);
        this.#functions.push(
          functionText(`fn nts_resume_${id}()`, this.#c, () => {
            this.#frame.restore(needed);
            this.#frame.restoreArrays();
            this.#frame.recompute(needed);
          }),
        );
        return [`case ${stateLabel(id)}u: {`, ...this.#each(`nts_resume_${id}();`).map((line) => `  ${line}`), '}'];
      });
    return ['switch pc {', ...cases.map((line) => `  ${line}`), '  default: {}', '}'];
  }

  /** Emits a kernel of one state, which runs once from start to end. */
  #only(): string {
    const { workgroup, threadsEach } = this.#c.facts;
    const body = [
      'if (!nts_enter(group)) { return; }',
      ...(threadsEach === 1 ? ['nts_thread = lane;'] : []),
      ...this.#each('nts_state_0();'),
      'nts_tell();',
      'if (lane == 0u) {',
      `  atomicAdd(&nts_status[nts_launch_status(${launchStatus.turns}u)], 1u);`,
      `  atomicSub(&nts_status[nts_launch_status(${launchStatus.live}u)], 1u);`,
      '}',
    ];
    return [
      '/** Runs each CTA to its end. */',
      `@compute @workgroup_size(${workgroup})`,
      'fn step(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {',
      ...indented(body),
      '}',
    ].join('\n');
  }

  #step(cases: readonly (readonly string[])[], keeps: boolean): string {
    const { workgroup, threadsEach } = this.#c.facts;
    const stops = this.#waits.length > 0;
    const resume = this.#resume();
    const counter = `nts_state[${recordWord(header.counters)} + nts_cta]`;
    const body = [
      'let here = nts_enter(group);',
      ...(threadsEach === 1 ? ['nts_thread = lane;'] : []),
      'let status = nts_launch_status(0u);',
      'if (lane == 0u) {',
      `  nts_shared_pc = ${exit}u;`,
      '  // A launch with a fault goes no further.',
      `  if (here & (atomicLoad(&nts_status[status + ${launchStatus.fault}u]) == 0u)) { nts_shared_pc = ${counter}; }`,
      '}',
      'var pc = workgroupUniformLoad(&nts_shared_pc);',
      'if ((pc & 1u) != 0u) { return; }',
      ...(keeps ? ['if (pc != 0u) {', ...indented(copyArrays('restore', this.#c)), '}'] : []),
      ...resume,
      ...this.#turn(cases),
      ...(keeps ? ['workgroupBarrier();', ...copyArrays('save', this.#c)] : []),
      'nts_tell();',
      'if (lane == 0u) {',
      `  ${counter} = pc & 0x7fffffffu;`,
      `  atomicAdd(&nts_status[status + ${launchStatus.turns}u], 1u);`,
      `  if (pc == ${exit}u) { atomicSub(&nts_status[status + ${launchStatus.live}u], 1u); }`,
      `  if (pc >= ${yielding}u) { atomicAdd(&nts_status[status + ${launchStatus.yields}u], 1u); }`,
      ...(stops
        ? [
            `  let polls = atomicLoad(&nts_status[status + ${launchStatus.polls}u]);`,
            `  atomicStore(&nts_status[status + ${launchStatus.pollsBefore}u], polls);`,
          ]
        : []),
      '}',
    ];
    return [
      stops
        ? '/** Runs each CTA that can continue, up to its next wait or its end. */'
        : '/** Runs each CTA to its end. */',
      `@compute @workgroup_size(${workgroup})`,
      'fn step(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {',
      ...indented(body),
      '}',
    ].join('\n');
  }

  /** Emits state after state, up to a wait or the end. */
  #turn(cases: readonly (readonly string[])[]): readonly string[] {
    if (this.#order !== undefined) return cases.flat();
    return [
      'var rounds = 0u;',
      'loop {',
      '  switch pc {',
      ...cases.flat().map((line) => `    ${line}`),
      `    default: { pc = ${exit}u; }`,
      '  }',
      `  if ((pc & ${(yielding | 1) >>> 0}u) != 0u) { break; }`,
      '}',
    ];
  }

  #poll(keeps: boolean): string {
    const { workgroup, threadsEach } = this.#c.facts;
    const counter = `nts_state[${recordWord(header.counters)} + nts_cta]`;
    const body = [
      'let here = nts_enter(group);',
      ...(threadsEach === 1 ? ['nts_thread = lane;'] : []),
      'if (lane == 0u) {',
      `  nts_shared_pc = ${exit}u;`,
      `  if (here) { nts_shared_pc = ${counter}; }`,
      '  if (here & (nts_cta == 0u)) {',
      `    atomicAdd(&nts_status[nts_launch_status(${launchStatus.polls}u)], 1u);`,
      '  }',
      '  atomicStore(&nts_pending, 0u);',
      '}',
      'var pc = workgroupUniformLoad(&nts_shared_pc);',
      `if (((pc & 1u) == 0u) | (pc == ${exit}u)) { return; }`,
      ...(keeps ? copyArrays('restore', this.#c) : []),
      'switch pc {',
      ...indented(this.#tests),
      '  default: {}',
      '}',
      'nts_tell();',
      'workgroupBarrier();',
      'if ((lane == 0u) & (atomicLoad(&nts_pending) == 0u)) {',
      '  switch pc {',
      ...indented(indented(this.#next)),
      '    default: {}',
      '  }',
      `  ${counter} = pc;`,
      `  atomicAdd(&nts_status[nts_launch_status(${launchStatus.passed}u)], 1u);`,
      '}',
    ];
    return [
      '/** Tests the wait of every parked CTA. Writes only state, so no CTA can see a flag before the data behind it. */',
      `@compute @workgroup_size(${workgroup})`,
      'fn poll(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {',
      ...indented(body),
      '}',
    ].join('\n');
  }
}

/**
 * Returns the states in an order in which each follows its predecessors without a wait in between.
 * Text without loops compiles much faster. If kernels wait in their loops, no path leads back
 * within a dispatch.
 */
function orderInside({ states }: StateGraph): readonly StateId[] | undefined {
  const order: StateId[] = [];
  const done = new Set<StateId>();
  const active = new Set<StateId>();
  const visit = (id: StateId): boolean => {
    if (done.has(id)) return true;
    if (active.has(id)) return false;
    active.add(id);
    const { terminator } = states[id] ?? { terminator: { kind: 'exit' } };
    const stops = terminator.kind === 'yield' || (terminator.kind === 'cut' && isWait(terminator.statement));
    if (!stops && !successors(terminator).every(visit)) return false;
    active.delete(id);
    done.add(id);
    order.push(id);
    return true;
  };
  if (!states.every((_, id) => visit(id))) return undefined;
  return order.toReversed();
}
