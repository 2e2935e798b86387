import type { Label } from '../diagnostic.ts';
import type { Module } from '../module.ts';
import type { Uniformity } from '../regions/uniformity.ts';
import type { Span } from '../span.ts';
import type { Body, CallStatement, Statement } from '../statement.ts';
import { statementBodies } from '../visit/children.ts';
import { finding, type Report } from './findings.ts';

/** How the name of a session's destructor ends. */
const destructor = '.~';

/**
 * Reports exits that destroy a session where only some of the threads that made it may take them. `module` is
 * well-formed.
 */
export function checkSessions(module: Module, uniformity: Uniformity, report: Report): void {
  new SessionCheck(uniformity, report).body(module.body, []);
}

class SessionCheck {
  readonly #uniformity: Uniformity;
  readonly #report: Report;
  /** For each session, the parting branches around its constructor, and whether threads had parted before. */
  readonly #made = new Map<number, { readonly depth: number; readonly parted: boolean }>();

  constructor(uniformity: Uniformity, report: Report) {
    this.#uniformity = uniformity;
    this.#report = report;
  }

  /** `branches` are the conditions around `body` on which threads of a CTA may differ, outermost first. */
  body(body: Body, branches: readonly Span[]): void {
    body.forEach((statement, index) => {
      if (statement.kind === 'call' && statement.session !== undefined) {
        this.#call(statement, statement.session, body.slice(index + 1), branches);
      }
      const inner = this.#branch(statement);
      const around = inner === undefined ? branches : [...branches, inner];
      for (const nested of statementBodies(statement)) this.body(nested, around);
    });
  }

  #branch(s: Statement): Span | undefined {
    if ((s.kind !== 'if' && s.kind !== 'loop') || s.condition === undefined) return undefined;
    return this.#uniformity.isUniform(s.condition) ? undefined : (s.condition.span ?? s.span);
  }

  #call(s: CallStatement, session: number, rest: Body, branches: readonly Span[]): void {
    const parted = this.#uniformity.divergence(s);
    const made = this.#made.get(session);
    if (made === undefined) {
      this.#made.set(session, { depth: branches.length, parted: parted !== undefined });
      return;
    }
    const exit = s.name.endsWith(destructor) ? exitAfter(rest) : undefined;
    if (exit === undefined) return;
    const branch = branches[made.depth] ?? (made.parted ? undefined : parted);
    if (branch === undefined) return;
    this.#report(divergentExit(s.name.slice(0, -destructor.length), exit, branch));
  }
}

/** The jump that follows, if only further destructors stand before it. */
function exitAfter(rest: Body): Statement | undefined {
  const next = rest.find((s) => s.kind !== 'call' || !s.name.endsWith(destructor));
  if (next === undefined) return undefined;
  const { kind } = next;
  return kind === 'return' || kind === 'break' || kind === 'continue' || kind === 'leave' ? next : undefined;
}

function divergentExit(session: string, exit: Statement, branch: Span): ReturnType<typeof finding> {
  const labels: readonly Label[] = [
    { span: exit.span, text: 'this exit ends the session for some threads only' },
    { span: branch, text: 'threads of one CTA may go different ways here' },
  ];
  return finding('divergentSessionExit', `Only some threads may leave while a \`${session}\` is alive.`, labels, {
    notes: ['A session ends once for all threads that made it, at the end of the block that declares it.'],
    hint: 'Let all threads reach the end of the block, or make the condition the same for all with `coop.bcast`.',
  });
}
