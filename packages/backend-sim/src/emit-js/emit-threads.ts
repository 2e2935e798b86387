import { assignedLocals, bodyReads, type Body, type Liveness, type LocalId, type Statement } from '@nccl-ts/ir';

import type { EmitContext } from './context.ts';
import { emitBody } from './emit-statement.ts';
import { emitRecomputed, isRecomputed, withOperands } from './frame.ts';
import { addFunction, declareZero, loadEach, storeEach, variables, type ModuleText } from './module-text.ts';
import { functionText, type FunctionText, type Scope } from './scope.ts';

/** A run of statements that every thread of the CTA executes, one thread after the other. */
export interface ThreadRun {
  readonly statements: Body;
  readonly before: ReadonlySet<LocalId>;
  readonly after: ReadonlySet<LocalId>;
}

export function threadRun(statements: readonly [Statement, ...Statement[]], liveness: Liveness): ThreadRun {
  const last = statements.at(-1) ?? statements[0];
  return { statements, before: liveness.liveBefore(statements[0]), after: liveness.liveAfter(last) };
}

/**
 * Adds a function that loops over the threads and answers the statement that calls it. Values that all threads share
 * are its arguments, named to `share`; the others are taken from the CTA's fields where they are live, and put back.
 */
export function emitThreads(
  context: EmitContext,
  text: ModuleText,
  run: ThreadRun,
  share: (id: LocalId) => void,
): string {
  const fn = functionText();
  const frame = planFrame(context, run);
  const code = threadLoop(context, text, fn, run, frame);
  const name = `threads${text.counter++}`;
  frame.shared.forEach(share);
  const args = frame.shared.flatMap((id) => variables(context, id));
  addFunction(text, name, ['cta', ...frame.params], fn, code);
  return `${name}(${['cta', ...args].join(', ')});`;
}

interface Frame {
  /** Locals that all threads share and the run reads. */
  readonly shared: readonly LocalId[];
  readonly params: readonly string[];
  readonly assigned: ReadonlySet<LocalId>;
  readonly mentioned: ReadonlySet<LocalId>;
}

function planFrame(context: EmitContext, run: ThreadRun): Frame {
  const { varying } = context.uniformity;
  const assigned = assignedLocals(run.statements);
  const reads = withOperands(context, bodyReads(run.statements));
  const shared = [...reads].filter((id) => !varying.has(id) && (!assigned.has(id) || run.before.has(id)));
  const params = shared.flatMap((id) =>
    variables(context, id).map((name) => (assigned.has(id) ? `begin_${name}` : name)),
  );
  return { shared, params, assigned, mentioned: new Set([...reads, ...assigned]) };
}

function threadLoop(
  context: EmitContext,
  text: ModuleText,
  fn: FunctionText,
  run: ThreadRun,
  frame: Frame,
): readonly string[] {
  const { varying } = context.uniformity;
  const code: string[] = [];
  if (context.partialReturns) code.push('if (cta.dead[t] !== 0) continue;');
  const scope: Scope = {
    context,
    fn,
    code,
    thread: 't',
    span: run.statements[0]?.span ?? { source: 0, start: 0, end: 0 },
    local: (id) => variables(context, id),
    hoisted: undefined,
    track: undefined,
    repeated: new Set(),
    done: new Map(),
    jumps: { break: 'break;', continue: 'continue;', return: '{ cta.dead[t] = 1; continue threads; }' },
    recorder: undefined,
  };
  for (const id of frame.mentioned) {
    if (isRecomputed(context, id)) continue;
    if (!varying.has(id)) {
      if (frame.assigned.has(id)) code.push(...declarePrivate(context, id, frame.shared.includes(id)));
    } else if (run.before.has(id)) {
      code.push(...loadEach(context, text, fn, id));
    } else {
      code.push(...declareZero(context, id));
    }
  }
  emitRecomputed(frame.mentioned, scope);
  emitBody(run.statements, scope);
  for (const id of frame.assigned) {
    if (varying.has(id) && run.after.has(id) && !isRecomputed(context, id)) code.push(...storeEach(context, text, fn, id));
  }
  return [`threads: for (let t = 0; t < ${context.threads}; t++) {`, ...code, '}'];
}

/** A shared local that the run sets: each thread goes through its values by itself, and ends with the same. */
function declarePrivate(context: EmitContext, id: LocalId, begun: boolean): readonly string[] {
  if (!begun) return declareZero(context, id);
  return variables(context, id).map((name) => `let ${name} = begin_${name};`);
}
