import type { Label } from '../diagnostic.ts';
import type { Module } from '../module.ts';
import type { Uniformity } from '../regions/uniformity.ts';
import type { Span } from '../span.ts';
import type { Body, CallStatement, Statement } from '../statement.ts';
import { statementBodies } from '../visit/children.ts';
import { finding, type Report } from './findings.ts';

/** The suffix of the name of a session's destructor. */
const destructor = '.~';

/**
 * Reports exits that end a session but that only some of its threads may take. `module` must be
 * well-formed.
 */
export function checkSessions(module: Module, uniformity: Uniformity, report: Report): void {
  const check = new SessionCheck(uniformity);
  check.body(module.body, []);
  for (const { session, exit, branch } of check.found.values()) report(divergentExit(session, exit, branch));
}

interface DivergentExit {
  readonly session: string;
  readonly exit: Span;
  readonly branch: Span;
}

class SessionCheck {
  /**
   * Reports one exit per session: the one with the shortest span, because the end of a block spans
   * much text.
   */
  readonly found = new Map<number, DivergentExit>();
  readonly #uniformity: Uniformity;
  /**
   * For each session of a whole CTA: the divergent branches around its constructor, and if threads
   * had already diverged.
   */
  readonly #made = new Map<number, { readonly depth: number; readonly parted: boolean }>();

  constructor(uniformity: Uniformity) {
    this.#uniformity = uniformity;
  }

  /**
   * `branches` are the conditions around `body` on which threads of a CTA may differ, outermost
   * first.
   */
  body(body: Body, branches: readonly Span[]): void {
    for (const statement of body) {
      if (statement.kind === 'call' && statement.session !== undefined)
        this.#call(statement, statement.session, branches);
      const inner = this.#branch(statement);
      const around = inner === undefined ? branches : [...branches, inner];
      for (const nested of statementBodies(statement)) this.body(nested, around);
    }
  }

  #branch(s: Statement): Span | undefined {
    if ((s.kind !== 'if' && s.kind !== 'loop') || s.condition === undefined) return undefined;
    return this.#uniformity.isUniform(s.condition) ? undefined : (s.condition.span ?? s.span);
  }

  #call(s: CallStatement, session: number, branches: readonly Span[]): void {
    const parted = this.#uniformity.divergence(s);
    if (!s.name.endsWith(destructor)) {
      // Threads of a CTA may diverge while a warp stays together. So only sessions of whole CTAs
      // can be checked here.
      const whole = s.statics.some((part) => part.kind === 'coop' && part.coop.kind === 'cta');
      if (whole && !this.#made.has(session))
        this.#made.set(session, { depth: branches.length, parted: parted !== undefined });
      return;
    }
    const made = this.#made.get(session);
    if (made === undefined) return;
    const branch = branches[made.depth] ?? (made.parted ? undefined : parted);
    if (branch === undefined) return;
    const known = this.found.get(session);
    const length = s.span.end - s.span.start;
    if (known !== undefined && known.exit.end - known.exit.start <= length) return;
    this.found.set(session, { session: s.name.slice(0, -destructor.length), exit: s.span, branch });
  }
}

function divergentExit(session: string, exit: Span, branch: Span): ReturnType<typeof finding> {
  const labels: readonly Label[] = [
    { span: exit, text: 'this exit ends the session for only some threads' },
    { span: branch, text: 'threads of one CTA may take different paths here' },
  ];
  return finding('divergentSessionExit', `Only some threads may leave while a \`${session}\` is alive.`, labels, {
    notes: ['A session ends once for all threads that made it, at the end of the block that declares it.'],
    hint: 'Let all threads reach the end of the block, or make the condition the same for all of them with `coop.bcast`.',
  });
}
