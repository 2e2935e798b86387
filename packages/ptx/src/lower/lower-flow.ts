import { constant, type Span, type Statement } from '@nccl-ts/ir';
import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph } from '../flow/flow-graph.ts';
import type { PtxBody, PtxInstruction, PtxItem, PtxOperand } from '../syntax/module.ts';
import { isClusterBarrier, leaveCluster } from './effects/cluster-barrier.ts';
import { mnemonic } from './instruction-parts.ts';
import { Refusal, type InstructionLowering } from './lower-instruction.ts';
import type { Spans } from '../source/spans-of.ts';

/** Emits the effect of one instruction without a jump. */
export type LowerStraight = (instruction: PtxInstruction) => void;

/** Instructions after which control jumps, or may jump. */
const jumpOpcodes: ReadonlySet<string> = new Set(['bra', 'brx', 'ret', 'exit']);

interface OpenBlock {
  readonly body: Statement[];
  end: FlowEnd | undefined;
}

/**
 * Makes the blocks of a body. An unsupported instruction becomes a diagnostic of the lowering's
 * builder, and is omitted.
 */
export function lowerFlow(
  body: PtxBody,
  spans: Spans,
  lowering: InstructionLowering,
  straight: LowerStraight,
  prologue: readonly Statement[],
): FlowGraph {
  return new FlowLowering(body, spans, lowering, straight).graph(prologue);
}

/** A block with its end. With `leaves`, a thread that ends leaves the barrier of its cluster. */
function closed({ body }: OpenBlock, end: FlowEnd, leaves: boolean): FlowBlock {
  return { body: leaves && end.kind === 'return' ? [...body, leaveCluster(end.span)] : body, end };
}

class FlowLowering {
  readonly #body: PtxBody;
  readonly #spans: Spans;
  readonly #lowering: InstructionLowering;
  readonly #straight: LowerStraight;
  readonly #blocks: OpenBlock[] = [];
  readonly #labels = new Map<string, FlowBlockId>();

  constructor(body: PtxBody, spans: Spans, lowering: InstructionLowering, straight: LowerStraight) {
    this.#body = body;
    this.#spans = spans;
    this.#lowering = lowering;
    this.#straight = straight;
  }

  graph(prologue: readonly Statement[]): FlowGraph {
    // Labels become blocks before any jump refers to them.
    let current = this.#open();
    current.body.push(...prologue);
    for (const item of this.#body.items)
      if (item.kind === 'label') this.#labels.set(item.name, this.#blocks.push(emptyBlock()) - 1);
    let last: Span = { source: 0, start: 0, end: 0 };
    for (const item of this.#body.items) {
      const span = this.#spans.of(item);
      last = span;
      current = this.#item(item, span, current);
    }
    current.end ??= { kind: 'return', span: last };
    const end: FlowEnd = { kind: 'return', span: last };
    const leaves = this.#body.items.some((item) => item.kind === 'instruction' && isClusterBarrier(item));
    return { blocks: this.#blocks.map((block) => closed(block, block.end ?? end, leaves)) };
  }

  #open(): OpenBlock {
    const block = emptyBlock();
    this.#blocks.push(block);
    return block;
  }

  #item(item: PtxItem, span: Span, current: OpenBlock): OpenBlock {
    if (item.kind === 'label') {
      const to = this.#labels.get(item.name);
      if (to === undefined) throw new Error(`The label ${item.name} has no block.`);
      current.end ??= { kind: 'jump', to, span };
      return this.#blocks[to] ?? current;
    }
    if (!jumpOpcodes.has(item.words[0])) {
      current.body.push(...this.#statements(item, span));
      return current;
    }
    return this.#leave(item, span, current);
  }

  #statements(item: PtxInstruction, span: Span): readonly Statement[] {
    const { guard } = item;
    try {
      const statements = this.#lowering.statementsOf(span, () => this.#straight(item));
      if (guard === undefined || statements.length === 0) return statements;
      const condition = this.#lowering.guard(guard.register, guard.isNegated);
      return [{ kind: 'if', condition, then: statements, else: [], span }];
    } catch (error) {
      return this.#refused(item, error, span);
    }
  }

  #leave(item: PtxInstruction, span: Span, current: OpenBlock): OpenBlock {
    const next = this.#open();
    const id = this.#blocks.length - 1;
    try {
      const { guard } = item;
      const end = this.#endOf(item, span);
      if (guard === undefined) current.end ??= end;
      else {
        const condition = this.#lowering.guard(guard.register, guard.isNegated);
        // A jump with many targets, or the end of the thread, has a separate block.
        const taken = end.kind === 'jump' ? end.to : this.#blocks.push({ body: [], end }) - 1;
        current.end ??= { kind: 'branch', condition, then: taken, else: id, span };
      }
    } catch (error) {
      current.body.push(...this.#refused(item, error, span));
      current.end ??= { kind: 'jump', to: id, span };
    }
    return next;
  }

  #endOf(item: PtxInstruction, span: Span): FlowEnd {
    const [opcode] = item.words;
    if (opcode === 'ret' || opcode === 'exit') return { kind: 'return', span };
    const [first, second] = item.operands;
    if (opcode === 'bra') return { kind: 'jump', to: this.#target(first), span };
    const list = second?.kind === 'symbol' ? this.#body.branchTargets.get(second.name) : undefined;
    if (first === undefined || list === undefined) {
      return this.#lowering.fail('P4002', `${mnemonic(item)} names a list of targets that is not declared`);
    }
    const targets = list.map((name) => this.#target({ kind: 'symbol', name, offset: 0n }));
    const index = first.kind === 'integer' ? constant('u32', Number(first.value)) : this.#lowering.value(first, 'u32');
    return { kind: 'switch', index, targets, span };
  }

  #target(operand: PtxOperand | undefined): FlowBlockId {
    const to = operand?.kind === 'symbol' ? this.#labels.get(operand.name) : undefined;
    if (to !== undefined) return to;
    const message =
      operand?.kind === 'symbol'
        ? `the function has no label ${operand.name} to branch to`
        : 'a branch needs a label as its target';
    return this.#lowering.fail('P4002', message);
  }

  /** Reports that an instruction cannot be translated, or makes it fail when it is reached. */
  #refused(item: PtxInstruction, error: unknown, span: Span): readonly Statement[] {
    if (!(error instanceof Refusal)) throw error;
    if (item.onlyIfCalled !== undefined) {
      const message = `${item.onlyIfCalled} cannot be translated: ${error.message}`;
      return [{ kind: 'assert', condition: constant('bool', false), message, span }];
    }
    this.#lowering.builder.diagnostics.push(diagnosticOf(item, error));
    return [];
  }
}

function emptyBlock(): OpenBlock {
  return { body: [], end: undefined };
}

function diagnosticOf({ span, location }: PtxInstruction, { code, message, help }: Refusal): PtxDiagnostic {
  return {
    code,
    severity: 'error',
    message,
    span,
    ...(help === undefined ? {} : { help }),
    ...(location === undefined ? {} : { location }),
  };
}
