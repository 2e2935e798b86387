import type { Module } from '../module.ts';
import type { Body } from '../statement.ts';
import { mapBody } from '../visit/map-body.ts';
import { joinAssignments } from './normalise/chain.ts';
import { normaliseNode } from './normalise/conditions.ts';
import { forwardSubstitute } from './normalise/forward.ts';
import { renumber, stripped } from './normalise/number.ts';
import { normaliseStructure } from './normalise/structure.ts';
import { threadConditions } from './normalise/thread.ts';

/**
 * Returns an equivalent module in a form that does not depend on the style of the author or
 * minifier. To compare two captures of a kernel, compare the printed normal forms.
 *
 * Kernels with equal normal forms are equivalent, but equivalent kernels may have different normal
 * forms. Every step keeps all effects, their order and all faults. Two faults may change their
 * order if no effect is between them. Spans, captured texts and the names of locals and arrays are
 * removed. A second normalisation changes nothing.
 */
export function normalise(module: Module): Module {
  const plain = stripped(module);
  return renumber({ ...plain, body: settled(plain.body) });
}

function settled(body: Body): Body {
  let present = body;
  // Each round moves towards the normal form. The bound only protects against an error in that
  // reasoning.
  for (let round = 0; round < 1000; round++) {
    const expressions = mapBody(present, { expression: normaliseNode });
    const next = forwardSubstitute(joinAssignments(threadConditions(normaliseStructure(expressions))));
    if (next === present) return present;
    present = next;
  }
  return present;
}
