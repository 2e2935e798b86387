import { statementTarget, walkBody, type Expression, type LocalId, type Module } from '@nccl-ts/ir';

/**
 * The device's buffers to which a pointer may point: window memory, or the resources of device
 * communicators.
 */
export type PointerOrigin = 'heap' | 'resources';

/** The known origins of pointers. */
interface Traced<T> {
  of(pointer: Expression): ReadonlySet<T>;
}

export type Origins = Traced<PointerOrigin>;

/** The roots of pointers: a parameter, or a window inside one. */
type Root = Extract<Expression, { kind: 'param' | 'field' }>;

const heap: ReadonlySet<PointerOrigin> = new Set<PointerOrigin>(['heap']);
const resources: ReadonlySet<PointerOrigin> = new Set<PointerOrigin>(['resources']);
const noOrigin: ReadonlySet<PointerOrigin> = new Set();

/** Finds the buffers to which the global pointers of `module` may point. */
export function findOrigins(module: Module): Origins {
  return tracePointers(module, (root) => {
    if (root.kind === 'param') return heap;
    // The one handle inside another is a device communicator's resource window.
    return root.type.kind === 'handle' ? resources : noOrigin;
  });
}

/**
 * Propagates the result of `roots` for the roots of global pointers through the assignments of
 * `module`.
 */
export function tracePointers<T>(module: Module, roots: (root: Root) => ReadonlySet<T>): Traced<T> {
  const locals = new Map<LocalId, Set<T>>();
  const of = (e: Expression): ReadonlySet<T> => tracedOf(e, locals, roots);
  let changed: boolean;
  do {
    changed = false;
    walkBody(module.body, {
      statement: (s) => {
        const target = statementTarget(s);
        const value = s.kind === 'assign' || s.kind === 'collective' ? s.value : undefined;
        if (target === undefined || value === undefined) return;
        const known = locals.get(target) ?? new Set<T>();
        const before = known.size;
        for (const origin of of(value)) known.add(origin);
        locals.set(target, known);
        changed ||= known.size > before;
      },
    });
  } while (changed);
  return { of };
}

function tracedOf<T>(
  e: Expression,
  locals: ReadonlyMap<LocalId, ReadonlySet<T>>,
  roots: (root: Root) => ReadonlySet<T>,
): ReadonlySet<T> {
  const of = (inner: Expression): ReadonlySet<T> => tracedOf(inner, locals, roots);
  switch (e.kind) {
    case 'param':
    case 'field':
      return roots(e);
    case 'local':
      return locals.get(e.local) ?? new Set();
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
    // This does not occur here: there are no device addresses, and no multimem.
    case 'addressPointer':
    case 'multicastPointer':
    case 'unicastPointer':
    case 'multicastSize':
    case 'clusterPointer':
      return new Set();
  }
}
