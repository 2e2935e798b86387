import {
  mapBody,
  readLocals,
  statementBodies,
  statementReads,
  statementTarget,
  walkBody,
  type Body,
  type Expression,
  type LocalId,
  type Statement,
} from '@nccl-ts/ir';

const branches = 'a branch on unknown values as the one that their stand-ins take';
const addresses = 'an address of unknown values as that of their stand-ins';
const words = 'a synchronization word of unknown values as that of their stand-ins';

/**
 * Names the branches, addresses and ordered writes that depend on unknown values, for the checks
 * that execute them. `unknown` are the locals that hold such values first. They are followed
 * through registers, and through plain accesses of shared and local memory, of which any load may
 * read what any store has written. They are not followed through global memory.
 */
export function nameUnknownUses(body: Body, unknown: ReadonlySet<LocalId>): Body {
  if (unknown.size === 0) return body;
  const reached = reachedBy(body, unknown);
  const depends = (e: Expression | undefined): boolean =>
    e !== undefined && [...readLocals(e)].some((id) => reached.has(id));
  const inWaits = new Set<Statement>();
  walkBody(body, {
    statement: (s) => {
      if (s.kind !== 'wait' && s.kind !== 'waitAll') return;
      for (const inner of statementBodies(s)) walkBody(inner, { statement: (one) => void inWaits.add(one) });
    },
  });
  return mapBody(body, {
    statement: (s) => {
      const how = inWaits.has(s) ? undefined : useOf(s, depends);
      return how === undefined ? s : [{ kind: 'approximate', how, span: s.span }, s];
    },
  });
}

function useOf(s: Statement, depends: (e: Expression | undefined) => boolean): string | undefined {
  switch (s.kind) {
    case 'if':
    case 'loop':
    case 'wait':
    case 'assert':
      return depends(s.condition) ? branches : undefined;
    case 'load':
      return depends(s.pointer) ? addresses : undefined;
    case 'store':
      if (depends(s.pointer)) return addresses;
      return s.access !== undefined && depends(s.value) ? words : undefined;
    case 'atomic':
      if (depends(s.pointer)) return addresses;
      return depends(s.value) || depends(s.expected) ? words : undefined;
    default:
      return undefined;
  }
}

/** The locals that may depend on unknown values. */
function reachedBy(body: Body, unknown: ReadonlySet<LocalId>): ReadonlySet<LocalId> {
  const reached = new Set(unknown);
  const spaces = new Set<string>();
  const isReached = (s: Statement): boolean => [...statementReads(s)].some((id) => reached.has(id));
  for (let before = -1; before !== reached.size + spaces.size;) {
    before = reached.size + spaces.size;
    walkBody(body, {
      statement: (s) => {
        if (s.kind === 'store' && s.access === undefined) {
          const space = spaceOf(s.pointer);
          if (space !== undefined && [...readLocals(s.value)].some((id) => reached.has(id))) spaces.add(space);
        }
        const target = statementTarget(s);
        if (target === undefined) return;
        const isLoaded = s.kind === 'load' && s.access === undefined && spaces.has(spaceOf(s.pointer) ?? '');
        if (isLoaded || isReached(s)) reached.add(target);
      },
    });
  }
  return reached;
}

function spaceOf({ type }: Expression): 'shared' | 'local' | undefined {
  return type.kind === 'pointer' && type.space !== 'global' ? type.space : undefined;
}
