import { walkBody, type Body, type CutStatement } from '@nccl-ts/ir';
import type { WaitSite } from '../wgsl-source.ts';
import type { WgslEmitContext } from './context.ts';
import type { StateProgram } from './state-program.ts';
import { recordWord } from './emit-expression.ts';
import type { StateFrame } from './frame.ts';
import { waitLabel } from './labels.ts';
import { header } from './launch-record.ts';

export function isWait(s: CutStatement): s is Extract<CutStatement, { kind: 'wait' | 'waitAll' }> {
  return s.kind === 'wait' || s.kind === 'waitAll';
}

/** True if the body of a wait sets arrays of its own thread. */
export function setsArrays(body: Body): boolean {
  let found = false;
  walkBody(body, {
    statement: (s) => {
      found ||= s.kind === 'store';
    },
  });
  return found;
}

export function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/**
 * Emits code in which all invocations of a workgroup restore the shared arrays together, or store
 * them.
 */
export function copyArrays(direction: 'save' | 'restore', c: WgslEmitContext): readonly string[] {
  const { workgroup, arrayWords } = c.facts;
  const words = arrayWords.shared;
  const kept = `nts_state[${recordWord(header.arrays)} + nts_cta * ${words}u + i]`;
  const atomic = c.memory.options.atomicShared;
  const own = atomic ? 'atomicLoad(&nts_shared[i])' : 'nts_shared[i]';
  const copy =
    direction === 'save'
      ? `${kept} = ${own};`
      : atomic
        ? `atomicStore(&nts_shared[i], ${kept});`
        : `nts_shared[i] = ${kept};`;
  return [
    `for (var i = lane; i < ${words}u; i += ${workgroup}u) { ${copy} }`,
    ...(direction === 'restore' ? ['workgroupBarrier();'] : []),
  ];
}

/** Emits `text` for every thread of the invocation. */
export function eachThread(text: string, c: WgslEmitContext): readonly string[] {
  const { threads, workgroup, threadsEach } = c.facts;
  if (threadsEach === 1) return [text];
  const guard = threads % workgroup === 0 ? text : `if (nts_thread < ${threads}u) { ${text} }`;
  return [
    `for (nts_k = 0u; nts_k < ${threadsEach}u; nts_k++) {`,
    `  nts_thread = lane + nts_k * ${workgroup}u;`,
    `  ${guard}`,
    '}',
  ];
}

/** The state that must survive a dispatch. */
export interface FramePlan {
  readonly waits: readonly WaitSite[];
  /** True if the shared arrays are stored while a CTA waits. */
  readonly keeps: boolean;
}

/**
 * Reserves storage for the values that threads need after their waits, in an order that depends
 * only on the program.
 */
export function planFrame(c: WgslEmitContext, { graph, liveness }: StateProgram, frame: StateFrame): FramePlan {
  const waits: WaitSite[] = [];
  let stops = false;
  for (const [id, { terminator }] of graph.states.entries()) {
    if (terminator.kind === 'yield') {
      stops = true;
      frame.reserve(liveness.liveInto(terminator.to));
    }
    if (terminator.kind !== 'cut' || !isWait(terminator.statement)) continue;
    stops = true;
    const { statement, to } = terminator;
    frame.reserve(liveness.liveBefore(statement));
    frame.reserve(liveness.liveInto(to));
    waits.push({
      label: waitLabel(id),
      site: c.site('wait', statement.span),
      kind: statement.kind,
      whole: statement.kind === 'waitAll' && statement.coop.kind === 'cta',
    });
  }
  const { shared, local } = c.facts.arrayWords;
  if (stops && local > 0) frame.reserveArrays(local);
  return { waits, keeps: stops && shared > 0 && !c.memory.options.sharedInResources };
}
