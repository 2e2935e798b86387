import type { Diagnostic, Span } from '@nccl-ts/ir';
import { error } from './diagnostic.ts';
import { usageOf } from './usage.ts';

/** K31xx: waits and groups. The validator reports K30xx (uniformity) and K35xx (capabilities). */
export const waitReports = {
  effect(span: Span, what: string): Diagnostic {
    return error('K3101', span, {
      message: `a wait condition cannot ${what}: it is evaluated any number of times`,
      hint: 'load, compare, and act after the wait; waitUntil may keep what it loads in a local array',
    });
  },
  assignsOuter(span: Span, name: string): Diagnostic {
    return error('K3102', span, {
      message: `a wait condition cannot assign '${name}'`,
      hint: 'keep the value in a local array: waitUntil(() => { seen[0] = p.load(i); return seen[0] !== 0; })',
    });
  },
  notAFunction(span: Span, name: string): Diagnostic {
    return error('K3103', span, { message: `${name} takes a function`, hint: `write ${usageOf(name)}` });
  },
  tileSize(span: Span, given: string): Diagnostic {
    return error('K3104', span, {
      message: `a tile must have 1, 2, 4, 8, 16 or 32 threads, not ${given}`,
      hint: 'coopTile(8); a constant',
    });
  },
  spanId(span: Span, given: string): Diagnostic {
    return error('K3105', span, {
      message: `a warp span must have an id from 0 to 15, not ${given}`,
      hint: 'spans that are alive at once have different ids: coopWarpSpan(0, 2, 0)',
    });
  },
  notAGroup(span: Span, what: string): Diagnostic {
    return error('K3106', span, {
      message: `${what} is not a thread group`,
      hint: 'pass coopCta(), coopWarp(), ... or an object with threadRank, size and sync',
    });
  },
  customGroup(span: Span, what: string): Diagnostic {
    return error('K3107', span, {
      message: `${what} needs a group whose kind is known at compile time`,
      hint: 'use coopCta(), coopWarp(), coopTile(n), coopLanes(mask) or coopWarpSpan(w0, n, id)',
    });
  },
};
