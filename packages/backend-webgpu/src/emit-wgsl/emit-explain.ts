import { assignedLocals, bodyReads, conditionOf, readLocals, statementReads, type CutStatement } from '@nccl-ts/ir';
import type { WgslExplanation } from '../wgsl-source.ts';
import type { WgslEmitContext } from './context.ts';
import { bitWords } from './emit-collective.ts';
import { emitExpression, recordWord } from './emit-expression.ts';
import { emitNeeded } from './emit-needed.ts';
import { emitBody, target } from './emit-statement.ts';
import type { StateProgram } from './state-program.ts';
import type { StateFrame } from './frame.ts';
import { functionText } from './functions.ts';
import { exit, waitLabel } from './labels.ts';
import { header } from './launch-record.ts';
import { copyArrays, eachThread, indented, isWait, planFrame } from './state-parts.ts';
import { printWords, worldStatus } from './status-layout.ts';

/** The layout of one CTA's note, in the room for printed lines, by index. */
export const noteLayout: Readonly<
  Record<'label' | 'slot' | 'cta' | 'threads' | 'indices' | 'words' | 'needs' | 'length', number>
> = Object.freeze({
  label: 0,
  slot: 1,
  cta: 2,
  /** Bits for the waiting threads, and for the indices that have not held. */
  threads: 3,
  indices: 35,
  /** The number of loads, followed by each load's number, address, lowest address and value. */
  words: 67,
  needs: 88,
  length: 95,
});

/** The largest number of loads and awaited values in a CTA's note. */
export const mostWords = 4;
export const mostNeeds = 2;

export interface ExplanationTexts extends Omit<WgslExplanation, 'text'> {
  readonly functions: readonly string[];
  readonly entry: string;
  readonly variables: readonly string[];
}

/**
 * Emits the entry point `explain`: every waiting CTA reports its waiting threads, the words, and
 * the awaited values.
 */
export function emitExplain(c: WgslEmitContext, program: StateProgram, frame: StateFrame): ExplanationTexts {
  const { keeps } = planFrame(c, program, frame);
  const loads: WgslExplanation['loads'][number][] = [];
  const needs: WgslExplanation['needs'][number][] = [];
  c.noteLoad = (s) => {
    const { element, space } = target(s.pointer, c);
    const number = loads.push({ space: space === 'shared' || space === 'local' ? space : 'global', type: element }) - 1;
    const pointer = emitExpression(s.pointer, c);
    const low = c.checks && space !== 'shared' && space !== 'local' ? `nts_record[(${pointer}).y]` : '0u';
    const words = bitWords(element, c.local(s.local), c);
    c.line(
      `nts_note_word(${number}u, ${c.memory.address(`(${pointer})`)}, ${low}, ${words[0] ?? '0u'}, ${words[1] ?? '0u'});`,
    );
  };
  const functions: string[] = [];
  const cases: string[] = [];
  for (const [id, { terminator }] of program.graph.states.entries()) {
    if (terminator.kind !== 'cut' || !isWait(terminator.statement)) continue;
    functions.push(explainText(terminator.statement, id, c, frame, needs));
    cases.push(`case ${waitLabel(id)}u: { held = nts_explain_${id}(); }`);
  }
  return {
    functions: [frame.text(), helpers, ...functions],
    entry: entryText(cases, keeps, c),
    variables: [
      'var<workgroup> nts_shared_pc: u32;',
      'var<workgroup> nts_stuck: array<atomic<u32>, 32>;',
      'var<workgroup> nts_first: atomic<u32>;',
    ],
    loads,
    needs,
  };
}

function explainText(
  s: Extract<CutStatement, { kind: 'wait' | 'waitAll' }>,
  id: number,
  c: WgslEmitContext,
  frame: StateFrame,
  needs: WgslExplanation['needs'][number][],
): string {
  const reads = new Set([...bodyReads(s.body), ...readLocals(s.condition), ...statementReads(s)]);
  const loaded = assignedLocals(s.body);
  return functionText(`fn nts_explain_${id}() -> bool`, c, () => {
    c.span = s.span;
    if (s.kind === 'wait') c.line(`if (${frame.word(0)} != 0u) { return true; }`);
    frame.restore(reads);
    frame.restoreArrays();
    frame.recompute(reads);
    if (s.kind === 'wait') {
      emitBody(s.body, c);
      const held = emitExpression(s.condition, c);
      c.block(`if (!${held}) {`, () => {
        emitNeeded(conditionOf(s), loaded, c, needs);
        c.line('nts_noting = false;');
        c.line('return false;');
      });
      c.line('return true;');
      return;
    }
    c.line('var nts_held = true;');
    c.block(`for (var nts_index = 0u; nts_index < ${emitExpression(s.count, c)}; nts_index++) {`, () => {
      c.line(`${c.local(s.index)} = nts_index;`);
      c.line('if (nts_noting) { nts_word_count = 0u; }');
      emitBody(s.body, c);
      const held = emitExpression(s.condition, c);
      c.block(`if (!${held}) {`, () => {
        c.line('nts_held = false;');
        c.line('nts_open[min(nts_index, 1023u) >> 5u] |= 1u << (nts_index & 31u);');
        emitNeeded(conditionOf(s), loaded, c, needs);
        c.line('nts_noting = false;');
      });
    });
    c.line('return nts_held;');
  });
}

function entryText(cases: readonly string[], keeps: boolean, c: WgslEmitContext): string {
  const { workgroup, threadsEach } = c.facts;
  const ask = ['var held = true;', 'switch pc {', ...indented(cases), '  default: {}', '}'];
  const at = (field: keyof typeof noteLayout, more = ''): string => `nts_status[note + ${noteLayout[field]}u${more}]`;
  const tell = [
    ...ask,
    `let note = ${worldStatus.printAt}u + atomicAdd(&nts_status[${worldStatus.printed}u], ${noteLayout.length}u);`,
    `if (note + ${noteLayout.length}u <= ${worldStatus.printAt + printWords}u) {`,
    ...indented([
      `atomicStore(&${at('label')}, pc);`,
      `atomicStore(&${at('slot')}, nts_launch_status(0u));`,
      `atomicStore(&${at('cta')}, nts_cta);`,
      'for (var i = 0u; i < 32u; i++) {',
      `  atomicStore(&${at('threads', ' + i')}, atomicLoad(&nts_stuck[i]));`,
      `  atomicStore(&${at('indices', ' + i')}, nts_open[i]);`,
      '}',
      `atomicStore(&${at('words')}, nts_word_count);`,
      `for (var i = 0u; i < ${5 * mostWords}u; i++) { atomicStore(&${at('words', ' + 1u + i')}, nts_words[i]); }`,
      `atomicStore(&${at('needs')}, nts_need_count);`,
      `for (var i = 0u; i < ${3 * mostNeeds}u; i++) { atomicStore(&${at('needs', ' + 1u + i')}, nts_needs[i]); }`,
    ]),
    '}',
  ];
  const body = [
    'let here = nts_enter(group);',
    ...(threadsEach === 1 ? ['nts_thread = lane;'] : []),
    'if (lane == 0u) {',
    `  nts_shared_pc = ${exit}u;`,
    `  if (here) { nts_shared_pc = nts_state[${recordWord(header.counters)} + nts_cta]; }`,
    '  atomicStore(&nts_first, 0xffffffffu);',
    '  for (var i = 0u; i < 32u; i++) { atomicStore(&nts_stuck[i], 0u); }',
    '}',
    'let pc = workgroupUniformLoad(&nts_shared_pc);',
    `if (((pc & 1u) == 0u) | (pc == ${exit}u)) { return; }`,
    ...(keeps ? copyArrays('restore', c) : []),
    ...eachLines(
      [
        ...ask,
        'if (!held) {',
        '  atomicOr(&nts_stuck[nts_thread >> 5u], 1u << (nts_thread & 31u));',
        '  atomicMin(&nts_first, nts_thread);',
        '}',
      ],
      c,
    ),
    'workgroupBarrier();',
    'let first = atomicLoad(&nts_first);',
    ...eachLines(['if (nts_thread == first) {', '  nts_noting = true;', ...indented(tell), '}'], c),
  ];
  return [
    '/** Reports the words that each parked CTA waits for. */',
    `@compute @workgroup_size(${workgroup})`,
    'fn explain(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {',
    ...indented(body),
    '}',
  ].join('\n');
}

function eachLines(lines: readonly string[], c: WgslEmitContext): readonly string[] {
  return c.facts.threadsEach === 1 ? ['{', ...indented(lines), '}'] : eachThread(['{', ...lines, '}'].join('\n'), c);
}

const helpers = `/** The words that this thread has found so far. */
var<private> nts_noting: bool;
var<private> nts_open: array<u32, 32>;
var<private> nts_word_count: u32;
var<private> nts_words: array<u32, ${5 * mostWords}>;
var<private> nts_need_count: u32;
var<private> nts_needs: array<u32, ${3 * mostNeeds}>;

fn nts_note_word(number: u32, address: u32, low: u32, first: u32, second: u32) {
  if (nts_noting & (nts_word_count < ${mostWords}u)) {
    let at = 5u * nts_word_count;
    nts_words[at] = number;
    nts_words[at + 1u] = address;
    nts_words[at + 2u] = low;
    nts_words[at + 3u] = first;
    nts_words[at + 4u] = second;
    nts_word_count += 1u;
  }
}

fn nts_note_need(number: u32, first: u32, second: u32) {
  if (nts_noting & (nts_need_count < ${mostNeeds}u)) {
    let at = 3u * nts_need_count;
    nts_needs[at] = number;
    nts_needs[at + 1u] = first;
    nts_needs[at + 2u] = second;
    nts_need_count += 1u;
  }
}`;
