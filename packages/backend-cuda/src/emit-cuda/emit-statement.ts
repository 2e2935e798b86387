import { at as partAt, NcclError, type AccessScope } from '@nccl-ts/core';
import {
  assignedLocals,
  atomicMeaning,
  dispatchStatement,
  pollsByAtomics,
  type AtomicAccess,
  type AtomicOp,
  type Body,
  type Expression,
  type LocalId,
  type LoopStatement,
  type Statement,
  type StatementTable,
} from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { cppType } from './cpp-type.ts';
import { setting } from './declare.ts';
import { collectiveText } from './emit-collective.ts';
import { barrierText, rankAndSize, syncText } from './emit-coop.ts';
import { emitFabricFence } from './fabric-fence.ts';
import { emitExpression } from './emit-expression.ts';
import { elementRun, emitElementRun } from './element-run.ts';
import { emitNativeCall } from './native-calls.ts';
import { nativeReduceCopy, nativeReduceCopyGuard } from './native-reduce-copy.ts';
import { bare } from './parentheses.ts';
import { failText, printText } from './print.ts';

export function emitBody(body: Body, c: CudaEmitContext): void {
  let written = 0;
  body.forEach((statement, i) => {
    if (i < written) return;
    c.span = statement.span;
    const run = elementRun(body, i);
    if (run === undefined) dispatchStatement(table, statement, c);
    else {
      emitElementRun(run, c);
      written = i + run.length;
    }
  });
}

const scopes: Readonly<Record<AccessScope, string>> = {
  thread: 'cuda::thread_scope_thread',
  block: 'cuda::thread_scope_block',
  // Kernels of this backend have no clusters, so every CTA is one by itself.
  cluster: 'cuda::thread_scope_block',
  device: 'cuda::thread_scope_device',
  system: 'cuda::thread_scope_system',
};

function order(access: AtomicAccess): string {
  return `cuda::memory_order_${access.order}`;
}

/** The function for each atomic operation, of `cuda::atomic_ref` or of the prelude. */
const atomicCalls: Readonly<Record<AtomicOp, string>> = {
  add: 'fetch_add',
  sub: 'fetch_sub',
  min: 'fetch_min',
  max: 'fetch_max',
  and: 'fetch_and',
  or: 'fetch_or',
  xor: 'fetch_xor',
  exch: 'nts::exch',
  cas: 'nts::cas',
};

/** Returns `p[i]`, which reads better than `*(p + i)`. */
function element(pointer: Extract<Statement, { kind: 'load' }>['pointer'], c: CudaEmitContext): string {
  if (pointer.kind === 'pointerOffset') {
    return `${emitExpression(pointer.pointer, c)}[${bare(emitExpression(pointer.index, c))}]`;
  }
  return `*${emitExpression(pointer, c)}`;
}

/** The label behind the block around the statement. */
function labelOf(block: number, c: CudaEmitContext): string {
  const label = c.labels.get(block);
  if (label === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A jump leaves block ${block} from outside.`);
  return label;
}

function branchTo(label: string): string {
  return `goto ${label};`;
}

/** Makes an abortable kernel read the host's word in each round. */
function watch(c: CudaEmitContext): void {
  if (c.options.abortable === true) c.line('if (*(volatile unsigned int*)abort_word != 0) return;');
}

const table: StatementTable<CudaEmitContext, void> = {
  assign: (s, c) => c.line(`${setting(s.local, c)}${bare(emitExpression(s.value, c))};`),
  load: (s, c) => {
    if (s.access === undefined) {
      c.line(`${setting(s.local, c)}${element(s.pointer, c)};`);
      return;
    }
    c.use('atomic');
    c.line(
      `${setting(s.local, c)}nts::load<${scopes[s.access.scope]}>(${emitExpression(s.pointer, c)}, ${order(s.access)});`,
    );
  },
  store: (s, c) => {
    if (s.access === undefined) {
      c.line(`${element(s.pointer, c)} = ${bare(emitExpression(s.value, c))};`);
      return;
    }
    c.use('atomic');
    c.line(
      `nts::store<${scopes[s.access.scope]}>(${emitExpression(s.pointer, c)}, ${emitExpression(s.value, c)}, ${order(s.access)});`,
    );
  },
  atomic: (s, c) => {
    c.use('atomic');
    const { pointer } = s;
    const type = pointer.type.kind === 'pointer' ? cppType(pointer.type.element) : 'void';
    const into = s.local === undefined ? '' : setting(s.local, c);
    const at = emitExpression(pointer, c);
    const value = emitExpression(s.value, c);
    const scope = scopes[s.access.scope];
    const call = atomicCalls[s.op];
    switch (atomicMeaning[s.op].kind) {
      case 'compare': {
        const expected = s.expected === undefined ? value : emitExpression(s.expected, c);
        c.line(`${into}${call}<${scope}>(${at}, ${expected}, ${value}, ${order(s.access)});`);
        return;
      }
      case 'replace':
        c.line(`${into}${call}<${scope}>(${at}, ${value}, ${order(s.access)});`);
        return;
      case 'binary':
        c.line(`${into}cuda::atomic_ref<${type}, ${scope}>(*${at}).${call}(${value}, ${order(s.access)});`);
    }
  },
  fence: (s, c) => {
    c.use('atomic');
    c.line(`cuda::atomic_thread_fence(${order(s.access)}, ${scopes[s.access.scope]});`);
  },
  fenceProxy: (s, c) => {
    if (s.proxy === 'alias') c.line('asm volatile("fence.proxy.alias;" ::: "memory");');
    else emitFabricFence(s, c);
  },
  sync: (s, c) => {
    const text = barrierText(s, c) ?? syncText(s.coop, c);
    if (text !== '') c.line(text);
  },
  wait: (s, c) => {
    c.block('for (;;) {', () => {
      emitBody(s.body, c);
      c.line(`if (${bare(emitExpression(s.condition, c))}) break;`);
      watch(c);
    });
  },
  waitAll: (s, c) => {
    const { rank, size } = rankAndSize(s.coop, c);
    const index = partAt(c.locals, s.index);
    c.block(`for (${index} = ${rank}; ${index} < ${emitExpression(s.count, c)}; ${index} += ${size}) {`, () => {
      c.block('for (;;) {', () => {
        emitBody(s.body, c);
        c.line(`if (${bare(emitExpression(s.condition, c))}) break;`);
        watch(c);
      });
    });
  },
  collective: (s, c) => c.line(`${setting(s.local, c)}${collectiveText(s, c)};`),
  if: (s, c) => {
    c.line(`if (${bare(emitExpression(s.condition, c))}) {`);
    c.writer.indented(() => emitBody(s.then, c));
    if (s.else.length > 0) {
      c.line('} else {');
      c.writer.indented(() => emitBody(s.else, c));
    }
    c.line('}');
  },
  loop: emitLoop,
  break: (_s, c) => c.line('break;'),
  continue: (_s, c) => {
    const loop = c.loops.at(-1);
    if (loop?.next === undefined) c.line('continue;');
    else {
      loop.used = true;
      c.line(branchTo(loop.next));
    }
  },
  block: (s, c) => {
    const label = c.namer.name(`leave${s.label}`);
    c.labels.set(s.label, label);
    c.block('{', () => emitBody(s.body, c));
    c.line(`${label}:;`);
  },
  leave: (s, c) => c.line(branchTo(labelOf(s.label, c))),
  return: (_s, c) => c.line('return;'),
  assert: (s, c) => {
    if (s.contract) return;
    c.line(`if (!${emitExpression(s.condition, c)}) ${failText(s.message, c)}`);
  },
  print: (s, c) => c.line(printText(s.args, c)),
  approximate: () => undefined,
  clock: (s, c) => c.line(`${setting(s.local, c)}(unsigned long long)clock64();`),
  call: (s, c) => {
    if (c.isNative(s)) emitNativeCall(s, c);
    else if (s.body !== undefined) {
      const native = nativeReduceCopy(s, c);
      if (native === undefined) emitBody(s.body, c);
      else {
        c.reduceCopy = true;
        c.line(nativeReduceCopyGuard);
        c.line(native);
        c.line('#else');
        emitBody(s.body, c);
        c.line('#endif');
      }
    } else throw new NcclError('NCCLTS_NOT_SUPPORTED', `CUDA has no '${s.name}' yet.`);
  },
};

/**
 * Returns the signed counter of `for (...; i < n; i++)`, if nothing else sets it. Below `n` it
 * cannot overflow, so C++'s own `++` is equivalent, and the compiler may unroll the loop.
 */
function countsUp({ condition, body, update }: LoopStatement): LocalId | undefined {
  const [step] = update;
  if (update.length !== 1 || step?.kind !== 'assign' || condition?.kind !== 'compare') return undefined;
  const isCounter = (e: Expression): boolean => e.kind === 'local' && e.local === step.local;
  const below =
    (condition.op === 'lt' && isCounter(condition.left)) || (condition.op === 'gt' && isCounter(condition.right));
  const { value } = step;
  if (!below || value.kind !== 'binary' || value.op !== 'add' || !isCounter(value.left)) return undefined;
  const { right } = value;
  if (right.kind !== 'constant' || Number(right.value) !== 1) return undefined;
  return assignedLocals(body).has(step.local) ? undefined : step.local;
}

/**
 * Emits a `for` if the update consists of assignments. Otherwise the update follows a label to
 * which `continue` jumps. A loop that polls can be aborted as a wait can.
 */
function emitLoop(s: LoopStatement, c: CudaEmitContext): void {
  const emitRound = (): void => {
    if (pollsByAtomics(s)) watch(c);
    emitBody(s.body, c);
  };
  const condition = s.condition === undefined ? '' : bare(emitExpression(s.condition, c));
  const counter = countsUp(s);
  const steps = s.update.map((step) => {
    if (step.kind !== 'assign' || c.inline.has(step.local)) return undefined;
    const name = c.locals[step.local];
    return step.local === counter ? `${name}++` : `${name} = ${bare(emitExpression(step.value, c))}`;
  });
  if (steps.every((step) => step !== undefined)) {
    c.loops.push({ next: undefined, used: false });
    c.block(`for (; ${condition}; ${steps.join(', ')}) {`, emitRound);
    c.loops.pop();
    return;
  }
  const loop = { next: c.namer.name('next'), used: false };
  c.loops.push(loop);
  c.block(`while (${condition === '' ? 'true' : condition}) {`, () => {
    c.block('{', emitRound);
    if (loop.used) c.line(`${loop.next}:;`);
    emitBody(s.update, c);
  });
  c.loops.pop();
}
