import type { CallExpression, Statement } from 'acorn';
import { descendants, type Gap, type KernelCall } from './kernel-calls.ts';
import { builtinIn, moduleKey, paramOfType, type TextEdit } from './kernel-names.ts';

/** A statement, or several lines of them, and changes elsewhere that it needs. */
export interface BarrierText {
  readonly barrier: string;
  readonly edits: readonly TextEdit[];
}

/**
 * Barriers that can stand at a position: of the CTA if both accesses are in one, and otherwise of a
 * session that is in scope there, or of a new session.
 */
export function barriersAt(call: KernelCall, gap: Gap, text: string, isOfCta: boolean): readonly BarrierText[] {
  const coopCta = builtinIn(call, 'coopCta');
  if (coopCta === undefined) return [];
  const cta = `${coopCta.text}()`;
  if (isOfCta) return [{ barrier: `${cta}.sync();`, edits: coopCta.edits }];
  const sessions = sessionsAt(gap);
  if (sessions.length > 0) {
    return sessions.map(({ name, made }) => ({ barrier: syncOf(call, name, made, text), edits: [] }));
  }
  return newSessions(call, { text: cta, edits: coopCta.edits }, text);
}

interface SessionInSource {
  readonly name: string;
  readonly made: CallExpression;
}

/** The sessions of barriers that are declared before a position, the nearest first. */
function sessionsAt({ levels, index }: Gap): readonly SessionInSource[] {
  return levels.toReversed().flatMap(({ list, index: own }, i) =>
    list
      .slice(0, i === 0 ? index : own)
      .toReversed()
      .flatMap(sessionOf),
  );
}

function sessionOf(statement: Statement): readonly SessionInSource[] {
  if (statement.type !== 'VariableDeclaration') return [];
  return statement.declarations.flatMap(({ id, init }) => {
    if (id.type !== 'Identifier' || init?.type !== 'CallExpression') return [];
    const { callee } = init;
    const isMade =
      callee.type === 'MemberExpression' &&
      callee.property.type === 'Identifier' &&
      callee.property.name === 'barrierSession';
    return isMade ? [{ name: id.name, made: init }] : [];
  });
}

/** A call of the session's `sync`, like another one in the kernel or with the session's group. */
function syncOf({ body }: KernelCall, name: string, made: CallExpression, text: string): string {
  for (const node of descendants(body)) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') continue;
    const { object, property } = node.callee;
    const isSync = property.type === 'Identifier' && property.name === 'sync';
    if (!isSync || object.type !== 'Identifier' || object.name !== name) continue;
    return `${text.slice(node.start, node.end).replace(/(['"])(?:relaxed|acquire|release)\1/, '$1acq_rel$1')};`;
  }
  const [coop] = made.arguments;
  return `${name}.sync(${coop === undefined ? '' : text.slice(coop.start, coop.end)}, 'acq_rel');`;
}

/**
 * A new session of the barrier of the load-store domain. Its index is that of the CTA if the kernel
 * names it, and otherwise 0, which is right for a single CTA.
 */
function newSessions(
  call: KernelCall,
  cta: { readonly text: string; readonly edits: readonly TextEdit[] },
  text: string,
): readonly BarrierText[] {
  const key = moduleKey(call, 'lsa');
  const lsa = key === undefined ? undefined : builtinIn(call, key);
  const comm = paramOfType(call, 'devComm');
  if (lsa === undefined || comm === undefined) return [];
  const own = text.slice(call.body.start, call.body.end);
  const name = ['bar', 'barrier', 'meeting'].find((one) => !new RegExp(`\\b${one}\\b`).test(own));
  if (name === undefined) return [];
  const edits = merged([...lsa.edits, ...cta.edits]);
  const blockIdx = builtinIn(call, 'blockIdx');
  const indexes = blockIdx?.edits.length === 0 ? [`${blockIdx.text}.x`] : ['0'];
  return indexes.map((index) => ({
    barrier: `const ${name} = ${lsa.text}.barrierSession(${cta.text}, ${comm}, ${index});\n${name}.sync(${cta.text}, 'acq_rel');`,
    edits,
  }));
}

/** Insertions at one position become one. */
function merged(edits: readonly TextEdit[]): readonly TextEdit[] {
  const found: TextEdit[] = [];
  for (const edit of edits) {
    const at = found.findIndex(({ start, end }) => start === edit.start && end === edit.end && start === end);
    const same = found[at];
    if (same === undefined) found.push(edit);
    else found[at] = { ...same, insert: same.insert + edit.insert };
  }
  return found;
}
