import type { Expression, LocalId } from '../expression.ts';
import type { AtomicAccess, Body, Statement } from '../statement.ts';
import { statementBodies, statementTarget } from '../visit/children.ts';
import { readLocals, statementReads } from '../visit/locals.ts';

/**
 * The relaxed stores that may take effect before an earlier relaxed load of their thread, although
 * the thread has used the loaded value in between: for a branch that has ended, or for an address.
 * PTX allows that, unless a fence, an acquire, a release or a barrier is in between, or the store
 * itself depends on the value. The graph engine explores a store before a load whose value is not
 * used yet, and no other.
 */
export function earlyStores(body: Body): ReadonlySet<Statement> {
  return new EarlyStores().of(body);
}

/** A relaxed load, by its statement. */
type OpenLoad = Statement;
type OpenLoads = ReadonlySet<OpenLoad>;

const none: OpenLoads = new Set();

/**
 * Follows the loads that a later store need not wait for. A body is followed twice if it is a loop,
 * because its loads come before the stores of the next round.
 */
class EarlyStores {
  readonly #early = new Set<Statement>();
  /** The loads that the value of a local depends on. */
  readonly #sources = new Map<LocalId, OpenLoads>();
  /** The loads that no branch, fence or barrier has waited for yet. */
  #open: OpenLoads = none;
  /** The loads whose values a branch or an address has used. */
  readonly #used = new Set<OpenLoad>();

  of(body: Body): ReadonlySet<Statement> {
    this.#body(body, none);
    return this.#early;
  }

  /** `control`: the loads that decide if the body runs. */
  #body(body: Body, control: OpenLoads): void {
    for (const s of body) this.#statement(s, control);
  }

  #statement(s: Statement, control: OpenLoads): void {
    switch (s.kind) {
      case 'fence':
        if (s.access.order !== 'release' && s.access.order !== 'relaxed') this.#open = none;
        return;
      case 'sync':
        this.#open = none;
        return;
      case 'load':
        this.#uses(s.pointer);
        if (isRelaxed(s.access)) this.#open = union(this.#open, new Set([s]));
        this.#set(s, control);
        return;
      case 'store':
        if (isRelaxed(s.access)) this.#stores(s, control);
        this.#uses(s.pointer);
        return;
      case 'atomic':
        if (s.access.order === 'relaxed' || s.access.order === 'acquire') this.#stores(s, control);
        this.#uses(s.pointer);
        if (s.local !== undefined && isRelaxed(s.access)) this.#open = union(this.#open, new Set([s]));
        this.#set(s, control);
        return;
      case 'wait':
      case 'waitAll':
        // A thread leaves a wait because of what it has loaded.
        this.#set(s, control);
        return;
      case 'if': {
        this.#uses(s.condition);
        const decided = union(control, this.#sourcesOf(s.condition));
        const before = this.#open;
        this.#body(s.then, decided);
        const then = this.#open;
        this.#open = before;
        this.#body(s.else, decided);
        this.#open = union(then, this.#open);
        // The next statements run only if the branch did not leave.
        if ([...s.then, ...s.else].some(leaves)) this.#decided(decided);
        return;
      }
      case 'loop': {
        for (let round = 0; round < 2; round++) {
          this.#body(s.body, control);
          this.#body(s.update, control);
        }
        if (s.condition !== undefined) this.#decided(this.#sourcesOf(s.condition));
        return;
      }
      case 'approximate':
      case 'assert':
      case 'assign':
      case 'block':
      case 'break':
      case 'call':
      case 'clock':
      case 'collective':
      case 'continue':
      case 'fenceProxy':
      case 'leave':
      case 'print':
      case 'return':
        for (const inner of statementBodies(s)) this.#body(inner, control);
        this.#set(s, control);
    }
  }

  #stores(s: Extract<Statement, { kind: 'store' | 'atomic' }>, control: OpenLoads): void {
    if (this.#open.size === 0) return;
    const waitedFor = union(control, this.#sourcesOf(s.pointer), this.#sourcesOf(s.value));
    const address = addressText(s.pointer);
    // Accesses to one word keep their order.
    const isEarly = [...this.#open].some(
      (load) => this.#used.has(load) && !waitedFor.has(load) && addressOf(load) !== address,
    );
    if (isEarly) this.#early.add(s);
  }

  /** The thread needs these values now, in whichever order the memory model puts the loads. */
  #uses(expression: Expression): void {
    for (const load of this.#sourcesOf(expression)) this.#used.add(load);
  }

  /** All that follows depends on these loads. */
  #decided(loads: OpenLoads): void {
    this.#open = new Set([...this.#open].filter((load) => !loads.has(load)));
  }

  #set(s: Statement, control: OpenLoads): void {
    const local = statementTarget(s);
    if (local === undefined) return;
    const own = this.#open.has(s) ? new Set([s]) : none;
    const read = [...statementReads(s)].map((id) => this.#sources.get(id) ?? none);
    this.#sources.set(local, union(control, own, ...read));
  }

  #sourcesOf(expression: Expression): OpenLoads {
    return union(...[...readLocals(expression)].map((id) => this.#sources.get(id) ?? none));
  }
}

function isRelaxed(access: AtomicAccess | undefined): boolean {
  return access?.order === 'relaxed';
}

function leaves(s: Statement): boolean {
  if (s.kind === 'break' || s.kind === 'continue' || s.kind === 'leave' || s.kind === 'return') return true;
  return statementBodies(s).some((body) => body.some(leaves));
}

function addressOf(s: OpenLoad): string | undefined {
  return s.kind === 'load' || s.kind === 'atomic' ? addressText(s.pointer) : undefined;
}

function addressText(pointer: Expression): string {
  return JSON.stringify(pointer, (key: string, value: unknown) =>
    key === 'span' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
  );
}

function union(...sets: readonly OpenLoads[]): OpenLoads {
  const [first = none, ...others] = sets.filter(({ size }) => size > 0);
  return others.length === 0 ? first : new Set([first, ...others].flatMap((one) => [...one]));
}
