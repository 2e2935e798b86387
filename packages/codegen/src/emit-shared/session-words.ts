import { walkBody, type Body, type CallStatement, type Span } from '@nccl-ts/ir';

/**
 * The loads and stores of a session's state: the plain loads of global memory in its constructor,
 * and the plain stores in its destructor. They are identified by their position in the text,
 * because each place that makes a session is separate. So this must run before the module's calls
 * are expanded.
 */
export class SessionWords {
  readonly #begins = new Map<Span, number>();
  readonly #ends = new Set<Span>();

  constructor(body: Body) {
    const made = new Set<number>();
    walkBody(body, {
      statement: (s) => {
        if (s.kind !== 'call' || s.session === undefined) return;
        if (s.name.endsWith('.~')) this.#atDestructor(s);
        else if (!made.has(s.session)) this.#atConstructor(s, s.session);
        made.add(s.session);
      },
    });
  }

  /** Returns the session that a load begins. */
  begunBy(load: Span): number | undefined {
    return this.#begins.get(load);
  }

  isEnd(store: Span): boolean {
    return this.#ends.has(store);
  }

  #atConstructor({ body = [] }: CallStatement, session: number): void {
    walkBody(body, {
      statement: (s) => {
        // A constructor calls the inner constructors of its parts after itself, so the inner one
        // decides.
        if (s.kind === 'load' && s.access === undefined) this.#begins.set(s.span, session);
      },
    });
  }

  #atDestructor({ body = [] }: CallStatement): void {
    walkBody(body, {
      statement: (s) => {
        if (s.kind === 'store' && s.access === undefined) this.#ends.add(s.span);
      },
    });
  }
}
