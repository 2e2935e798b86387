import { statementTarget, walkBody, type Expression, type LocalId, type Module } from '@nccl-ts/ir';

/** Which of the device's buffers a pointer may lead into: window memory, or the resources of device communicators. */
export type Origin = 'heap' | 'resources';

export interface Origins {
  of(pointer: Expression): ReadonlySet<Origin>;
}

const none: ReadonlySet<Origin> = new Set();
const heap: ReadonlySet<Origin> = new Set<Origin>(['heap']);
const resources: ReadonlySet<Origin> = new Set<Origin>(['resources']);

/** Finds where the global pointers of `module` come from, wherever they are assigned. */
export function findOrigins(module: Module): Origins {
  const locals = new Map<LocalId, Set<Origin>>();
  const of = (e: Expression): ReadonlySet<Origin> => originsOf(e, locals);
  let changed: boolean;
  do {
    changed = false;
    walkBody(module.body, {
      statement: (s) => {
        const target = statementTarget(s);
        const value = s.kind === 'assign' || s.kind === 'collective' ? s.value : undefined;
        if (target === undefined || value === undefined) return;
        const known = locals.get(target) ?? new Set<Origin>();
        const before = known.size;
        for (const origin of of(value)) known.add(origin);
        locals.set(target, known);
        changed ||= known.size > before;
      },
    });
  } while (changed);
  return { of };
}

function originsOf(e: Expression, locals: ReadonlyMap<LocalId, ReadonlySet<Origin>>): ReadonlySet<Origin> {
  const of = (inner: Expression): ReadonlySet<Origin> => originsOf(inner, locals);
  switch (e.kind) {
    case 'param':
      return heap;
    case 'field':
      // The one handle inside of another is a device communicator's resource window.
      return e.type.kind === 'handle' ? resources : none;
    case 'local':
      return locals.get(e.local) ?? none;
    case 'windowPointer':
      return of(e.window);
    case 'pointerOffset':
    case 'pointerCast':
      return of(e.pointer);
    case 'intrinsic':
      return of(e.expansion);
    case 'select':
      return new Set([...of(e.then), ...of(e.else)]);
    case 'constant':
    case 'array':
    case 'builtin':
    case 'unary':
    case 'binary':
    case 'compare':
    case 'logical':
    case 'convert':
    case 'bitcast':
    case 'math':
    case 'vector':
    case 'lane':
    case 'withLane':
      return none;
  }
}
