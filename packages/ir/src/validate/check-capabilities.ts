import { scalarInfo, scalarKinds, type ScalarKind } from '@nccl-ts/core';
import { valueBytes } from '../arithmetic/bytes.ts';
import type { Capabilities } from '../capabilities.ts';
import type { Label } from '../diagnostic.ts';
import type { Expression, Coop } from '../expression.ts';
import type { Module } from '../module.ts';
import { waitsByAtomics } from '../regions/spin.ts';
import type { Uniformity } from '../regions/uniformity.ts';
import type { Span } from '../span.ts';
import type { Body, LoopStatement, Statement } from '../statement.ts';
import { elementScalar, scalarType, type Type } from '../type.ts';
import { statementBodies } from '../visit/children.ts';
import { walkBody } from '../visit/walk.ts';
import { finding, type Report } from './findings.ts';

/** Reports features that the backend of `capabilities` lacks. `module` must be well-formed. */
export function checkCapabilities(
  module: Module,
  capabilities: Capabilities,
  uniformity: Uniformity,
  report: Report,
): void {
  checkScalars(module, capabilities, report);
  checkSharedBytes(module, capabilities, report);
  checkMultimem(module, capabilities, report);
  checkAddresses(module, capabilities, report);
  checkClusters(module, capabilities, report);
  checkBody(module.body, { capabilities, uniformity, report });
}

function checkScalars(module: Module, { scalars, backend }: Capabilities, report: Report): void {
  if (scalarKinds.every((kind) => scalars.includes(kind))) return;
  const missing = new Map<ScalarKind, Label[]>();
  const use = (type: Type, span: Span | undefined, text: string): void => {
    const kind = scalarOf(type);
    if (kind === undefined || scalars.includes(kind)) return;
    const labels = missing.get(kind) ?? [];
    missing.set(kind, labels);
    if (span !== undefined && labels.length === 0) labels.push({ span, text });
  };
  for (const { name, type, span } of module.locals) use(type, span, `${named(name)} has this type`);
  for (const { name, element, span } of module.arrays) use(element, span, `${named(name)} has this type`);
  let at: Span | undefined;
  walkBody(module.body, {
    statement: ({ span }) => {
      at = span;
    },
    expression: (e) => use(e.type, e.span ?? at, 'this has the type'),
  });
  for (const { type } of module.params) use(type, module.body[0]?.span, 'a parameter has this type');
  for (const [kind, labels] of missing) {
    const message = `The backend "${backend}" does not support ${kind}.`;
    const hint = scalarInfo[kind].class === 'float' ? 'Use a float type that it supports, such as f32.' : undefined;
    const notes = [`It has ${scalars.join(', ')}.`];
    report(finding('scalarUnsupported', message, labels, { notes, ...(hint !== undefined && { hint }) }));
  }
}

function named(name: string): string {
  return name === '' ? 'a value' : `\`${name}\``;
}

function scalarOf(type: Type): ScalarKind | undefined {
  if (type.kind === 'handle') return undefined;
  return elementScalar(type.kind === 'pointer' ? type.element : type);
}

function checkSharedBytes(module: Module, { maxSharedBytes, backend }: Capabilities, report: Report): void {
  const shared = module.arrays.filter(({ space }) => space === 'shared');
  const sizes = shared.map(({ element, length }) => valueBytes(element) * length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= maxSharedBytes) return;
  const labels = shared.map(({ name, span }, index) => ({ span, text: `${named(name)}: ${sizes[index]} bytes` }));
  const message = `The shared arrays take ${bytes} bytes, but the backend "${backend}" allows ${maxSharedBytes}.`;
  report(finding('sharedMemoryExceeded', message, labels, { hint: 'Use shorter shared arrays.' }));
}

/** Reports once per kernel, at the first expression that needs multicast addresses. */
function checkMultimem(module: Module, { multimem, backend }: Capabilities, report: Report): void {
  if (multimem) return;
  const first = firstOf(
    module,
    ({ kind }) => kind === 'multicastPointer' || kind === 'unicastPointer' || kind === 'multicastSize',
  );
  if (first === undefined) return;
  const labels = [{ span: first, text: 'this needs multicast addresses' }];
  const hint = 'Use a separate address for each rank: `lsa.pointer`.';
  report(finding('multimemUnsupported', `The backend "${backend}" does not support multimem.`, labels, { hint }));
}

/**
 * Reports once per kernel, at the first expression that converts between a pointer and a number.
 */
function checkAddresses(module: Module, { addressPointers, backend }: Capabilities, report: Report): void {
  if (addressPointers === true) return;
  const first = firstOf(
    module,
    (e) =>
      e.kind === 'addressPointer' ||
      (e.kind === 'convert' && e.operand.type.kind === 'pointer' && e.type === scalarType('u64')),
  );
  if (first === undefined) return;
  const labels = [{ span: first, text: 'this needs device addresses' }];
  const hint = 'Pass windows, and reach their bytes by `lsa.pointer`.';
  report(
    finding('addressUnsupported', `The backend "${backend}" cannot make pointers from numbers.`, labels, { hint }),
  );
}

function checkClusters({ cluster, body }: Module, { clusters, backend }: Capabilities, report: Report): void {
  if (clusters === true || cluster === undefined) return;
  const labels = body[0] === undefined ? [] : [{ span: body[0].span, text: 'its CTAs form clusters' }];
  const hint = 'Run it on the simulator.';
  report(finding('clusterUnsupported', `The backend "${backend}" does not support clusters.`, labels, { hint }));
}

/** The span of the first expression of a kind. */
function firstOf(module: Module, is: (e: Expression) => boolean): Span | undefined {
  let at: Span | undefined;
  let first: Span | undefined;
  walkBody(module.body, {
    statement: ({ span }) => {
      at = span;
    },
    expression: (e) => {
      if (first === undefined && is(e)) first = e.span ?? at;
      return first === undefined;
    },
  });
  return first;
}

interface CapabilityCheck {
  readonly capabilities: Capabilities;
  readonly uniformity: Uniformity;
  readonly report: Report;
  /** The call that this body belongs to. */
  readonly within?: string;
}

function checkBody(body: Body, to: CapabilityCheck): void {
  for (const statement of body) {
    checkStatement(statement, to);
    // The backend implements this primitive itself and does not run its body.
    if (statement.kind === 'call' && to.capabilities.primitives.includes(statement.name)) continue;
    const inside = statement.kind === 'call' ? { ...to, within: statement.name } : to;
    for (const inner of statementBodies(statement)) checkBody(inner, inside);
  }
}

function checkStatement(s: Statement, to: CapabilityCheck): void {
  switch (s.kind) {
    case 'wait':
      checkDivergence(s, 'a wait', to);
      return;
    case 'waitAll':
    case 'sync':
    case 'collective':
      if (s.kind === 'sync' && s.vote !== undefined) checkPrimitive('barrier.vote', false, s, to);
      checkGroup(s, s.coop, to);
      return;
    case 'print':
      if (!to.capabilities.print) to.report(unsupported('printUnsupported', 'print', s, to));
      return;
    case 'call':
      checkPrimitive(s.name, s.body !== undefined, s, to);
      return;
    case 'loop':
      checkPolling(s, to);
      return;
    case 'assign':
    case 'load':
    case 'store':
    case 'atomic':
    case 'fence':
    case 'fenceProxy':
    case 'if':
    case 'break':
    case 'continue':
    case 'block':
    case 'leave':
    case 'return':
    case 'assert':
    case 'approximate':
    case 'clock':
      return;
  }
}

/** A loop that polls counts as a wait. */
function checkPolling(s: LoopStatement, to: CapabilityCheck): void {
  if (to.capabilities.divergentWaits || !waitsByAtomics(s)) return;
  const { condition } = s;
  const parts = condition !== undefined && !to.uniformity.isUniform(condition) ? (condition.span ?? s.span) : undefined;
  const inside = [...s.body, ...s.update].map((inner) => to.uniformity.divergence(inner));
  const branch = to.uniformity.divergence(s) ?? parts ?? inside.find((cause) => cause !== undefined);
  if (branch !== undefined) reportDivergence(s, branch, 'a loop that polls for other threads', to);
}

function checkPrimitive(name: string, hasBody: boolean, s: Statement, to: CapabilityCheck): void {
  if (hasBody || to.capabilities.primitives.includes(name)) return;
  const primitive = to.within === undefined ? `\`${name}\`` : `\`${name}\`, which \`${to.within}\` is made of`;
  to.report(unsupported('primitiveUnsupported', primitive, s, to));
}

function unsupported(
  kind: 'printUnsupported' | 'primitiveUnsupported',
  what: string,
  s: Statement,
  to: CapabilityCheck,
): ReturnType<typeof finding> {
  const message = `The backend "${to.capabilities.backend}" does not support ${what}.`;
  return finding(kind, message, [{ span: s.span, text: 'not available on this backend' }]);
}

function checkGroup(s: Statement & { readonly coop: Coop }, coop: Coop, to: CapabilityCheck): void {
  const isOfSome = s.kind === 'sync' && s.barrier?.threads !== undefined;
  // A single thread has no others to wait for.
  if (coop.kind === 'tile' && coop.size === 1 && s.kind === 'sync') return;
  if (coop.kind === 'cta' && !isOfSome) {
    checkDivergence(
      s,
      s.kind === 'sync'
        ? 'a synchronization of the CTA'
        : s.kind === 'waitAll'
          ? 'a wait'
          : 'a collective operation of the CTA',
      to,
    );
    return;
  }
  const { subgroups, backend } = to.capabilities;
  if (!subgroups) {
    const message = `The backend "${backend}" cannot let only a part of a CTA wait or synchronize.`;
    const labels = [{ span: s.span, text: `this concerns ${isOfSome ? 'some threads of the CTA' : describe(coop)}` }];
    to.report(finding('subgroupUnsupported', message, labels, { hint: 'Use `coopCta()`.' }));
    return;
  }
  // A single thread cannot diverge.
  if (s.kind === 'collective' && coop.kind === 'tile' && coop.size === 1) return;
  checkDivergence(s, s.kind === 'waitAll' ? 'a wait' : `a meeting of ${describe(coop)}`, to);
}

function describe(coop: Coop): string {
  switch (coop.kind) {
    case 'cta':
      return 'all threads of the CTA';
    case 'tile':
      return coop.size === 1 ? 'one thread' : coop.size === 32 ? 'one warp' : `tiles of ${coop.size} threads`;
    case 'lanes':
      return 'some lanes of a warp';
    case 'warpSpan':
      return 'some warps of the CTA';
  }
}

function checkDivergence(s: Statement, what: string, to: CapabilityCheck): void {
  if (to.capabilities.divergentWaits) return;
  const branch = to.uniformity.divergence(s);
  if (branch !== undefined) reportDivergence(s, branch, what, to);
}

function reportDivergence(s: Statement, branch: Span, what: string, to: CapabilityCheck): void {
  const message = `On the backend "${to.capabilities.backend}" all threads of a CTA must reach ${what} together.`;
  const labels = [
    { span: s.span, text: `${what} that only some threads may reach` },
    { span: branch, text: 'threads of one CTA may take different paths here' },
  ];
  const notes = ['These differ between threads: `threadIdx`, `laneId`, loaded values, and values computed from them.'];
  const hint = 'Move it out of the branch, or make the condition the same for all threads with `coop.bcast`.';
  to.report(finding('divergentWait', message, labels, { notes, hint }));
}
